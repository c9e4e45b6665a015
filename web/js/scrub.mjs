// The slider over the part of a run that has been simulated.

import { bytes, instant } from "./format.mjs";
import { text } from "./text.mjs";

export class Scrub {
  #slider;
  #label;
  #goTo;
  #past = [0, 0];
  #wanted; // while the reader drags: the newest instant that has not been gone to
  #busy = false;

  // goTo(ps) resolves when the run stands there.
  constructor(slider, label, goTo) {
    this.#slider = slider;
    this.#label = label;
    this.#goTo = goTo;
    slider.addEventListener("input", () => this.#follow());
  }

  show(run) {
    if (this.#busy) return;
    this.#past = run.pastPs;
    const [from, to] = this.#past;
    this.#slider.value = to > from ? Math.round(this.#slider.max * (run.nowPs - from) / (to - from)) : this.#slider.max;
    this.#slider.setAttribute("aria-valuetext", instant(run.nowPs));
    this.#label.textContent = text.past(bytes(run.keptBytes), from > 0 ? text.settledStart(instant(from)) : instant(from));
  }

  async #follow() {
    const [from, to] = this.#past;
    this.#wanted = Math.round(from + (to - from) * this.#slider.value / this.#slider.max);
    this.#slider.setAttribute("aria-valuetext", instant(this.#wanted));
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#wanted !== undefined) {
        const ps = this.#wanted;
        this.#wanted = undefined;
        await this.#goTo(ps);
      }
    } finally {
      this.#busy = false;
    }
  }
}
