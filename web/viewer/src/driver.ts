// SPDX-License-Identifier: Apache-2.0
// A character that is driven: intentions become speed, heading and a blend of gaits and actions. Speeds
// change as fast as people change theirs; only freeze() is abrupt.
import type { Action, Kit } from "./kit";
import { Pose, turnPose } from "./skeleton";

export interface Intent {
    /** -1 (brake) to 1. */
    forward: number;
    /** -1 (right) to 1 (left). */
    turn: number;
    run: boolean;
    duck: boolean;
    /** Set for one step by the press. */
    jump: boolean;
}

const WALK_ACCELERATION = 2.2, RUN_ACCELERATION = 3.6, BRAKING = 5; // m/s^2
const TURN_RATE = 1.4, TURN_SECONDS = 0.18; // rad/s; time to take up a turn
const FADE_SECONDS = 0.22; // into and out of an action

const smooth = (t: number) => t * t * (3 - 2 * t);
const clamp01 = (t: number) => Math.min(Math.max(t, 0), 1);

/** What the abrupt stop does: a run-up, then nothing moves but the cloth. */
interface Stop {
    runUp: number; // seconds left
    frozen: number; // seconds left
}

export class Driver {
    x = 0;
    z = 0;
    heading = 0;
    speed = 0;
    turnRate = 0;
    private phase = 0;
    private idlePhase = 0;
    private action: { action: Action; time: number; held: boolean } | null = null;
    private stop: Stop | null = null;
    private readonly scratch: Pose;
    private readonly other: Pose;

    constructor(private readonly kit: Kit, joints: number) {
        this.scratch = new Pose(joints);
        this.other = new Pose(joints);
    }

    get frozen(): boolean {
        return this.stop !== null && this.stop.runUp <= 0;
    }

    get stopping(): boolean {
        return this.stop !== null;
    }

    /** What it does, in a word. */
    get doing(): string {
        if (this.frozen) return "frozen";
        if (this.action) return this.action.action === this.kit.duck ? "duck" : "jump";
        if (this.speed > 0.6 * (this.kit.walk.speed + this.kit.run.speed)) return "run";
        if (this.speed > 0.1) return "walk";
        return Math.abs(this.turnRate) > 0.2 ? "turn" : "stand";
    }

    /** Figure 3 of the paper: runs, then freezes within one frame. */
    abruptStop(): void {
        const runUp = this.speed > 0.8 * this.kit.run.speed ? 0.3 : 2.2;
        this.stop = { runUp, frozen: 3.5 };
    }

    /** Velocity in the world and rate of heading, as the player's reset takes them. */
    rootMotion(): [number, number, number, number] {
        if (this.frozen) return [0, 0, 0, 0];
        return [this.speed * Math.sin(this.heading), 0, this.speed * Math.cos(this.heading), this.turnRate];
    }

    step(seconds: number, intent: Intent, out: Pose): void {
        if (this.stop) intent = this.stopIntent(seconds, intent);
        if (!this.frozen) {
            this.move(seconds, intent);
            this.act(seconds, intent);
        }
        this.pose(out);
    }

    /** Puts it elsewhere, standing as it is. */
    teleport(x: number, z: number, heading: number): void {
        [this.x, this.z, this.heading] = [x, z, heading];
    }

    reset(): void {
        this.teleport(0, 0, 0);
        this.speed = this.turnRate = this.phase = this.idlePhase = 0;
        this.action = this.stop = null;
    }

    private stopIntent(seconds: number, intent: Intent): Intent {
        const stop = this.stop!;
        if (stop.runUp > 0) {
            stop.runUp -= seconds;
            return { forward: 1, turn: 0, run: true, duck: false, jump: false };
        }
        stop.frozen -= seconds;
        const asked = intent.forward > 0 || intent.turn !== 0 || intent.jump || intent.duck;
        if (stop.frozen <= 0 || (asked && stop.frozen < 3)) {
            this.stop = null;
            this.speed = this.turnRate = 0;
        }
        return intent;
    }

    private move(seconds: number, intent: Intent): void {
        const { kit } = this;
        const ducking = this.action && this.action.action === kit.duck ? 0.35 : 1;
        const top = (intent.run ? kit.run.speed : kit.walk.speed) * ducking;
        const wanted = Math.max(intent.forward, 0) * top;
        const rate = intent.forward < 0 || wanted === 0 ? BRAKING
            : wanted > kit.walk.speed ? RUN_ACCELERATION : WALK_ACCELERATION;
        const change = wanted - this.speed;
        this.speed += Math.sign(change) * Math.min(Math.abs(change), rate * seconds);
        this.turnRate += (intent.turn * TURN_RATE - this.turnRate) * (1 - Math.exp(-seconds / TURN_SECONDS));
        this.heading += this.turnRate * seconds;
        this.x += this.speed * Math.sin(this.heading) * seconds;
        this.z += this.speed * Math.cos(this.heading) * seconds;
        this.phase += this.cadence() * seconds;
        this.idlePhase += kit.idle.frequency * seconds;
    }

    private act(seconds: number, intent: Intent): void {
        const { kit } = this;
        if (!this.action) {
            if (intent.jump && kit.jump) this.action = { action: kit.jump, time: 0, held: false };
            else if (intent.duck && kit.duck) this.action = { action: kit.duck, time: 0, held: true };
            return;
        }
        const now = this.action;
        const { hold, seconds: whole } = now.action;
        if (now.held) now.held = intent.duck;
        now.time += seconds;
        if (now.held && hold) now.time = Math.min(now.time, (hold[0] + hold[1]) / 2);
        if (now.time >= whole) this.action = null;
    }

    /** Steps a second: of the blend of gaits, at the speed that it really has. */
    private cadence(): number {
        const { walk, run } = this.kit;
        const t = this.runShare();
        const natural = (1 - t) * walk.speed + t * run.speed;
        const frequency = (1 - t) * walk.frequency + t * run.frequency;
        const turning = Math.min(Math.abs(this.turnRate) / TURN_RATE, 1) * 0.8;
        return frequency * Math.max(Math.min(Math.max(this.speed / natural, 0.7), 1.15), turning);
    }

    private runShare(): number {
        const { walk, run } = this.kit;
        return clamp01((this.speed - 1.15 * walk.speed) / (run.speed - 1.15 * walk.speed));
    }

    private pose(out: Pose): void {
        const { kit, scratch, other, phase, turnRate } = this;
        kit.idle.sample(this.idlePhase, 0, out, other);
        kit.turn.sample(phase, turnRate, scratch, other);
        out.blend(scratch, smooth(clamp01(Math.abs(turnRate) / 0.6)) * (kit.turn === kit.walk ? 0.4 : 1));
        kit.walk.sample(phase, turnRate, scratch, other);
        out.blend(scratch, smooth(clamp01(this.speed / (0.8 * kit.walk.speed))));
        kit.run.sample(phase, turnRate, scratch, other);
        out.blend(scratch, smooth(this.runShare()));
        if (this.action) {
            const { action, time } = this.action;
            action.sample(time, scratch);
            const ends = Math.min(time, action.seconds - time) / FADE_SECONDS;
            out.blend(scratch, smooth(clamp01(ends)));
        }
        turnPose(out, this.heading);
        out.root[0] += this.x;
        out.root[2] += this.z;
    }
}
