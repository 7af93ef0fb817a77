// SPDX-License-Identifier: Apache-2.0
// Counts poke-through: pixels that show the body although cloth lies behind it by less than it can be worn
// behind it, that is, skin that has come through its garment. For tests and for people who doubt the rule.
import { Color, DoubleSide, ShaderMaterial, Vector2, WebGLRenderTarget } from "three";
import type { Material, Object3D, PerspectiveCamera, Scene, WebGLRenderer } from "three";
import {
    BODY_LAYER, DEPTH_RULE_HEAD, depthRuleUniforms, EPSILON, GARMENT_LAYER, UnderDepth,
} from "./depth_rule";
import type { World } from "./world";

const WIDTH = 480, HEIGHT = 480;
const WORN_WITHIN = 0.04; // metres

/** Writes what a pixel shows (red: 1/255 body, 2/255 cloth) and how far it is, 0.1 mm, in the other three. */
function probe(id: number, ruled: boolean): ShaderMaterial {
    return new ShaderMaterial({
        side: DoubleSide,
        uniforms: depthRuleUniforms(),
        vertexShader: /* glsl */ `
            varying float vDistance;
            void main() {
                vec4 view = modelViewMatrix * vec4(position, 1.0);
                vDistance = -view.z;
                gl_Position = projectionMatrix * view;
            }`,
        fragmentShader: /* glsl */ `
            varying float vDistance;
            ${DEPTH_RULE_HEAD}
            void main() {
                gl_FragDepth = ${ruled ? "consistentDepth(vDistance)" : "gl_FragCoord.z"};
                float tenths = floor(vDistance * 10000.0);
                vec3 bytes = vec3(floor(tenths / 65536.0), mod(floor(tenths / 256.0), 256.0), mod(tenths, 256.0));
                gl_FragColor = vec4(${id}.0, bytes) / 255.0;
            }`,
    });
}

/** Draws with probes in place of all materials of bodies and garments. */
class Probes {
    private readonly kept = new Map<Object3D, Material>();
    private readonly body = probe(1, false);
    private readonly cloth = probe(2, true);

    put(world: World, under: UnderDepth, camera: PerspectiveCamera, on: boolean): void {
        const uniforms = this.cloth.uniforms;
        uniforms.underDepth.value = under.texture(0);
        uniforms.depthEpsilon.value = on ? EPSILON : 0;
        uniforms.depthPlanes.value.set(camera.near, camera.far);
        world.group.traverse((object: any) => {
            if (!object.isMesh) return;
            this.kept.set(object, object.material);
            object.material = object.geometry === world.body.geometry ? this.body : this.cloth;
        });
    }

    takeBack(): void {
        for (const [object, material] of this.kept) (object as any).material = material;
        this.body.dispose();
        this.cloth.dispose();
    }
}

/** In a picture of the present view, 480 pixels square; `on`: with the rule. */
export function countPokeThrough(renderer: WebGLRenderer, scene: Scene, camera: PerspectiveCamera, world: World,
                                 on: boolean): number {
    const target = new WebGLRenderTarget(WIDTH, HEIGHT), under = new UnderDepth(1), probes = new Probes();
    const view = camera.clone(), clear = renderer.getClearColor(new Color()), alpha = renderer.getClearAlpha();
    view.clearViewOffset();
    view.aspect = WIDTH / HEIGHT;
    view.updateProjectionMatrix();
    under.render(renderer, scene, view, new Vector2(WIDTH, HEIGHT));
    probes.put(world, under, view, on);
    renderer.shadowMap.autoUpdate = false;
    renderer.setClearColor("#000000", 0);
    const draw = (...layers: number[]) => {
        view.layers.disableAll();
        for (const layer of layers) view.layers.enable(layer);
        renderer.setRenderTarget(target);
        renderer.clear();
        renderer.render(scene, view);
        const pixels = new Uint8Array(4 * WIDTH * HEIGHT);
        renderer.readRenderTargetPixels(target, 0, 0, WIDTH, HEIGHT, pixels);
        return pixels;
    };
    const garments = world.scene.garments.map((_, i) => GARMENT_LAYER + i);
    const shown = draw(BODY_LAYER, ...garments);
    probes.takeBack();
    probes.put(world, under, view, false);
    const cloth = draw(...garments);
    probes.takeBack();
    renderer.setClearColor(clear, alpha);
    renderer.setRenderTarget(null);
    renderer.shadowMap.autoUpdate = true;
    target.dispose();
    return countPixels(shown, cloth);
}

const metresAt = (pixels: Uint8Array, i: number) =>
    (65536 * pixels[i + 1] + 256 * pixels[i + 2] + pixels[i + 3]) / 10000;

function countPixels(shown: Uint8Array, cloth: Uint8Array): number {
    let count = 0;
    for (let i = 0; i < shown.length; i += 4)
        if (shown[i] === 1 && cloth[i] === 2 && metresAt(cloth, i) - metresAt(shown, i) < WORN_WITHIN) ++count;
    return count;
}
