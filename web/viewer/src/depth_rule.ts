// SPDX-License-Identifier: Apache-2.0
// Depth consistency (section 6.2 of the 2010 paper). What lies under a garment is drawn first into a depth
// texture; the garment's fragments are then compared with it under a threshold.
//
// The sense of the inequality. Without a rule a fragment of cloth is lost where d_cloth > d_body. What the
// paper describes is tolerance: cloth that dips a little into the body must still cover it. So a fragment is
// lost only where it is behind by more than the threshold, d_cloth - epsilon > d_body. (The paper prints
// d_cloth + epsilon > d_body, which would lose more cloth than no rule at all.) A fragment within the
// threshold is given a depth just before the body's, in the order of the fragments' own, so that among
// cloth the nearer is still seen.
import {
    DepthTexture, DoubleSide, MeshBasicMaterial, NearestFilter, UnsignedIntType, Vector2, WebGLRenderTarget,
} from "three";
import type { Camera, PerspectiveCamera, Scene, Texture, WebGLRenderer } from "three";

/** Metres; less than an arm or a hand is thick, or cloth behind one would show through it. */
export const EPSILON = 0.025;

/** Layers of cameras and objects: the stage is 0, bodies 1, garments from 2 on, inner ones first. */
export const BODY_LAYER = 1;
export const GARMENT_LAYER = 2;

/** Uniforms of one garment's material. */
export interface DepthRule {
    underDepth: { value: Texture | null };
    depthEpsilon: { value: number };
    depthPlanes: { value: Vector2 };
    [name: string]: { value: unknown };
}

export function depthRuleUniforms(): DepthRule {
    return { underDepth: { value: null }, depthEpsilon: { value: 0 }, depthPlanes: { value: new Vector2(0.1, 100) } };
}

/** Before main(); `depthEpsilon` 0 switches the rule off, and the hardware's test is all there is. */
export const DEPTH_RULE_HEAD = /* glsl */ `
uniform highp sampler2D underDepth;
uniform float depthEpsilon;
uniform vec2 depthPlanes;
float distanceOf(float depth) {
    return depthPlanes.x * depthPlanes.y / (depthPlanes.y - depth * (depthPlanes.y - depthPlanes.x));
}
float depthOf(float distance) {
    return depthPlanes.y * (distance - depthPlanes.x) / (distance * (depthPlanes.y - depthPlanes.x));
}
float consistentDepth(float d_cloth) {
    if (depthEpsilon <= 0.0) return gl_FragCoord.z;
    float d_body = distanceOf(texelFetch(underDepth, ivec2(gl_FragCoord.xy), 0).x);
    // the texture has one depth a pixel, the picture several: more room where surfaces are steep
    float room = min(0.003 + 1.5 * fwidth(d_cloth), 0.02);
    if (d_cloth - depthEpsilon > d_body) discard;
    if (d_cloth <= d_body - room) return gl_FragCoord.z;
    float part = clamp((d_cloth - d_body + room) / (depthEpsilon + room), 0.0, 1.0);
    return depthOf(d_body - room + 0.2 * room * part);
}
`;

/** The depth textures: for each garment layer, the body and the garments under it. */
export class UnderDepth {
    private readonly targets: WebGLRenderTarget[] = [];
    private readonly size = new Vector2();
    private readonly depthOnly = new MeshBasicMaterial({ colorWrite: false, side: DoubleSide });

    constructor(private readonly layers: number) {}

    texture(layer: number): Texture | null {
        return this.targets[layer]?.depthTexture ?? null;
    }

    /** Draws them at the size of what is drawn into (`size` in pixels, or the canvas's). */
    render(renderer: WebGLRenderer, scene: Scene, camera: PerspectiveCamera, size?: Vector2): void {
        if (size) this.size.copy(size);
        else renderer.getDrawingBufferSize(this.size);
        const mask = camera.layers.mask, target = renderer.getRenderTarget();
        const { autoUpdate } = renderer.shadowMap;
        scene.overrideMaterial = this.depthOnly;
        renderer.shadowMap.autoUpdate = false;
        for (let layer = 0; layer < this.layers; ++layer) {
            renderer.setRenderTarget(this.target(layer));
            renderer.clear();
            setLayersUpTo(camera, layer);
            renderer.render(scene, camera);
        }
        renderer.setRenderTarget(target);
        renderer.shadowMap.autoUpdate = autoUpdate;
        scene.overrideMaterial = null;
        camera.layers.mask = mask;
    }

    private target(layer: number): WebGLRenderTarget {
        const { x, y } = this.size;
        if (!this.targets[layer]) {
            const depthTexture = new DepthTexture(x, y, UnsignedIntType);
            depthTexture.minFilter = depthTexture.magFilter = NearestFilter;
            this.targets[layer] = new WebGLRenderTarget(x, y, { depthTexture });
        }
        this.targets[layer].setSize(x, y);
        return this.targets[layer];
    }
}

/** The body, and garments inside of `layer`. */
function setLayersUpTo(camera: Camera, layer: number): void {
    camera.layers.set(BODY_LAYER);
    for (let under = 0; under < layer; ++under) camera.layers.enable(GARMENT_LAYER + under);
}
