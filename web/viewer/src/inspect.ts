// SPDX-License-Identifier: Apache-2.0
// window.hemline: what end-to-end tests ask. Nothing here changes what the page shows.
import type { App } from "./app";
import type { Controls } from "./controls";

let lastError: string | null = null;

export function noteError(text: string): void {
    lastError = text;
    publish({ ready: false, lastError: text });
}

function publish(members: object): void {
    const known = (window as any).hemline ?? {};
    (window as any).hemline = Object.assign(known, members);
}

/** FNV-1a over positions in tenths of a millimetre, of all that is shown. */
function clothChecksum(app: App): string {
    let hash = 0x811c9dc5;
    for (const pane of app.world.panes)
        for (const { shape } of pane.cloths)
            for (const coordinate of shape.positions)
                hash = Math.imul(hash ^ Math.round(coordinate * 1e4), 0x01000193) >>> 0;
    return hash.toString(16);
}

function state(app: App) {
    const { world, settings } = app, { pelvis } = world;
    return {
        tab: settings.tab,
        playing: settings.playing,
        motor: world.motor,
        doing: world.driver.doing,
        ticks: world.ticks,
        seconds: world.seconds,
        clip: world.clip?.entry.name ?? null,
        clipFrame: world.clip?.frame ?? 0,
        pelvis: [...pelvis],
        heading: world.heading,
        speed: world.speed,
        distance: app.orbit.distance,
        panes: world.panes.map(({ choice, error }) => ({ id: choice.id, error: isNaN(error) ? null : error })),
        colourMap: settings.colourMap,
        depthRule: settings.depthRule,
        theme: document.documentElement.dataset.theme,
    };
}

export function exposeForTests(app: App, _controls: Controls): void {
    publish({
        ready: true,
        lastError,
        frameCount: () => app.frames,
        frameMilliseconds: () => app.interval,
        clothChecksum: () => clothChecksum(app),
        shapeOff: () => app.world.shapeOff(),
        clothPositions: (pane = 0, garment = 0) => [...(app.world.panes[pane]?.cloths[garment]?.shape.positions ?? [])],
        state: () => state(app),
        crowdSize: () => app.crowd.size,
        crowdSteps: () => app.crowd.steps,
        crowdOff: (wearer: number, garment = 0) => app.crowd.probe(app.stage.renderer, wearer, garment),
        crowdChecksum: () => app.crowd.checksum(),
        picture: () => app.picture(),
        pokeThroughPixels: (on: boolean) => app.pokeThroughPixels(on),
    });
}
