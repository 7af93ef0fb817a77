// SPDX-License-Identifier: Apache-2.0
// What the server gives: /scene.json and the arrays that it names (docs/viewer.md describes them).
// Metres, Y up, facing +Z at rest, quaternions x, y, z, w, matrices 3 by 4 row by row.
import { fetchBytes, fetchFloats, fetchIndices } from "./npy";

interface CharacterJson {
    name: string;
    joints: { name: string; parent: number; translation: [number, number, number] }[];
    inverse_bind: string;
    positions: string;
    triangles: string;
    skin_joints: string;
    skin_weights: string;
    hidden: string | null;
}

interface MotionJson {
    name: string;
    rate: number;
    frames: number;
    rotations: string;
    root: string;
    loop?: boolean;
    speed?: number;
    turn?: number;
    hold?: [number, number] | null;
    recorded?: Record<string, string>;
    stops?: { name: string; frame: number; frames: number; recorded: Record<string, string> }[];
}

/** Addresses of a garment's plain skinning. */
interface SkinJson {
    rest: string;
    skin_joints: string;
    skin_weights: string;
}

export interface ModelJson {
    kind: string;
    label: string;
    file: string;
    /** Where joints carry the garment (Model N): such a model knows poses alone, no motion. */
    carried?: SkinJson | null;
}

interface GarmentJson {
    name: string;
    title?: string;
    layer: number;
    vertices: number;
    triangles: number;
    rate: number;
    models: ModelJson[];
    mean: string;
    basis: string;
    mode_sigma: string | null;
    carried?: SkinJson | null;
    uv: string | null;
    skin_joints: string | null;
    skin_weights: string | null;
    rest: string | null;
}

export interface Skin {
    rest: Float32Array;
    /** As many a vertex as there are weights: four, or eight. */
    joints: Uint32Array;
    weights: Float32Array;
}

export interface Character {
    name: string;
    jointNames: string[];
    parents: number[];
    /** 3 a joint, in the parent's frame. */
    translations: Float32Array;
    /** 12 a joint: joint_from_rest. */
    inverseBind: Float32Array;
    skin: Skin;
    triangles: Uint32Array;
    /** A triangle: 1 where a garment always covers it. */
    hidden: Uint32Array | null;
}

/** A motion on the character's joints. */
export interface Motion {
    name: string;
    rate: number;
    frames: number;
    loop: boolean;
    /** Of a gait, metres a second. */
    speed: number;
    /** Of a gait round a bend, radians a second to the left. */
    turn: number;
    /** Frames of an action that it can stay in. */
    hold: [number, number] | null;
    rotations: Float32Array;
    root: Float32Array;
}

/** The simulator's cloth of a clip, or after a stop in it; by garment. */
export interface Recorded {
    names: string[];
    /** 3 a vertex and frame, in the world. */
    load(garment: string): Promise<Float32Array>;
}

/** The body stands dead still from this frame of the clip on; so many frames were recorded. */
export interface StopEntry {
    frame: number;
    frames: number;
    recorded: Recorded;
}

export interface ClipEntry {
    name: string;
    rate: number;
    frames: number;
    stops: StopEntry[];
    recorded: Recorded;
    load(): Promise<Motion>;
}

export interface GarmentEntry {
    name: string;
    title: string;
    layer: number;
    vertexCount: number;
    models: ModelJson[];
    /** Of the first model: a shape in canonical space, or where `carried`, an offset in canonical axes. */
    mean: Float32Array;
    basis: Float32Array;
    modeCount: number;
    /** Standard deviation of each mode's weight in training; 1 where unknown. */
    sigma: Float32Array;
    /** How joints carry what mean and modes are added to; null: they are all of the shape. */
    carried: Skin | null;
    uv: Float32Array | null;
    /** For plain skinning; null where unknown. */
    skin: Skin | null;
}

export interface Scene {
    title: string;
    character: Character;
    kit: Motion[];
    clips: ClipEntry[];
    garments: GarmentEntry[];
}

/** Everything but the clips, which are fetched when they are asked for. */
export async function loadScene(): Promise<Scene> {
    const json = JSON.parse(new TextDecoder().decode(await fetchBytes("/scene.json")));
    if (json.version !== 1) throw new Error(`/scene.json: version ${json.version}, where the page knows 1`);
    if (!json.garments?.length) throw new Error("/scene.json: there is no garment in it");
    const [character, kit, garments] = await Promise.all([
        loadCharacter(json.character),
        Promise.all((json.kit as MotionJson[]).map(loadMotion)),
        Promise.all((json.garments as GarmentJson[]).map(loadGarment)),
    ]);
    garments.sort((a, b) => a.layer - b.layer);
    const clips = ((json.clips ?? []) as MotionJson[]).map(clipEntry);
    return { title: json.title, character, kit, clips, garments };
}

async function loadSkin(json: SkinJson): Promise<Skin> {
    const [positions, influences, shares] = await Promise.all([
        fetchFloats(json.rest), fetchIndices(json.skin_joints), fetchFloats(json.skin_weights),
    ]);
    return { rest: positions.data, joints: influences, weights: shares.data };
}

async function loadCharacter(json: CharacterJson): Promise<Character> {
    const [inverseBind, skin, triangles, hidden] = await Promise.all([
        fetchFloats(json.inverse_bind),
        loadSkin({ ...json, rest: json.positions }),
        fetchIndices(json.triangles),
        json.hidden ? fetchIndices(json.hidden) : null,
    ]);
    return {
        name: json.name,
        jointNames: json.joints.map((joint) => joint.name),
        parents: json.joints.map((joint) => joint.parent),
        translations: Float32Array.from(json.joints.flatMap((joint) => joint.translation)),
        inverseBind: inverseBind.data,
        skin,
        triangles,
        hidden,
    };
}

async function loadMotion(json: MotionJson): Promise<Motion> {
    const [rotations, root] = await Promise.all([fetchFloats(json.rotations), fetchFloats(json.root)]);
    const { name, rate, frames } = json;
    return {
        name, rate, frames, loop: json.loop ?? false, speed: json.speed ?? 0, turn: json.turn ?? 0,
        hold: json.hold ?? null,
        rotations: rotations.data, root: root.data,
    };
}

function recordedAt(addresses: Record<string, string> = {}): Recorded {
    return {
        names: Object.keys(addresses),
        load: async (garment) => (await fetchFloats(addresses[garment])).data,
    };
}

function clipEntry(json: MotionJson): ClipEntry {
    const { name, rate, frames } = json;
    const stops = (json.stops ?? []).map((stop) => ({ ...stop, recorded: recordedAt(stop.recorded) }));
    return { name, rate, frames, stops, recorded: recordedAt(json.recorded), load: () => loadMotion(json) };
}

async function loadGarment(json: GarmentJson): Promise<GarmentEntry> {
    const known = json.rest && json.skin_joints && json.skin_weights;
    const [mean, basis, sigma, carried, uv, skin] = await Promise.all([
        fetchFloats(json.mean),
        fetchFloats(json.basis),
        json.mode_sigma ? fetchFloats(json.mode_sigma) : null,
        json.carried ? loadSkin(json.carried) : null,
        json.uv ? fetchFloats(json.uv) : null,
        known ? loadSkin(json as SkinJson) : null,
    ]);
    const modeCount = basis.shape[0];
    return {
        name: json.name,
        title: json.title ?? json.name,
        layer: json.layer,
        vertexCount: json.vertices,
        models: json.models,
        mean: mean.data,
        basis: basis.data,
        modeCount,
        sigma: sigma?.data ?? new Float32Array(modeCount).fill(1),
        carried,
        uv: uv?.data ?? null,
        skin,
    };
}
