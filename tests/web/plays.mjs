// SPDX-License-Identifier: Apache-2.0
// Plays (tests/runtime/plays/play_file.h) by hem.js, in Node and in browsers alike.

// The header's seven numbers, and a function that gives each frame's parts.
export function readPlay(bytes) {
    const [wearers, frames, flags, modes, joints, outputs, states] = new Uint32Array(bytes, 0, 7);
    const frameBytes = 4 * (1 + joints + outputs + states);
    if (bytes.byteLength !== 28 + frames * frameBytes) throw new Error("a play of another length");
    const frame = (i) => {
        const at = 28 + i * frameBytes;
        return {
            seconds: new Float32Array(bytes, at, 1)[0],
            joints: new Float32Array(bytes, at + 4, joints),
            outputs: new Float32Array(bytes, at + 4 + 4 * joints, outputs),
            states: new Uint8Array(bytes, at + 4 + 4 * (joints + outputs), 4 * states),
        };
    };
    return { wearers, frames, flags, modes, frame };
}

export function wearersOf(garment, play) {
    const wearers = garment.wearers(play.wearers, { normals: true, weights: true });
    wearers.modes = play.modes;
    wearers.canonical = (play.flags & 1) !== 0;
    wearers.pushOut = (play.flags & 2) !== 0;
    wearers.approximate = (play.flags & 4) !== 0;
    return wearers;
}

export function playFrame(wearers, frame, isFirst) {
    wearers.joints.set(frame.joints);
    if (isFirst) wearers.reset();
    else wearers.step(frame.seconds);
    const { positions, normals, weights, confidence } = wearers;
    return [positions, normals, weights, confidence];
}

// How many numbers have other bits, and the largest difference.
function compare(played, expected, found) {
    let at = 0;
    for (const part of played)
        for (const value of part) {
            const difference = Math.abs(value - expected[at]);
            if (!Object.is(value, expected[at++])) ++found.bits;
            if (!(difference <= found.largest)) found.largest = difference; // NaN counts as larger
        }
    if (at !== expected.length) throw new Error(`${at} outputs in place of ${expected.length}`);
    found.numbers += at;
}

/**
 * Plays all of `play` and adds to `found`: frames and numbers compared, how many of these have other bits
 * (a frame's states count as one), and the largest difference.
 */
export function comparePlay(garment, play, found) {
    const wearers = wearersOf(garment, play);
    for (let i = 0; i < play.frames; ++i, ++found.frames) {
        const frame = play.frame(i);
        compare(playFrame(wearers, frame, i === 0), frame.outputs, found);
        if (wearers.states.some((byte, at) => byte !== frame.states[at])) ++found.bits;
    }
}

export const nothingFound = () => ({ frames: 0, numbers: 0, bits: 0, largest: 0 });
export const sentence = (found) =>
    `${found.frames} frames, ${found.numbers} numbers; ${found.bits} differ, by ${found.largest} at most`;
