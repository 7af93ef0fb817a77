// SPDX-License-Identifier: Apache-2.0
// The browser's player in Node: CPU time of a step on one core.
//
//     scripts/build-web-player
//     node bench/web_player_bench.mjs GARMENT.hem [PACKAGE]        (build/web-player where none is given)
//
// Wearers stand upright and sway; the time does not depend on the pose but with pushOut, which is not timed.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [file, folder = "build/web-player"] = process.argv.slice(2);
if (!file) {
    console.error("usage: node bench/web_player_bench.mjs GARMENT.hem [PACKAGE]");
    process.exit(2);
}
const { open } = await import(pathToFileURL(resolve(folder, "hem.js")));

function animate(wearers, jointCount, seconds) {
    const { joints } = wearers;
    for (let i = 0; i < joints.length / 12; ++i) {
        const angle = 0.1 * Math.sin(4 * seconds + Math.floor(i / jointCount));
        const c = Math.cos(angle), s = Math.sin(angle);
        joints.set([1, 0, 0, 0, 0, c, -s, 0, 0, s, c, seconds], 12 * i);
    }
}

// Microseconds of CPU a step: the median of 9 samples of about 0.1 s.
function microseconds(garment, count, outputs, settings) {
    const wearers = Object.assign(garment.wearers(count, outputs), settings);
    animate(wearers, garment.jointCount, 0);
    wearers.reset();
    animate(wearers, garment.jointCount, 1 / 30);
    const steps = Math.max(3, Math.round(20000 / count));
    const sample = () => {
        const start = process.cpuUsage();
        for (let i = 0; i < steps; ++i) wearers.step(1 / 30);
        const { user, system } = process.cpuUsage(start);
        return (user + system) / steps;
    };
    sample(); // until V8 has compiled it well
    const samples = Array.from({ length: 9 }, sample).sort((a, b) => a - b);
    wearers.free();
    return samples[4];
}

const garment = await open(readFileSync(file));
console.log(`${file}: ${garment.vertexCount} vertices, ${garment.modeCount} modes; Node ${process.version}`);
for (const [name, count, outputs, settings] of [
    ["one wearer", 1, {}, {}],
    ["one wearer, with normals", 1, { normals: true }, {}],
    ["1,000 wearers", 1000, {}, {}],
    ["1,000 wearers, approximate", 1000, {}, { approximate: true }],
    ["1,000 wearers, weights alone", 1000, { positions: false, weights: true }, {}],
]) {
    const time = microseconds(garment, count, outputs, settings);
    console.log(`${name.padEnd(30)} ${time.toFixed(1).padStart(9)} µs, ${(time / count).toFixed(1)} each`);
}
