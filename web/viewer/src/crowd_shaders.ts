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

export const WEARER_HEAD = /* glsl */ `
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

/** GLSL after WEARER_HEAD, of which rebuild(point, normal) gives a vertex in the world and its normal. */
export interface RebuildShader {
    rebuild: string;
    uniforms: Record<string, { value: unknown }>;
    key: string;
    /** Normals are so rough that triangles' own are better where the two are far apart. */
    roughNormals?: boolean;
}

const MENDED_NORMAL = /* glsl */ `#include <normal_fragment_begin>
vec3 ofTriangle = normalize(cross(dFdx(vViewPosition), dFdy(vViewPosition)));
normal = normalize(mix(ofTriangle, normal, smoothstep(0.6, 0.95, dot(ofTriangle, normal))));`;

/** Three's shader of diffuse light over rebuilt vertices. */
export function patched({ rebuild, uniforms, key, roughNormals }: RebuildShader, sheen: number): MeshLambertMaterial {
    const material = new MeshLambertMaterial({ side: DoubleSide });
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>", `#include <common>\n${WEARER_HEAD}${rebuild}`)
            .replace("#include <beginnormal_vertex>", "vec3 rebuilt;\nvec3 objectNormal;\nrebuild(rebuilt, objectNormal);")
            .replace("#include <begin_vertex>", "vec3 transformed = rebuilt;");
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", "#include <common>\nvarying vec3 vTint;")
            .replace("#include <normal_fragment_begin>", roughNormals ? MENDED_NORMAL : "#include <normal_fragment_begin>")
            .replace("#include <color_fragment>", "diffuseColor.rgb = gl_FrontFacing ? vTint : 0.8 * vTint;")
            .replace("#include <opaque_fragment>", `
float grazing = 1.0 - abs(dot(normalize(vViewPosition), normal));
outgoingLight += ${sheen.toFixed(2)} * vTint * grazing * grazing * grazing * (0.25 + dot(outgoingLight, vec3(0.6)));
#include <opaque_fragment>`);
    };
    material.customProgramCacheKey = () => key;
    return material;
}

/** The table of poses; `between`: also poses between its rows, for those who are near. */
export interface PoseTexture {
    poses: DataTexture;
    samples: number;
    between: boolean;
}

/** skinnedBy(place, x, y, z): rows of the vertex's blended matrix, before the wearer is put in her place. */
const skinGlsl = ({ samples, between }: PoseTexture, eight: boolean) => /* glsl */ `
attribute vec4 skinJoints;
attribute vec4 skinWeights;
${eight ? "attribute vec4 moreJoints;\nattribute vec4 moreWeights;" : ""}
uniform highp sampler2D poses; // 3 texels a joint, a row a pose
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
    ${eight ? `if (moreWeights.x > 0.0) addJoint(moreJoints.x, share * moreWeights.x, row, x, y, z);
    if (moreWeights.y > 0.0) addJoint(moreJoints.y, share * moreWeights.y, row, x, y, z);
    if (moreWeights.z > 0.0) addJoint(moreJoints.z, share * moreWeights.z, row, x, y, z);
    if (moreWeights.w > 0.0) addJoint(moreJoints.w, share * moreWeights.w, row, x, y, z);` : ""}
}
void skinnedBy(vec4 place, out vec4 x, out vec4 y, out vec4 z) {
    x = y = z = vec4(0.0);
    int row = int(place.w);
    ${between ? `float part = fract(place.w);
    int first = row / ${samples} * ${samples};
    addPose(1.0 - part, row, x, y, z);
    addPose(part, first + (row - first + 1) % ${samples}, x, y, z);` : "addPose(1.0, row, x, y, z);"}
}
`;

export function bodyMaterial(pose: PoseTexture, places: DataTexture): MeshLambertMaterial {
    const rebuild = /* glsl */ `
${skinGlsl(pose, false)}
${tintGlsl("skinTint", SKIN_TINTS)}
void rebuild(out vec3 point, out vec3 normalOut) {
    vec4 place = placeOf(int(wearer)), x, y, z;
    skinnedBy(place, x, y, z);
    vec4 rest = vec4(position, 1.0);
    point = turned(vec3(dot(x, rest), dot(y, rest), dot(z, rest)), place.z) + vec3(place.x, 0.0, place.y);
    normalOut = turned(vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal)), place.z);
    vTint = skinTint(wearer);
}`;
    const uniforms = { poses: { value: pose.poses }, places: { value: places } };
    return patched({ rebuild, uniforms, key: `crowd body ${pose.between}` }, 0.3);
}

export interface ClothTextures {
    basis: DataArrayTexture;
    weights: Texture;
    /** p and r of the canonical frame. */
    frames: Texture;
    places: Texture;
    modeCount: number;
}

/** The end of rebuild() for a garment that is all mean and modes; `position` is the mean. */
const WHOLE = /* glsl */ `
    point = turned(shape, frame.w) + frame.xyz;
    normalOut = normalize(turned(turn, frame.w));`;

/** ... that joints carry; `position` is the mean offset. */
const CARRIED = /* glsl */ `
    vec4 place = placeOf(w), x, y, z, from = vec4(rest, 1.0);
    skinnedBy(place, x, y, z);
    point = turned(vec3(dot(x, from), dot(y, from), dot(z, from)), place.z) + vec3(place.x, 0.0, place.y);
    point += turned(shape, frame.w);
    normalOut = normalize(turned(vec3(dot(x.xyz, turn), dot(y.xyz, turn), dot(z.xyz, turn)), place.z));`;

/**
 * Rebuilds with the first `modes`, on the pose where joints carry the garment; drawn a little nearer, so that skin
 * does not come through (depth_rule.ts).
 */
export function clothShader(textures: ClothTextures, modes: number, garment: number, pose: PoseTexture | null): RebuildShader {
    const texels = Math.ceil(textures.modeCount / 4), row = perRow(texels);
    const rebuild = /* glsl */ `
uniform highp usampler2DArray basis;
uniform highp sampler2D weights;
uniform highp sampler2D frames;
uniform int modes;
uniform float nearer; // metres
${pose ? `attribute vec3 rest;\n${skinGlsl(pose, true)}` : ""}
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
${pose ? CARRIED : WHOLE}
    vTint = garmentTint(wearer + ${garment}.0 * 37.0);
    vec3 towards = cameraPosition - point;
    point += nearer * towards / max(length(towards), 0.1);
}`;
    const uniforms = {
        basis: { value: textures.basis }, weights: { value: textures.weights }, frames: { value: textures.frames },
        places: { value: textures.places }, modes: { value: Math.min(modes, textures.modeCount) },
        nearer: { value: EPSILON * (garment + 1) }, ...(pose && { poses: { value: pose.poses } }),
    };
    return { rebuild, uniforms, roughNormals: pose !== null, key: `crowd cloth ${texels} ${garment} ${pose && pose.between}` };
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
