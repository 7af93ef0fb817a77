// SPDX-License-Identifier: Apache-2.0
// How things look: skin matte and warm, fabric with sheen and both sides lit, a colour map of errors.
import { Color, DoubleSide, MeshPhysicalMaterial, MeshStandardMaterial } from "three";
import type { WebGLProgramParametersWithUniforms } from "three";
import { DEPTH_RULE_HEAD, depthRuleUniforms, type DepthRule } from "./depth_rule";

/** Of garments, inner first. */
export const GARMENT_COLOURS = ["#3d7480", "#b98a4a", "#7d5a7c", "#5c7a55"];

/** Of what is compared. */
export const SOURCE_COLOURS: Record<string, string> = {
    recorded: "#8d857b", S: "#2f7f86", C: "#c08a3e", B: "#5a76b0", A: "#a4566a", skinned: "#6d7f5f",
};

/** Stops of the colour map of errors, from nought to its end: dark blue over green to yellow. */
export const MAP_STOPS = ["#2d3a72", "#2f6f8e", "#3fa38a", "#a3c65c", "#f6e05a"];

/** The end of the colour map, metres. */
export const MAP_END = 0.1;

export function skinMaterial(): MeshStandardMaterial {
    return new MeshStandardMaterial({ color: "#c9a389", roughness: 0.82, metalness: 0 });
}

function mapGlsl(): string {
    const colours = MAP_STOPS.map((stop) => {
        const { r, g, b } = new Color(stop);
        return `vec3(${r.toFixed(4)}, ${g.toFixed(4)}, ${b.toFixed(4)})`;
    });
    return /* glsl */ `
vec3 errorColour(float t) {
    vec3 stops[${colours.length}] = vec3[${colours.length}](${colours.join(", ")});
    float x = clamp(t, 0.0, 1.0) * ${(colours.length - 1).toFixed(1)};
    int i = min(int(x), ${colours.length - 2});
    return mix(stops[i], stops[i + 1], x - float(i));
}
`;
}

/** A weave too fine to see from afar, in place of a flat colour; fades as threads get below a pixel. */
const WEAVE = /* glsl */ `
float weave(vec2 uv) {
    vec2 thread = uv * 90.0;
    float visible = 1.0 - smoothstep(0.15, 0.6, max(fwidth(thread.x), fwidth(thread.y)));
    float over = sin(thread.x * 6.2832) * sin(thread.y * 6.2832);
    return 1.0 + 0.10 * visible * over;
}
`;

export class ClothMaterial extends MeshPhysicalMaterial {
    readonly rule: DepthRule = depthRuleUniforms();
    private readonly errorScale = { value: 0 };

    constructor(colour: string, hasUv: boolean) {
        super({ side: DoubleSide, roughness: 0.78, metalness: 0, sheen: 0.8, sheenRoughness: 0.45 });
        this.defines = { ...this.defines, ...(hasUv ? { USE_UV: "" } : {}) };
        this.setColour(colour);
    }

    setColour(colour: string): void {
        this.color.set(colour);
        this.sheenColor.set(colour).lerp(new Color("#ffffff"), 0.45);
    }

    /** Colours by the attribute "error", up to `end` metres; 0: the fabric's own colour. */
    setColourMap(end: number): void {
        this.errorScale.value = end > 0 ? 1 / end : 0;
        this.sheen = end > 0 ? 0 : 0.8;
    }

    override onBeforeCompile(shader: WebGLProgramParametersWithUniforms): void {
        Object.assign(shader.uniforms, this.rule, { errorScale: this.errorScale });
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>",
                     "#include <common>\nattribute float error;\nvarying float vError;")
            .replace("#include <begin_vertex>", "#include <begin_vertex>\nvError = error;");
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", `#include <common>
varying float vError;
uniform float errorScale;
${DEPTH_RULE_HEAD}${mapGlsl()}${WEAVE}`)
            .replace("#include <color_fragment>", `#include <color_fragment>
gl_FragDepth = consistentDepth(vViewPosition.z);
#ifdef USE_UV
diffuseColor.rgb *= weave(vUv);
#endif
if (!gl_FrontFacing) diffuseColor.rgb *= 0.8;
if (errorScale > 0.0) diffuseColor.rgb = errorColour(vError * errorScale);`);
    }

    override customProgramCacheKey(): string {
        return "cloth";
    }
}
