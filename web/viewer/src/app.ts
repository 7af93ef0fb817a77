// SPDX-License-Identifier: Apache-2.0
// The page at work: takes the settings to the world, moves it on and draws it, frame by frame.
import { Vector2, Vector3 } from "three";
import { type Insets, OrbitCamera } from "./camera";
import { Crowd } from "./crowd";
import { DEEP_EPSILON, EPSILON, UnderDepth } from "./depth_rule";
import { element } from "./dom";
import type { Intent } from "./driver";
import { Input } from "./input";
import { Labels } from "./labels";
import { MAP_END } from "./materials";
import { sourceChoices, type SourceChoice } from "./panes";
import { countPokeThrough } from "./poke_through";
import type { Scene } from "./scene";
import { defaultSettings, type Tab } from "./settings";
import { Stage } from "./stage";
import { World } from "./world";

const PANE_SPACING = 1.05; // metres
const MOST_STEPS = 16; // a frame; a slower machine plays slower
/** Screens on which the panel is a sheet: as viewer.css has it. */
export const NARROW = "(max-width: 720px)";
const STILL_RATE = 60; // steps a second of cloth that no rate changes

/** How much of the cloth that is shown moves by itself, and so heeds rate and dial. */
export type Swinging = "all" | "some" | "none";

export class App {
    readonly settings = defaultSettings();
    readonly stage: Stage;
    readonly world: World;
    readonly orbit: OrbitCamera;
    readonly input: Input;
    readonly crowd: Crowd;
    /** Called after each frame. */
    onFrame = () => {};
    frames = 0;
    /** Milliseconds: between frames, and of the page's own work, smoothed. */
    interval = 16;
    work = 0;
    private readonly under: UnderDepth;
    private readonly labels = new Labels();
    private readonly look = new Vector3();
    private readonly right = new Vector3();
    private driven = false; // whether anything was asked of the character in the last frame
    private stepped = false; // paused to go step by step: keys held apply to the steps
    private backlog = 0; // seconds that no step was made for yet
    private last = 0;
    private narrow = false; // whether the panel is a sheet
    private handled = new Set<(code: string) => boolean>();

    constructor(readonly scene: Scene, private readonly canvas: HTMLCanvasElement, calm: boolean) {
        this.stage = new Stage(canvas);
        this.world = new World(scene);
        this.crowd = new Crowd(scene, this.world.skeleton);
        this.under = new UnderDepth(scene.garments.length);
        this.orbit = new OrbitCamera(canvas, calm);
        this.input = new Input((code) => [...this.handled].some((press) => press(code)));
        this.stage.scene.add(this.world.group, this.crowd.group);
        this.settings.model = scene.garments[0].models[0].label;
        this.settings.playing = !calm;
        new ResizeObserver(() => this.resize()).observe(canvas);
        this.resize();
    }

    onKey(press: (code: string) => boolean): void {
        this.handled.add(press);
    }

    /** Everything that there is to compare now. */
    choices(): SourceChoice[] {
        const { tab, clip } = this.settings;
        return sourceChoices(this.scene, tab === "compare" ? this.scene.clips[clip] ?? null : null);
    }

    get swinging(): Swinging {
        const { tab, model, shown } = this.settings;
        const models = this.scene.garments.flatMap(({ models }) => tab === "crowd" ? [models[0]]
            : tab === "compare" ? models.filter(({ label }) => shown.has(label))
            : [models.find(({ label }) => label === model) ?? models[0]]);
        const still = models.filter(({ carried }) => carried).length;
        return still === 0 ? "all" : still < models.length ? "some" : "none";
    }

    /** Shows a tab's own scene. */
    async setTab(tab: Tab): Promise<void> {
        this.settings.tab = tab;
        document.body.dataset.tab = tab;
        await this.refresh();
        this.fitView();
    }

    /** After a change of what is shown: clip, cloth, stop. */
    async refresh(): Promise<void> {
        const { settings, world } = this;
        const crowded = settings.tab === "crowd";
        this.world.group.visible = !crowded;
        if (crowded) await this.crowd.setSize(settings.crowd);
        else this.crowd.stop();
        this.stage.shadows = !crowded;
        this.stage.setReach(crowded ? this.crowd.reach : 22, crowded);
        const entry = settings.tab === "compare" ? this.scene.clips[settings.clip] ?? null : null;
        await world.setClip(entry);
        world.motor = settings.tab === "modes" ? "still" : entry ? "clip" : "drive";
        if (settings.tab === "modes") world.stand();
        await world.setPanes(this.shownChoices(), settings.tab !== "compare");
        this.look.set(world.now.root[0], 0.92, world.now.root[2]);
        if (!crowded) this.orbit.jumpTo(this.look);
        this.backlog = 0;
        this.applyView();
    }

    /** Whether cloth can be coloured by its error: measured, and each on a body of its own. */
    get mapped(): boolean {
        return this.settings.tab === "compare" && this.settings.layout === "side" && this.world.measured;
    }

    /** Takes over what only the drawing depends on. */
    applyView(): void {
        const { settings, world } = this;
        world.dials.dial = settings.dial;
        world.dials.pushOut = settings.pushOut;
        this.crowd.dial = settings.dial;
        world.ghostBody(settings.tab === "modes");
        this.orbit.chases = settings.tab === "drive";
        world.body.hideCovered(settings.depthRule && settings.offGarments.size === 0);
        const map = this.mapped && settings.colourMap;
        const modes = settings.tab === "modes" ? this.scene.garments[settings.modesGarment] : null;
        element("legend").hidden = !map;
        for (const pane of world.panes) {
            for (const { garment, mesh } of pane.cloths) {
                mesh.visible = modes ? garment === modes : !settings.offGarments.has(garment.name);
                mesh.material.setColourMap(map && pane.choice.id !== "recorded" ? MAP_END : 0);
            }
        }
    }

    /** Anew from the start, cloth at rest, seen as at first. */
    reset(): void {
        this.world.driver.reset();
        this.world.clip?.startStop(null);
        if (this.world.clip) this.world.clip.frame = 0;
        void this.refresh().then(() => this.fitView());
    }

    /** A few metres off, without the cloth noticing the way. */
    teleport(): void {
        const { driver } = this.world;
        driver.teleport(driver.x + 2 * Math.cos(driver.heading), driver.z - 2 * Math.sin(driver.heading), driver.heading + 2);
        this.world.reset();
    }

    /** Whether an abrupt stop is on: she runs up to it, or is frozen. */
    get stopping(): boolean {
        const { motor, driver, clip } = this.world;
        return motor === "drive" ? driver.stopping : Boolean(clip?.stop);
    }

    /** Freezes within one frame; who stands runs up first; in a clip, at the next of its stops. Once more: takes it back. */
    abruptStop(): void {
        const { world, settings } = this, { clip, driver } = world;
        settings.playing = true;
        if (world.motor === "drive") return driver.stopping ? driver.cancelStop() : driver.abruptStop();
        if (!clip) return;
        if (clip.stop) {
            clip.startStop(null);
            return void this.refresh();
        }
        const stops = clip.entry.stops;
        const next = stops.find((stop) => stop.frame > clip.frame + 5) ?? stops[0];
        clip.startStop(next ?? { frame: Math.floor(clip.frame) + 1, frames: 0, recorded: { names: [], load: noRecording } });
        void this.refresh();
    }

    /** One step of the cloth, then still. */
    stepOnce(): void {
        this.settings.playing = false;
        this.stepped = true;
        const { tick } = this;
        if (this.settings.tab === "crowd") this.crowd.advance(tick);
        else this.world.step(tick, this.readInput());
        this.backlog = tick;
    }

    /** All that is shown, in view; `asSeen`: from where the camera looks now. */
    fitView(asSeen = false): void {
        const { settings, world, orbit } = this, crowded = settings.tab === "crowd";
        const count = settings.layout === "side" ? world.panes.length : 1;
        const distance = crowded ? this.crowd.viewDistance
            : orbit.fit((count - 1) * PANE_SPACING + 1.3, 2.15, this.insets());
        if (asSeen) orbit.distance = distance;
        else orbit.home(distance, crowded ? 0.3 : 0.1);
    }

    start(): void {
        this.stage.renderer.setAnimationLoop((now: number) => this.frame(now));
    }

    /** Pixels of poke-through, with depth consistency or without it, as the view is now. */
    pokeThroughPixels(on: boolean): number {
        this.world.body.hideCovered(on);
        const count = countPokeThrough(this.stage.renderer, this.stage.scene, this.orbit.camera, this.world, on);
        this.applyView();
        return count;
    }

    /** What the view shows now, without the controls: a PNG as a data address. */
    picture(): string {
        this.world.show(1);
        this.draw(0);
        return this.canvas.toDataURL("image/png");
    }

    /** Seconds of a step of the cloth. */
    private get tick(): number {
        return 1 / (this.swinging === "none" ? STILL_RATE : this.settings.rate);
    }

    private shownChoices(): SourceChoice[] {
        const { tab, model, shown } = this.settings;
        if (tab === "modes") return [{ id: "modes", label: "Modes", short: "Modes", colour: "#3d7480" }];
        if (tab === "crowd") return [];
        const choices = this.choices();
        if (tab === "drive") return choices.filter(({ id }) => id === model);
        return choices.filter(({ id }) => shown.has(id));
    }

    private readInput() {
        return this.input.read((x, y) => this.orbit.orbit(x * 0.03, y * 0.02));
    }

    private frame(now: number): void {
        const seconds = Math.min((now - this.last) / 1000, 0.1), begin = performance.now();
        this.interval += 0.1 * (now - this.last - this.interval);
        this.last = now;
        const intent = this.readInput();
        this.wake(isAsked(intent));
        if (this.settings.tab === "crowd") {
            if (this.settings.playing) this.crowd.advance(seconds * this.settings.speed);
        } else {
            this.advance(seconds, intent);
        }
        this.draw(seconds);
        ++this.frames;
        this.work += 0.1 * (performance.now() - begin - this.work);
        this.onFrame();
    }

    /** Driving ends a pause, unless time goes step by step, or none can drive. */
    private wake(asked: boolean): void {
        const { settings, world } = this;
        const drives = world.motor === "drive" && settings.tab !== "crowd";
        if (drives && asked && !this.driven && !this.stepped) settings.playing = true;
        if (settings.playing) this.stepped = false;
        this.driven = asked;
        const paused = element("paused");
        paused.hidden = settings.playing || settings.tab === "modes";
        const text = this.stepped && drives ? "Paused: held keys count at each step, P plays on"
            : drives ? "Paused: press play, or drive" : "Paused: press play";
        if (paused.textContent !== text) paused.textContent = text;
    }

    private advance(seconds: number, intent: Intent): void {
        const { settings, world, tick } = this;
        if (settings.playing) {
            this.backlog += seconds * settings.speed;
            let steps = 0;
            while (this.backlog > tick) {
                if (++steps > MOST_STEPS) this.backlog = 0;
                else {
                    world.step(tick, intent);
                    intent.jump = false;
                    this.backlog -= tick;
                }
            }
        }
        if (settings.tab === "modes") world.settle();
        world.show(Math.min(Math.max(this.backlog / tick, 0), 1));
    }

    private draw(seconds: number): void {
        const { renderer, scene } = this.stage, { world, orbit, settings } = this;
        const crowded = settings.tab === "crowd";
        if (crowded) this.look.copy(this.crowd.centre);
        else this.look.set(world.pelvis[0], 0.92 + 0.35 * (world.pelvis[1] - 0.92), world.pelvis[2]);
        orbit.update(seconds, this.look, world.heading, crowded ? 0 : world.speed, this.insets());
        world.layOut(settings.layout, orbit.right(this.right), PANE_SPACING);
        const width = settings.layout === "side" ? 1.6 + 0.6 * (world.panes.length - 1) * PANE_SPACING : 1.6;
        this.stage.follow(this.look, width);
        if (crowded) this.crowd.prepare(orbit.camera, renderer.getSize(new Vector2()).y);
        else if (this.ruled) this.under.render(renderer, scene, orbit.camera);
        this.applyDepthRule();
        renderer.render(scene, orbit.camera);
        this.labels.update(world, orbit.camera, settings.layout === "overlay", this.canvas, this.insets().top);
    }

    /** Whether depth consistency applies: not to a ghost of a body. */
    private get ruled(): boolean {
        return this.settings.depthRule && this.settings.tab !== "modes";
    }

    private applyDepthRule(): void {
        const { camera } = this.orbit, deep = this.settings.offGarments.size === 0 ? DEEP_EPSILON : EPSILON;
        for (const pane of this.world.panes) {
            pane.cloths.forEach(({ mesh }) => {
                const { rule } = mesh.material;
                rule.underDepth.value = this.under.texture(mesh.renderOrder - 1);
                rule.underCover.value = this.under.cover(mesh.renderOrder - 1);
                rule.depthEpsilon.value.set(this.ruled ? EPSILON : 0, this.ruled ? deep : 0);
                rule.depthPlanes.value.set(camera.near, camera.far);
            });
        }
    }

    /** Pixels that the controls cover. */
    private insets(): Insets {
        const { clientWidth, clientHeight } = this.canvas, legend = element("legend").getBoundingClientRect();
        const panel = element("panel").getBoundingClientRect(), time = element("transport").getBoundingClientRect();
        const folded = panel.width === 0, sheet = panel.width > 0.7 * clientWidth;
        return {
            top: legend.height > 0 && legend.top < clientHeight / 4 ? legend.bottom : 0,
            right: folded || sheet ? 0 : clientWidth - panel.left,
            bottom: clientHeight - (sheet ? panel.top : time.top),
        };
    }

    private resize(): void {
        const { renderer } = this.stage;
        renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        renderer.setSize(this.canvas.clientWidth, this.canvas.clientHeight, false);
        const { narrow } = this;
        this.narrow = matchMedia(NARROW).matches;
        if (this.frames > 0 && narrow !== this.narrow) this.fitView(true);
    }
}

function isAsked(intent: Intent): boolean {
    return intent.forward !== 0 || intent.turn !== 0 || intent.duck || intent.jump;
}

async function noRecording(): Promise<Float32Array> {
    throw new Error("there is no recording of this stop");
}
