// SPDX-License-Identifier: Apache-2.0
// Coarser triangles over the same vertices, for wearers that are far: vertices in one cell of a grid become
// the one of them nearest to their middle.

/** `cell` in metres. */
export function coarserTriangles(positions: Float32Array, triangles: Uint32Array, cell: number): Uint32Array {
    const cells = new Map<string, number[]>();
    const used = new Set(triangles);
    for (const v of used) {
        const key = [0, 1, 2].map((c) => Math.floor(positions[3 * v + c] / cell)).join();
        const list = cells.get(key);
        if (list) list.push(v);
        else cells.set(key, [v]);
    }
    const stand = new Map<number, number>();
    for (const list of cells.values()) {
        const chosen = nearestToMiddle(positions, list);
        for (const v of list) stand.set(v, chosen);
    }
    const coarse: number[] = [], seen = new Set<string>();
    for (let t = 0; t < triangles.length; t += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => stand.get(triangles[t + k])!);
        const key = [a, b, c].sort((x, y) => x - y).join();
        if (a === b || b === c || c === a || seen.has(key)) continue;
        seen.add(key);
        coarse.push(a, b, c);
    }
    return Uint32Array.from(coarse);
}

function nearestToMiddle(positions: Float32Array, list: number[]): number {
    const middle = [0, 1, 2].map((c) => list.reduce((sum, v) => sum + positions[3 * v + c], 0) / list.length);
    const off = (v: number) => Math.hypot(...middle.map((m, c) => positions[3 * v + c] - m));
    return list.reduce((best, v) => (off(v) < off(best) ? v : best));
}
