// SPDX-License-Identifier: Apache-2.0
import { Group, Vector3 } from "three";
export class Crowd {
    readonly group = new Group();
    readonly centre = new Vector3();
    size = 0; steps = 0; reach = 30; viewDistance = 20;
    constructor(..._: any[]) {}
    async setSize(_n: number) {}
    stop() {}
    advance(_s: number) {}
    prepare(..._: any[]) {}
    facts(): [string, string][] { return []; }
    checksum() { return ""; }
}
