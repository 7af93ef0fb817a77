// SPDX-License-Identifier: Apache-2.0
// The stage: renderer, soft light and shadow, a ground that falls off into the background, light and dark.
import {
    BackSide, CircleGeometry, Color, DirectionalLight, HemisphereLight, Mesh, MeshBasicMaterial,
    MeshStandardMaterial, NeutralToneMapping, PCFShadowMap, PMREMGenerator, PlaneGeometry, Scene,
    ShaderMaterial, SphereGeometry, Vector3, WebGLRenderer,
} from "three";

export type Theme = "light" | "dark";

interface Palette {
    horizon: string;
    zenith: string;
    ground: string;
    line: string;
    sky: number; // intensity
    key: number;
    rim: number;
    environment: number;
}

const PALETTES: Record<Theme, Palette> = {
    light: { horizon: "#e9e4db", zenith: "#d3d8da", ground: "#ddd6ca", line: "#b9b0a2", sky: 0.75, key: 2.3, rim: 0.5,
             environment: 0.55 },
    dark: { horizon: "#1b1d22", zenith: "#101216", ground: "#24262b", line: "#3b3e46", sky: 0.35, key: 1.9, rim: 1.0,
            environment: 0.4 },
};

const GROUND_GLSL = /* glsl */ `
float across = length(vGround - groundCentre);
vec2 cell = abs(fract(vGround - 0.5) - 0.5) / fwidth(vGround);
float line = (1.0 - min(min(cell.x, cell.y), 1.0)) * (1.0 - smoothstep(3.0, 16.0, across));
diffuseColor.rgb = mix(diffuseColor.rgb, groundLine, 0.35 * line);
diffuseColor.a = 1.0 - smoothstep(0.15, 1.0, across / groundReach);
`;

export class Stage {
    readonly scene = new Scene();
    readonly renderer: WebGLRenderer;
    private readonly sky = new HemisphereLight("#ffffff", "#b8a894");
    private readonly key = new DirectionalLight("#fff4e6");
    private readonly rim = new DirectionalLight("#cfe0ff");
    private readonly ground: Mesh<CircleGeometry, MeshStandardMaterial>;
    private readonly dome: Mesh<SphereGeometry, ShaderMaterial>;
    private readonly groundUniforms = {
        groundCentre: { value: new Float32Array(2) },
        groundLine: { value: new Color() },
        groundReach: { value: 22 },
    };

    constructor(canvas: HTMLCanvasElement) {
        this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.ground = this.makeGround();
        this.dome = makeDome();
        this.setLights();
        this.scene.add(this.dome, this.ground, this.sky, this.key, this.key.target, this.rim);
        this.scene.environment = this.softBoxes();
    }

    setTheme(theme: Theme): void {
        const palette = PALETTES[theme];
        this.ground.material.color.set(palette.ground);
        this.groundUniforms.groundLine.value.set(palette.line);
        this.dome.material.uniforms.horizon.value.set(palette.horizon);
        this.dome.material.uniforms.zenith.value.set(palette.zenith);
        this.sky.intensity = palette.sky;
        this.key.intensity = palette.key;
        this.rim.intensity = palette.rim;
        this.scene.environmentIntensity = palette.environment;
    }

    /** Light, shadow and ground go along with what is looked at; `width` of the shadow, metres. */
    follow(centre: Vector3, width: number): void {
        this.key.target.position.copy(centre);
        this.key.position.copy(centre).add(new Vector3(2.6, 6, 3.4));
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

    /** How far the ground reaches before it is lost in the background. */
    setReach(metres: number): void {
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
        shadow.mapSize.set(2048, 2048);
        shadow.camera.near = 0.5;
        shadow.camera.far = 16;
        shadow.radius = 5;
        shadow.bias = -0.0004;
        shadow.normalBias = 0.012;
    }

    private makeGround(): Mesh<CircleGeometry, MeshStandardMaterial> {
        const material = new MeshStandardMaterial({ roughness: 1, metalness: 0, transparent: true, envMapIntensity: 0.6 });
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
uniform float groundReach;`)
                .replace("#include <color_fragment>", GROUND_GLSL);
        };
        const mesh = new Mesh(new CircleGeometry(1, 96), material);
        mesh.rotation.x = -Math.PI / 2;
        mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        return mesh;
    }

    /** Large soft lamps round about, for ambient light and sheen. */
    private softBoxes() {
        const room = new Scene();
        const lamp = (x: number, y: number, z: number, size: number, colour: string, strength: number) => {
            const material = new MeshBasicMaterial({ color: new Color(colour).multiplyScalar(strength) });
            const mesh = new Mesh(new PlaneGeometry(size, size), material);
            mesh.position.set(x, y, z);
            mesh.lookAt(0, 0, 0);
            room.add(mesh);
        };
        room.add(new Mesh(new SphereGeometry(20, 24, 12), new MeshBasicMaterial({ color: "#8d8a86", side: BackSide })));
        lamp(0, 9, 0, 9, "#ffffff", 3.2);
        lamp(8, 4, 6, 6, "#fff1df", 2.4);
        lamp(-9, 3, 2, 6, "#dfe9ff", 1.6);
        lamp(0, -9, 0, 12, "#8f8375", 0.8);
        const generator = new PMREMGenerator(this.renderer);
        const { texture } = generator.fromScene(room, 0.04);
        generator.dispose();
        return texture;
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
