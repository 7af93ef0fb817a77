// SPDX-License-Identifier: Apache-2.0
// Khronos's validator on GLB files: not one error, warning or remark, but that texture coordinates wait
// for a texture.
//   node tests/web/validate_gltf.mjs FILE.glb...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const load = createRequire(resolve("build/npm/node_modules/"));
const validator = load("gltf-validator");
let faults = 0;
for (const file of process.argv.slice(2)) {
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(file)));
    const remarks = issues.messages.filter((message) =>
        message.code !== "UNUSED_OBJECT" || !message.pointer.endsWith("/TEXCOORD_0"));
    for (const remark of remarks) {
        console.log(`${file}: ${remark.code} at ${remark.pointer}: ${remark.message}`);
    }
    faults += remarks.length;
    console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ` +
        `${remarks.length} remarks; ${info.totalVertexCount} vertices`);
}
process.exit(faults ? 1 : 0);
