// SPDX-License-Identifier: Apache-2.0
// Plays in Node what write_plays wrote natively (tests/runtime/plays/play_file.h), and holds hem.js to its
// manual. player_test.sh runs it.
//
//     node player_test.mjs PACKAGE PLAYS HOSTILE FUSED
//
// PACKAGE: the folder that scripts/build-web-player made; PLAYS: of `write_plays plain`; HOSTILE: files that
// are not garments, or hardly; FUSED: of `write_plays fused`, where the processor can.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { comparePlay, nothingFound, playFrame, readPlay, sentence, wearersOf } from "./plays.mjs";

const [packageFolder, plays, hostile, fused] = process.argv.slice(2);
const { open, BAD_JOINTS, BAD_STATE } = await import(pathToFileURL(join(packageFolder, "hem.js")));
const garmentFile = (name) => readFileSync(join(plays, `${name}.hem`));
const playFile = (name, folder = plays) =>
    readPlay(Uint8Array.from(readFileSync(join(folder, `${name}.play`))).buffer);
const allNames = () => readdirSync(plays).filter((n) => n.endsWith(".play")).map((n) => n.slice(0, -5));

test("every play has the bits of the native one", async () => {
    const found = nothingFound();
    const names = allNames();
    assert.ok(names.length > 10);
    for (const name of names) comparePlay(await open(garmentFile(name)), playFile(name), found);
    console.log(`Node ${process.version}: ${names.length} plays, ${sentence(found)}`);
    assert.equal(found.bits, 0);
    assert.equal(found.largest, 0);
});

const noFused = existsSync(fused) ? false : "this processor has no kernels that fuse";
test("positions are within float rounding of processors that fuse", { skip: noFused }, async () => {
    const largest = { near: 0, far: 0, approximate: 0 }; // of coordinates below 10 m, the others, and rounded weights
    for (const name of allNames()) {
        const approximate = name.endsWith("approximate"); // a weight may be rounded to the next integer, up or down
        const limit = approximate ? 2e-5 : 4e-6;
        const play = playFile(name, fused);
        const wearers = wearersOf(await open(garmentFile(name)), play);
        for (let i = 0; i < play.frames; ++i) {
            const frame = play.frame(i);
            playFrame(wearers, frame, i === 0)[0].forEach((value, at) => {
                const expected = frame.outputs[at];
                const difference = Math.abs(value - expected);
                assert.ok(difference <= limit * (1 + Math.abs(expected)), `${name}: ${value}, ${expected}`);
                const reach = approximate ? "approximate" : Math.abs(expected) < 10 ? "near" : "far";
                largest[reach] = Math.max(largest[reach], difference);
            });
        }
    }
    console.log(`from fused kernels: ${largest.near} m at most, ${largest.far} m past 10 m from the origin, ` +
        `${largest.approximate} m with HEM_APPROXIMATE`);
});

test("a garment says what it is", async () => {
    const garment = await open(garmentFile("s_float32"));
    assert.equal(garment.vertexCount, 50);
    assert.equal(garment.modeCount, 7);
    assert.equal(garment.rate, 30);
    assert.equal(garment.jointNames.length, garment.jointCount);
    assert.equal(garment.jointNames[0], "Hips");
    assert.equal(garment.triangles.length, 3 * 48);
    assert.ok(garment.triangles.every((corner) => corner < 50));
    assert.equal(JSON.parse(garment.info).name, "toy");
    assert.equal(garment.pushesOut, false);
    assert.equal((await open(garmentFile("s_pushed_out"))).pushesOut, true);
    const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json")));
    assert.equal(garment.version, version);
});

test("what is not a garment gives the reason", async () => {
    const bytes = garmentFile("s_float32");
    await assert.rejects(open(new Uint8Array(0)), /^Error: .*(short|end|trunc)/i);
    await assert.rejects(open(bytes.subarray(0, 5000)), /^Error: .{10}/);
    const damaged = Uint8Array.from(bytes);
    damaged[9000] ^= 1;
    await assert.rejects(open(damaged), /^Error: .*(checksum|damaged)/i);
    await assert.rejects(open("dress.hem"), TypeError);
});

test("hostile files open or give a reason, and what opens plays", async () => {
    let opened = 0;
    for (const name of readdirSync(hostile)) {
        const bytes = readFileSync(join(hostile, name));
        const garment = await open(bytes).catch((error) => assert.equal(error.constructor, Error, name));
        if (!garment) continue;
        ++opened;
        const wearer = garment.wearers(1);
        wearer.reset();
        wearer.step(1 / 60);
        assert.ok(wearer.positions.every(Number.isFinite), name);
    }
    assert.ok(opened > 0);
});

test("wearers survive the memory's growth, and a state copied back is a rollback", async () => {
    const play = playFile("s_large");
    const garment = await open(garmentFile("s_large"));
    const wearers = wearersOf(garment, play);
    playFrame(wearers, play.frame(0), true);
    playFrame(wearers, play.frame(1), false);
    const kept = wearers.positions;
    const saved = wearers.states.slice();
    const expected = playFrame(wearers, play.frame(2), false)[0].slice();
    garment.wearers(2000, { normals: true }); // 15 MB
    assert.equal(kept.length, 0, "the memory moved");
    assert.deepEqual(wearers.positions, expected);
    wearers.states.set(saved);
    assert.deepEqual(playFrame(wearers, play.frame(2), false)[0], expected);
});

test("freed wearers make room for others and cannot be used", async () => {
    const garment = await open(garmentFile("s_large"));
    const sizes = new Set();
    for (let i = 0; i < 20; ++i) {
        const wearers = garment.wearers(500);
        sizes.add(wearers.positions.buffer.byteLength);
        wearers.free();
        wearers.free();
        assert.throws(() => wearers.step(0.1), /freed/);
        assert.throws(() => wearers.positions, /freed/);
    }
    assert.equal(sizes.size, 1);
});

test("settings reach the player", async () => {
    const play = playFile("s_float32");
    const garment = await open(garmentFile("s_float32"));
    const positionsWith = (change, rootMotion) => {
        const wearers = garment.wearers(1, { weights: true, wearerModes: true });
        change(wearers);
        wearers.joints.set(play.frame(0).joints.subarray(0, wearers.joints.length));
        wearers.reset(rootMotion);
        wearers.joints.set(play.frame(20).joints.subarray(0, wearers.joints.length));
        wearers.step(1 / 30);
        return wearers.positions.slice();
    };
    const plain = positionsWith(() => {});
    const others = [
        positionsWith((w) => { w.dial = 1; }),
        positionsWith((w) => { w.wearerModes[0] = 3; }),
        positionsWith((w) => { w.canonical = true; }),
        positionsWith((w) => { w.approximate = true; }),
        positionsWith(() => {}, [2, 0, 0, 1]),
    ];
    others.forEach((other, i) => assert.notDeepEqual(other, plain, `setting ${i}`));
    assert.deepEqual(positionsWith(() => {}, null), plain);
    assert.deepEqual(positionsWith(() => {}, [0, 0, 0, 0]), plain);
});

test("reports and buffers are as asked for", async () => {
    const garment = await open(garmentFile("s_float32"));
    const wearers = garment.wearers(2, { positions: false, weights: true });
    assert.equal(wearers.positions, null);
    assert.equal(wearers.normals, null);
    assert.equal(wearers.wearerModes, null);
    wearers.joints.fill(NaN);
    wearers.step(1 / 60);
    assert.deepEqual([...wearers.reports], [BAD_JOINTS | BAD_STATE, BAD_JOINTS | BAD_STATE]);
    assert.ok(wearers.weights.every(Number.isFinite));
    assert.throws(() => garment.wearers(0), RangeError);
    assert.throws(() => garment.wearers(1.5), RangeError);
    assert.throws(() => garment.wearers(1e9), /out of memory/);
    assert.throws(() => garment.wearers(1, { positions: false, normals: true }), RangeError);
    assert.throws(() => wearers.reset([1, 2, 3]), RangeError);
});

test("a module can be given as bytes or compiled", async () => {
    const bytes = readFileSync(join(packageFolder, "hem.wasm"));
    const module = await WebAssembly.compile(bytes);
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    for (const given of [bytes, module])
        assert.equal((await open(garmentFile("c_float32"), { module: given })).vertexCount, 50);
});
