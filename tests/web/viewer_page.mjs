// SPDX-License-Identifier: Apache-2.0
// The viewer's page in headless Chromium, end to end: what a person does, and what the page then shows.
//   NODE_PATH=build/npm/node_modules node tests/web/viewer_page.mjs ADDRESS FOLDER [--update]
// ADDRESS: of a running `hemline view` with at least two models and a recorded clip. Pictures go to FOLDER and
// are compared with those of the same name in tests/web/screens; --update stores them there. Chromium draws in
// software, a few frames a second: the tests wait for the page's own clock, never for wall-clock time.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [address, folder, update] = process.argv.slice(2);
const screens = fileURLToPath(new URL("screens/", import.meta.url));
const TOLERANCE = { mean: 0.8, share: 0.004 }; // of 255; of pixels that differ by over 40
const WAIT = { timeout: 120000 };

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

/** A page with what went wrong in it, and all that it asked for. */
async function openPage(options = {}, before = async () => {}) {
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

const ask = (page, name, ...given) => page.evaluate(([n, g]) => window.hemline[n](...g), [name, given]);
const state = (page) => ask(page, "state");
/** Until a condition on the page's state, written with `s` for it, holds. The page forbids eval: asked from here. */
async function until(page, condition) {
    const holds = new Function("s", `return ${condition}`), end = performance.now() + WAIT.timeout;
    let now = await state(page);
    for (; !holds(now); now = await state(page)) {
        const error = await page.evaluate(() => window.hemline.lastError);
        if (error || performance.now() > end) assert.fail(`${error ?? "never came"}: ${condition}; it is ${JSON.stringify(now)}`);
        await page.waitForTimeout(30);
    }
}
const pass = async (page, seconds) => until(page, `s.seconds >= ${(await state(page)).seconds + seconds}`);
const set = (page, id, value) => page.locator(id).fill(String(value));

async function tab(page, name) {
    await page.click(`#tab-${name}`);
    await until(page, `s.tab === "${name}" && s.panes.length > 0`);
    if (name !== "compare") return;
    await until(page, "s.panes.every(({ error }) => error !== null)");
    await page.waitForFunction(() => Number(document.getElementById("frame").max) > 1, null, WAIT);
}

/** How two pictures differ: mean of all channels, and the share of pixels that differ much. */
const difference = (page, a, b) => page.evaluate(async (pair) => {
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

async function compareScreen(page, name) {
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
const test = (name, run) => tests.push({ name, run });

test("keys walk, turn, run, duck and jump, and the cloth moves along", async () => {
    const page = await openPage();
    await until(page, "s.panes.length === 1 && s.seconds > 0");
    const still = await ask(page, "clothChecksum");
    await page.keyboard.down("ArrowUp");
    await until(page, 's.doing === "walk" && Math.hypot(s.pelvis[0], s.pelvis[2]) > 0.5');
    assert.notEqual(await ask(page, "clothChecksum"), still);
    const { heading } = await state(page);
    await page.keyboard.down("KeyA");
    await until(page, `s.heading > ${heading} + 0.4`);
    await page.keyboard.up("KeyA");
    await page.keyboard.down("Shift");
    await until(page, 's.doing === "run" && s.speed > 2');
    await page.keyboard.up("Shift");
    await page.keyboard.up("ArrowUp");
    await until(page, 's.doing === "stand"');
    const height = (await state(page)).pelvis[1];
    await page.selectOption("#speed", "0.25"); // or a slow machine could miss the jump
    await page.focus("#view");
    await page.keyboard.press("Space");
    await until(page, `s.doing === "jump" && s.pelvis[1] > ${height} + 0.05`);
    await page.selectOption("#speed", "1");
    await until(page, 's.doing === "stand"');
    await page.keyboard.down("KeyC");
    await until(page, `s.doing === "duck" && s.pelvis[1] < ${height} - 0.1`);
    await page.keyboard.up("KeyC");
    await until(page, 's.doing === "stand"');
    return page;
});

test("in an abrupt stop the body freezes and the cloth swings on", async () => {
    const page = await openPage();
    await page.keyboard.press("KeyF");
    await until(page, 's.doing === "frozen"');
    await pass(page, 0.1);
    const [before, cloth] = [await state(page), await ask(page, "clothChecksum")];
    await pass(page, 0.15);
    const after = await state(page);
    assert.equal(after.doing, "frozen");
    assert.deepEqual(after.pelvis, before.pelvis);
    assert.notEqual(await ask(page, "clothChecksum"), cloth);
    return page;
});

test("pause holds, a step is one tick, any rate of the cloth runs, reset and teleport place", async () => {
    const page = await openPage();
    await until(page, "s.ticks > 3");
    await page.keyboard.press("KeyP");
    const { ticks } = await state(page);
    await page.keyboard.press("Period");
    assert.equal((await state(page)).ticks, ticks + 1);
    await page.keyboard.press("KeyT");
    await page.keyboard.press("Period");
    await until(page, "Math.hypot(s.pelvis[0], s.pelvis[2]) > 1.5");
    await page.keyboard.press("KeyR");
    await until(page, "Math.hypot(s.pelvis[0], s.pelvis[2]) < 0.5");
    for (const rate of [15, 144]) {
        await set(page, "#rate", rate);
        const before = await state(page);
        await page.keyboard.press("Period");
        const passed = (await state(page)).seconds - before.seconds;
        assert(Math.abs(passed - 1 / rate) < 1e-9, `a step of ${passed} s at ${rate} Hz`);
    }
    return page;
});

test("models are compared with the recording, and the colour map draws", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await tab(page, "compare");
    await set(page, "#frame", 40);
    await until(page, "s.clipFrame === 40");
    const { panes } = await state(page);
    assert(panes.length >= 3 && panes.some(({ id }) => id === "recorded"), JSON.stringify(panes));
    for (const { id, error } of panes) assert(id === "recorded" ? error === 0 : error > 1e-4 && error < 0.5, id);
    const plain = await ask(page, "picture");
    await page.check("#map");
    assert(await page.isVisible("#legend") && (await page.innerText("#legend-end")).includes("cm"));
    assert((await difference(page, plain, await ask(page, "picture"))).share > 0.002);
    await compareScreen(page, "compare-map");
    await page.uncheck("#map");
    await page.click("text=Overlaid");
    const overlaid = await ask(page, "picture");
    assert((await difference(page, plain, overlaid)).share > 0.01);
    await page.click("#stop");
    await pass(page, 0.2);
    return page;
});

test("fewer pixels of skin come through with depth consistency than without", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await tab(page, "compare");
    await page.uncheck("#push"); // what it would leave for the rule to do is little
    const counts = { with: 0, without: 0 };
    for (const frame of [20, 45, 70]) {
        await set(page, "#frame", frame);
        await ask(page, "picture");
        counts.with += await ask(page, "pokeThroughPixels", true);
        counts.without += await ask(page, "pokeThroughPixels", false);
    }
    console.log(`    ${counts.with} pixels with, ${counts.without} without`);
    assert(counts.without > 20 && counts.with < 0.5 * counts.without);
    return page;
});

test("sliders of the modes shape the cloth", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await tab(page, "modes");
    await ask(page, "picture");
    const mean = await ask(page, "clothPositions");
    await set(page, "#mode-0", 2);
    await page.waitForFunction((first) => window.hemline.clothPositions()[0] !== first, mean[0], WAIT);
    const shaped = await ask(page, "clothPositions");
    const farthest = Math.max(...shaped.map((x, i) => Math.abs(x - mean[i])));
    assert(farthest > 0.01 && farthest < 2, `${farthest} m`);
    await compareScreen(page, "modes");
    return page;
});

test("a crowd of ten moves, and one of a thousand is drawn", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await page.click("#tab-crowd");
    await set(page, "#crowd", 1);
    await page.waitForFunction(() => window.hemline.crowdSize() === 10 && window.hemline.crowdSteps() > 0, null, WAIT);
    await compareScreen(page, "crowd-10");
    const still = await ask(page, "crowdChecksum");
    await page.keyboard.press("KeyP");
    await page.waitForFunction(() => window.hemline.crowdSteps() > 4, null, WAIT);
    assert.notEqual(await ask(page, "crowdChecksum"), still);
    await page.keyboard.press("KeyP");
    const ten = await ask(page, "picture");
    await set(page, "#crowd", 3);
    await page.waitForFunction(() => window.hemline.crowdSize() === 1000 && window.hemline.crowdSteps() > 0, null, WAIT);
    assert((await difference(page, ten, await ask(page, "picture"))).share > 0.05);
    return page;
});

test("the first view is as it was, light and dark", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await until(page, "s.panes.length === 1");
    await compareScreen(page, "drive");
    await page.click("#theme");
    assert.equal((await state(page)).theme, "dark");
    await compareScreen(page, "drive-dark");
    return page;
});

test("on a phone the stick walks", async () => {
    const page = await openPage({ viewport: { width: 390, height: 640 }, hasTouch: true, isMobile: true });
    const stick = await page.locator("#stick").boundingBox();
    await page.mouse.move(stick.x + stick.width / 2, stick.y + stick.height / 2);
    await page.mouse.down();
    await page.mouse.move(stick.x + stick.width / 2, stick.y);
    await until(page, 's.doing === "walk"');
    await page.mouse.up();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    return page;
});

test("a gamepad walks", async () => {
    const page = await openPage({ reducedMotion: "reduce" }, (page) => page.addInitScript(() => {
        const pad = { connected: true, axes: [0, 0, 0, 0], buttons: [] };
        navigator.getGamepads = () => [pad];
        window.pushStick = () => { pad.axes[1] = -1; };
    }));
    await until(page, "s.panes.length === 1");
    assert.equal((await state(page)).playing, false); // until somebody drives, as less motion is asked for
    await page.evaluate(() => window.pushStick());
    await until(page, 's.doing === "walk" && s.playing');
    return page;
});

test("every control has a name and can be reached by keyboard", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await page.keyboard.press("Tab");
    const reached = new Set();
    for (let i = 0; i < 40; ++i) {
        const at = await page.evaluate(() => {
            const on = document.activeElement, label = on.labels?.[0]?.textContent ?? "";
            return { id: on.id, name: (on.getAttribute("aria-label") ?? (label || on.textContent)).trim() };
        });
        if (at.id) {
            assert(at.name, `#${at.id} has no name`);
            reached.add(at.id);
        }
        await page.keyboard.press("Tab");
    }
    for (const id of ["view", "theme", "fold", "tab-drive", "model", "rate", "dial", "depth", "play", "step", "reset", "stop"])
        assert(reached.has(id), `#${id} was not reached: ${[...reached]}`);
    await page.focus("#tab-drive");
    await page.keyboard.press("ArrowRight");
    await until(page, 's.tab === "compare"');
    return page;
});

test("what is missing is said", async () => {
    const blind = await openPage({}, (page) => page.addInitScript(() => {
        HTMLCanvasElement.prototype.getContext = () => null;
    }));
    assert((await blind.innerText("#message")).includes("WebGL"));
    const bare = await openPage({}, (page) => page.route("**/scene.json", (route) => route.fulfill({ status: 404 })));
    assert((await bare.innerText("#message")).includes("scene.json"));
    await bare.close();
    return blind;
});

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
