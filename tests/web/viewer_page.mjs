// SPDX-License-Identifier: Apache-2.0
// The viewer's page in headless Chromium, end to end: what a person does, and what the page then shows.
//   NODE_PATH=build/npm/node_modules node tests/web/viewer_page.mjs ADDRESS FOLDER [--update]
// ADDRESS: of a running `hemline view` with at least two models and a recorded clip (viewer_harness.mjs says more).
import assert from "node:assert/strict";
import {
    ask, compareScreen, difference, expectCrowdOfThePlayer, expectModeToShape, openPage, pass, runTests, set, state, tab,
    test, until, WAIT,
} from "./viewer_harness.mjs";

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

test("who moves is stopped at the speed she has, and a second press takes the stop back", async () => {
    const page = await openPage();
    await until(page, "s.seconds > 0");
    assert.equal(await page.innerText("#stop"), "Run and stop dead");
    await page.keyboard.down("ArrowUp");
    await until(page, 's.doing === "walk" && s.speed > 0.8');
    await page.waitForFunction(() => document.getElementById("stop").innerText === "Stop dead", null, WAIT);
    await page.keyboard.press("KeyF");
    await until(page, 's.doing === "frozen"');
    await page.keyboard.press("KeyF");
    await until(page, 's.doing === "walk"');
    await page.keyboard.up("ArrowUp");
    await until(page, 's.doing === "stand"');
    await page.keyboard.press("KeyF");
    await until(page, "s.speed > 0.5");
    await page.keyboard.press("KeyF");
    await until(page, 's.doing === "stand"');
    return page;
});

test("after the mouse the keys drive, after the keyboard they stay, and driving ends a pause", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await until(page, "s.panes.length === 1");
    const focused = (id) => page.waitForFunction((name) => document.activeElement.id === name, id, WAIT);
    for (const id of ["#depth", "#dial", "#teleport", "#tab-drive"]) {
        await page.focus("#model");
        await page.click(id);
        await focused("view");
    }
    await page.focus("#depth");
    await page.keyboard.press("Space");
    await focused("depth");
    await page.focus("#view");
    assert(await page.isVisible("#paused"));
    await page.keyboard.down("ArrowUp");
    await until(page, 's.playing && s.doing === "walk"');
    await page.keyboard.up("ArrowUp");
    await page.keyboard.press("KeyP");
    await page.waitForFunction(() => !document.getElementById("paused").hidden, null, WAIT);
    await page.keyboard.press("Period");
    await page.keyboard.down("KeyA");
    await page.waitForTimeout(300);
    assert.equal((await state(page)).playing, false); // step by step, held keys are for the steps
    await page.keyboard.up("KeyA");
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
    assert(await page.isDisabled("#map") && (await page.innerText("#map-note")).includes("side by side"));
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
    await expectModeToShape(page, 2);
    await compareScreen(page, "modes");
    return page;
});

test("a crowd of ten moves, and one of a thousand is drawn", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await expectCrowdOfThePlayer(page);
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

test("across the width of a phone the view is fitted anew, and only there", async () => {
    const page = await openPage({ reducedMotion: "reduce", viewport: { width: 1000, height: 500 } });
    await tab(page, "compare");
    const distance = async (width, change) => {
        const before = (await state(page)).distance;
        await page.setViewportSize({ width, height: 500 });
        await page.waitForFunction((w) => document.getElementById("view").clientWidth === w, width, WAIT);
        if (change) await until(page, `Math.abs(s.distance - ${before}) > 0.3`);
        else await page.waitForTimeout(500);
        return (await state(page)).distance;
    };
    const wide = await distance(980, false);
    const narrow = await distance(390, true);
    assert(narrow > wide + 0.3, `${narrow} m on a phone, ${wide} m on a screen`);
    assert.equal(await distance(380, false), narrow);
    const back = await distance(1000, true);
    assert(Math.abs(back - wide) < 0.05, `${back} m on the way back, ${wide} m before`);
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

await runTests();
