// A study's guided story: stops at which the run is taken to an instant and
// the picture to what is to be seen there. A reader can leave at any point.

import { parseSpan } from "./params.mjs";
import { element } from "./tables.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);
const nobody = { cpu: -1, to: -1 };

export class Story {
  #host;
  #study;
  #shown = -1; // the step whose text is shown
  #newest = 0; // counts calls of go: the newest counts
  #run; // that the instants below are of
  #reached = []; // {atPs, hit} of each step

  // host: run(kernels) resolves to a paused run of two kernels, started if need
  // be, or to undefined; look(look) shows what a step's look says; arrived()
  // follows; play() lets the run go on; say(message, kind).
  constructor(host) {
    this.#host = host;
    $("tour-next").addEventListener("click", () => this.go(this.#shown + 1));
    $("tour-back").addEventListener("click", () => this.go(this.#shown - 1));
    $("tour-leave").addEventListener("click", () => this.#leave());
  }

  // Offers a study's story, with the text of a step shown already, or none: -1.
  useStudy(study, step = -1) {
    this.#study = study;
    this.#newest++;
    const { story } = study;
    $("tour").hidden = story.length === 0;
    $("tour-steps").replaceChildren(...story.map(({ title }, i) => {
      const button = element("button", i + 1);
      button.type = "button";
      button.setAttribute("aria-label", text.stepName(i + 1, title));
      button.title = title;
      button.addEventListener("click", () => this.go(i));
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
    this.#show(step);
  }

  // The step that is told, from 0; -1 for none.
  get step() {
    return this.#shown;
  }

  // Whether a run rests where the step that is told has taken it.
  standsIn(run) {
    return run !== undefined && run === this.#run && !run.running && run.nowPs === this.#reached[this.#shown]?.atPs;
  }

  // Another run is shown, which nobody has asked for here.
  forget() {
    this.#newest++;
  }

  // Takes run and picture to a step.
  async go(step) {
    const { story } = this.#study;
    if (step < 0 || step >= story.length) return;
    const mine = ++this.#newest;
    const wanted = () => mine === this.#newest;
    this.#show(step);
    $("tour").classList.add("moving");
    try {
      const run = await this.#host.run(story[step].kernels);
      if (!run || !wanted()) return;
      const hit = await this.#reach(run, step, wanted);
      if (!wanted()) return;
      if (hit) {
        this.#host.look(this.#lookOf(step, hit));
        this.#host.arrived();
      } else {
        this.#host.say(run.done ? text.stepMissed : text.stepStopped);
      }
    } catch (error) {
      if (wanted()) this.#host.say(error.message, "problem");
    } finally {
      if (wanted()) $("tour").classList.remove("moving");
    }
  }

  // Resolves to the step's event, or to undefined if it was not reached.
  async #reach(run, step, wanted) {
    const { story } = this.#study;
    if (run !== this.#run) {
      this.#run = run;
      this.#reached = [];
    }
    let first = step; // of the steps with these kernels
    while (first > 0 && String(story[first - 1].kernels) === String(story[step].kernels)) first--;
    let known = step;
    while (known >= first && !this.#reached[known]) known--;
    if (!await goTo(run, this.#reached[known]?.atPs ?? run.pastPs[0])) return undefined;
    for (let i = known + 1; i <= step && wanted(); i++) {
      const { at = {}, kernels } = story[i];
      if (at.after && !await goTo(run, run.nowPs + parseSpan(at.after))) return undefined;
      const waits = at.event || at.enters;
      const hit = waits ? await run.step(at, Math.max(0, kernels.indexOf(at.kernel))) : this.#reached[i - 1]?.hit ?? nobody;
      if (!hit) return undefined;
      this.#reached[i] = { atPs: run.nowPs, hit };
    }
    return this.#reached[step]?.hit;
  }

  #lookOf(step, { cpu, to }) {
    const { look } = this.#study.story[step];
    const list = (cpus = "") => cpus.split(",").map((word) => ({ on: cpu, to })[word.trim()] ?? word).filter((word) => word !== -1).join(",");
    return { ...look, cpus: list(look.cpus), large: list(look.large ?? this.#study.focus), pin: list(look.pin) };
  }

  #leave() {
    this.#newest++;
    this.#show(-1);
    this.#host.play();
    $("tour-next").focus();
  }

  #show(step) {
    this.#shown = step;
    const { story } = this.#study;
    const on = step >= 0;
    [...$("tour-steps").querySelectorAll("button")].forEach((button, i) => {
      if (i === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    $("tour-leave").hidden = $("tour-back").hidden = !on;
    $("tour-back").disabled = step <= 0;
    $("tour-next").disabled = step === story.length - 1;
    $("tour-next").textContent = on ? text.nextStep : text.startStory;
    const told = on ? story[step] : { title: text.storyOf(story.length), text: text.storyIntro };
    const parts = [element("h3", told.title), element("p", told.text)];
    if (on) {
      const where = element("p", "", "note");
      where.append(element("code", `${told.function}()`), ` · ${told.hunk}`);
      parts.push(where);
    }
    $("tour-text").replaceChildren(...parts);
  }
}

// Resolves to whether the run has come there.
async function goTo(run, ps) {
  if (run.nowPs !== ps) await run.goTo(ps);
  return run.done || run.nowPs >= ps;
}
