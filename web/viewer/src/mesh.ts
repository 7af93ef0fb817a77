// SPDX-License-Identifier: Apache-2.0
// Geometries that change each frame: the skinned body, and cloth between its last two steps.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Sphere, Vector3 } from "three";
import type { Character } from "./scene";
import { skinVertices, vertexNormals } from "./skeleton";

function dynamicAttribute(count: number, size: number): BufferAttribute {
    const attribute = new BufferAttribute(new Float32Array(count * size), size);
    attribute.setUsage(DynamicDrawUsage);
    return attribute;
}

/** Triangles of the body, without those that garments always cover where `visibleOnly`. */
export function bodyTriangles(character: Character, visibleOnly: boolean): Uint32Array {
    const { triangles, hidden } = character;
    if (!hidden || !visibleOnly) return triangles;
    return triangles.filter((_, i) => !hidden[Math.floor(i / 3)]);
}

export class BodyGeometry {
    readonly geometry = new BufferGeometry();
    private readonly restNormals: Float32Array;
    private readonly all: BufferAttribute;
    private readonly visible: BufferAttribute;

    constructor(private readonly character: Character) {
        const { skin, triangles } = character, count = skin.rest.length / 3;
        this.restNormals = new Float32Array(skin.rest.length);
        vertexNormals(skin.rest, triangles, this.restNormals);
        this.geometry.setAttribute("position", dynamicAttribute(count, 3));
        this.geometry.setAttribute("normal", dynamicAttribute(count, 3));
        this.all = new BufferAttribute(triangles, 1);
        this.visible = new BufferAttribute(bodyTriangles(character, true), 1);
        this.geometry.setIndex(this.visible);
    }

    /** Whether triangles that garments always cover are left out. */
    hideCovered(hide: boolean): void {
        this.geometry.setIndex(hide ? this.visible : this.all);
    }

    update(joints: Float32Array): void {
        const { position, normal } = this.geometry.attributes;
        skinVertices(this.character.skin, joints, position.array as Float32Array, this.restNormals,
                     normal.array as Float32Array);
        position.needsUpdate = normal.needsUpdate = true;
        boundLoosely(this.geometry, joints);
    }
}

/** A ball about the root that holds any pose and any cloth: cheaper than to look at all vertices. */
export function boundLoosely(geometry: BufferGeometry, joints: Float32Array): void {
    geometry.boundingSphere ??= new Sphere(new Vector3(), 2.5);
    geometry.boundingSphere.center.set(joints[3], joints[7] + 0.9, joints[11]);
}

export class ClothGeometry {
    readonly geometry = new BufferGeometry();
    private readonly before: Float32Array;
    private readonly now: Float32Array;

    constructor(vertexCount: number, readonly triangles: Uint32Array, uv: Float32Array | null) {
        this.before = new Float32Array(3 * vertexCount);
        this.now = new Float32Array(3 * vertexCount);
        this.geometry.setAttribute("position", dynamicAttribute(vertexCount, 3));
        this.geometry.setAttribute("normal", dynamicAttribute(vertexCount, 3));
        this.geometry.setAttribute("error", dynamicAttribute(vertexCount, 1));
        if (uv) this.geometry.setAttribute("uv", new BufferAttribute(uv, 2));
        this.geometry.setIndex(new BufferAttribute(triangles, 1));
    }

    /** What is drawn, in the world. */
    get positions(): Float32Array {
        return this.geometry.attributes.position.array as Float32Array;
    }

    /** Positions after a step; `jump`: without a way from the ones before. */
    push(positions: Float32Array, jump: boolean): void {
        this.before.set(jump ? positions : this.now);
        this.now.set(positions);
    }

    /** Shows a part `t` of the way of the last step. */
    show(t: number, joints: Float32Array): void {
        const { position, normal } = this.geometry.attributes;
        const { before, now, positions } = this;
        for (let i = 0; i < positions.length; ++i) positions[i] = before[i] + t * (now[i] - before[i]);
        vertexNormals(positions, this.triangles, normal.array as Float32Array);
        position.needsUpdate = normal.needsUpdate = true;
        boundLoosely(this.geometry, joints);
    }

    /** Distances from the reference's vertices, metres; their mean. */
    measure(reference: Float32Array): number {
        const { error } = this.geometry.attributes, { positions } = this;
        let sum = 0;
        for (let v = 0; v < error.count; ++v) {
            const i = 3 * v;
            const d = Math.hypot(positions[i] - reference[i], positions[i + 1] - reference[i + 1],
                                 positions[i + 2] - reference[i + 2]);
            (error.array as Float32Array)[v] = d;
            sum += d;
        }
        error.needsUpdate = true;
        return sum / error.count;
    }

    dispose(): void {
        this.geometry.dispose();
    }
}
