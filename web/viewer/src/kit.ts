// SPDX-License-Identifier: Apache-2.0
// The motions that a driven character is made of: gaits on the spot facing +Z, whose cycles begin with the
// landing of the left foot, and actions that begin and end standing.
import type { Motion } from "./scene";
import { Pose, samplePose } from "./skeleton";

const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

/** A gait straight on, and where given the same round to the left and to the right. */
export class Gait {
    constructor(readonly straight: Motion, private readonly left?: Motion, private readonly right?: Motion) {}

    get speed(): number {
        return this.straight.speed;
    }

    /** Cycles a second. */
    get frequency(): number {
        return this.straight.rate / this.straight.frames;
    }

    /** `phase`: in cycles; `turnRate`: radians a second, to the left. */
    sample(phase: number, turnRate: number, out: Pose, scratch: Pose): void {
        samplePose(this.straight, phase * this.straight.frames, out);
        const round = turnRate > 0 ? this.left : this.right;
        if (!round || turnRate === 0) return;
        samplePose(round, phase * round.frames, scratch);
        out.blend(scratch, clamp(turnRate / (round.turn || turnRate), 0, 1));
    }
}

/** Begins and ends standing. */
export class Action {
    readonly seconds: number;
    /** From when to when it can be held, seconds. */
    readonly hold: [number, number] | null;

    constructor(readonly motion: Motion) {
        this.seconds = (motion.frames - 1) / motion.rate;
        this.hold = motion.hold && [motion.hold[0] / motion.rate, motion.hold[1] / motion.rate];
    }

    sample(seconds: number, out: Pose): void {
        samplePose(this.motion, seconds * this.motion.rate, out);
    }
}

export interface Kit {
    idle: Gait;
    walk: Gait;
    run: Gait;
    /** Stepping round on the spot. */
    turn: Gait;
    duck: Action | null;
    jump: Action | null;
}

export function makeKit(motions: Motion[]): Kit {
    const find = (name: string) => motions.find((motion) => motion.name === name);
    const gait = (name: string) => {
        const motion = find(name);
        if (!motion) throw new Error(`/scene.json: the kit has no motion named "${name}"`);
        return new Gait(motion, find(`${name}_left`), find(`${name}_right`));
    };
    const action = (name: string) => {
        const motion = find(name);
        return motion ? new Action(motion) : null;
    };
    const idle = gait("idle"), walk = gait("walk");
    const turn = find("turn_left") ? new Gait(idle.straight, find("turn_left"), find("turn_right")) : walk;
    return { idle, walk, run: gait("run"), turn, duck: action("duck"), jump: action("jump") };
}
