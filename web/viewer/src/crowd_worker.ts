// SPDX-License-Identifier: Apache-2.0
// A worker of the crowd: moves its share of the wearers on, and steps their garments in a player of its own.
// It gives back places, canonical frames and latent weights; the page rebuilds the cloth in the vertex shader.
import { open, type Wearers } from "../../player/hem.js";
import { canonicalRoot, jointsRead, readCanonicalFrame, type CanonicalFrame } from "./canonical";
import { Paths, PLACE_SIZE, placedMatrix, type PoseTable } from "./crowd_paths";

export interface Start {
    kind: "start";
    module: WebAssembly.Module;
    files: ArrayBuffer[];
    /** For each garment and joint of it, the character's joint. */
    maps: Uint16Array[];
    table: PoseTable;
    first: number;
    count: number;
}

export interface Step {
    kind: "step";
    seconds: number;
    dial: number;
    /** Buffers of the last answer, to be filled again. */
    back: Answer | null;
}

export interface Answer {
    kind: "answer";
    first: number;
    /** PLACE_SIZE a wearer. */
    places: Float32Array;
    /** A garment: p and r, 4 a wearer. */
    frames: Float32Array[];
    /** A garment: latent weights. */
    weights: Float32Array[];
    milliseconds: number;
}

interface Worn {
    wearers: Wearers;
    frame: CanonicalFrame;
    jointCount: number;
    /** Pairs: the garment's joint, the character's. */
    joints: [number, number][];
}

let table: PoseTable;
let paths: Paths;
let worn: Worn[] = [];
let first = 0, count = 0, now = 0;

async function start(message: Start): Promise<void> {
    ({ table, first, count } = message);
    paths = new Paths(table, first, count);
    worn = await Promise.all(message.files.map(async (file, i) => {
        const garment = await open(file, { module: message.module });
        const frame = readCanonicalFrame(file);
        const needed = new Set([0, frame.leftJoint, frame.rightJoint, ...jointsRead(file)]);
        return {
            wearers: garment.wearers(count, { positions: false, weights: true }),
            frame,
            jointCount: garment.jointCount,
            joints: [...needed].map((joint) => [joint, message.maps[i][joint]] as [number, number]),
        };
    }));
    const answer = blankAnswer();
    paths.places(0, answer.places);
    const motion = new Float32Array(4 * count);
    paths.rootMotion(answer.places, motion);
    for (const one of worn) setJoints(one, answer.places);
    for (const { wearers } of worn) wearers.reset(motion);
    reply(answer, 0);
}

function step({ seconds, dial, back }: Step): void {
    const begin = performance.now(), answer = back ?? blankAnswer();
    now += seconds;
    paths.places(now, answer.places);
    for (const one of worn) {
        setJoints(one, answer.places);
        one.wearers.dial = dial;
        one.wearers.step(seconds);
    }
    reply(answer, performance.now() - begin);
}

function blankAnswer(): Answer {
    return {
        kind: "answer", first, places: new Float32Array(PLACE_SIZE * count),
        frames: worn.map(() => new Float32Array(4 * count)),
        weights: worn.map(({ wearers }) => new Float32Array(wearers.weights!.length)), milliseconds: 0,
    };
}

/** Skinning matrices in the world, of the joints that the garment reads. */
function setJoints(one: Worn, places: Float32Array): void {
    for (let w = 0; w < count; ++w) {
        const place = places.subarray(PLACE_SIZE * w, PLACE_SIZE * (w + 1));
        for (const [to, from] of one.joints)
            placedMatrix(table, place, from, one.wearers.joints, 12 * (w * one.jointCount + to));
    }
}

function reply(answer: Answer, milliseconds: number): void {
    answer.milliseconds = milliseconds;
    worn.forEach(({ wearers, frame, jointCount }, g) => {
        answer.weights[g].set(wearers.weights!);
        for (let w = 0; w < count; ++w)
            canonicalRoot(frame, wearers.joints, 12 * jointCount * w, answer.frames[g], 4 * w);
    });
    const buffers = [answer.places, ...answer.frames, ...answer.weights].map(({ buffer }) => buffer as ArrayBuffer);
    postMessage(answer, { transfer: buffers });
}

onmessage = ({ data }: MessageEvent<Start | Step>) => {
    if (data.kind === "step") return step(data);
    start(data).catch((error) => postMessage({ kind: "failed", text: String(error?.message ?? error) }));
};
