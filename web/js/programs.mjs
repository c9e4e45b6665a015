// The two WebAssembly programs, each loaded when it is first needed, with one
// progress bar for both.

import { bytes } from "./format.mjs";
import { compile } from "./load.mjs";
import { text } from "./text.mjs";

export class Programs {
  #sizes;
  #bar;
  #label;
  #compiled = {};
  #onTheirWay = 0;
  #progress = {}; // [done, total] bytes of those that were on their way together

  constructor(sizes, bar, label) {
    this.#sizes = sizes;
    this.#bar = bar;
    this.#label = label;
  }

  // Each resolves to the compiled program. A failed load is tried anew at the
  // next call.
  painter() {
    return this.#load("page.wasm");
  }

  engine() {
    return this.#load("worker.wasm");
  }

  #load(file) {
    if (typeof WebAssembly === "undefined") return Promise.reject(new Error(text.noWebAssembly));
    this.#compiled[file] ??= this.#compile(file);
    return this.#compiled[file];
  }

  async #compile(file) {
    if (this.#onTheirWay++ === 0) this.#progress = {};
    try {
      return await compile(file, this.#sizes[file], (done, total) => this.#show(file, done, total));
    } catch (error) {
      delete this.#compiled[file];
      throw new Error(text.noProgram(error.message));
    } finally {
      this.#onTheirWay--;
    }
  }

  #show(file, loaded, of) {
    this.#progress[file] = [loaded, of];
    const [done, total] = Object.values(this.#progress).reduce(([d, t], [done, total]) => [d + done, t + total], [0, 0]);
    this.#bar.value = done / total;
    this.#label.textContent = done < total ? text.loading(bytes(done), bytes(total)) : text.starting;
  }
}
