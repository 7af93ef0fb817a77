// SPDX-License-Identifier: Apache-2.0
// The on-screen stick and buttons.
import { element } from "./dom";
import type { Input } from "./input";

export function bindTouch(input: Input): void {
    const stick = element("stick"), knob = element("knob");
    const move = (event: PointerEvent) => {
        const box = stick.getBoundingClientRect(), reach = box.width / 2 - 16;
        let x = (event.clientX - box.left - box.width / 2) / reach;
        let y = -(event.clientY - box.top - box.height / 2) / reach;
        const length = Math.hypot(x, y);
        if (length > 1) [x, y] = [x / length, y / length];
        place(x, y, reach);
    };
    const place = (x: number, y: number, reach: number) => {
        knob.style.translate = `${x * reach}px ${-y * reach}px`;
        input.stick.x = Math.abs(x) > 0.15 ? x : 0;
        input.stick.y = Math.abs(y) > 0.15 ? y : 0;
    };
    stick.addEventListener("pointerdown", (event) => {
        stick.setPointerCapture(event.pointerId);
        move(event);
    });
    stick.addEventListener("pointermove", (event) => {
        if (stick.hasPointerCapture(event.pointerId)) move(event);
    });
    for (const name of ["pointerup", "pointercancel"] as const)
        stick.addEventListener(name, () => place(0, 0, 0));
    bindPads(input);
}

function bindPads(input: Input): void {
    const run = element("pad-run"), duck = element("pad-duck");
    run.addEventListener("click", () => {
        input.touch.run = !input.touch.run;
        run.setAttribute("aria-pressed", String(input.touch.run));
    });
    const hold = (on: boolean) => {
        input.touch.duck = on;
        duck.classList.toggle("held", on);
    };
    duck.addEventListener("pointerdown", () => hold(true));
    for (const name of ["pointerup", "pointercancel", "pointerleave"] as const)
        duck.addEventListener(name, () => hold(false));
    element("pad-jump").addEventListener("click", () => input.pressJump());
}
