// SPDX-License-Identifier: Apache-2.0
// Names over the panes, and the legend of the colour map.
import { Vector3 } from "three";
import type { PerspectiveCamera } from "three";
import { element, make } from "./dom";
import { MAP_END, MAP_STOPS } from "./materials";
import type { World } from "./world";

export class Labels {
    private readonly box = element("labels");
    private readonly point = new Vector3();
    private panes: World["panes"] = [];
    private spans: { span: HTMLSpanElement; figure: HTMLElement }[] = [];

    /** One above each pane's head, with its mean error where there is one. */
    update(world: World, camera: PerspectiveCamera, overlaid: boolean, width: number, height: number): void {
        const shown = world.panes.length > 1 ? world.panes : [];
        if (shown.length !== this.panes.length || shown.some((pane, i) => pane !== this.panes[i])) this.make(shown);
        const places = shown.map((pane) => this.placeOf(world, pane, camera, width, height));
        const gap = Math.min(...places.slice(1).map(([x], i) => Math.abs(x - places[i][0])));
        this.box.classList.toggle("narrow", !overlaid && gap < 150);
        shown.forEach((pane, i) => {
            const { span, figure } = this.spans[i];
            const text = isNaN(pane.error) || pane.choice.id === "recorded" ? "" : `${(100 * pane.error).toFixed(1)} cm`;
            if (figure.textContent !== text) figure.textContent = text;
            const [x, y] = places[i];
            const top = overlaid ? Math.max(y - 26 * shown.length, 92) + 26 * i : Math.max(y, 92);
            span.style.transform = `translate(-50%, -100%) translate(${x.toFixed(1)}px, ${top.toFixed(1)}px)`;
        });
    }

    /** Pixels of the point above a pane's head. */
    private placeOf(world: World, pane: World["panes"][0], camera: PerspectiveCamera, width: number, height: number):
        [number, number] {
        this.point.set(world.pelvis[0], 1.86, world.pelvis[2]).add(pane.group.position).project(camera);
        return [(this.point.x * 0.5 + 0.5) * width, (0.5 - this.point.y * 0.5) * height];
    }

    private make(panes: World["panes"]): void {
        this.panes = panes;
        this.spans = panes.map(({ choice }) => {
            const span = make("span"), figure = make("b");
            span.style.setProperty("--swatch", choice.colour);
            span.append(make("i"), choice.short, figure);
            return { span, figure };
        });
        this.box.replaceChildren(...this.spans.map(({ span }) => span));
    }
}

export function drawLegend(): void {
    const bar = element<HTMLCanvasElement>("legend-bar").getContext("2d")!;
    const ramp = bar.createLinearGradient(0, 0, bar.canvas.width, 0);
    MAP_STOPS.forEach((stop, i) => ramp.addColorStop(i / (MAP_STOPS.length - 1), stop));
    bar.fillStyle = ramp;
    bar.fillRect(0, 0, bar.canvas.width, bar.canvas.height);
    element("legend-middle").textContent = `${50 * MAP_END}`;
    element("legend-end").textContent = `${100 * MAP_END} cm`;
}
