// SPDX-License-Identifier: Apache-2.0
// Starts the page, or says why it cannot be shown.
import { App } from "./app";
import { Controls, showMessage } from "./controls";
import { element } from "./dom";
import { exposeForTests, noteError } from "./inspect";
import { loadScene } from "./scene";

function fail(title: string, text: string): void {
    document.body.classList.add("failed");
    element("loading").hidden = true;
    noteError(`${title}: ${text}`);
    showMessage(title, text);
}

async function start(): Promise<void> {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    const probe = document.createElement("canvas").getContext("webgl2");
    if (!probe) {
        fail("No WebGL 2 here", "The viewer draws with WebGL 2. Try another browser, or switch hardware acceleration on.");
        return;
    }
    probe.getExtension("WEBGL_lose_context")?.loseContext();
    const canvas = element<HTMLCanvasElement>("view");
    const scene = await loadScene();
    const app = new App(scene, canvas, matchMedia("(prefers-reduced-motion: reduce)").matches);
    const controls = new Controls(app);
    canvas.addEventListener("webglcontextlost", () =>
        fail("The graphics processor was lost", "Load the page again to go on."));
    exposeForTests(app, controls);
    await app.setTab("drive");
    element("loading").hidden = true;
    app.start();
}

addEventListener("error", (event) => noteError(event.message));
addEventListener("unhandledrejection", (event) => noteError(String(event.reason)));
start().catch((error) => fail("The garment cannot be shown", error instanceof Error ? error.message : String(error)));
