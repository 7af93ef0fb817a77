// SPDX-License-Identifier: Apache-2.0
// An orbit camera that goes along with the character: drag, pinch, wheel or keys turn it; left alone, it
// swings round behind a walker.
import { PerspectiveCamera, Vector3 } from "three";

const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

export class OrbitCamera {
    readonly camera = new PerspectiveCamera(32, 1, 0.1, 400);
    readonly target = new Vector3(0, 0.92, 0);
    azimuth = 0.55; // 0: from +Z
    elevation = 0.1;
    distance = 4.4;
    /** Whether it swings round behind a walker. */
    chases = true;
    private touched = false;
    private readonly pointers = new Map<number, { x: number; y: number }>();

    constructor(private readonly canvas: HTMLCanvasElement, private readonly calm: boolean) {
        canvas.addEventListener("pointerdown", (event) => this.press(event));
        canvas.addEventListener("pointermove", (event) => this.drag(event));
        for (const name of ["pointerup", "pointercancel"] as const)
            canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
        canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            this.zoom(Math.exp(event.deltaY * 0.001));
        }, { passive: false });
    }

    orbit(azimuth: number, elevation: number): void {
        this.azimuth += azimuth;
        this.elevation = clamp(this.elevation + elevation, -0.12, 1.45);
        this.touched = true;
    }

    zoom(factor: number): void {
        this.distance = clamp(this.distance * factor, 1.2, 120);
    }

    /** The view that the page begins with, from a distance. */
    home(distance: number, elevation = 0.1): void {
        [this.azimuth, this.elevation, this.distance] = [0.55, elevation, distance];
        this.touched = false;
    }

    /** The distance from which so many metres are in the part of the view that panels leave free. */
    fit(width: number, height: number, insets: { right: number; bottom: number }): number {
        const { clientWidth: w, clientHeight: h } = this.canvas;
        const half = Math.tan((this.camera.fov / 2) * Math.PI / 180) * 2;
        const tall = (height / half) * (h / Math.max(h - insets.bottom - 40, 100));
        const wide = (width / half) * (h / Math.max(w - insets.right, 100));
        return Math.max(tall, wide) + 0.3;
    }

    /** To the right of the view, level. */
    right(out: Vector3): Vector3 {
        return out.set(Math.cos(this.azimuth), 0, -Math.sin(this.azimuth));
    }

    /** Follows a point; `insets`: pixels covered by panels at the right and at the bottom. */
    update(seconds: number, point: Vector3, heading: number, speed: number,
           insets: { right: number; bottom: number }): void {
        const share = this.calm ? 1 : 1 - Math.exp(-seconds / 0.12);
        this.target.lerp(point, share);
        if (this.chases && !this.touched && !this.calm && speed > 0.3) this.swing(seconds, heading);
        const { camera, canvas } = this, width = canvas.clientWidth, height = canvas.clientHeight;
        camera.aspect = width / Math.max(height, 1);
        const flat = this.distance * Math.cos(this.elevation);
        camera.position.set(this.target.x + flat * Math.sin(this.azimuth),
                            Math.max(this.target.y + this.distance * Math.sin(this.elevation), 0.06),
                            this.target.z + flat * Math.cos(this.azimuth));
        camera.lookAt(this.target);
        camera.setViewOffset(width, height, insets.right / 2, insets.bottom / 2, width, height);
        camera.updateMatrixWorld();
    }

    /** At once, as after a teleport. */
    jumpTo(point: Vector3): void {
        this.target.copy(point);
    }

    private swing(seconds: number, heading: number): void {
        const wanted = heading + Math.PI - 0.7;
        const off = Math.atan2(Math.sin(wanted - this.azimuth), Math.cos(wanted - this.azimuth));
        this.azimuth += clamp(off, -1, 1) * (1 - Math.exp(-seconds / 0.9));
    }

    private press(event: PointerEvent): void {
        this.canvas.setPointerCapture(event.pointerId);
        this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    }

    private drag(event: PointerEvent): void {
        const from = this.pointers.get(event.pointerId);
        if (!from) return;
        const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const to = { x: event.clientX, y: event.clientY };
        if (others.length > 0) {
            const spread = (p: { x: number; y: number }) => Math.hypot(p.x - others[0].x, p.y - others[0].y);
            this.zoom(clamp(spread(from) / Math.max(spread(to), 1), 0.8, 1.25));
        } else {
            this.orbit((from.x - to.x) * 0.007, (to.y - from.y) * 0.005);
        }
        this.pointers.set(event.pointerId, to);
    }
}
