// SPDX-License-Identifier: Apache-2.0
// Model N in the viewer's page: the cloth that it shows is the player's, and controls that mean nothing say so.
//   NODE_PATH=build/npm/node_modules node tests/web/viewer_neural.mjs ADDRESS FOLDER [--update]
// ADDRESS: of a running `hemline view` with Model N first, one that swings, and a recorded clip.
import assert from "node:assert/strict";
import {
    ask, compareScreen, expectCrowdOfThePlayer, expectModeToShape, openPage, pass, runTests, set, state, tab, test, until,
    WAIT,
} from "./viewer_harness.mjs";

test("she drives in Model N, and its cloth freezes with the body", async () => {
    const page = await openPage();
    await until(page, "s.panes.length === 1 && s.seconds > 0");
    const still = await ask(page, "clothChecksum");
    await page.keyboard.down("ArrowUp");
    await until(page, 's.doing === "walk" && Math.hypot(s.pelvis[0], s.pelvis[2]) > 0.3');
    assert.notEqual(await ask(page, "clothChecksum"), still);
    await page.keyboard.press("KeyF");
    await until(page, 's.doing === "frozen"');
    await pass(page, 0.1);
    const cloth = await ask(page, "clothChecksum");
    await pass(page, 0.15);
    assert.equal((await state(page)).doing, "frozen");
    assert.equal(await ask(page, "clothChecksum"), cloth);
    return page;
});

test("rate and dial say that they do nothing to Model N, and work again for the other model", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    const idle = (ids) => Promise.all(ids.map((id) => page.isDisabled(id)));
    await page.waitForFunction(() => document.getElementById("still-note").textContent, null, WAIT);
    assert.deepEqual(await idle(["#rate", "#dial", "#push"]), [true, true, false]);
    assert((await page.innerText("#still-note")).includes("pose alone"));
    const other = await page.locator("#model option").nth(1).getAttribute("value");
    await page.selectOption("#model", other);
    await page.waitForFunction(() => document.getElementById("still-note").hidden, null, WAIT);
    assert.deepEqual(await idle(["#rate", "#dial"]), [false, false]);
    await tab(page, "compare");
    await page.waitForFunction(() => !document.getElementById("still-note").hidden, null, WAIT);
    assert.deepEqual(await idle(["#rate", "#dial"]), [false, false]);
    assert((await page.innerText("#still-note")).includes("for the others"));
    return page;
});

test("Model N stands beside the other, the simulation and plain skinning", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await tab(page, "compare");
    await set(page, "#frame", 40);
    await until(page, "s.clipFrame === 40");
    const { panes } = await state(page), ids = panes.map(({ id }) => id);
    assert.equal(panes.length, 4);
    assert(ids.includes("recorded") && ids.includes("skinned") && ids.some((id) => id.startsWith("N,")), ids.join());
    for (const { id, error } of panes) assert(id === "recorded" ? error === 0 : error > 1e-3 && error < 0.5, `${id} ${error}`);
    await compareScreen(page, "neural-compare");
    return page;
});

test("modes are offsets from the garment as the joints carry it", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await tab(page, "modes");
    assert((await page.innerText("#modes-note")).includes("joints carry"));
    await ask(page, "picture");
    const apart = await ask(page, "shapeOff");
    assert(apart < 2e-5, `mean, modes and the player's weights are ${apart} m from what the player shows`);
    await expectModeToShape(page, 1);
    await compareScreen(page, "neural-modes");
    return page;
});

test("in a crowd the shader's cloth is the player's", async () => {
    const page = await openPage({ reducedMotion: "reduce" });
    await expectCrowdOfThePlayer(page);
    await compareScreen(page, "neural-crowd");
    const still = await ask(page, "crowdChecksum");
    await page.keyboard.press("KeyP");
    await page.waitForFunction(() => window.hemline.crowdSteps() > 3, null, WAIT);
    assert.notEqual(await ask(page, "crowdChecksum"), still);
    return page;
});

await runTests();
