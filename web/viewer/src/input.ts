// SPDX-License-Identifier: Apache-2.0
// Keys, gamepad and on-screen stick, put together into what the character is to do.
import type { Intent } from "./driver";

/** Keys that are held to drive. */
const HELD: Record<string, string> = {
    ArrowUp: "forward", KeyW: "forward", ArrowDown: "back", KeyS: "back",
    ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right",
    ShiftLeft: "run", ShiftRight: "run", KeyC: "duck",
};

/** Whether a control that has a use for arrow keys or the space bar of its own has the focus. */
function focusTakes(code: string): boolean {
    const at = document.activeElement;
    if (!at || at === document.body || at.tagName === "CANVAS") return false;
    if (code === "Space" || code === "Enter") return true;
    return code.startsWith("Arrow") && at.matches("input, select, [role=tab]");
}

export class Input {
    /** Of the on-screen stick: right and up, -1 to 1. */
    readonly stick = { x: 0, y: 0 };
    readonly touch = { run: false, duck: false };
    private readonly held = new Set<string>();
    private jump = false;
    private padJump = false;
    private padUsed = false;

    /** `press` gets the codes of keys that are not for driving; true: it had a use for it. */
    constructor(press: (code: string) => boolean) {
        addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.metaKey || event.altKey || focusTakes(event.code)) return;
            const name = HELD[event.code];
            if (name) this.held.add(name);
            else if (event.code === "Space") this.pressJump();
            else if (event.repeat || !press(event.code)) return;
            event.preventDefault();
        });
        addEventListener("keyup", (event) => {
            if (HELD[event.code]) this.held.delete(HELD[event.code]);
        });
        addEventListener("blur", () => this.held.clear());
    }

    pressJump(): void {
        this.jump = true;
    }

    /** True once a gamepad was moved. */
    get gamepad(): boolean {
        return this.padUsed;
    }

    /** What is asked for now; a jump is told once. `orbit` gets the right stick. */
    read(orbit: (x: number, y: number) => void): Intent {
        const on = (name: string) => (this.held.has(name) ? 1 : 0);
        const intent: Intent = {
            forward: on("forward") - on("back") + this.stick.y,
            turn: on("left") - on("right") - this.stick.x,
            run: this.held.has("run") || this.touch.run,
            duck: this.held.has("duck") || this.touch.duck,
            jump: this.jump,
        };
        this.jump = false;
        this.readPad(intent, orbit);
        const clamp = (x: number) => Math.min(Math.max(x, -1), 1);
        return { ...intent, forward: clamp(intent.forward), turn: clamp(intent.turn) };
    }

    private readPad(intent: Intent, orbit: (x: number, y: number) => void): void {
        const pad = navigator.getGamepads?.().find((one) => one?.connected);
        if (!pad) return;
        const axis = (i: number) => (Math.abs(pad.axes[i] ?? 0) > 0.15 ? pad.axes[i] : 0);
        const button = (i: number) => pad.buttons[i]?.pressed ?? false;
        intent.forward += -axis(1) + (button(12) ? 1 : 0) - (button(13) ? 1 : 0);
        intent.turn += -axis(0) + (button(14) ? 1 : 0) - (button(15) ? 1 : 0);
        intent.run ||= button(5) || button(7);
        intent.duck ||= button(1);
        intent.jump ||= button(0) && !this.padJump;
        this.padJump = button(0);
        this.padUsed ||= intent.forward !== 0 || intent.turn !== 0 || button(0);
        if (axis(2) || axis(3)) orbit(axis(2), axis(3));
    }
}
