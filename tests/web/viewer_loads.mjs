// SPDX-License-Identifier: Apache-2.0
// The viewer's page loads in headless Chromium: without a fault, from loopback alone, under its policy.
//   NODE_PATH=build/npm/node_modules node tests/web/viewer_loads.mjs ADDRESS
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [address] = process.argv.slice(2);
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
try {
    const page = await browser.newPage({ viewport: { width: 480, height: 320 } });
    const faults = [], asked = [];
    page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => asked.push(request.url()));
    page.on("response", (response) => {
        if (response.status() !== 200) faults.push(`${response.status()} ${response.url()}`);
    });
    const answer = await page.goto(address);
    await page.waitForFunction(() => window.hemline?.ready || window.hemline?.lastError, null, { timeout: 120000 });

    const policy = answer.headers()["content-security-policy"];
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'[^;]*'unsafe-eval|https?:|\*/);
    assert.equal(answer.headers()["x-content-type-options"], "nosniff");
    assert.deepEqual(faults, []);
    const here = (url) => url.startsWith(address) || /^(data|blob):/.test(url);
    assert.deepEqual(asked.filter((url) => !here(url)), []);
    assert.ok(asked.some((url) => url.endsWith("/scene.json")) && asked.some((url) => url.endsWith(".hem")));

    // the policy holds: neither code out of text nor another machine
    const tried = await page.evaluate(async () => ({
        script: (() => {
            const script = document.createElement("script");
            script.textContent = "window.intruder = true";
            document.head.append(script);
            return window.intruder === true;
        })(),
        elsewhere: await fetch("http://127.0.0.2:9/").then(() => true, () => false),
    }));
    assert.deepEqual(tried, { script: false, elsewhere: false });
    assert.equal(faults.filter((text) => /Content Security Policy/.test(text)).length >= 2, true, faults.join("\n"));
    console.log(`${asked.length} requests, all to ${address}`);
} finally {
    await browser.close();
}
