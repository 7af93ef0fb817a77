// SPDX-License-Identifier: Apache-2.0
// The stage: renderer, soft light and shadow, a ground that falls off into the background, light and dark.
import {
    BackSide, CircleGeometry, Color, DirectionalLight, Fog, HemisphereLight, Mesh, PCFShadowMap, Scene, ShaderMaterial,
    ShadowMaterial, SphereGeometry, Vector3, WebGLRenderer,
} from "three";

export type Theme = "light" | "dark";

interface Palette {
    horizon: string;
    zenith: string;
    ground: string;
    shade: string;
    line: string;
    /** From above and from below, and how strong. */
    sky: [string, string, number];
    key: [string, number];
    rim: [string, number];
}

const PALETTES: Record<Theme, Palette> = {
    light: {
        horizon: "#e8e4dc", zenith: "#cfd5d8", ground: "#dcd7cd", shade: "#b3aa9d", line: "#cbc4b8",
        sky: ["#f4f6ff", "#b7a592", 1.75], key: ["#fff3e2", 2.1], rim: ["#dfe9ff", 0.7],
    },
    dark: {
        horizon: "#1c1e23", zenith: "#0f1115", ground: "#272a30", shade: "#17181c", line: "#363a42",
        sky: ["#aab4cc", "#4a4038", 1.15], key: ["#ffeedb", 1.9], rim: ["#bcd4ff", 1.3],
    },
};

const GROUND_GLSL = /* glsl */ `
float across = length(vGround - groundCentre);
vec2 cell = abs(fract(vGround - 0.5) - 0.5) / fwidth(vGround);
float line = (1.0 - min(min(cell.x, cell.y), 1.0)) * (1.0 - smoothstep(2.0, 12.0, across));
float dim = 1.0 - getShadowMask();
vec3 shown = mix(mix(color, groundLine, 0.6 * line), groundShade, dim * (1.0 - smoothstep(4.0, 9.0, across)));
gl_FragColor = vec4(shown, 1.0 - smoothstep(0.1, 1.0, across / groundReach));
`;

export class Stage {
    readonly scene = new Scene();
    readonly renderer: WebGLRenderer;
    private readonly sky = new HemisphereLight();
    private readonly key = new DirectionalLight();
    private readonly rim = new DirectionalLight();
    private readonly ground: Mesh<CircleGeometry, ShadowMaterial>;
    private readonly dome: Mesh<SphereGeometry, ShaderMaterial>;
    private readonly haze = new Fog("#ffffff");
    private readonly groundUniforms = {
        groundCentre: { value: new Float32Array(2) },
        groundLine: { value: new Color() },
        groundShade: { value: new Color() },
        groundReach: { value: 22 },
    };

    constructor(canvas: HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.ground = this.makeGround();
        this.dome = makeDome();
        this.setLights();
        this.scene.fog = this.haze;
        this.scene.add(this.dome, this.ground, this.sky, this.key, this.key.target, this.rim);
    }

    setTheme(theme: Theme): void {
        const palette = PALETTES[theme];
        this.ground.material.color.set(palette.ground);
        this.groundUniforms.groundLine.value.set(palette.line);
        this.dome.material.uniforms.horizon.value.set(palette.horizon);
        this.haze.color.set(palette.horizon);
        this.dome.material.uniforms.zenith.value.set(palette.zenith);
        this.groundUniforms.groundShade.value.set(palette.shade);
        const [above, below, strength] = palette.sky;
        this.sky.color.set(above);
        this.sky.groundColor.set(below);
        this.sky.intensity = strength;
        for (const [light, [colour, intensity]] of [[this.key, palette.key], [this.rim, palette.rim]] as const) {
            light.color.set(colour);
            light.intensity = intensity;
        }
    }

    /** Light, shadow and ground go along with what is looked at; `width` of the shadow, metres. */
    follow(centre: Vector3, width: number): void {
        this.key.target.position.copy(centre);
        this.key.position.copy(centre).add(new Vector3(1.9, 6.4, 2.6));
        this.rim.position.copy(centre).add(new Vector3(-3, 4, -5));
        const { camera } = this.key.shadow;
        if (camera.right !== width) {
            [camera.left, camera.right, camera.top, camera.bottom] = [-width, width, width, -width];
            camera.updateProjectionMatrix();
        }
        this.ground.position.set(centre.x, 0, centre.z);
        this.groundUniforms.groundCentre.value.set([centre.x, centre.z]);
        this.dome.position.copy(centre);
    }

    /** How far the ground reaches before it is lost in the background; `hazy`: as is all that is far. */
    setReach(metres: number, hazy: boolean): void {
        [this.haze.near, this.haze.far] = hazy ? [18, 26 + 1.6 * metres] : [1e4, 2e4];
        this.groundUniforms.groundReach.value = metres;
        this.ground.scale.setScalar(metres);
        this.dome.scale.setScalar(Math.max(60, 2 * metres));
    }

    set shadows(on: boolean) {
        this.key.castShadow = on;
    }

    private setLights(): void {
        const { shadow } = this.key;
        this.key.castShadow = true;
        shadow.mapSize.set(1024, 1024);
        shadow.camera.near = 0.5;
        shadow.camera.far = 16;
        shadow.radius = 3.5;
        shadow.bias = -0.0004;
        shadow.normalBias = 0.012;
    }

    private makeGround(): Mesh<CircleGeometry, ShadowMaterial> {
        const material = new ShadowMaterial();
        material.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, this.groundUniforms);
            shader.vertexShader = shader.vertexShader
                .replace("#include <common>", "#include <common>\nvarying vec2 vGround;")
                .replace("#include <begin_vertex>",
                         "#include <begin_vertex>\nvGround = (modelMatrix * vec4(position, 1.0)).xz;");
            shader.fragmentShader = shader.fragmentShader
                .replace("#include <common>", `#include <common>
varying vec2 vGround;
uniform vec2 groundCentre;
uniform vec3 groundLine;
uniform vec3 groundShade;
uniform float groundReach;`)
                .replace(/gl_FragColor = .*;/, GROUND_GLSL);
        };
        const mesh = new Mesh(new CircleGeometry(1, 96), material);
        mesh.rotation.x = -Math.PI / 2;
        mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        return mesh;
    }
}

function makeDome(): Mesh<SphereGeometry, ShaderMaterial> {
    const material = new ShaderMaterial({
        side: BackSide,
        depthWrite: false,
        uniforms: { horizon: { value: new Color() }, zenith: { value: new Color() } },
        vertexShader: /* glsl */ `
            varying vec3 vWay;
            void main() {
                vWay = position;
                gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
            }`,
        fragmentShader: /* glsl */ `
            varying vec3 vWay;
            uniform vec3 horizon;
            uniform vec3 zenith;
            void main() {
                float up = smoothstep(0.0, 0.7, normalize(vWay).y);
                gl_FragColor = vec4(mix(horizon, zenith, up), 1.0);
                #include <colorspace_fragment>
            }`,
    });
    const mesh = new Mesh(new SphereGeometry(1, 32, 16), material);
    mesh.scale.setScalar(60);
    mesh.renderOrder = -1;
    mesh.frustumCulled = false;
    return mesh;
}
