// SPDX-License-Identifier: Apache-2.0
// Plays the plays that plays.json names, and tells the page and the server how they compare with the native
// ones.
import { open } from "./package/hem.js";
import { comparePlay, nothingFound, readPlay, sentence } from "./plays.mjs";

const fetched = async (path) => (await fetch(path)).arrayBuffer();

async function compareAll() {
    const names = await (await fetch("plays.json")).json();
    const found = nothingFound();
    for (const name of names) {
        const garment = await open(await fetched(`plays/${name}.hem`));
        comparePlay(garment, readPlay(await fetched(`plays/${name}.play`)), found);
    }
    const refused = await open(new Uint8Array(64)).then(() => "", (error) => error.message);
    const passed = names.length > 10 && found.bits === 0 && found.largest === 0 && refused.length > 0;
    return `${passed ? "passed" : "FAILED"}: ${names.length} plays, ${sentence(found)}`;
}

const result = await compareAll().catch((error) => `FAILED: ${error}`);
document.getElementById("result").textContent = result;
await fetch(`result?${encodeURIComponent(result)}`);
