// SPDX-License-Identifier: Apache-2.0
// What the controls set, in one place.
import type { Layout } from "./world";

export type Tab = "drive" | "compare" | "modes" | "crowd";

export interface Settings {
    tab: Tab;
    playing: boolean;
    /** Of time: 1, or slow motion. */
    speed: number;
    /** Steps a second of the cloth. */
    rate: number;
    dial: number;
    pushOut: boolean;
    depthRule: boolean;
    /** Label of the model that is driven. */
    model: string;
    /** Index of the clip that is compared on; -1: driven. */
    clip: number;
    /** Ids of what is compared. */
    shown: Set<string>;
    layout: Layout;
    colourMap: boolean;
    /** Names of garments that are not drawn. */
    offGarments: Set<string>;
    sweep: boolean;
    crowd: number;
}

export function defaultSettings(): Settings {
    return {
        tab: "drive", playing: true, speed: 1, rate: 60, dial: 0, pushOut: true, depthRule: true, model: "",
        clip: -1, shown: new Set(), layout: "side", colourMap: false, offGarments: new Set(), sweep: false,
        crowd: 100,
    };
}
