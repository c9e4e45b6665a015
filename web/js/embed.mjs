// The embed: a study in somebody else's page. Nothing heavy is loaded before
// the reader asks for it, nothing runs while it cannot be seen, and it takes
// neither focus nor keys, wheel or touch from the page around it.

import { Host } from "./embed-host.mjs";
import { optionKeys, readOptions } from "./embed-options.mjs";
import { instant, whole } from "./format.mjs";
import { setKnob, showKnobs } from "./knobs.mjs";
import { readLink } from "./link.mjs";
import { Messages } from "./messages.mjs";
import { Painter } from "./painter.mjs";
import { canonical, formatSpan, parseSpan } from "./params.mjs";
import { Programs } from "./programs.mjs";
import { Run } from "./run.mjs";
import { Share } from "./share.mjs";
import { defaultStep, psPerSecond } from "./speed.mjs";
import { showResult } from "./tables.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);
const messages = new Messages($("messages"));
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const progressEveryMs = 100;

class Embed {
  #site;
  #link;
  #options;
  #host;
  #share;
  #programs;
  #modules; // of the programs, once they are loaded
  #painter;
  #run;
  #results = {}; // kernel id -> result
  #starting; // promise of the run being built, until it is stopped
  #visible = false;
  #held = false; // the run was paused because it could not be seen
  #goOn; // what it was doing then, to be taken up
  #saidMs = 0; // when progress was reported last

  constructor(site, link, options) {
    this.#site = site;
    this.#link = link;
    this.#options = options;
    this.#share = new Share(site, link, () => this.#shown(), (message, kind) => messages.say(message, kind));
    this.#programs = new Programs(site.programs, $("bytes"), $("loading-text"));
    this.#host = new Host(window, options.origin, {
      hello: () => this.#host.send("ready", this.#about()),
      set: ({ params }) => this.set(params),
      run: () => this.run(),
      pause: () => this.pause(),
      seek: ({ t }) => this.seek(t),
    });
    this.#show();
    $("run").addEventListener("click", () => this.run());
    for (const id of ["pause", "hold"]) $(id).addEventListener("click", () => (this.#run.running ? this.pause() : this.run()));
    for (const setting of [darkSystem, reducedMotion]) setting.addEventListener("change", () => this.#showTheme());
    this.#watch();
  }

  // Starts, or goes on.
  async run() {
    if (this.#run?.done) this.#stop();
    await this.#start();
    this.#go(() => this.#playOrReproduce());
  }

  pause() {
    this.#held = false;
    return this.#run?.pause();
  }

  // Changes unlocked parameters; all of them or, if one is bad, none.
  set(params) {
    const problems = [];
    const good = {};
    for (const [key, value] of Object.entries(params)) {
      const param = this.#options.unlock.find((p) => p.key === key);
      good[key] = param && canonical(param, value);
      if (!param) problems.push(text.locked(key.slice(0, 60)));
      else if (good[key] === undefined) problems.push(text.refused(key, value.slice(0, 60), param.range));
    }
    if (problems.length > 0) {
      this.#host.send("error", { problems });
      return;
    }
    this.#forgetInstant();
    Object.assign(this.#link.set, good);
    for (const [key, value] of Object.entries(good)) if (!this.#knobless) setKnob($("knobs"), key, value);
    const began = this.#starting !== undefined;
    this.#stop();
    this.#showLink();
    if (began) this.run();
  }

  // Goes to a simulated instant and stays there.
  async seek(t) {
    const atPs = parseSpan(t);
    if (!(atPs >= 0)) {
      this.#host.send("error", { problems: [text.refused("t", t.slice(0, 60), text.anInstant)] });
      return;
    }
    if (this.#run && this.#run.nowPs > atPs) this.#stop();
    this.#forgetInstant();
    this.#showLink();
    await this.#start();
    this.#go(() => this.#run.goTo(atPs));
  }

  // Lets the run do something, as soon as it can be seen.
  #go(goOn) {
    this.#goOn = goOn;
    this.#held = !this.#visible;
    if (this.#visible && this.#run) this.#guard(goOn());
  }

  // Goes to the link's instant and stays there, or, without one, on.
  async #playOrReproduce() {
    const run = this.#run;
    if (!await this.#share.reproduce(run, () => this.#fork(run))) await run.play();
  }

  async #fork(run) {
    await run.fork(this.#setup(), text.forkFailed);
    this.#results = {};
    messages.say(text.forked(instant(run.nowPs), ...this.#titles()));
  }

  // What the link names in time is not of the run that is shown now.
  #forgetInstant() {
    this.#share.forget();
    Object.assign(this.#link, { forkPs: undefined, atPs: undefined });
  }

  get #knobless() {
    return this.#options.ui === "none";
  }

  #show() {
    const { study } = this.#link;
    const { ui, lang } = this.#options;
    document.documentElement.lang = lang;
    document.title = $("title").textContent = study.title;
    $("bar").hidden = this.#knobless;
    $("full").hidden = ui !== "full";
    $("result-note").textContent = text.resultNote;
    for (const problem of [...this.#link.problems, ...this.#options.problems]) messages.say(problem);
    if (this.#link.step !== undefined) messages.say(text.embedIgnores);
    if (!this.#knobless) showKnobs($("knobs"), this.#options.unlock, this.#values(), (key, value) => this.set({ [key]: value }));
    $("poster").alt = text.poster(study);
    $("poster").hidden = false;
    $("run").disabled = false;
    $("run").setAttribute("aria-label", text.runStudy(study.title));
    showResult($("result"), study, this.#results);
    this.#showTheme();
    this.#showLink();
    new ResizeObserver(() => this.#host.send("height", { height: naturalHeight() })).observe($("below"));
  }

  // The unlocked parameters' values.
  #values() {
    const { study, kernels, set } = this.#link;
    const own = (key) => kernels.map((id) => study.kernels.find((k) => k.id === id).values[key]).find(Boolean);
    return Object.fromEntries(this.#options.unlock.map(({ key, default: value }) => [key, set[key] ?? own(key) ?? study.values[key] ?? value]));
  }

  get #dark() {
    const { theme } = this.#options;
    return theme === "dark" || (theme === "auto" && darkSystem.matches);
  }

  #showTheme() {
    const theme = this.#dark ? "dark" : "light";
    document.documentElement.dataset.theme = theme;
    $("poster").src = `posters/${this.#link.study.id}-${theme}.svg`;
    const view = Math.max(0, this.#site.views.indexOf(this.#link.view));
    this.#painter?.setOptions({ view, heat: 0, fold: true, dark: this.#dark, reducedMotion: reducedMotion.matches, titles: this.#titles() });
  }

  #titles() {
    const { study, kernels } = this.#link;
    return kernels.map((id) => study.kernels.find((k) => k.id === id).title);
  }

  // What is shown, for a link.
  #shown() {
    const { study, kernels, set, machine, view, forkPs, atPs } = this.#link;
    return { study, kernels, set, machine, view, forkPs, atPs };
  }

  // The way to the whole page, showing the same.
  async #showLink() {
    $("open").href = await this.#share.address();
  }

  // Runs only while it can be seen; the picture's program is ended too, as
  // browsers allow few WebGL contexts at once.
  #watch() {
    let onScreen = true;
    const look = () => this.#setVisible(onScreen && !document.hidden);
    new IntersectionObserver(([entry]) => {
      onScreen = entry.isIntersecting;
      look();
    }).observe($("stage"));
    document.addEventListener("visibilitychange", look);
  }

  async #setVisible(visible) {
    if (visible === this.#visible) return;
    this.#visible = visible;
    if (!visible) {
      this.#held ||= this.#run?.running ?? false;
      await this.#run?.pause();
      if (!this.#visible) this.#closePainter();
    } else if (this.#run) {
      this.#openPainter();
      if (this.#held) this.#go(this.#goOn);
    } else if (this.#options.autoplay && !this.#starting) {
      this.run();
    }
  }

  // Resolves when both machines have been built, or have failed to be.
  #start() {
    this.#starting ??= this.#build();
    return this.#starting;
  }

  async #build() {
    messages.clear();
    $("run").hidden = true;
    $("loading").hidden = false;
    try {
      const [painter, engine] = await Promise.all([this.#programs.painter(), this.#programs.engine()]);
      this.#modules = { painter, engine };
      await this.#begin();
    } catch (error) {
      this.#stop();
      this.#fail(error);
      $("run").hidden = false;
    } finally {
      $("loading").hidden = true;
    }
  }

  #setup() {
    const { study, kernels, set, machine } = this.#link;
    return { study: study.id, kernels, set, machine };
  }

  async #begin() {
    const run = new Run(this.#modules.engine, psPerSecond(defaultStep), {
      onFrame: (side, answer) => this.#took(side, answer),
      onResult: (side, result, details) => this.#found(side, result, details),
      onChange: () => this.#showState(true),
    });
    this.#run = run;
    if (this.#visible) this.#openPainter();
    await run.start({ ...this.#setup(), warm: this.#site.warm }, text.startFailed);
    if (this.#share.wantsEarlier(run)) await run.start({ ...this.#setup(), warm: [] }, text.startFailed);
    $("pause").disabled = false;
    $("hold").hidden = !this.#knobless;
  }

  #stop() {
    this.#run?.close();
    this.#run = undefined;
    this.#starting = undefined;
    this.#results = {};
    this.#held = false;
  }

  #openPainter() {
    this.#painter ??= new Painter($("stage"), this.#modules.painter, text.picture, {
      onReady: () => {
        this.#showTheme();
        for (const side of [0, 1]) {
          const bytes = this.#run?.static(side);
          if (bytes) this.#setStatic(side, bytes);
        }
        if (this.#run) this.#guard(this.#run.redraw());
      },
      onLost: () => {},
      onFailed: (why) => {
        $("stage").classList.remove("live");
        this.#fail(new Error(text.painterFailed(why)));
      },
    });
  }

  #setStatic(side, bytes) {
    this.#painter?.setStatic(side, bytes);
    this.#painter?.setLists({ show: "", large: this.#link.study.focus ?? "" });
  }

  #closePainter() {
    this.#painter?.close();
    this.#painter = undefined;
    $("stage").classList.remove("live");
  }

  #took(side, { static: machine, frame, notice }) {
    if (notice) messages.say(notice);
    if (machine) this.#setStatic(side, machine);
    const drawn = this.#painter?.draw(side, frame);
    if (this.#painter?.ready) $("stage").classList.add("live"); // until then the poster stays
    this.#showState(false);
    return drawn;
  }

  #found(side, result, details) {
    this.#painter?.setDetails(side, details);
    const { study, kernels } = this.#link;
    this.#results[kernels[side]] = result;
    showResult($("result"), study, this.#results);
    const found = Object.entries(this.#results).filter(([, { metric }]) => metric);
    this.#host.send("result", {
      metric: study.metric.key, unit: study.metric.unit,
      kernels: Object.fromEntries(found.map(([id, { metric, settled, full }]) => [id, { ...metric, settled, full }])),
    });
  }

  #showState(changed) {
    const now = performance.now();
    const run = this.#run;
    if (!run || (!changed && now - this.#saidMs < progressEveryMs)) return;
    this.#saidMs = now;
    for (const id of ["pause", "hold"]) $(id).textContent = run.running ? text.pause : run.done ? text.again : text.resume;
    $("clock").textContent = `${instant(run.nowPs)}, ${whole(run.events)} events`;
    this.#host.send("progress", { t: formatSpan(run.nowPs), running: run.running, done: run.done, progress: run.progress });
  }

  // What a host may want to know at first.
  #about() {
    const { study, kernels } = this.#link;
    return {
      study: study.id, kernels, params: this.#values(), unlock: this.#options.unlock.map(({ key }) => key),
      modelVersion: this.#site.model_version, height: naturalHeight(),
    };
  }

  #guard(promise) {
    const run = this.#run;
    promise.catch((error) => run === this.#run && this.#fail(error));
  }

  #fail(error) {
    messages.say(error.message, "problem");
    this.#host.send("error", { problems: [error.message] });
  }
}

// The height that shows everything, in CSS pixels. It depends on the width
// alone, so that a host may follow it.
function naturalHeight() {
  const width = document.documentElement.clientWidth;
  const picture = width < 500 ? 1.2 * width : Math.min(Math.max(0.5 * width, 240), 560);
  return Math.ceil(picture + $("below").offsetHeight);
}

async function open() {
  const response = await fetch("data/site.json");
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const site = await response.json();
  const link = await readLink(location, site, optionKeys);
  new Embed(site, link, readOptions(location.search, site.params));
}

open().catch((error) => messages.say(text.noData(error.message), "problem"));
