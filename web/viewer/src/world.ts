// SPDX-License-Identifier: Apache-2.0
// The character and its cloth over time. All of it moves in steps of the cloth's own rate; what is drawn lies
// between the last two of them, so that any rate looks smooth on any screen.
import { Group, Vector3 } from "three";
import { copyJoints, openFile, shapeOfModes, type Dials, type Moment } from "./cloth";
import { ClipPlayer } from "./clip_player";
import { Driver, type Intent } from "./driver";
import { makeKit } from "./kit";
import { skinMaterial } from "./materials";
import { BodyGeometry } from "./mesh";
import { Pane, type SourceChoice, type SourceContext } from "./panes";
import type { ClipEntry, Scene } from "./scene";
import { headingOf, type Pose, Skeleton } from "./skeleton";

export type Layout = "side" | "overlay";

/** What moves the body: a driver, a clip, or nothing (it stands, for the modes). */
export type Motor = "drive" | "clip" | "still";

const PRE_ROLL = 1.5; // seconds

const STILL: Intent = { forward: 0, turn: 0, run: false, duck: false, jump: false };

export class World {
    readonly group = new Group();
    readonly skeleton: Skeleton;
    readonly driver: Driver;
    readonly body: BodyGeometry;
    /** Of the PCA modes, in standard deviations. */
    readonly deviations = new Float32Array(8);
    readonly dials: Dials = { dial: 0, pushOut: true };
    motor: Motor = "drive";
    clip: ClipPlayer | null = null;
    panes: Pane[] = [];
    ticks = 0;
    seconds = 0;
    private reference: Pane | null = null;
    private readonly skin = skinMaterial();
    private readonly before: Pose;
    /** At the last step. */
    readonly now: Pose;
    private readonly shown: Pose;
    private readonly joints: Float32Array;
    private readonly shownJoints: Float32Array;
    private building = 0;
    private covering: Promise<void> | undefined;

    constructor(readonly scene: Scene) {
        this.skeleton = new Skeleton(scene.character);
        this.driver = new Driver(makeKit(scene.kit), this.skeleton.count);
        this.body = new BodyGeometry(scene.character);
        [this.before, this.now, this.shown] = [0, 1, 2].map(() => this.skeleton.pose());
        this.joints = new Float32Array(12 * this.skeleton.count);
        this.shownJoints = new Float32Array(12 * this.skeleton.count);
    }

    /** Plays a clip from now on, or drives where it is null. */
    async setClip(entry: ClipEntry | null): Promise<void> {
        if (this.clip?.entry === entry) return;
        this.clip = entry && new ClipPlayer(entry, await entry.load());
    }

    /** Shows these ways of getting the cloth, in place of what was shown. The last call wins. */
    async setPanes(choices: SourceChoice[], ownColours: boolean): Promise<void> {
        const turn = ++this.building;
        await (this.covering ??= this.cover());
        const clip = this.motor === "clip" ? this.clip : null;
        const context: SourceContext = {
            clip: clip?.entry ?? null, stop: clip?.stop ?? null, deviations: this.deviations,
        };
        const make = (choice: SourceChoice) =>
            Pane.make(choice, this.scene, context, this.body.geometry, this.skin, ownColours);
        const panes = await Promise.all(choices.map(make));
        const shown = panes.find((pane) => pane.choice.id === "recorded") ?? null;
        const recorded = clip && clip.entry.recorded.names.length > 0;
        const reference = shown ?? (recorded ? await make({ id: "recorded", label: "", short: "", colour: "#888888" }) : null);
        if (turn !== this.building) {
            for (const pane of [...panes, reference]) pane?.dispose();
            return;
        }
        for (const pane of [...this.panes, this.reference]) pane?.dispose();
        this.panes = panes;
        this.reference = reference;
        for (const pane of panes) this.group.add(pane.group);
        this.reset();
    }

    /** Cloth as it hangs after moving as the body now does for long. */
    reset(): void {
        this.pose(0, null);
        this.settle();
    }

    /** One step of the cloth's own rate. */
    step(seconds: number, intent: Intent | null): void {
        this.before.copy(this.now);
        const anew = this.pose(seconds, intent);
        this.seconds += seconds;
        ++this.ticks;
        if (anew) return this.settle();
        const moment = this.moment();
        for (const pane of this.everyPane()) pane.step(moment, seconds, this.dials);
    }

    /** To a frame of the clip, with the swing that the cloth has from the second before it. */
    seek(frame: number): void {
        if (!this.clip) return;
        const { rate } = this.clip.motion, from = Math.max(0, frame - PRE_ROLL * rate);
        this.clip.seek(from, this.now);
        this.settle();
        for (let i = 0; i < Math.round(frame - from); ++i) this.step(1 / rate, null);
        this.clip.seek(frame, this.now);
        this.before.copy(this.now);
        for (const pane of this.everyPane()) pane.jump();
    }

    /** Draws a part `t` of the way of the last step. */
    show(t: number): void {
        this.shown.copy(this.before);
        this.shown.blend(this.now, t);
        this.skeleton.matrices(this.shown, this.shownJoints);
        this.body.update(this.shownJoints);
        for (const pane of this.everyPane()) pane.show(t, this.shownJoints);
        for (const pane of this.panes)
            if (this.reference) pane.measure(this.reference);
            else pane.error = NaN;
    }

    /** Where the pelvis is drawn, and which way it faces. */
    get pelvis(): Float32Array {
        return this.shown.root;
    }

    get heading(): number {
        return headingOf(this.shown.rotations);
    }

    /** Metres a second, over the ground. */
    get speed(): number {
        const motion = this.rootMotion();
        return Math.hypot(motion[0], motion[2]);
    }

    /** Whether there is a recording to measure against. */
    get measured(): boolean {
        return this.reference !== null;
    }

    /** Puts the body at the origin, standing. */
    stand(): void {
        this.driver.reset();
        this.driver.step(0, STILL, this.now);
        this.before.copy(this.now);
    }

    /** Takes the cloth to where it hangs at rest, in the pose that there is. */
    settle(): void {
        this.before.copy(this.now);
        const moment = this.moment();
        for (const pane of this.everyPane()) pane.reset(moment);
    }

    /** Lets the cloth be seen without the body in its way. */
    ghostBody(ghost: boolean): void {
        if (this.skin.transparent !== ghost) this.skin.needsUpdate = true;
        this.skin.transparent = ghost;
        this.skin.opacity = ghost ? 0.16 : 1;
        this.skin.depthWrite = !ghost;
    }

    /** Panes beside each other along `right`, or one over the other. */
    layOut(layout: Layout, right: Vector3, spacing: number): void {
        this.panes.forEach((pane, i) => {
            const place = layout === "side" ? (i - (this.panes.length - 1) / 2) * spacing : 0;
            pane.group.position.copy(right).multiplyScalar(place);
            pane.overlay(layout === "overlay" && i > 0);
        });
    }

    /** Finds which skin the garments cover, on a body that stands. */
    private async cover(): Promise<void> {
        const { garments, character } = this.scene, joints = new Float32Array(this.joints.length);
        const files = await Promise.all(garments.map(({ models }) => openFile(models[0].file, character)));
        const pose = this.skeleton.pose();
        new Driver(makeKit(this.scene.kit), this.skeleton.count).step(0, STILL, pose);
        this.skeleton.matrices(pose, joints);
        this.body.cover(joints, garments.map((garment, i) => {
            const positions = new Float32Array(garment.mean.length);
            shapeOfModes(garment, files[i], joints, [], positions);
            return { positions, triangles: files[i].garment.triangles };
        }));
    }

    /** How far the first garment, put together from the player's weights, is from what the player shows: for tests. */
    async shapeOff(): Promise<number> {
        const { garments, character } = this.scene, file = await openFile(garments[0].models[0].file, character);
        const wearers = file.garment.wearers(1, { weights: true }), { joints } = this.moment();
        copyJoints(joints, file.map, wearers.joints);
        wearers.reset();
        const shape = new Float32Array(garments[0].mean.length);
        shapeOfModes(garments[0], file, joints, wearers.weights!, shape);
        const off = shape.reduce((most, x, i) => Math.max(most, Math.abs(x - wearers.positions![i])), 0);
        wearers.free();
        return off;
    }

    private everyPane(): Pane[] {
        return this.reference && !this.panes.includes(this.reference) ? [...this.panes, this.reference] : this.panes;
    }

    private rootMotion(): [number, number, number, number] {
        if (this.motor === "drive") return this.driver.rootMotion();
        return this.motor === "clip" && this.clip ? this.clip.rootMotion() : [0, 0, 0, 0];
    }

    private moment(): Moment {
        const clip = this.motor === "clip" ? this.clip : null;
        this.skeleton.matrices(this.now, this.joints);
        return {
            joints: this.joints, rootMotion: this.rootMotion(),
            frame: clip?.frame ?? 0, sinceStop: clip?.sinceStop ?? 0,
        };
    }

    private pose(seconds: number, intent: Intent | null): boolean {
        if (this.motor === "clip" && this.clip) return this.clip.step(seconds, this.now);
        if (this.motor === "drive") this.driver.step(seconds, intent ?? STILL, this.now);
        return false;
    }
}
