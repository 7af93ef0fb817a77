// SPDX-License-Identifier: Apache-2.0
// What the crowd's vertex shader makes of a wearer's cloth, read back from the graphics processor, beside what the
// player itself makes of the same start: for tests of the one against the other.
import {
    FloatType, InstancedBufferAttribute, InstancedBufferGeometry, NearestFilter, PerspectiveCamera, Points, RGBAFormat,
    ShaderMaterial, WebGLRenderTarget,
} from "three";
import type { WebGLRenderer } from "three";
import type { OpenedFile } from "./cloth";
import type { DrawnCloth } from "./crowd";
import { Paths, PLACE_SIZE, placedMatrix, type PoseTable } from "./crowd_paths";
import { WEARER_HEAD } from "./crowd_shaders";
import { vertexNormals } from "./skeleton";

const WIDTH = 256; // of the picture that has a vertex a pixel

/** `what`: "point" or "normalOut" of rebuild(). */
function probeMaterial({ rebuild, uniforms }: DrawnCloth["shader"], height: number, what: string): ShaderMaterial {
    return new ShaderMaterial({
        uniforms: { ...uniforms, nearer: { value: 0 } },
        vertexShader: `${WEARER_HEAD}${rebuild}
varying vec3 vFound;
void main() {
    vec3 point, normalOut;
    rebuild(point, normalOut);
    vFound = ${what};
    vec2 at = vec2(float(gl_VertexID % ${WIDTH}), float(gl_VertexID / ${WIDTH})) + 0.5;
    gl_Position = vec4(2.0 * at / vec2(${WIDTH}.0, ${height}.0) - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}`,
        fragmentShader: "precision highp float; varying vec3 vFound; void main() { gl_FragColor = vec4(vFound, 1.0); }",
    });
}

/** The cloth of a wearer as it is drawn on those who are near, 3 a vertex. */
function drawnCloth(renderer: WebGLRenderer, { attributes, shader }: DrawnCloth, wearer: number,
                           what: "point" | "normalOut"): Float32Array {
    const { count } = attributes.position, height = Math.ceil(count / WIDTH);
    const geometry = new InstancedBufferGeometry();
    for (const [name, attribute] of Object.entries(attributes)) geometry.setAttribute(name, attribute);
    geometry.setAttribute("wearer", new InstancedBufferAttribute(new Float32Array([wearer]), 1));
    geometry.instanceCount = 1;
    const points = new Points(geometry, probeMaterial(shader, height, what));
    points.frustumCulled = false;
    const target = new WebGLRenderTarget(WIDTH, height, {
        format: RGBAFormat, type: FloatType, minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false,
    });
    renderer.setRenderTarget(target);
    renderer.render(points, new PerspectiveCamera());
    const pixels = new Float32Array(4 * WIDTH * height);
    renderer.readRenderTargetPixels(target, 0, 0, WIDTH, height, pixels);
    renderer.setRenderTarget(null);
    target.dispose();
    points.material.dispose();
    return Float32Array.from({ length: 3 * count }, (_, i) => pixels[4 * Math.floor(i / 3) + (i % 3)]);
}

/** The player's own positions of a wearer at the start of a crowd. */
function playedAtStart(file: OpenedFile, table: PoseTable, wearer: number): Float32Array {
    const place = new Float32Array(PLACE_SIZE), motion = new Float32Array(4), paths = new Paths(table, wearer, 1);
    paths.places(0, place);
    paths.rootMotion(place, motion);
    const wearers = file.garment.wearers(1);
    file.map.forEach((joint, i) => placedMatrix(table, place, joint, wearers.joints, 12 * i));
    wearers.reset(motion);
    const positions = wearers.positions!.slice();
    wearers.free();
    return positions;
}

/** How far the shader is from the player: the farthest vertex, metres, and normals in the mean, degrees. */
export interface CrowdProbe {
    position: number;
    normal: number;
}

export function probeCrowd(renderer: WebGLRenderer, cloth: DrawnCloth, file: OpenedFile, table: PoseTable,
                           wearer: number): CrowdProbe {
    const drawn = drawnCloth(renderer, cloth, wearer, "point"), normals = drawnCloth(renderer, cloth, wearer, "normalOut");
    const played = playedAtStart(file, table, wearer), exact = new Float32Array(played.length);
    vertexNormals(played, file.garment.triangles, exact);
    const off = { position: 0, normal: 0 };
    for (let i = 0; i < played.length; i += 3) {
        const apart = Math.hypot(...[0, 1, 2].map((c) => drawn[i + c] - played[i + c]));
        const dot = [0, 1, 2].reduce((sum, c) => sum + normals[i + c] * exact[i + c], 0);
        off.position = Math.max(off.position, apart);
        off.normal += (Math.acos(Math.min(Math.max(dot, -1), 1)) * 180) / Math.PI / (played.length / 3);
    }
    return off;
}
