// SPDX-License-Identifier: Apache-2.0
// A pane is one way of getting the cloth, drawn on a body of its own or over the others': a model, the
// simulator's recording, plain skinning.
import { Group, Mesh } from "three";
import type { BufferGeometry, Material } from "three";
import { ModelCloth, ModesCloth, openFile, RecordedCloth, SkinnedCloth } from "./cloth";
import type { ClothSource, Dials, Moment } from "./cloth";
import { BODY_LAYER, GARMENT_LAYER } from "./depth_rule";
import { ClothMaterial, GARMENT_COLOURS, SOURCE_COLOURS } from "./materials";
import { ClothGeometry } from "./mesh";
import type { ClipEntry, GarmentEntry, ModelJson, Scene, StopEntry } from "./scene";

export interface SourceChoice {
    /** "recorded", "skinned", "modes", or a model's label. */
    id: string;
    label: string;
    /** For over the picture. */
    short: string;
    colour: string;
}

/** Everything that there is to compare, with a clip or without. */
export function sourceChoices(scene: Scene, clip: ClipEntry | null): SourceChoice[] {
    const choices: SourceChoice[] = [];
    if (clip && clip.recorded.names.length > 0)
        choices.push({ id: "recorded", label: "Simulated", short: "Simulated", colour: SOURCE_COLOURS.recorded });
    for (const model of scene.garments.flatMap((garment) => garment.models))
        if (!choices.some((choice) => choice.id === model.label))
            choices.push({
                id: model.label, label: `Model ${model.label}`, short: shortLabel(scene, model),
                colour: SOURCE_COLOURS[model.kind] ?? "#777777",
            });
    if (scene.garments.some((garment) => garment.skin))
        choices.push({ id: "skinned", label: "Plain skinning", short: "Skinning", colour: SOURCE_COLOURS.skinned });
    return choices;
}

/** The letter alone, where there is but one model of that kind. */
function shortLabel(scene: Scene, model: ModelJson): string {
    const labels = new Set(scene.garments.flatMap(({ models }) => models)
        .filter(({ kind }) => kind === model.kind).map(({ label }) => label));
    return labels.size === 1 ? `Model ${model.kind}` : `Model ${model.label}`;
}

interface Cloth {
    garment: GarmentEntry;
    source: ClothSource;
    shape: ClothGeometry;
    mesh: Mesh<BufferGeometry, ClothMaterial>;
}

/** What sources need besides the scene. */
export interface SourceContext {
    clip: ClipEntry | null;
    stop: StopEntry | null;
    deviations: Float32Array;
}

async function makeSource(id: string, garment: GarmentEntry, scene: Scene, context: SourceContext):
    Promise<ClothSource | null> {
    const { clip, stop } = context;
    if (id === "recorded") {
        if (!clip?.recorded.names.includes(garment.name)) return null;
        const after = stop?.recorded.names.includes(garment.name) ? stop.recorded.load(garment.name) : null;
        const [frames, afterStop] = await Promise.all([clip.recorded.load(garment.name), after]);
        return new RecordedCloth(frames, afterStop, garment.vertexCount);
    }
    if (id === "skinned") return garment.skin && new SkinnedCloth(garment);
    if (id === "modes")
        return new ModesCloth(garment, await openFile(garment.models[0].file, scene.character), context.deviations);
    const model = garment.models.find(({ label }) => label === id) ?? garment.models[0];
    return new ModelCloth(await openFile(model.file, scene.character));
}

export class Pane {
    readonly group = new Group();
    readonly cloths: Cloth[] = [];
    /** Mean distance from the recording, metres; NaN where there is none. */
    error = NaN;
    private constructor(readonly choice: SourceChoice, private readonly body: Mesh) {
        this.group.add(body);
    }

    static async make(choice: SourceChoice, scene: Scene, context: SourceContext, bodyGeometry: BufferGeometry,
                      skin: Material, ownColours: boolean): Promise<Pane> {
        const body = new Mesh(bodyGeometry, skin);
        body.layers.enable(BODY_LAYER);
        body.castShadow = body.receiveShadow = true;
        const pane = new Pane(choice, body);
        for (const [index, garment] of scene.garments.entries()) {
            const source = await makeSource(choice.id, garment, scene, context);
            if (!source) continue;
            const { garment: opened } = await openFile(garment.models[0].file, scene.character);
            const colour = ownColours || index > 0 ? GARMENT_COLOURS[index % GARMENT_COLOURS.length] : choice.colour;
            const shape = new ClothGeometry(garment.vertexCount, opened.triangles, garment.uv);
            const mesh = new Mesh(shape.geometry, new ClothMaterial(colour, garment.uv !== null));
            mesh.layers.enable(GARMENT_LAYER + index);
            mesh.castShadow = mesh.receiveShadow = true;
            mesh.renderOrder = 1 + index;
            pane.cloths.push({ garment, source, shape, mesh });
            pane.group.add(mesh);
        }
        return pane;
    }

    reset(moment: Moment): void {
        for (const { source, shape } of this.cloths) {
            source.reset(moment);
            shape.push(source.positions, true);
        }
    }

    step(moment: Moment, seconds: number, dials: Dials): void {
        for (const { source, shape } of this.cloths) {
            source.step(moment, seconds, dials);
            shape.push(source.positions, false);
        }
    }

    /** Shows the last step's end, without the way to it. */
    jump(): void {
        for (const { source, shape } of this.cloths) shape.push(source.positions, true);
    }

    /** A part `t` of the way of the last step. */
    show(t: number, joints: Float32Array): void {
        for (const { shape } of this.cloths) shape.show(t, joints);
    }

    /** Distances from another pane's cloth. */
    measure(reference: Pane): void {
        let sum = 0, count = 0;
        for (const { garment, shape } of this.cloths) {
            const other = reference.cloths.find((cloth) => cloth.garment === garment);
            if (!other) continue;
            sum += shape.measure(other.shape.positions) * garment.vertexCount;
            count += garment.vertexCount;
        }
        this.error = count > 0 ? sum / count : NaN;
    }

    /** Over another pane: without a body, as a net of lines. */
    overlay(over: boolean): void {
        this.body.visible = !over;
        for (const { mesh } of this.cloths) {
            mesh.material.wireframe = over;
            mesh.castShadow = !over;
        }
    }

    dispose(): void {
        for (const { source, shape, mesh } of this.cloths) {
            source.free();
            shape.dispose();
            mesh.material.dispose();
        }
        this.group.removeFromParent();
    }
}
