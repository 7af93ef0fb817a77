// SPDX-License-Identifier: Apache-2.0
// What the scripts that go through the viewer's page share: pages in headless Chromium, waiting, pictures, running.
//   node SCRIPT ADDRESS FOLDER [--update]
// ADDRESS: of a running `hemline view`. Pictures go to FOLDER and are compared with those of the same name in
// tests/web/screens; --update stores them there. Chromium draws in software, a few frames a second: tests wait for
// the page's own clock, never for wall-clock time. ONLY=WORDS in the environment runs the tests with them in the name.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [address, folder, update] = process.argv.slice(2);
const screens = fileURLToPath(new URL("screens/", import.meta.url));
const TOLERANCE = { mean: 0.8, share: 0.004 }; // of 255; of pixels that differ by over 40
export const WAIT = { timeout: 120000 };

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

/** A page with what went wrong in it, and all that it asked for. */
export async function openPage(options = {}, before = async () => {}) {
    const context = await browser.newContext({ viewport: { width: 760, height: 420 }, colorScheme: "light", ...options });
    const page = await context.newPage();
    page.faults = [];
    page.asked = [];
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver Message/.test(message.text()))
            page.faults.push(message.text());
    });
    page.on("pageerror", (error) => page.faults.push(error.message));
    page.on("request", (request) => page.asked.push(request.url()));
    await before(page);
    await page.goto(address);
    await page.waitForFunction(() => window.hemline?.ready || window.hemline?.lastError, null, WAIT);
    return page;
}

export const ask = (page, name, ...given) => page.evaluate(([n, g]) => window.hemline[n](...g), [name, given]);
export const state = (page) => ask(page, "state");
/** Until a condition on the page's state, written with `s` for it, holds. The page forbids eval: asked from here. */
export async function until(page, condition) {
    const holds = new Function("s", `return ${condition}`), end = performance.now() + WAIT.timeout;
    let now = await state(page);
    for (; !holds(now); now = await state(page)) {
        const error = await page.evaluate(() => window.hemline.lastError);
        if (error || performance.now() > end) assert.fail(`${error ?? "never came"}: ${condition}; it is ${JSON.stringify(now)}`);
        await page.waitForTimeout(30);
    }
}
export const pass = async (page, seconds) => until(page, `s.seconds >= ${(await state(page)).seconds + seconds}`);
export const set = (page, id, value) => page.locator(id).fill(String(value));

export async function tab(page, name) {
    await page.click(`#tab-${name}`);
    await until(page, `s.tab === "${name}" && s.panes.length > 0`);
    if (name !== "compare") return;
    await until(page, "s.panes.every(({ error }) => error !== null)");
    await page.waitForFunction(() => Number(document.getElementById("frame").max) > 1, null, WAIT);
}

/** How two pictures differ: mean of all channels, and the share of pixels that differ much. */
export const difference = (page, a, b) => page.evaluate(async (pair) => {
    const pixels = await Promise.all(pair.map(async (source) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext("2d");
        pen.drawImage(image, 0, 0);
        return pen.getImageData(0, 0, image.width, image.height).data;
    }));
    if (pixels[0].length !== pixels[1].length) return { mean: 255, share: 1 };
    let sum = 0, far = 0;
    for (let i = 0; i < pixels[0].length; i += 4) {
        const off = [0, 1, 2].map((c) => Math.abs(pixels[0][i + c] - pixels[1][i + c]));
        sum += off[0] + off[1] + off[2];
        if (Math.max(...off) > 40) ++far;
    }
    return { mean: sum / (pixels[0].length * 0.75), share: far / (pixels[0].length / 4) };
}, [a, b]);

/** What the view shows now, at half its size. */
const smallPicture = (page) => page.evaluate(async () => {
    const image = new Image();
    image.src = window.hemline.picture();
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width / 2, image.height / 2];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png");
});

export async function compareScreen(page, name) {
    const picture = await smallPicture(page), bytes = Buffer.from(picture.split(",")[1], "base64");
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/${name}.png`, bytes);
    if (update === "--update") {
        mkdirSync(screens, { recursive: true });
        writeFileSync(`${screens}/${name}.png`, bytes);
    }
    const stored = `data:image/png;base64,${readFileSync(`${screens}/${name}.png`).toString("base64")}`;
    const off = await difference(page, picture, stored);
    assert(off.mean < TOLERANCE.mean && off.share < TOLERANCE.share,
           `${folder}/${name}.png is not tests/web/screens/${name}.png: ${JSON.stringify(off)}`);
}

const tests = [];
export const test = (name, run) => tests.push({ name, run });

/** Every test gives back the page it used, which must have had no fault and asked nobody else. */
export async function runTests() {
    let failed = 0;
    for (const { name, run } of tests) {
        if (process.env.ONLY && !name.includes(process.env.ONLY)) continue;
        try {
            const page = await run();
            assert.deepEqual(page.faults, [], "the console");
            const strangers = page.asked.filter((url) => !url.startsWith(address) && !url.startsWith("data:"));
            assert.deepEqual(strangers, [], "asked elsewhere");
            await page.context().close();
            console.log(`passed: ${name}`);
        } catch (error) {
            ++failed;
            console.log(`FAILED: ${name}\n    ${error.message.split("\n").join("\n    ")}`);
            for (const context of browser.contexts()) await context.close();
        }
    }
    await browser.close();
    process.exitCode = failed ? 1 : 0;
}

// A crowd of ten: what the shader shows is what the player says.
export async function expectCrowdOfThePlayer(page) {
    await page.click("#tab-crowd");
    await set(page, "#crowd", 1);
    await page.waitForFunction(() => window.hemline.crowdSize() === 10 && window.hemline.crowdSteps() > 0, null, WAIT);
    for (const wearer of [0, 3, 9]) {
        const { position, normal } = await ask(page, "crowdOff", wearer);
        assert(position > 0 && position < 5e-4, `the shader has wearer ${wearer} ${position} m from where the player has her`);
        assert(normal > 0 && normal < 12, `normals of wearer ${wearer} are ${normal} degrees off`);
    }
}

// The first mode's slider moves the cloth, the farthest vertex by more than a centimetre and less than `most`.
export async function expectModeToShape(page, most) {
    const mean = await ask(page, "clothPositions");
    await set(page, "#mode-0", 2);
    await page.waitForFunction((first) => window.hemline.clothPositions()[0] !== first, mean[0], WAIT);
    const shaped = await ask(page, "clothPositions");
    const farthest = Math.max(...shaped.map((x, i) => Math.abs(x - mean[i])));
    assert(farthest > 0.01 && farthest < most, `${farthest} m`);
}
