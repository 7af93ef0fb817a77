// SPDX-License-Identifier: Apache-2.0
// A page that loads a GLB with three.js, goes to moments of its animation and tells where the vertices
// are: compared by gltf_test.mjs with what the player says. It draws each moment too, so that shaders
// compile and complaints of three.js or WebGL reach the console.
import {
    AnimationMixer, DirectionalLight, LoopOnce, Mesh, PerspectiveCamera, Scene, SkinnedMesh, Vector3, WebGLRenderer,
} from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

interface Found {
    garment: number[];   // world positions, by the player's vertices
    body: number[];      // the same of the skinned mesh; empty where there is none
    doubled: number;     // vertices of the file that the player has fewer of
    apart: number;       // the largest distance between doubles of one vertex
    drawnPixels: number; // that are not background
}

function worldPositions(mesh: Mesh): Vector3[] {
    const count = mesh.geometry.getAttribute("position").count;
    return Array.from({ length: count }, (_, v) =>
        mesh.getVertexPosition(v, new Vector3()).applyMatrix4(mesh.matrixWorld));
}

// In the player's order, by the attribute _VERTEX.
function byPlayerVertices(mesh: Mesh, found: Found) {
    const ids = mesh.geometry.getAttribute("_vertex");
    const placed: Vector3[] = [];
    worldPositions(mesh).forEach((position, v) => {
        const id = ids.getX(v);
        if (placed[id]) {
            found.doubled += 1;
            found.apart = Math.max(found.apart, placed[id].distanceTo(position));
        }
        placed[id] = position;
    });
    found.garment = placed.flatMap((p) => p.toArray());
}

function drawnPixels(renderer: WebGLRenderer): number {
    const { width, height } = renderer.domElement;
    const gl = renderer.getContext();
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    return pixels.filter((value, i) => i % 4 === 3 && value > 0).length;
}

async function positionsAt(address: string, moments: number[]): Promise<Found[]> {
    const gltf = await new GLTFLoader().loadAsync(address);
    const scene = new Scene();
    scene.add(gltf.scene, new DirectionalLight());
    const renderer = new WebGLRenderer({ alpha: true, preserveDrawingBuffer: true });
    renderer.setSize(96, 96);
    const mixer = new AnimationMixer(gltf.scene);
    const action = mixer.clipAction(gltf.animations[0]).setLoop(LoopOnce, 1);
    action.clampWhenFinished = true;
    action.play();
    return moments.map((seconds) => {
        mixer.setTime(seconds);
        scene.updateMatrixWorld(true);
        const found: Found = { garment: [], body: [], doubled: 0, apart: 0, drawnPixels: 0 };
        gltf.scene.traverse((object) => {
            if (object instanceof SkinnedMesh) {
                object.skeleton.update();
                found.body = worldPositions(object).flatMap((p) => p.toArray());
            } else if (object instanceof Mesh) {
                byPlayerVertices(object, found);
            }
        });
        const camera = new PerspectiveCamera(60, 1, 0.1, 100);
        const [x, y, z] = found.garment;
        camera.position.set(x, y, z + 5);
        camera.lookAt(x, y, z);
        renderer.render(scene, camera);
        found.drawnPixels = drawnPixels(renderer);
        return found;
    });
}

Object.assign(window, { positionsAt });
