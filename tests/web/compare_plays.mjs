// SPDX-License-Identifier: Apache-2.0
// Plays in Node what write_plays wrote, and prints how far the browser's player is from it: for a garment of
// your own, or with the plays of a processor that fuses.
//
//     build/release/tests/write_plays fused FOLDER [GARMENT.hem]
//     node tests/web/compare_plays.mjs build/web-player FOLDER
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { comparePlay, nothingFound, playFrame, readPlay, sentence, wearersOf } from "./plays.mjs";

const [packageFolder, folder] = process.argv.slice(2);
if (!folder) {
    console.error("usage: node tests/web/compare_plays.mjs PACKAGE FOLDER");
    process.exit(2);
}
const { open } = await import(pathToFileURL(resolve(packageFolder, "hem.js")));

// Coordinates; how many are more than 10 µm away; the largest difference in metres.
function comparePositions(garment, play) {
    const wearers = wearersOf(garment, play);
    let count = 0, away = 0, largest = 0;
    for (let i = 0; i < play.frames; ++i) {
        const frame = play.frame(i);
        playFrame(wearers, frame, i === 0)[0].forEach((value, at) => {
            const difference = Math.abs(value - frame.outputs[at]);
            ++count;
            if (!(difference <= 1e-5)) ++away;
            if (!(difference <= largest)) largest = difference;
        });
    }
    return { count, away, largest };
}

for (const name of readdirSync(folder).filter((n) => n.endsWith(".play")).map((n) => n.slice(0, -5))) {
    const play = readPlay(Uint8Array.from(readFileSync(join(folder, `${name}.play`))).buffer);
    const garment = await open(readFileSync(join(folder, `${name}.hem`)));
    const found = nothingFound();
    comparePlay(garment, play, found);
    const { count, away, largest } = comparePositions(garment, play);
    console.log(`${name}: ${sentence(found)}`);
    console.log(`    positions: ${away} of ${count} more than 10 µm away, ${(largest * 1e6).toFixed(1)} µm at most`);
}
