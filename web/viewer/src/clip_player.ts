// SPDX-License-Identifier: Apache-2.0
// Plays a clip, round and round, or up to one of its stops, where the body stands dead still.
import type { ClipEntry, Motion, StopEntry } from "./scene";
import { headingOf, Pose, samplePose } from "./skeleton";

const RUN_UP = 1.5; // seconds shown before a stop
const STANDSTILL = 3; // seconds after it

export class ClipPlayer {
    /** In frames. */
    frame = 0;
    sinceStop = 0;
    stop: StopEntry | null = null;

    constructor(readonly entry: ClipEntry, readonly motion: Motion) {}

    get seconds(): number {
        return this.frame / this.motion.rate;
    }

    /** Moves on; true where it began anew, and cloth must be reset. */
    step(seconds: number, out: Pose): boolean {
        const frames = seconds * this.motion.rate, { stop } = this;
        let anew = false;
        if (stop && this.frame + frames >= stop.frame) {
            this.sinceStop += this.frame + frames - stop.frame;
            this.frame = stop.frame;
            anew = this.sinceStop > STANDSTILL * this.motion.rate;
            if (anew) this.startStop(stop);
        } else {
            this.frame += frames;
            anew = this.frame > this.motion.frames - 1;
            if (anew) this.frame = 0;
        }
        samplePose(this.motion, this.frame, out);
        return anew;
    }

    seek(frame: number, out: Pose): void {
        this.frame = Math.min(Math.max(frame, 0), this.motion.frames - 1);
        this.sinceStop = 0;
        if (this.stop && this.frame >= this.stop.frame) this.stop = null;
        samplePose(this.motion, this.frame, out);
    }

    /** From a little before the stop; null: the clip goes on as it was made. */
    startStop(stop: StopEntry | null): void {
        this.stop = stop;
        this.sinceStop = 0;
        if (stop) this.frame = Math.max(0, stop.frame - RUN_UP * this.motion.rate);
    }

    /** Velocity in the world and rate of heading. */
    rootMotion(): [number, number, number, number] {
        if (this.sinceStop > 0) return [0, 0, 0, 0];
        const { motion } = this, size = motion.rotations.length / motion.frames;
        const a = Math.min(Math.floor(this.frame), motion.frames - 2), b = a + 1;
        const v = [0, 1, 2].map((i) => (motion.root[3 * b + i] - motion.root[3 * a + i]) * motion.rate);
        const turn = headingOf(motion.rotations, b * size) - headingOf(motion.rotations, a * size);
        return [v[0], v[1], v[2], Math.atan2(Math.sin(turn), Math.cos(turn)) * motion.rate];
    }
}
