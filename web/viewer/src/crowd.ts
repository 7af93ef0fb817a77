// SPDX-License-Identifier: Apache-2.0
// A crowd of one to ten thousand: workers step the garments, textures carry weights and places to the vertex
// shaders, and everybody is drawn in a few instanced calls, in three levels of detail.
import {
    BufferAttribute, DataTexture, DynamicDrawUsage, FloatType, Group, InstancedBufferAttribute,
    InstancedBufferGeometry, Mesh, RGBAFormat, Vector3,
} from "three";
import type { Material, PerspectiveCamera, WebGLRenderer } from "three";
import { openFile, playerModule, shapeOfModes, type OpenedFile } from "./cloth";
import { basisTexture, type MeanShape } from "./crowd_basis";
import { crowdRadius, PLACE_SIZE, STAND, type PoseTable } from "./crowd_paths";
import { probeCrowd, type CrowdProbe } from "./crowd_probe";
import { bodyMaterial, clothShader, patched, perRow, shadeMaterial, type PoseTexture, type RebuildShader } from "./crowd_shaders";
import type { Answer, Start, Step } from "./crowd_worker";
import { bodyTriangles } from "./mesh";
import type { Scene, Skin } from "./scene";
import { coarserTriangles } from "./simplify";
import { samplePose, Skeleton, vertexNormals } from "./skeleton";

export const MOST_WEARERS = 10000;

/** From how many pixels of height on, how many at most, grid cells of body and cloth in metres, modes. */
const LEVELS = [
    { pixels: 230, most: 80, body: 0, cloth: 0, modes: 256 },
    { pixels: 70, most: 600, body: 0.035, cloth: 0.045, modes: 32 },
    { pixels: 0, most: MOST_WEARERS, body: 0.09, cloth: 0.1, modes: 12 },
];

const SAMPLES = 64; // poses a cycle

export interface DrawnCloth {
    attributes: Record<string, BufferAttribute>;
    shader: RebuildShader;
}

interface Level {
    numbers: InstancedBufferAttribute;
    geometries: InstancedBufferGeometry[];
}

function floatTexture(wearers: number, texels: number): DataTexture {
    const row = perRow(texels), height = Math.max(1, Math.ceil(wearers / row));
    return new DataTexture(new Float32Array(4 * row * texels * height), row * texels, height, RGBAFormat, FloatType);
}

/** Copies a worker's share into a texture of `texels` a wearer, from numbers `size` a wearer. */
function fill(texture: DataTexture, texels: number, first: number, from: Float32Array, size: number): void {
    const data = texture.image.data as Float32Array, row = perRow(texels);
    for (let w = 0, count = from.length / size; w < count; ++w) {
        const at = first + w, place = Math.floor(at / row) * texture.image.width + (at % row) * texels;
        data.set(from.subarray(size * w, size * (w + 1)), 4 * place);
    }
    texture.needsUpdate = true;
}

/** Eight influences a vertex, as two times four. */
function skinAttributes({ rest, joints, weights }: Skin): Record<string, BufferAttribute> {
    const four = (from: ArrayLike<number>, half: number) => new BufferAttribute(
        Float32Array.from({ length: weights.length / 2 }, (_, i) => from[8 * Math.floor(i / 4) + 4 * half + (i % 4)]), 4);
    return {
        rest: new BufferAttribute(rest, 3), skinJoints: four(joints, 0), skinWeights: four(weights, 0),
        moreJoints: four(joints, 1), moreWeights: four(weights, 1),
    };
}

export class Crowd {
    readonly group = new Group();
    private readonly middle = new Vector3(0, 0.9, 0);
    size = 0;
    /** Steps that all workers have made. */
    steps = 0;
    dial = 0;
    private files: OpenedFile[] = [];
    private table: PoseTable | null = null;
    private workers: { worker: Worker; answer: Answer | null }[] = [];
    private waiting = 0;
    private pending = 0; // seconds
    private turn = 0; // of starts, so that the last one wins
    private places!: DataTexture;
    private weights: DataTexture[] = [];
    private frames: DataTexture[] = [];
    private levels: Level[] = [];
    private shades!: InstancedBufferGeometry;
    /** How each garment is drawn on those who are near. */
    readonly nearest: DrawnCloth[] = [];
    private milliseconds = 0;
    private shown = [0, 0, 0];
    private onAnswered = () => {};
    private onFailed = (_: Error) => {};

    constructor(private readonly scene: Scene, private readonly skeleton: Skeleton) {}

    /** What to look at: the middle of the rings, or the only one. */
    get centre(): Vector3 {
        const [x, z] = this.size === 1 ? (this.places.image.data as Float32Array) : [0, 0];
        return this.middle.set(x, 0.9, z);
    }

    get reach(): number {
        return Math.max(22, 1.5 * crowdRadius(this.size));
    }

    get viewDistance(): number {
        if (this.size === 1) return 5;
        return Math.min(5 + 1.7 * crowdRadius(Math.max(this.size, 4)), 42);
    }

    /** Starts a crowd of that size anew; resolves when it can be drawn. */
    async setSize(size: number): Promise<void> {
        this.stop();
        const turn = ++this.turn;
        const { garments, character } = this.scene;
        const files = garments.map(({ models }) => openFile(models[0].file, character));
        const [module, ...opened] = await Promise.all([playerModule(), ...files]);
        if (turn !== this.turn) return;
        this.files = opened;
        this.table ??= this.bake();
        this.size = Math.min(size, MOST_WEARERS);
        if (this.group.children.length === 0) this.build();
        await new Promise<void>((resolve, reject) => {
            this.onAnswered = resolve;
            this.onFailed = reject;
            this.startWorkers(module);
        });
        this.onAnswered = this.onFailed = () => {};
        this.group.visible = true;
    }

    stop(): void {
        ++this.turn;
        for (const { worker } of this.workers) worker.terminate();
        this.workers = [];
        this.size = this.steps = this.waiting = this.pending = 0;
        this.group.visible = false;
    }

    /** Asks the workers for a step, once they are done with the last. */
    advance(seconds: number): void {
        this.pending = Math.min(this.pending + seconds, 0.2);
        if (this.waiting > 0 || this.pending === 0 || this.size === 0) return;
        this.waiting = this.workers.length;
        for (const one of this.workers) {
            const { answer } = one;
            const message: Step = { kind: "step", seconds: this.pending, dial: this.dial, back: answer };
            const buffers = answer ? [answer.places, ...answer.frames, ...answer.weights] : [];
            one.worker.postMessage(message, buffers.map(({ buffer }) => buffer as ArrayBuffer));
            one.answer = null;
        }
        this.pending = 0;
    }

    /** Sorts wearers that are in view into levels of detail; `height` of the view in pixels. */
    prepare(camera: PerspectiveCamera, height: number): void {
        const data = this.places.image.data as Float32Array;
        const pixels = (1.7 * height) / (2 * Math.tan((camera.fov / 2) * Math.PI / 180));
        const forward = camera.getWorldDirection(new Vector3()), wide = 1.3 / Math.max(Math.cos(Math.atan(camera.aspect * 0.287)), 0.3);
        const seen: [number, number][] = [];
        for (let w = 0; w < this.size; ++w) {
            const x = data[4 * w] - camera.position.x, z = data[4 * w + 1] - camera.position.z, y = 0.9 - camera.position.y;
            const ahead = x * forward.x + y * forward.y + z * forward.z, far = Math.hypot(x, y, z);
            if (ahead > -1.5 && (far < 4 || far < ahead * wide * 1.2)) seen.push([far, w]);
        }
        seen.sort((a, b) => a[0] - b[0]);
        let level = 0;
        this.shown = LEVELS.map(() => 0);
        for (const [far, w] of seen) {
            while (level < LEVELS.length - 1 &&
                   (pixels / far < LEVELS[level].pixels || this.shown[level] >= LEVELS[level].most)) ++level;
            (this.levels[level].numbers.array as Float32Array)[this.shown[level]++] = w;
        }
        this.levels.forEach(({ numbers, geometries }, i) => {
            numbers.needsUpdate = true;
            for (const geometry of geometries) geometry.instanceCount = this.shown[i];
        });
        this.shades.instanceCount = this.size;
    }

    facts(): [string, string][] {
        const [near, middle, far] = this.shown.map((count) => count.toLocaleString("en"));
        const away = this.size - this.shown.reduce((sum, count) => sum + count, 0);
        return [
            ["Step, in workers", this.steps > 1 ? `${this.milliseconds.toFixed(1)} ms` : "none yet"],
            ["Workers", String(this.workers.length)],
            ["Near, mid, far", `${near} · ${middle} · ${far}`],
            ["Out of view", away.toLocaleString("en")],
        ];
    }

    /** Of all weights: changes when the cloth moves. */
    checksum(): string {
        let hash = 0x811c9dc5;
        for (const texture of this.weights)
            for (const weight of texture.image.data as Float32Array)
                hash = Math.imul(hash ^ Math.round(weight * 1e4), 0x01000193) >>> 0;
        return hash.toString(16);
    }

    /** A wearer's cloth as the shader draws it, and as the player alone has it at the start: for tests. */
    probe(renderer: WebGLRenderer, wearer: number, garment: number): CrowdProbe {
        return probeCrowd(renderer, this.nearest[garment], this.files[garment], this.table!, wearer);
    }

    private startWorkers(module: WebAssembly.Module): void {
        const cores = Math.max(1, (navigator.hardwareConcurrency || 2) - 1);
        const count = Math.min(cores, 8, Math.ceil(this.size / 32)), share = Math.ceil(this.size / count);
        for (let first = 0; first < this.size; first += share) {
            const worker = new Worker("/crowd_worker.js", { type: "module" }), one = { worker, answer: null };
            this.workers.push(one);
            worker.onmessage = ({ data }) => this.receive(one, data);
            worker.onerror = (event) => this.onFailed(new Error(`/crowd_worker.js: ${event.message}`));
            const start: Start = {
                kind: "start", module, files: this.files.map(({ bytes }) => bytes), maps: this.files.map(({ map }) => map),
                table: this.table!, first, count: Math.min(share, this.size - first),
            };
            worker.postMessage(start);
        }
        this.waiting = this.workers.length;
    }

    private receive(from: { worker: Worker; answer: Answer | null }, data: Answer | { kind: "failed"; text: string }): void {
        if (!this.workers.some((one) => one === from)) return;
        if (data.kind === "failed") return this.onFailed(new Error(data.text));
        from.answer = data;
        fill(this.places, 1, data.first, data.places, PLACE_SIZE);
        this.scene.garments.forEach(({ modeCount }, g) => {
            fill(this.frames[g], 1, data.first, data.frames[g], 4);
            fill(this.weights[g], Math.ceil(modeCount / 4), data.first, data.weights[g], modeCount);
        });
        if (--this.waiting > 0) return;
        const slowest = Math.max(...this.workers.map(({ answer }) => answer?.milliseconds ?? 0));
        if (this.steps > 0) this.milliseconds += (this.steps < 3 ? 1 : 0.1) * (slowest - this.milliseconds); // 0: the start
        ++this.steps;
        this.onAnswered();
    }

    /** The kit's walk, run and standing as skinning matrices. */
    private bake(): PoseTable {
        const gaits = ["walk", "run", "idle"].map((name) => this.scene.kit.find((motion) => motion.name === name)!);
        const { count } = this.skeleton, pose = this.skeleton.pose();
        const matrices = new Float32Array(12 * count * SAMPLES * gaits.length);
        gaits.forEach((gait, g) => {
            for (let i = 0; i < SAMPLES; ++i) {
                samplePose(gait, (i / SAMPLES) * gait.frames, pose);
                const first = 12 * count * (g * SAMPLES + i);
                this.skeleton.matrices(pose, matrices.subarray(first, first + 12 * count));
            }
        });
        return {
            joints: count, samples: SAMPLES, matrices, speeds: gaits.map(({ speed }) => speed),
            frequencies: gaits.map(({ rate, frames }) => rate / frames),
        };
    }

    private build(): void {
        const { garments } = this.scene, table = this.table!;
        this.places = floatTexture(MOST_WEARERS, 1);
        this.frames = garments.map(() => floatTexture(MOST_WEARERS, 1));
        this.weights = garments.map(({ modeCount }) => floatTexture(MOST_WEARERS, Math.ceil(modeCount / 4)));
        const rows = table.samples * table.speeds.length;
        const poses = new DataTexture(table.matrices, 3 * table.joints, rows, RGBAFormat, FloatType);
        poses.needsUpdate = true;
        this.levels = LEVELS.map(({ most }) => {
            const numbers = new InstancedBufferAttribute(new Float32Array(most), 1);
            numbers.setUsage(DynamicDrawUsage);
            return { numbers, geometries: [] };
        });
        const pose = LEVELS.map((_, level) => ({ poses, samples: table.samples, between: level === 0 }));
        this.buildBodies(pose);
        garments.forEach((_, g) => this.buildGarment(g, pose));
        this.buildShades();
    }

    private buildBodies(pose: PoseTexture[]): void {
        const { character } = this.scene, { skin } = character, normals = new Float32Array(skin.rest.length);
        vertexNormals(skin.rest, character.triangles, normals);
        const attributes = {
            position: new BufferAttribute(skin.rest, 3), normal: new BufferAttribute(normals, 3),
            skinJoints: new BufferAttribute(Float32Array.from(skin.joints), 4),
            skinWeights: new BufferAttribute(skin.weights, 4),
        };
        const triangles = bodyTriangles(character, true);
        LEVELS.forEach(({ body }, level) => {
            const index = body > 0 ? coarserTriangles(skin.rest, triangles, body) : triangles;
            this.addMesh(level, attributes, index, bodyMaterial(pose[level], this.places));
        });
    }

    /** The garment in the mean: where joints carry it, on a body that stands at the origin. */
    private meanShape(g: number): MeanShape {
        const garment = this.scene.garments[g], { triangles } = this.files[g].garment, table = this.table!;
        const joints = table.matrices.subarray(12 * table.joints * STAND * table.samples);
        if (!garment.carried) return { positions: garment.mean, triangles, joints };
        const positions = new Float32Array(garment.mean.length);
        shapeOfModes(garment, this.files[g], joints, [], positions);
        return { positions, triangles, joints };
    }

    private buildGarment(g: number, pose: PoseTexture[]): void {
        const garment = this.scene.garments[g], shape = this.meanShape(g), { basis, normals } = basisTexture(garment, shape);
        const attributes = {
            position: new BufferAttribute(garment.mean, 3), normal: new BufferAttribute(normals, 3),
            ...(garment.carried && skinAttributes(garment.carried)),
        };
        const textures = {
            basis, weights: this.weights[g], frames: this.frames[g], places: this.places, modeCount: garment.modeCount,
        };
        LEVELS.forEach(({ cloth, modes }, level) => {
            // by the rest pose, in which no layer lies on another, where there is one
            const flat = garment.carried?.rest ?? shape.positions;
            const index = cloth > 0 ? coarserTriangles(flat, shape.triangles, cloth) : shape.triangles;
            const shader = clothShader(textures, modes, g, garment.carried && pose[level]);
            if (level === 0) this.nearest[g] = { attributes, shader };
            this.addMesh(level, attributes, index, patched(shader, 0.9));
        });
    }

    private addMesh(level: number, attributes: Record<string, BufferAttribute>, index: Uint32Array, material: Material): void {
        const geometry = new InstancedBufferGeometry();
        for (const [name, attribute] of Object.entries(attributes)) geometry.setAttribute(name, attribute);
        geometry.setAttribute("wearer", this.levels[level].numbers);
        geometry.setIndex(new BufferAttribute(index, 1));
        this.levels[level].geometries.push(geometry);
        const mesh = new Mesh(geometry, material);
        mesh.frustumCulled = false;
        this.group.add(mesh);
    }

    private buildShades(): void {
        const geometry = (this.shades = new InstancedBufferGeometry());
        geometry.setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
        geometry.setIndex([0, 2, 1, 0, 3, 2]);
        const numbers = Float32Array.from({ length: MOST_WEARERS }, (_, w) => w);
        geometry.setAttribute("wearer", new InstancedBufferAttribute(numbers, 1));
        const mesh = new Mesh(geometry, shadeMaterial(this.places));
        mesh.frustumCulled = false;
        mesh.renderOrder = 1;
        this.group.add(mesh);
    }
}
