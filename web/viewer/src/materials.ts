// SPDX-License-Identifier: Apache-2.0
// How things look: skin matte and warm, fabric with sheen and both sides lit, a colour map of errors. All on
// diffuse light with a glow at grazing angles added, as fibres give it: cheap enough for a phone.
import { Color, DoubleSide, MeshLambertMaterial } from "three";
import type { WebGLProgramParametersWithUniforms } from "three";
import { DEPTH_RULE_HEAD, depthRuleUniforms, type DepthRule } from "./depth_rule";

/** Of garments, inner first. */
export const GARMENT_COLOURS = ["#3d7480", "#b59a76", "#7d5a7c", "#5c7a55"];

/** Of what is compared. */
export const SOURCE_COLOURS: Record<string, string> = {
    recorded: "#8d857b", S: "#2f7f86", C: "#b98f56", B: "#5a76b0", A: "#a4566a", N: "#7a62a3", skinned: "#6d7f5f",
};

/** Stops of the colour map of errors, from nought to its end: dark blue over green to yellow. */
export const MAP_STOPS = ["#2d3a72", "#2f6f8e", "#3fa38a", "#a3c65c", "#f6e05a"];

/** The end of the colour map, metres. */
export const MAP_END = 0.1;

/** The glow of fibres, or of down on skin, where a surface is seen at a grazing angle. */
const SHEEN = /* glsl */ `
float grazing = 1.0 - abs(dot(normalize(vViewPosition), normal));
outgoingLight += sheenColour * grazing * grazing * grazing * (0.25 + dot(outgoingLight, vec3(0.6)));
#include <opaque_fragment>
`;

export function skinMaterial(): MeshLambertMaterial {
    const material = new MeshLambertMaterial({ color: "#b99a86" });
    material.onBeforeCompile = (shader) => {
        shader.uniforms.sheenColour = { value: new Color("#6b4a3a") };
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", "#include <common>\nuniform vec3 sheenColour;")
            .replace("#include <opaque_fragment>", SHEEN);
    };
    return material;
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

export class ClothMaterial extends MeshLambertMaterial {
    readonly rule: DepthRule = depthRuleUniforms();
    private readonly errorScale = { value: 0 };
    private readonly sheenColour = { value: new Color() };
    private readonly sheen: Color;

    constructor(colour: string, hasUv: boolean) {
        super({ side: DoubleSide, color: colour });
        if (hasUv) this.defines = { USE_UV: "" };
        this.sheen = new Color(colour).lerp(new Color("#ffffff"), 0.35).multiplyScalar(0.9);
        this.setColourMap(0);
    }

    /** Colours by the attribute "error", up to `end` metres; 0: the fabric's own colour. */
    setColourMap(end: number): void {
        this.errorScale.value = end > 0 ? 1 / end : 0;
        this.sheenColour.value.copy(this.sheen).multiplyScalar(end > 0 ? 0 : 1);
    }

    override onBeforeCompile(shader: WebGLProgramParametersWithUniforms): void {
        Object.assign(shader.uniforms, this.rule, { errorScale: this.errorScale, sheenColour: this.sheenColour });
        shader.vertexShader = shader.vertexShader
            .replace("#include <common>",
                     "#include <common>\nattribute float error;\nvarying float vError;")
            .replace("#include <begin_vertex>", "#include <begin_vertex>\nvError = error;");
        shader.fragmentShader = shader.fragmentShader
            .replace("#include <common>", `#include <common>
varying float vError;
uniform float errorScale;
uniform vec3 sheenColour;
${DEPTH_RULE_HEAD}${mapGlsl()}${WEAVE}`)
            .replace("#include <color_fragment>", `#include <color_fragment>
gl_FragDepth = consistentDepth(vViewPosition.z);
#ifdef USE_UV
diffuseColor.rgb *= weave(vUv);
#endif
if (!gl_FrontFacing) diffuseColor.rgb *= 0.8;
if (errorScale > 0.0) diffuseColor.rgb = errorColour(vError * errorScale);`)
            .replace("#include <opaque_fragment>", SHEEN);
    }

    override customProgramCacheKey(): string {
        return "cloth";
    }
}
