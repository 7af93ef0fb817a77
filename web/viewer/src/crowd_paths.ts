// SPDX-License-Identifier: Apache-2.0
// Where each wearer of a crowd is, and in which pose: rings about the origin, every other one the other way
// round, so that nobody walks through anybody; some rings run, some stand. Poses come from a table of gaits
// baked on the spot, which the shader skins bodies from and the workers drive the cloth from.

/** Gaits one after another, `samples` poses each, over one cycle. */
export interface PoseTable {
    joints: number;
    samples: number;
    /** 12 a joint, skinning matrices about the origin, facing +Z. */
    matrices: Float32Array;
    /** A gait: metres a second, cycles a second. */
    speeds: number[];
    frequencies: number[];
}

/** Of PoseTable, by number. */
export const WALK = 0, RUN = 1, STAND = 2;

const FIRST_RADIUS = 2.6, BETWEEN_RINGS = 1.45, ABREAST = 1.6; // metres

/** Numbers a wearer in the arrays below. */
export const PLACE_SIZE = 4;

function hash(n: number): number {
    let h = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

/** Rings are filled from the inside: how many fit into each. */
function capacity(ring: number): number {
    return Math.floor((2 * Math.PI * (FIRST_RADIUS + BETWEEN_RINGS * ring)) / ABREAST);
}

export function crowdRadius(count: number): number {
    let ring = 0;
    for (let left = count; left > 0; ++ring) left -= capacity(ring);
    return FIRST_RADIUS + BETWEEN_RINGS * ring;
}

function gaitOf(ring: number): number {
    if (ring % 7 === 4) return RUN;
    return ring % 6 === 3 ? STAND : WALK;
}

interface Path {
    radius: number;
    start: number; // angle
    way: number; // +1 or -1
    gait: number;
    pace: number; // share of the gait's own speed
    phase: number;
    sway: number; // angle
}

export class Paths {
    private readonly paths: Path[] = [];

    /** Wearers `first` to `first + count` of a crowd. */
    constructor(private readonly table: PoseTable, first: number, count: number) {
        for (let ring = 0, at = 0; at < first + count; at += capacity(ring++)) {
            const size = capacity(ring);
            for (let i = Math.max(first - at, 0); i < Math.min(size, first + count - at); ++i)
                this.paths.push(pathOf(ring, i, size, at + i));
        }
    }

    /** x, z, heading and the row of the pose table, PLACE_SIZE a wearer, at a time. */
    places(seconds: number, out: Float32Array): void {
        const { table } = this;
        this.paths.forEach((path, i) => {
            const speed = table.speeds[path.gait] * path.pace, stands = path.gait === STAND;
            const sway = 0.18 * Math.sin(0.5 * seconds + path.sway);
            const radius = path.radius + (stands ? 0 : sway);
            const angle = path.start + (path.way * speed * seconds) / path.radius;
            const o = PLACE_SIZE * i;
            out[o] = radius * Math.sin(angle);
            out[o + 1] = radius * Math.cos(angle);
            // along the ring; those who stand look anywhere
            out[o + 2] = stands ? path.sway : angle + (path.way * Math.PI) / 2;
            const cycle = path.phase + table.frequencies[path.gait] * path.pace * seconds;
            out[o + 3] = path.gait * table.samples + (cycle - Math.floor(cycle)) * table.samples;
        });
    }

    /** Velocity in the world and rate of heading, 4 a wearer, for a reset. */
    rootMotion(places: Float32Array, out: Float32Array): void {
        this.paths.forEach((path, i) => {
            const speed = path.gait === STAND ? 0 : this.table.speeds[path.gait] * path.pace;
            const heading = places[PLACE_SIZE * i + 2];
            out.set([speed * Math.sin(heading), 0, speed * Math.cos(heading), (path.way * speed) / path.radius], 4 * i);
        });
    }
}

function pathOf(ring: number, i: number, size: number, wearer: number): Path {
    return {
        radius: FIRST_RADIUS + BETWEEN_RINGS * ring,
        start: (2 * Math.PI * i) / size + 0.4 * hash(ring),
        way: ring % 2 === 0 ? 1 : -1,
        gait: gaitOf(ring),
        pace: 0.88 + 0.22 * hash(ring + 77),
        phase: hash(3 * wearer + 1),
        sway: 2 * Math.PI * hash(3 * wearer + 2),
    };
}

/** The pose between two rows of the table, for one joint: 12 numbers at `o`. */
function tableMatrix(table: PoseTable, row: number, joint: number, out: Float32Array, o: number): void {
    const { samples, joints, matrices } = table;
    const a = Math.floor(row), t = row - a, gait = Math.floor(a / samples);
    const b = gait * samples + ((a + 1) % samples);
    const i = 12 * (a * joints + joint), j = 12 * (b * joints + joint);
    for (let k = 0; k < 12; ++k) out[o + k] = (1 - t) * matrices[i + k] + t * matrices[j + k];
}

const posed = new Float32Array(12);

/** Of a wearer at a place (PLACE_SIZE numbers): the skinning matrix in the world of one joint, 12 numbers at `o`. */
export function placedMatrix(table: PoseTable, place: Float32Array, joint: number, out: Float32Array, o: number): void {
    const c = Math.cos(place[2]), s = Math.sin(place[2]);
    tableMatrix(table, place[3], joint, posed, 0);
    for (let k = 0; k < 4; ++k) {
        out[o + k] = c * posed[k] + s * posed[8 + k];
        out[o + 4 + k] = posed[4 + k];
        out[o + 8 + k] = -s * posed[k] + c * posed[8 + k];
    }
    out[o + 3] += place[0];
    out[o + 11] += place[1];
}
