// SPDX-License-Identifier: Apache-2.0
// Ties the controls of index.html to the app.
import { type App, NARROW } from "./app";
import { bindButton, bindSlider, bindSwitch, bindTabs, element, make, tickBox } from "./dom";
import { returnFocus } from "./input";
import { drawLegend, errorText } from "./labels";
import { GARMENT_COLOURS } from "./materials";
import type { Tab } from "./settings";
import type { Theme } from "./stage";
import { bindTouch } from "./touch";
import type { Layout } from "./world";

/** What the crowd's figures mean. */
const CROWD_TITLES: Record<string, string> = {
    "Step, in workers": "Time that the slowest worker takes to step its share of the wearers",
    "Near, mid, far": "Wearers drawn in full, coarser and coarsest detail",
    "Out of view": "Wearers that move on, but are not drawn",
};

const WHOLE_MODES = "The shapes that the cloth is put together from, about its mean, in standard deviations.";
const CARRIED_MODES = "What Model N adds to the garment as the joints carry it here: its mean, and its offsets about that, " +
    "in standard deviations.";

export class Controls {
    private figures = new Map<string, HTMLOutputElement>();
    private setFrame = (_: number) => {};

    constructor(private readonly app: App) {
        element("title").textContent = app.scene.garments.map(({ title }) => title).join(", ");
        element("title").title = app.scene.title;
        document.title = `${app.scene.title} · Hemline`;
        bindTabs((tab) => this.run(app.setTab(tab as Tab).then(() => this.fillSources())));
        bindTouch(app.input);
        returnFocus(element("view"));
        drawLegend();
        this.bindTime();
        this.bindCloth();
        this.bindCompare();
        this.bindModes();
        this.bindCrowd();
        this.bindTheme();
        this.bindFold();
        app.onKey((code) => this.key(code));
        app.onFrame = () => this.showFacts();
    }

    /** Problems of what was asked for are shown, and the page goes on. */
    private run(promise: Promise<unknown>): void {
        promise.catch((error) => showMessage("This does not work", error.message));
    }

    private refresh(): void {
        this.run(this.app.refresh().then(() => this.fillSources()));
    }

    private bindTime(): void {
        const { app } = this, { settings } = app;
        bindButton("play", () => this.play(!settings.playing));
        bindButton("step", () => {
            app.stepOnce();
            this.play(false);
        });
        bindButton("reset", () => app.reset());
        bindButton("teleport", () => app.teleport());
        bindButton("stop", () => this.stop());
        element<HTMLSelectElement>("speed").addEventListener("change", (event) => {
            settings.speed = Number((event.target as HTMLSelectElement).value);
        });
        this.play(settings.playing);
    }

    private play(on: boolean): void {
        this.app.settings.playing = on;
        this.showPlaying();
    }

    private showPlaying(): void {
        const on = this.app.settings.playing, button = element("play");
        if (button.dataset.on === String(on)) return;
        button.dataset.on = String(on);
        button.title = on ? "Pause (P)" : "Play (P)";
        button.setAttribute("aria-label", on ? "Pause" : "Play");
        button.querySelector("use")!.setAttribute("href", on ? "#icon-pause" : "#icon-play");
    }

    private stop(): void {
        this.app.abruptStop();
        this.play(true);
    }

    /** The button says what a press would do. */
    private showStop(): void {
        const { stopping, world } = this.app, button = element("stop");
        const drive = world.motor === "drive";
        const text = stopping ? "Cancel the stop" : !drive ? "Abrupt stop"
            : world.driver.moving ? "Stop dead" : "Run and stop dead";
        if (button.dataset.text === text) return;
        button.dataset.text = text;
        button.querySelector("span")!.textContent = text;
        button.setAttribute("aria-pressed", String(stopping));
        button.title = stopping ? "Goes on as if there had been no stop (F)"
            : !drive ? "Plays the motion up to its next recorded stop, where the body stands still within one frame (F)"
            : "The body freezes within one frame, the cloth swings on; who stands runs up first (F)";
    }

    /** What the controls of motion do to cloth that knows none. */
    private showSwinging(): void {
        const { swinging } = this.app, note = element("still-note");
        if (note.dataset.swinging === swinging) return;
        note.dataset.swinging = swinging;
        for (const id of ["rate", "dial"]) element<HTMLInputElement>(id).disabled = swinging === "none";
        note.hidden = swinging === "all";
        note.textContent = swinging === "none"
            ? "Model N hangs as the pose alone says: no rate changes it, nothing of it swings, and it freezes with the body."
            : "Rate, swing and sway are for the others: Model N hangs as the pose alone says.";
    }

    private bindCloth(): void {
        const { app } = this, { settings, scene } = app;
        const model = element<HTMLSelectElement>("model");
        const labels = new Set(scene.garments.flatMap((garment) => garment.models.map(({ label }) => label)));
        for (const label of labels) model.append(new Option(label, label));
        model.title = model.value;
        model.addEventListener("change", () => {
            model.title = settings.model = model.value;
            this.refresh();
        });
        bindSlider("rate", (hz) => `${hz} Hz`, (hz) => { settings.rate = hz; });
        bindSlider("dial", (dial) => (dial === 0 ? "as trained" : `${dial > 0 ? "+" : "−"}${Math.abs(100 * dial).toFixed(0)} %`),
                   (dial) => {
                       settings.dial = dial;
                       app.applyView();
                   });
        const view = (set: (on: boolean) => void) => (on: boolean) => {
            set(on);
            app.applyView();
        };
        bindSwitch("depth", view((on) => { settings.depthRule = on; }));
        bindSwitch("push", view((on) => { settings.pushOut = on; }));
        this.fillGarments(view);
    }

    private fillGarments(view: (set: (on: boolean) => void) => (on: boolean) => void): void {
        const { settings, scene } = this.app, box = element("garments");
        box.hidden = scene.garments.length < 2;
        scene.garments.forEach((garment, i) => {
            tickBox(box, garment.title, GARMENT_COLOURS[i % GARMENT_COLOURS.length], true, view((on) => {
                if (on) settings.offGarments.delete(garment.name);
                else settings.offGarments.add(garment.name);
            }));
        });
    }

    private bindCompare(): void {
        const { app } = this, { settings, scene } = app;
        const clip = element<HTMLSelectElement>("clip");
        clip.append(new Option("Drive it yourself", "-1"));
        scene.clips.forEach((entry, i) => clip.append(new Option(entry.name.replaceAll("_", " "), String(i))));
        settings.clip = scene.clips.length > 0 ? 0 : -1;
        clip.value = String(settings.clip);
        const name = () => { clip.title = clip.selectedOptions[0].text; };
        name();
        clip.addEventListener("change", () => {
            settings.clip = Number(clip.value);
            name();
            this.run(app.refresh().then(() => {
                this.fillSources();
                app.fitView();
            }));
        });
        this.setFrame = bindSlider("frame", (frame) => `${(frame / this.clipRate()).toFixed(1)} s`, (frame) => app.world.seek(frame));
        for (const radio of document.querySelectorAll<HTMLInputElement>("input[name=layout]"))
            radio.addEventListener("change", () => {
                settings.layout = radio.value as Layout;
                this.showMap();
                app.applyView();
                app.fitView();
            });
        bindSwitch("map", (on) => {
            settings.colourMap = on;
            app.applyView();
            if (matchMedia(NARROW).matches) app.fitView(true); // the legend takes room there
        });
        const first = scene.garments[0].models.map(({ label }) => label);
        settings.shown = new Set(["recorded", ...first.slice(0, 2), "skinned"]);
    }

    private clipRate(): number {
        return this.app.world.clip?.motion.rate ?? 30;
    }

    private fillSources(): void {
        const { app } = this, { settings } = app, box = element("sources");
        if (settings.tab !== "compare") return;
        const choices = app.choices();
        const ids = choices.map(({ id }) => id).join("\n");
        element("frame-field").hidden = !app.world.clip;
        element<HTMLInputElement>("frame").max = String((app.world.clip?.motion.frames ?? 2) - 1);
        this.showMap();
        if (box.dataset.ids === ids) return;
        box.dataset.ids = ids;
        this.figures.clear();
        box.replaceChildren(box.querySelector("legend")!);
        for (const { id, label, colour } of choices) {
            this.figures.set(id, tickBox(box, label, colour, settings.shown.has(id), (on) => {
                if (on) settings.shown.add(id);
                else settings.shown.delete(id);
                this.run(app.refresh().then(() => app.fitView()));
            }));
        }
    }

    /** Whether there can be a colour map, and why not. */
    private showMap(): void {
        const { app } = this;
        element<HTMLInputElement>("map").disabled = !app.mapped;
        element("map-note").textContent = app.mapped ? ""
            : app.world.measured ? "Colours are for cloths side by side." : "Errors are measured where a clip has a recording.";
    }

    private bindModes(): void {
        const { app } = this, { world, settings } = app, box = element("modes");
        const count = Math.min(world.deviations.length, Math.max(...app.scene.garments.map(({ modeCount }) => modeCount)));
        const sliders: ((value: number) => void)[] = [];
        for (let k = 0; k < count; ++k) {
            const label = make("label", "", "slider"), input = make("input"), output = make("output");
            Object.assign(input, { type: "range", min: "-3", max: "3", step: "0.1", value: "0", id: `mode-${k}` });
            output.id = `mode-${k}-value`;
            label.append(make("span", `Mode ${k + 1}`), output, input);
            box.append(label);
            sliders.push(bindSlider(`mode-${k}`, (v) => `${v < 0 ? "−" : ""}${Math.abs(v).toFixed(1)} σ`, (v) => {
                world.deviations[k] = v;
            }));
        }
        const zero = () => {
            world.deviations.fill(0);
            sliders.forEach((set) => set(0));
            this.sweep(false);
        };
        bindButton("modes-zero", zero);
        this.bindModesGarment(zero);
        bindButton("modes-sweep", () => this.sweep(!settings.sweep));
        this.showSweep = () => sliders.forEach((set, k) => set(world.deviations[k]));
    }

    /** Of several garments, the sliders move one, which is shown alone. */
    private bindModesGarment(zero: () => void): void {
        const { settings, scene } = this.app, choice = element<HTMLSelectElement>("modes-garment");
        scene.garments.forEach(({ title }, i) => choice.append(new Option(title, String(i))));
        element("modes-garment-field").hidden = scene.garments.length < 2;
        const show = () => {
            const { modeCount, carried } = scene.garments[settings.modesGarment];
            element("modes-note").textContent = carried ? CARRIED_MODES : WHOLE_MODES;
            [...element("modes").children].forEach((slider, k) => {
                (slider as HTMLElement).hidden = k >= modeCount;
            });
        };
        choice.addEventListener("change", () => {
            settings.modesGarment = Number(choice.value);
            zero();
            show();
            this.app.applyView();
        });
        show();
    }

    private showSweep = () => {};

    private sweep(on: boolean): void {
        this.app.settings.sweep = on;
        element("modes-sweep").setAttribute("aria-pressed", String(on));
    }

    private bindCrowd(): void {
        const { app } = this, { settings } = app;
        let later = 0;
        const size = (power: number) => {
            const exact = 10 ** power, unit = 10 ** Math.max(Math.floor(power) - 1, 0);
            return Math.max(1, Math.round(exact / unit) * unit);
        };
        const set = bindSlider("crowd", (power) => size(power).toLocaleString("en"), (power) => {
            settings.crowd = size(power);
            clearTimeout(later); // a drag passes many sizes
            later = setTimeout(() => this.run(app.refresh().then(() => app.fitView())), 150);
        });
        set(Math.log10(settings.crowd));
    }

    private bindTheme(): void {
        const dark = matchMedia("(prefers-color-scheme: dark)");
        let chosen: Theme | null = null;
        const apply = () => {
            const theme: Theme = chosen ?? (dark.matches ? "dark" : "light");
            document.documentElement.dataset.theme = theme;
            this.app.stage.setTheme(theme);
        };
        dark.addEventListener("change", apply);
        bindButton("theme", () => {
            chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
            apply();
        });
        apply();
    }

    private bindFold(): void {
        const fold = (folded: boolean) => {
            document.body.classList.toggle("folded", folded);
            element("fold").setAttribute("aria-expanded", String(!folded));
        };
        bindButton("fold", () => {
            fold(!document.body.classList.contains("folded"));
            this.app.fitView(true);
        });
        fold(matchMedia(NARROW).matches);
    }

    private key(code: string): boolean {
        const { app } = this;
        const turn = { KeyQ: -0.12, KeyE: 0.12 }[code];
        if (turn) app.orbit.orbit(turn, 0);
        else if (code === "Equal" || code === "NumpadAdd") app.orbit.zoom(0.9);
        else if (code === "Minus" || code === "NumpadSubtract") app.orbit.zoom(1.1);
        else if (code === "KeyP") this.play(!app.settings.playing);
        else if (code === "Period") element("step").click();
        else if (code === "KeyR") app.reset();
        else if (code === "KeyT") app.teleport();
        else if (code === "KeyF") this.stop();
        else if (code === "KeyH") element("fold").click();
        else return false;
        return true;
    }

    private showFacts(): void {
        const { app } = this, { settings } = app;
        if (settings.tab === "modes" && settings.sweep && settings.playing) this.moveSweep();
        this.showPlaying();
        this.showStop();
        this.showSwinging();
        if (settings.tab === "compare") this.showErrors();
        if (app.frames % 10 !== 0) return;
        element("facts").textContent = `${app.interval.toFixed(1)} ms a frame`;
        if (settings.tab === "compare") this.showTime();
        if (settings.tab === "crowd") this.showCrowd();
    }

    private moveSweep(): void {
        const { deviations } = this.app.world, seconds = performance.now() / 1000;
        const { scene, settings } = this.app, { modeCount } = scene.garments[settings.modesGarment];
        const at = Math.floor(seconds / 4) % Math.min(deviations.length, modeCount);
        deviations.fill(0);
        deviations[at] = 2.5 * Math.sin((seconds / 4) * 2 * Math.PI);
        this.showSweep();
    }

    private showTime(): void {
        const { world } = this.app;
        if (world.clip && document.activeElement?.id !== "frame") this.setFrame(Math.floor(world.clip.frame));
    }

    /** The same figures as over the heads, in the same frame. */
    private showErrors(): void {
        for (const [id, figure] of this.figures) {
            const pane = this.app.world.panes.find(({ choice }) => choice.id === id), text = pane ? errorText(pane) : "";
            if (figure.textContent !== text) figure.textContent = text;
        }
    }

    private showCrowd(): void {
        const rows = this.app.crowd.facts().concat([["Frame", `${this.app.interval.toFixed(1)} ms`]]);
        element("crowd-facts").replaceChildren(...rows.map(([name, value]) => {
            const row = make("div");
            row.title = CROWD_TITLES[name] ?? "";
            row.append(make("dt", name), make("dd", value));
            return row;
        }));
    }
}

export function showMessage(title: string, text: string): void {
    element("message-title").textContent = title;
    element("message-text").textContent = text;
    element("message").hidden = false;
}
