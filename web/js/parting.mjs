// The first event that the two runs do not share, looked for when the reader
// opens its details.

import { findParting } from "./fork.mjs";
import { instant } from "./format.mjs";
import { element } from "./tables.mjs";
import { text } from "./text.mjs";

export class Parting {
  #details;
  #load;
  #setup; // what is compared; undefined if nothing runs
  #titles;
  #asked; // the setup that was looked into last

  // load() resolves to the compiled engine.
  constructor(details, load) {
    this.#details = details;
    this.#load = load;
    details.addEventListener("toggle", () => this.#find());
  }

  // Compares another pair of runs, {study, kernels, set, machine, state}.
  use(setup, titles) {
    this.#setup = setup;
    this.#titles = titles;
    this.#details.hidden = !setup;
    this.#find();
  }

  async #find() {
    const setup = this.#setup;
    if (!setup || !this.#details.open || setup === this.#asked) return;
    this.#asked = setup;
    this.#say(text.lookingForParting);
    let said;
    try {
      said = words(await findParting(await this.#load(), setup, setup.state), this.#titles);
    } catch (error) {
      said = error.message;
    }
    if (setup === this.#setup) this.#say(said);
  }

  #say(words) {
    this.#details.querySelector(".said").replaceChildren(...words.split("\n").map((line) => element("p", line, "name")));
  }
}

// What findParting found.
export function words({ parted, nowPs, firsts }, titles) {
  return parted ? text.parted(titles.map((title, i) => [title, firsts[i]?.line])) : text.notParted(instant(nowPs));
}
