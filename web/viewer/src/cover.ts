// SPDX-License-Identifier: Apache-2.0
// Which parts of the body are worn under a garment: depth consistency may let cloth cover those where it dips
// deep into them, as it must not with an arm or a hand that is before the cloth.
import { Vector3 } from "three";

const REACH = 0.3, INSIDE = 0.03; // metres: how far off cloth may hang, how far in it may lie

interface Face {
    corner: Vector3;
    ab: Vector3;
    ac: Vector3;
    outward: Vector3;
    centre: Vector3;
    radius: number;
}

function facesOf(positions: Float32Array, triangles: Uint32Array): Face[] {
    const at = (v: number) => new Vector3().fromArray(positions, 3 * v), faces: Face[] = [];
    for (let i = 0; i < triangles.length; i += 3) {
        const [a, b, c] = [at(triangles[i]), at(triangles[i + 1]), at(triangles[i + 2])];
        const centre = a.clone().add(b).add(c).divideScalar(3);
        const radius = Math.max(...[a, b, c].map((corner) => corner.distanceTo(centre)));
        const ab = b.sub(a), ac = c.sub(a);
        faces.push({ corner: a, ab, ac, outward: ab.clone().cross(ac), centre, radius });
    }
    return faces;
}

const across = new Vector3(), off = new Vector3();

/** How far along the ray the face is hit; NaN where it is not. */
function hit({ corner, ab, ac }: Face, from: Vector3, way: Vector3): number {
    across.crossVectors(way, ac);
    const determinant = ab.dot(across);
    if (Math.abs(determinant) < 1e-12) return NaN;
    off.subVectors(from, corner);
    const u = off.dot(across) / determinant;
    if (u < 0 || u > 1) return NaN;
    off.cross(ab);
    const v = way.dot(off) / determinant;
    return v < 0 || u + v > 1 ? NaN : ac.dot(off) / determinant;
}

/**
 * Adds to `covered` (1 a vertex of the body) those from which a ray along the normal first meets the garment from
 * its inside. A palm beside a skirt meets it from the outside. Needs triangles that wind outward; about a tenth of
 * a second for thousands of vertices and triangles.
 */
export function addCovered(body: Float32Array, normals: Float32Array, cloth: Float32Array, triangles: Uint32Array,
                           covered: Float32Array): void {
    const faces = facesOf(cloth, triangles), from = new Vector3(), way = new Vector3();
    for (let v = 0; v < covered.length; ++v) {
        from.fromArray(body, 3 * v);
        way.fromArray(normals, 3 * v).normalize();
        let nearest = REACH, inside = false;
        for (const face of faces) {
            if (face.centre.distanceToSquared(from) > (nearest + face.radius) ** 2) continue;
            const far = hit(face, from, way);
            if (!(far > -INSIDE && far < nearest)) continue;
            nearest = far;
            inside = face.outward.dot(way) > 0;
        }
        if (inside) covered[v] = 1;
    }
}
