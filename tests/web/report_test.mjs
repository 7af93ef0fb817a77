// SPDX-License-Identifier: Apache-2.0
// The report in headless Chromium, from file://: opens without a fault, asks for nothing, draws the worst
// clip, moves it, and prints.
//   node tests/web/report_test.mjs REPORT.html POSES.html      (NODE_PATH names the folder of playwright-core)
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(process.env.NODE_PATH + "/")("playwright-core");
const [recordings, poses] = process.argv.slice(2, 4).map((file) => pathToFileURL(resolve(file)).href);
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

async function opened(options, check, address = recordings, drawn = true) {
    const context = await browser.newContext({ viewport: { width: 640, height: 480 }, ...options });
    const page = await context.newPage(), faults = [], asked = [];
    page.on("console", (m) => m.type() === "error" && faults.push(m.text()));
    page.on("pageerror", (e) => faults.push(e.message));
    page.on("request", (r) => asked.push(r.url()));
    await page.goto(address);
    if (drawn) await page.waitForFunction(() => document.getElementById("clock").textContent.includes("cm"));
    await check(page);
    assert.deepEqual(faults, []);
    const outside = asked.filter((url) => url !== address && !url.startsWith("data:"));
    assert.deepEqual(outside, [], "the page asked for other files");
    await context.close();
}

// The colours of the canvas, drawn and read in one task.
const pixels = (page) => page.evaluate(() => {
    view.draw();
    const { gl } = view.stage, w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
    const all = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, all);
    const ground = view.theme.paper.map((c) => Math.round(255 * c));
    let drawn = 0, sum = 0;
    for (let i = 0; i < all.length; i += 4) {
        if (ground.some((c, k) => Math.abs(c - all[i + k]) > 40)) ++drawn;
        sum = (sum * 31 + all[i] + 7 * all[i + 1] + 13 * all[i + 2]) % 1000000007;
    }
    return { share: drawn / (w * h), sum };
});

try {
    await opened({ reducedMotion: "reduce" }, async (page) => {
        const first = await pixels(page);
        assert.ok(first.share > 0.01, `only ${first.share} of the view is drawn on`);
        assert.equal((await pixels(page)).sum, first.sum, "the same frame is drawn the same way");

        await page.locator("#canvas").focus();
        await page.keyboard.press("ArrowRight");
        const turned = await pixels(page);
        assert.notEqual(turned.sum, first.sum, "an arrow key turns the view");

        await page.locator("#scrub").fill("0");
        const early = await pixels(page);
        assert.notEqual(early.sum, turned.sum, "another frame is another picture");

        const sums = new Set([early.sum]);
        await page.locator("#colors").uncheck();
        sums.add((await pixels(page)).sum);
        for (const shown of ["simulation", "overlay"]) {
            await page.locator(`input[value=${shown}]`).check({ force: true });
            sums.add((await pixels(page)).sum);
        }
        assert.equal(sums.size, 4, "colours, simulation and both look different");

        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
    });
    await opened({ reducedMotion: "no-preference" }, async (page) => {
        await page.locator("#canvas").scrollIntoViewIfNeeded();
        await page.waitForFunction(() => view.playing);
        const start = await page.evaluate(() => view.player.frame);
        await page.waitForFunction((frame) => view.player.frame !== frame, start);
    });
    await opened({ viewport: { width: 390, height: 600 }, colorScheme: "dark" }, async (page) => {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `on a phone the page is ${wide} pixels too wide`);
        const cut = await page.evaluate(() => [...document.querySelectorAll(".scroll")]
            .filter((box) => box.scrollWidth > box.clientWidth)
            .filter((box) => !getComputedStyle(box).backgroundAttachment.includes("local")).length);
        assert.equal(cut, 0, "tables are cut, and no shade tells that they go on");
        const pdf = await page.pdf({ format: "A4" });
        assert.ok(pdf.length > 20000, "printing gives pages");
    });
    await opened({ viewport: { width: 390, height: 600 } }, async (page) => {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `on a phone the page about poses is ${wide} pixels too wide`);
        const shown = await page.evaluate(() => [...document.images].map((image) => image.naturalWidth));
        assert.ok(shown.length >= 5 && shown.every((width) => width > 0), `pictures: ${shown}`);
    }, poses, false);
    console.log("passed: the report opens, draws, moves and prints");
} finally {
    await browser.close();
}
