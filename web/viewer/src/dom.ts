// SPDX-License-Identifier: Apache-2.0
// Small helpers about the page's elements.

/** The element with that id, which index.html has. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (!found) throw new Error(`index.html has no element "${id}"`);
    return found as T;
}

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, text = "", className = ""):
    HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (className) made.className = className;
    return made;
}

/** A slider with its value written beside it; `show` says how. */
export function bindSlider(id: string, show: (value: number) => string, change: (value: number) => void):
    (value: number) => void {
    const slider = element<HTMLInputElement>(id);
    const output = document.getElementById(`${id}-value`);
    const write = () => {
        const text = show(slider.valueAsNumber);
        if (output) output.textContent = text;
        slider.setAttribute("aria-valuetext", text);
    };
    slider.addEventListener("input", () => {
        write();
        change(slider.valueAsNumber);
    });
    write();
    return (value) => {
        slider.value = String(value);
        write();
    };
}

export function bindSwitch(id: string, change: (on: boolean) => void): void {
    const input = element<HTMLInputElement>(id);
    input.addEventListener("change", () => change(input.checked));
}

export function bindButton(id: string, press: () => void): void {
    element(id).addEventListener("click", press);
}

/** A check box with a swatch of colour; gives the place for a figure at its end. */
export function tickBox(parent: HTMLElement, text: string, colour: string, checked: boolean,
                        change: (on: boolean) => void): HTMLOutputElement {
    const label = make("label", "", "tick"), input = make("input"), output = make("output");
    input.type = "checkbox";
    input.checked = checked;
    label.style.setProperty("--swatch", colour);
    input.addEventListener("change", () => change(input.checked));
    label.append(input, make("span", text), output);
    parent.append(label);
    return output;
}

/** Arrow keys go from tab to tab; `show` gets the tab's name. */
export function bindTabs(show: (name: string) => void): void {
    const tabs = [...document.querySelectorAll<HTMLElement>("[role=tab]")];
    const choose = (tab: HTMLElement) => {
        for (const other of tabs) {
            other.setAttribute("aria-selected", String(other === tab));
            other.tabIndex = other === tab ? 0 : -1;
            element(other.getAttribute("aria-controls")!).hidden = other !== tab;
        }
        show(tab.id.replace("tab-", ""));
    };
    tabs.forEach((tab, i) => {
        tab.addEventListener("click", () => choose(tab));
        tab.addEventListener("keydown", (event) => {
            const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!way) return;
            const next = tabs[(i + way + tabs.length) % tabs.length];
            next.focus();
            choose(next);
            event.preventDefault();
        });
    });
}
