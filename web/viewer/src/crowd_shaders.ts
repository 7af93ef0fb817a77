// SPDX-License-Identifier: Apache-2.0
// The crowd's materials: bodies skinned from the table of poses, garments rebuilt from latent weights, both
// in the vertex shader, and soft spots of shade under them. All numbers highp: places reach a hundred metres.
import { Color, DoubleSide, MeshLambertMaterial, ShaderMaterial } from "three";
import type { DataTexture, DataArrayTexture, Texture } from "three";
import { BASIS_WIDTH } from "./crowd_basis";
import { EPSILON } from "./depth_rule";

/** Wearers in a row of a texture, by texels a wearer. */
export const perRow = (texels: number) => Math.floor(2048 / texels);

const GARMENT_TINTS = ["#3d7480", "#9c6a5c", "#b59a76", "#75688a", "#6d8268", "#875c69", "#5a6f8f", "#a39b8f"];
const SKIN_TINTS = ["#c8a791", "#b08a72", "#8d664f", "#d3b5a0", "#6d4c3b"];

const tintGlsl = (name: string, tints: string[]) => {
    const list = tints.map((tint) => {
        const { r, g, b } = new Color(tint);
        return `vec3(${r.toFixed(4)}, ${g.toFixed(4)}, ${b.toFixed(4)})`;
    });
    return `vec3 ${name}(float w) {
    vec3 tints[${list.length}] = vec3[${list.length}](${list.join(", ")});
    float n = fract(sin(w * 12.9898 + 4.1414) * 43758.5453);
    return tints[int(n * ${list.length}.0) % ${list.length}];
}`;
};

const WEARER_HEAD = /* glsl */ `
precision highp float;
precision highp int;
attribute float wearer;
uniform highp sampler2D places; // x, z, heading, row of the pose table
varying vec3 vTint;
vec4 placeOf(int w) { return texelFetch(places, ivec2(w % ${perRow(1)}, w / ${perRow(1)}), 0); }
vec3 turned(vec3 v, float angle) {
    float c = cos(angle), s = sin(angle);
    return vec3(c * v.x + s * v.z, v.y, -s * v.x + c * v.z);
}
`;

/** Three's shader of diffuse light, with `rebuild` giving the vertex in the world and its normal. */
function patched(rebuild: string, uniforms: Record<string, { value: unknown }>, sheen: number, key: string): MeshLambertMaterial {
    const material = new MeshLambertMaterial({ side: DoubleSide });
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", `#include <common>\n${WEARER_HEAD}${rebuild}`)
            .replace("#include <beginnormal_vertex>", "vec3 rebuilt;\nvec3 objectNormal;\nrebuild(rebuilt, objectNormal);")
            .replace("#include <begin_vertex>", "vec3 transformed = rebuilt;");
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", "#include <common>\nvarying vec3 vTint;")
            .replace("#include <color_fragment>", "diffuseColor.rgb = gl_FrontFacing ? vTint : 0.8 * vTint;")
            .replace("#include <opaque_fragment>", `
float grazing = 1.0 - abs(dot(normalize(vViewPosition), normal));
outgoingLight += ${sheen.toFixed(2)} * vTint * grazing * grazing * grazing * (0.25 + dot(outgoingLight, vec3(0.6)));
#include <opaque_fragment>`);
    };
    material.customProgramCacheKey = () => key;
    return material;
}

/** `between`: poses between rows of the table, for those who are near. */
export function bodyMaterial(poses: DataTexture, places: DataTexture, samples: number, between: boolean): MeshLambertMaterial {
    const rebuild = /* glsl */ `
attribute vec4 skinJoints;
attribute vec4 skinWeights;
uniform highp sampler2D poses; // 3 texels a joint, a row a pose
${tintGlsl("skinTint", SKIN_TINTS)}
void addJoint(float joint, float weight, int row, inout vec4 x, inout vec4 y, inout vec4 z) {
    int at = 3 * int(joint);
    x += weight * texelFetch(poses, ivec2(at, row), 0);
    y += weight * texelFetch(poses, ivec2(at + 1, row), 0);
    z += weight * texelFetch(poses, ivec2(at + 2, row), 0);
}
void addPose(float share, int row, inout vec4 x, inout vec4 y, inout vec4 z) {
    addJoint(skinJoints.x, share * skinWeights.x, row, x, y, z);
    addJoint(skinJoints.y, share * skinWeights.y, row, x, y, z);
    if (skinWeights.z > 0.0) addJoint(skinJoints.z, share * skinWeights.z, row, x, y, z);
    if (skinWeights.w > 0.0) addJoint(skinJoints.w, share * skinWeights.w, row, x, y, z);
}
void rebuild(out vec3 point, out vec3 normalOut) {
    vec4 place = placeOf(int(wearer));
    vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0);
    int row = int(place.w);
    ${between ? `float part = fract(place.w);
    int first = row / ${samples} * ${samples};
    addPose(1.0 - part, row, x, y, z);
    addPose(part, first + (row - first + 1) % ${samples}, x, y, z);` : "addPose(1.0, row, x, y, z);"}
    vec4 rest = vec4(position, 1.0);
    point = turned(vec3(dot(x, rest), dot(y, rest), dot(z, rest)), place.z) + vec3(place.x, 0.0, place.y);
    normalOut = turned(vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal)), place.z);
    vTint = skinTint(wearer);
}`;
    return patched(rebuild, { poses: { value: poses }, places: { value: places } }, 0.3, `crowd body ${between}`);
}

export interface ClothTextures {
    basis: DataArrayTexture;
    weights: Texture;
    /** p and r of the canonical frame. */
    frames: Texture;
    places: Texture;
    modeCount: number;
}

/** Rebuilds with the first `modes`; drawn a little nearer, so that skin does not come through (depth_rule.ts). */
export function clothMaterial(textures: ClothTextures, modes: number, garment: number): MeshLambertMaterial {
    const texels = Math.ceil(textures.modeCount / 4), row = perRow(texels);
    const rebuild = /* glsl */ `
uniform highp usampler2DArray basis;
uniform highp sampler2D weights;
uniform highp sampler2D frames;
uniform int modes;
${tintGlsl("garmentTint", GARMENT_TINTS)}
void addMode(uint k, float weight, ivec2 at, inout vec3 point, inout vec3 turn) {
    uvec4 texel = texelFetch(basis, ivec3(at, k), 0);
    vec2 a = unpackHalf2x16(texel.x), b = unpackHalf2x16(texel.y), c = unpackHalf2x16(texel.z);
    point += weight * vec3(a, b.x);
    turn += weight * vec3(b.y, c);
}
void rebuild(out vec3 point, out vec3 normalOut) {
    int w = int(wearer);
    ivec2 at = ivec2(gl_VertexID % ${BASIS_WIDTH}, gl_VertexID / ${BASIS_WIDTH});
    ivec2 first = ivec2(w % ${row} * ${texels}, w / ${row});
    vec3 shape = position, turn = normal;
    for (int k = 0; k < modes; k += 4) {
        vec4 four = texelFetch(weights, first + ivec2(k / 4, 0), 0);
        addMode(uint(k), four.x, at, shape, turn);
        if (k + 1 < modes) addMode(uint(k + 1), four.y, at, shape, turn);
        if (k + 2 < modes) addMode(uint(k + 2), four.z, at, shape, turn);
        if (k + 3 < modes) addMode(uint(k + 3), four.w, at, shape, turn);
    }
    vec4 frame = texelFetch(frames, ivec2(w % ${perRow(1)}, w / ${perRow(1)}), 0);
    point = turned(shape, frame.w) + frame.xyz;
    normalOut = normalize(turned(turn, frame.w));
    vTint = garmentTint(wearer + ${garment}.0 * 37.0);
    vec3 towards = cameraPosition - point;
    point += ${EPSILON.toFixed(4)} * ${garment + 1}.0 * towards / max(length(towards), 0.1);
}`;
    const uniforms = {
        basis: { value: textures.basis }, weights: { value: textures.weights }, frames: { value: textures.frames },
        places: { value: textures.places }, modes: { value: Math.min(modes, textures.modeCount) },
    };
    return patched(rebuild, uniforms, 0.9, `crowd cloth ${texels} ${garment}`);
}

/** A soft round spot on the ground. */
export function shadeMaterial(places: DataTexture): ShaderMaterial {
    return new ShaderMaterial({
        transparent: true,
        depthWrite: false,
        uniforms: { places: { value: places }, strength: { value: 0.3 } },
        vertexShader: `${WEARER_HEAD}
varying vec2 vSpot;
void main() {
    vec4 place = placeOf(int(wearer));
    vSpot = position.xy;
    vTint = vec3(0.0);
    vec3 point = vec3(place.x - 0.06 + 0.5 * position.x, 0.006, place.y - 0.08 + 0.5 * position.y);
    gl_Position = projectionMatrix * viewMatrix * vec4(point, 1.0);
}`,
        fragmentShader: /* glsl */ `
uniform float strength;
varying vec2 vSpot;
void main() {
    float fall = clamp(1.0 - dot(vSpot, vSpot), 0.0, 1.0);
    gl_FragColor = vec4(0.08, 0.07, 0.05, strength * fall * fall);
}`,
    });
}
