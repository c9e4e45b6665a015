// The two WebAssembly programs, loaded once on the first run, with one
// progress bar for both.

import { bytes } from "./format.mjs";
import { compile } from "./load.mjs";
import { text } from "./text.mjs";

export class Programs {
  #sizes;
  #bar;
  #label;
  #compiled;

  constructor(sizes, bar, label) {
    this.#sizes = sizes;
    this.#bar = bar;
    this.#label = label;
  }

  // Resolves to {painter, engine}, compiled. A failed load is tried anew at
  // the next call.
  load() {
    if (typeof WebAssembly === "undefined") return Promise.reject(new Error(text.noWebAssembly));
    this.#compiled ??= this.#loadBoth().catch((error) => {
      this.#compiled = undefined;
      throw new Error(text.noProgram(error.message));
    });
    return this.#compiled;
  }

  async #loadBoth() {
    const done = {};
    const total = {};
    const load = (file) => compile(file, this.#sizes[file], (got, of) => {
      done[file] = got;
      total[file] = of;
      this.#show(sum(done), sum(total));
    });
    const [painter, engine] = await Promise.all([load("page.wasm"), load("worker.wasm")]);
    return { painter, engine };
  }

  #show(done, total) {
    this.#bar.value = done / total;
    this.#label.textContent = done < total ? text.loading(bytes(done), bytes(total)) : text.starting;
  }
}

const sum = (object) => Object.values(object).reduce((a, b) => a + b, 0);
