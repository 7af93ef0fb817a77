// SPDX-License-Identifier: Apache-2.0
// The report's 3D view: time, camera and controls around a Stage; and details opened for printing.

class Player {
    constructor(data) {
        this.data = data;
        this.frame = data.worst;
        this.joints = fromBase64(data.body.matrices, Float32Array);
        this.roots = fromBase64(data.roots, Float32Array);
        this.tracks = data.tracks.map((t) => fromBase64(t.positions, Uint16Array));
        this.positions = [new Float32Array(3 * data.vertices), new Float32Array(3 * data.vertices)];
        this.errors = new Float32Array(data.vertices);
        this.matrices = new Float32Array(12 * data.body.jointCount);
    }

    get last() {
        return this.data.frames - 1;
    }

    // The two frames around this moment, and how far it is from the first to the second.
    around() {
        const a = Math.min(Math.floor(this.frame), this.last);
        return [a, Math.min(a + 1, this.last), this.frame - a];
    }

    root() {
        const [a, b, s] = this.around();
        return [0, 1, 2].map((k) => this.roots[3 * a + k] * (1 - s) + this.roots[3 * b + k] * s);
    }

    bodyMatrices() {
        const [a, b, s] = this.around(), n = this.matrices.length;
        for (let i = 0; i < n; ++i)
            this.matrices[i] = this.joints[a * n + i] * (1 - s) + this.joints[b * n + i] * s;
        return this.matrices;
    }

    cloth(track, into) {
        const { low, size } = this.data, [a, b, s] = this.around(), root = this.root();
        const out = this.positions[into], from = this.tracks[track], n = out.length;
        for (let i = 0; i < n; ++i) {
            const q = from[a * n + i] * (1 - s) + from[b * n + i] * s;
            out[i] = root[i % 3] + low[i % 3] + size[i % 3] * q / 65535;
        }
        return out;
    }

    // Along the colours, of what cloth() last gave.
    errorShares() {
        const [p, q] = this.positions;
        for (let v = 0; v < this.errors.length; ++v)
            this.errors[v] = 100 * Math.hypot(p[3 * v] - q[3 * v], p[3 * v + 1] - q[3 * v + 1],
                p[3 * v + 2] - q[3 * v + 2]) / this.data.scaleCm;
        return this.errors;
    }

    meanError() {
        return this.errors.reduce((a, b) => a + b, 0) / this.errors.length * this.data.scaleCm;
    }
}

class View {
    constructor(canvas, data) {
        this.canvas = canvas;
        this.data = data;
        this.player = new Player(data);
        this.stage = new Stage(canvas, data);
        this.playing = false;
        this.speed = 1;
        this.model = 1;
        this.shown = "prediction";
        this.colored = true;
        this.resetCamera();
        this.readTheme();
        this.bindControls();
        this.bindPointer();
        this.bindKeys();
        this.redraw();
    }

    resetCamera() {
        this.camera = { yaw: this.data.heading + 0.6, pitch: 0.14,
            distance: this.stage.height * 2.45, target: [0, 0, 0] };
    }

    readTheme() {
        const style = getComputedStyle(document.documentElement);
        const rgb = (name) => {
            const hex = style.getPropertyValue(name).trim();
            return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
        };
        this.theme = { paper: rgb("--stage"), ink: rgb("--ink") };
    }

    element(id) {
        return document.getElementById(id);
    }

    bindControls() {
        const { data } = this, scrub = this.scrub = this.element("scrub");
        scrub.max = this.player.last;
        scrub.value = this.player.frame;
        scrub.addEventListener("input", () => {
            this.setPlaying(false);
            this.player.frame = Number(scrub.value);
            this.redraw();
        });
        this.element("play").addEventListener("click", () => this.setPlaying(!this.playing));
        this.element("home").addEventListener("click", () => {
            this.resetCamera();
            this.redraw();
        });
        const models = this.element("model");
        data.tracks.slice(1).forEach((t, i) => models.add(new Option(t.name, i + 1)));
        this.onChange(models, () => this.model = Number(models.value));
        const speed = this.element("speed");
        this.onChange(speed, () => this.speed = Number(speed.value));
        const colors = this.element("colors");
        this.onChange(colors, () => this.colored = colors.checked);
        for (const radio of document.querySelectorAll("input[name=shown]"))
            this.onChange(radio, () => this.shown = radio.value);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
            this.readTheme();
            this.redraw();
        });
        new ResizeObserver(() => this.redraw()).observe(this.canvas);
    }

    onChange(element, apply) {
        element.addEventListener("change", () => {
            apply();
            this.redraw();
        });
    }

    turn(yaw, pitch) {
        this.camera.yaw += yaw;
        this.camera.pitch = Math.max(-0.1, Math.min(1.45, this.camera.pitch + pitch));
        this.redraw();
    }

    zoom(factor) {
        const { height } = this.stage;
        this.camera.distance = Math.max(0.5 * height,
            Math.min(6 * height, this.camera.distance * factor));
        this.redraw();
    }

    bindPointer() {
        const { canvas } = this, fingers = new Map();
        const span = () => {
            const [a, b] = [...fingers.values()];
            return Math.hypot(a.x - b.x, a.y - b.y);
        };
        canvas.addEventListener("pointerdown", (e) => {
            canvas.setPointerCapture(e.pointerId);
            fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
        });
        canvas.addEventListener("pointermove", (e) => {
            const before = fingers.get(e.pointerId);
            if (!before) return;
            const wide = fingers.size === 2 ? span() : 0;
            fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
            if (wide) this.zoom(wide / Math.max(1, span()));
            else this.turn((before.x - e.clientX) * 0.008, (e.clientY - before.y) * 0.006);
        });
        for (const end of ["pointerup", "pointercancel"])
            canvas.addEventListener(end, (e) => fingers.delete(e.pointerId));
        // with a modifier or when it has the focus, so that the wheel still scrolls the page
        canvas.addEventListener("wheel", (e) => {
            if (!e.ctrlKey && document.activeElement !== canvas) return;
            e.preventDefault();
            this.zoom(Math.exp(e.deltaY * 0.0012));
        }, { passive: false });
    }

    bindKeys() {
        const keys = {
            ArrowLeft: () => this.turn(-0.1, 0), ArrowRight: () => this.turn(0.1, 0),
            ArrowUp: () => this.turn(0, 0.06), ArrowDown: () => this.turn(0, -0.06),
            "+": () => this.zoom(0.9), "=": () => this.zoom(0.9), "-": () => this.zoom(1.1),
            " ": () => this.setPlaying(!this.playing), ",": () => this.step(-1),
            ".": () => this.step(1), Home: () => this.element("home").click(),
        };
        this.canvas.addEventListener("keydown", (e) => {
            if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
            e.preventDefault();
            keys[e.key]();
        });
    }

    step(by) {
        this.setPlaying(false);
        const { player } = this;
        player.frame = Math.max(0, Math.min(player.last, Math.round(player.frame) + by));
        this.redraw();
    }

    setPlaying(playing) {
        if (playing && !this.playing) this.before = performance.now();
        this.playing = playing;
        this.element("play").textContent = playing ? "Pause" : "Play";
        this.redraw();
    }

    redraw() {
        if (!this.asked) this.asked = requestAnimationFrame((now) => {
            this.asked = 0;
            this.advance(now);
            this.draw();
            if (this.playing) this.redraw();
        });
    }

    advance(now) {
        if (!this.playing) return;
        const { player } = this, frames = (now - this.before) / 1000 * this.data.rate * this.speed;
        this.before = now;
        player.frame += Math.max(0, Math.min(frames, 5));
        if (player.frame > player.last) player.frame = 0;
    }

    // The picture as it is, on light ground.
    still() {
        const { theme } = this;
        this.theme = { paper: [0.93, 0.93, 0.92], ink: [0.1, 0.1, 0.1] };
        this.draw();
        const picture = this.canvas.toDataURL("image/jpeg", 0.9);
        this.theme = theme;
        this.redraw();
        return picture;
    }

    draw() {
        const { player, stage, data } = this, root = player.root();
        this.camera.target = [root[0], stage.height * 0.5, root[2]];
        stage.setBody(player.bodyMatrices());
        const simulated = player.cloth(0, 0), predicted = player.cloth(this.model, 1);
        const errors = player.errorShares();
        stage.setCloth(0, simulated, null);
        stage.setCloth(1, predicted, errors);
        const simulation = { which: 0, base: [0.10, 0.16, 0.30] };
        const prediction = { which: 1, base: [0.04, 0.25, 0.27], colored: this.colored };
        const ghost = { which: 0, base: [0.75, 0.24, 0.06], ghost: true };
        stage.draw(this.camera, { simulation: [simulation], prediction: [prediction],
            overlay: [prediction, ghost] }[this.shown], this.theme);
        this.scrub.value = Math.round(player.frame);
        const seconds = (data.first + player.frame) / data.rate;
        this.element("clock").textContent =
            `${seconds.toFixed(2)} s · ${data.tracks[this.model].name} ${player.meanError().toFixed(2)} cm`;
    }
}

// Plays while it is seen, unless less motion is wished for.
function playWhenSeen(view) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const observer = new IntersectionObserver((entries) => {
        if (!entries.some((e) => e.isIntersecting)) return;
        observer.disconnect();
        view.setPlaying(true);
    }, { threshold: 0.5 });
    observer.observe(view.canvas);
}

function startView() {
    const canvas = document.getElementById("canvas"), note = document.getElementById("no-view");
    try {
        const data = JSON.parse(document.getElementById("view-data").textContent);
        const made = new View(canvas, data);
        playWhenSeen(made);
        return made;
    } catch (error) {
        note.textContent = `The view cannot be shown. ${error.message}`;
        note.hidden = false;
        canvas.hidden = true;
        return null;
    }
}

const view = startView();
// On paper everything is unfolded, and the view is a still.
addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    if (view) document.getElementById("still").src = view.still();
});
