// SPDX-License-Identifier: Apache-2.0
// GLB files of `hemline export --gltf` in three.js and headless Chromium: at keys of the animation the
// vertices are the player's to float rounding, and the body's are our skinning's.
//   node tests/web/gltf_test.mjs FOLDER        with NAME.glb, NAME.json and page.js (tests/web/gltf_test.sh)
import assert from "node:assert";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const { chromium } = createRequire(resolve("build/npm/node_modules/"))("playwright-core");
const folder = process.argv[2];
const metres = 5e-6;  // positions of some metres in 24 bits, and sums of 64 products

function serve() {
    const types = { js: "text/javascript", glb: "model/gltf-binary" };
    const server = createServer((request, response) => {
        const name = new URL(request.url, "http://page").pathname.slice(1);
        if (!name) {
            response.writeHead(200, { "content-type": "text/html" });
            return response.end('<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>');
        }
        if (!/^[a-z]+\.(js|glb)$/.test(name)) return response.writeHead(404).end();
        response.writeHead(200, { "content-type": types[name.split(".")[1]] });
        response.end(readFileSync(join(folder, name)));
    });
    return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

function largestDifference(a, b) {
    assert.strictEqual(a.length, b.length, "as many vertices");
    return a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
}

async function check(page, name) {
    const { keys } = JSON.parse(readFileSync(join(folder, `${name}.json`)));
    const found = await page.evaluate(([address, moments]) => window.positionsAt(address, moments),
        [`/${name}.glb`, keys.map((key) => key.seconds)]);
    let garment = 0, body = 0;
    keys.forEach((key, i) => {
        garment = Math.max(garment, largestDifference(found[i].garment, key.garment));
        if (key.body) body = Math.max(body, largestDifference(found[i].body, key.body));
        else assert.strictEqual(found[i].body.length, 0);
        assert.ok(found[i].drawnPixels > 10, "something is drawn");
        assert.ok(found[i].apart < metres, "a seam's vertices stay together");
    });
    const moved = largestDifference(keys[0].garment, keys[3].garment);
    console.log(`${name}: ${keys.length} moments, ${keys[0].garment.length / 3} vertices ` +
        `(${found[0].doubled} doubled at seams): garment within ${garment.toExponential(1)} m of the player's, ` +
        `body within ${body.toExponential(1)} m; it moves by ${moved.toFixed(2)} m`);
    assert.ok(garment < metres, `garment ${garment} m off`);
    assert.ok(body < metres, `body ${body} m off`);
    assert.ok(moved > 0.1, "the cloth moves");
}

const server = await serve();
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
let failed = false;
try {
    const page = await browser.newPage({ viewport: { width: 320, height: 240 } });
    const complaints = [];
    page.on("console", (message) => {
        const text = message.text();
        // the read-back of pixels is slow, and the driver says so
        if (["error", "warning"].includes(message.type()) && !text.includes("GPU stall")) complaints.push(text);
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => "positionsAt" in window);
    const names = readdirSync(folder).filter((n) => n.endsWith(".glb")).map((n) => n.slice(0, -4)).sort();
    assert.ok(names.length > 0);
    for (const name of names) await check(page, name);
    assert.deepStrictEqual(complaints, [], "no complaint on the console");
} catch (error) {
    console.error(error.message);
    failed = true;
} finally {
    await browser.close();
    server.close();
}
process.exit(failed ? 1 : 0);
