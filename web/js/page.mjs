// The page: finds its elements and connects the modules to them.

import { Charts } from "./charts.mjs";
import { Choice } from "./choice.mjs";
import { showCosts } from "./costs.mjs";
import { Findings } from "./findings.mjs";
import { findParting } from "./fork.mjs";
import { Form } from "./form.mjs";
import { gaps } from "./gaps.mjs";
import { showHint } from "./hint.mjs";
import { instant, span, whole } from "./format.mjs";
import { readLink } from "./link.mjs";
import { Looking } from "./looking.mjs";
import { embedDialog } from "./embed-dialog.mjs";
import { exportDialog } from "./export-dialog.mjs";
import { machineDialog } from "./machine-dialog.mjs";
import { Many } from "./many.mjs";
import { Messages } from "./messages.mjs";
import { nextOne } from "./one.mjs";
import { palette } from "./palette.mjs";
import { Parting, words } from "./parting.mjs";
import { Painter } from "./painter.mjs";
import { Programs } from "./programs.mjs";
import { Run } from "./run.mjs";
import { Scrub } from "./scrub.mjs";
import { Settings } from "./settings.mjs";
import { Share } from "./share.mjs";
import { parseSpan } from "./params.mjs";
import { defaultStep, maxStep, psPerSecond, stepOf } from "./speed.mjs";
import { Story } from "./story.mjs";
import { showCounters, showResult } from "./tables.mjs";
import { Sweep } from "./sweep.mjs";
import { text } from "./text.mjs";

const refreshMs = 100;

const $ = (id) => document.getElementById(id);
const messages = new Messages($("messages"));
const dark = matchMedia("(prefers-color-scheme: dark)");
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

class Page {
  #choice;
  #share;
  #programs;
  #warm; // keys of the settled states
  #painter;
  #run;
  #results = {}; // kernel id -> result of its newest run
  #seedResults = {}; // kernel id -> result over many seeds, which goes before
  #form;
  #many;
  #charts = new Charts();
  #parting;
  #sweep;
  #findings;
  #scrub;
  #setup; // of the run: {study, kernels, set, machine}
  #partsAt = null; // where a forked run's sides part, as Painter takes it
  #forkPs; // instant at which both kernels' runs went on from the first's state
  #gaps; // shows the model's gaps, those of a study first
  #looking = new Looking((message, kind) => messages.say(message, kind));
  #story;
  #site;
  #settings;
  #sides; // of the run: [{kernel, title, counters}]

  constructor(site, link) {
    this.#warm = site.warm;
    this.#programs = new Programs(site.programs, $("bytes"), $("loading-text"));
    for (const problem of link.problems) messages.say(problem);
    const { seed, ...set } = link.set;
    const settings = new Settings(link.study, set);
    this.#site = site;
    this.#settings = settings;
    this.#gaps = gaps($("gaps"), site.gaps);
    this.#story = new Story({
      run: (kernels) => this.#runOf(kernels),
      look: (look) => this.#look(look),
      arrived: () => this.#guarded(this.#share.show(this.#run)),
      play: () => this.#run && this.#play(),
      say: (message, kind) => messages.say(message, kind),
    });
    this.#choice = new Choice($("choice"), site.studies, link, settings, (study) => this.#showStudy(study));
    this.#share = new Share(site, link, () => this.#shown(), (message, kind) => messages.say(message, kind));
    this.#form = new Form($("parameters"), site.params, settings);
    this.#many = new Many(() => this.#prepareSeeds(), (results) => {
      this.#seedResults = results;
      this.#showResults();
    });
    this.#sweep = new Sweep(site.params, () => this.#prepareSeeds());
    this.#parting = new Parting($("parting"), () => this.#programs.engine());
    if (link.step !== undefined) this.#story.useStudy(link.study, link.step - 1);
    const changed = () => {
      this.#story.forget();
      this.#changed();
    };
    $("choice").addEventListener("change", changed);
    settings.addEventListener("change", changed);
    this.#showSet();
    const loadEngine = () => this.#programs.engine();
    embedDialog(site, () => this.#shown(), async () => (this.#run && !this.#run.running ? this.#run.digest() : {}));
    exportDialog({
      shown: () => this.#shown(), picture: (format) => this.#picture(format), found: () => this.#foundRuns(), load: loadEngine,
    }, site.warm);
    machineDialog(loadEngine, (preset) => {
      this.#choice.machine = preset;
      this.#changed();
    });
    $("copy-link").addEventListener("click", () => this.#guarded(this.#share.copy(this.#run)));
    $("foot-text").textContent = text.foot(site.model_version);
    palette();
    showHint($("hint"), $("hint-close"));

    $("speed").max = maxStep;
    $("speed").value = defaultStep;
    $("speed").addEventListener("input", () => this.#setSpeed());
    this.#setSpeed();

    $("view").replaceChildren(...site.views.map((name) => new Option(name)));
    if (link.view) $("view").value = link.view;
    $("view").addEventListener("change", () => this.#share.show(this.#run?.running ? undefined : this.#run));
    $("heat").replaceChildren(...site.heats.map((name) => new Option(name)));
    for (const setting of [dark, reducedMotion, $("view"), $("heat"), $("fold")]) setting.addEventListener("change", () => this.#showOptions());

    $("choice").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#start();
    });
    $("show-one").addEventListener("click", () => this.#guarded(this.#showOne()));
    $("restart").addEventListener("click", () => this.#start());
    $("pause").addEventListener("click", () => (this.#run.running ? this.#run.pause() : this.#play()));
    $("step").addEventListener("click", () => this.#step());
    $("fork").addEventListener("click", () => this.#guarded(this.#fork().then(() => this.#play())));
    this.#scrub = new Scrub($("scrub"), $("scrub-text"), (ps) => this.#run.goTo(ps));
  }

  // What is shown, for a link.
  #shown() {
    const { study, kernels, set, machine } = this.#choice;
    return {
      study, kernels, set, machine, view: $("view").selectedIndex > 0 ? $("view").value : undefined,
      step: this.#story.standsIn(this.#run) && this.#forkPs === undefined ? this.#story.step + 1 : undefined, forkPs: this.#forkPs,
    };
  }

  // The picture as a file, svg or png, signed with where it is from.
  async #picture(format) {
    if (!this.#run || !this.#painter?.ready) throw new Error(text.noPicture);
    await this.#run.pause();
    await this.#share.show(this.#run);
    return this.#painter.picture({ format, sign: text.pictureSign(this.#choice.set.seed, this.#site.model_version, location.search) });
  }

  // What the result table is of, run by run, and the text of mmtests' table.
  #foundRuns() {
    const { set } = this.#choice;
    const { runs, mmtests } = this.#many.found;
    const own = this.#forkPs !== undefined ? [] : Object.entries(this.#results).map(([kernel, result]) => ({ kernel, result }));
    const shown = (runs.length > 0 ? runs : own).map(({ kernel, result }) => ({ kernel, result, set: { ...set, seed: String(result.seed) } }));
    return { runs: shown, mmtests };
  }

  #showStudy(study) {
    document.title = `${study.title} – Wakelab`;
    $("title").textContent = study.title;
    $("summary").textContent = study.summary;
    $("look-at").replaceChildren(...study.look_at.map((hint) => Object.assign(document.createElement("li"), { textContent: hint })));
    $("poster-dark").srcset = `posters/${study.id}-dark.svg`;
    $("poster").src = `posters/${study.id}-light.svg`;
    $("poster").alt = text.poster(study);
    $("poster").hidden = false;
    this.#looking.useStudy(study);
    this.#story.useStudy(study);
    this.#gaps(study);
    this.#results = {};
    this.#seedResults = {};
    showResult($("result"), study, this.#results);
  }

  #showResults() {
    showResult($("result"), this.#choice.study, { ...this.#results, ...this.#seedResults });
  }

  // Something else is chosen: what runs or ran is not of it.
  #changed() {
    this.#share.forget();
    this.#share.show();
    this.#many.clear();
    this.#sweep.clear();
    this.#charts.start([]);
    this.#parting.use(undefined);
    this.#results = {};
    this.#showResults();
    this.#showSet();
    if (!this.#run) return;
    this.#run.close();
    this.#run = undefined;
    this.#enable(false);
    $("clock").textContent = text.changedRun;
  }

  // Says which parameters are not the study's.
  #showSet() {
    const changed = Object.entries(this.#choice.set).filter(([key]) => key !== "seed").map(([key, value]) => `${key}=${value}`).join(", ");
    $("result-note").textContent = text.resultNote + (changed && text.changed(changed));
  }

  // Whether the form lets a run start; otherwise it shows why not.
  #ready() {
    const { wrong } = this.#form;
    if (!wrong) return true;
    messages.say(text.wrongFields(wrong.title), "problem");
    this.#form.show(wrong);
    return false;
  }

  // What many seeds are run of. The picture's run rests meanwhile.
  async #prepareSeeds() {
    messages.clear();
    if (!this.#ready()) return undefined;
    await this.#run?.pause();
    $("loading").hidden = false;
    try {
      const module = await this.#programs.engine();
      const { kernels, study, set, machine } = this.#choice;
      return { module, study, setup: { study: study.id, kernels, set, machine, warm: this.#warm } };
    } catch (error) {
      messages.say(error.message, "problem");
      return undefined;
    } finally {
      $("loading").hidden = true;
    }
  }

  #setSpeed() {
    const speed = psPerSecond($("speed").value);
    const label = speed === Infinity ? text.asFast : text.speed(span(speed));
    $("speed-text").textContent = label;
    $("speed").setAttribute("aria-valuetext", label);
    if (this.#run) this.#run.speed = speed;
  }

  // A paused run of two kernels for the story: the one there is or a new one.
  async #runOf(kernels) {
    if (String(kernels) !== String(this.#choice.kernels)) {
      this.#choice.kernels = kernels;
      this.#changed();
    }
    if (this.#run && this.#forkPs === undefined) await this.#run.pause();
    else await this.#start(async () => {});
    return this.#run;
  }

  // Shows what a step of the story says is to be looked at.
  #look({ view, span: window, speed, ...cpus }) {
    $("view").value = view;
    this.#showOptions();
    this.#looking.point({ ...cpus, windowPs: parseSpan(window ?? "100us") });
    $("speed").value = stepOf(parseSpan(speed ?? "1us"));
    this.#setSpeed();
  }

  // Shows one wakeup or call, as a whole, on the timeline.
  async #showOne() {
    const look = await nextOne(this.#run, this.#findings.path);
    if (!look) {
      messages.say(text.noneYet);
      return;
    }
    $("view").value = look.view;
    this.#showOptions();
    this.#looking.point({ ...look, large: $("large").value });
    $("stage").scrollIntoView({ block: "nearest" });
  }

  // Starts both kernels from the beginning and does with the run what then()
  // says, or else plays it, from the instant that the address asked for.
  async #start(then) {
    messages.clear();
    if (!this.#ready()) return;
    this.#run?.close();
    this.#run = undefined;
    this.#enable(false);
    $("loading").hidden = false;
    $("stage").scrollIntoView({ block: "nearest" });
    try {
      const [painter, engine] = await Promise.all([this.#programs.painter(), this.#programs.engine()]);
      this.#painter ??= this.#newPainter(painter);
      await this.#begin(engine, then ?? (() => this.#playOrReproduce()));
    } catch (error) {
      messages.say(error.message, "problem");
    } finally {
      $("loading").hidden = true;
    }
  }

  async #playOrReproduce() {
    const run = this.#run;
    if (this.#story.step >= 0) await this.#story.go(this.#story.step);
    const reproduced = await this.#share.reproduce(run, () => this.#fork());
    if (!reproduced && this.#story.step < 0) await run.play();
  }

  async #begin(module, then) {
    const { kernels, study, set, machine } = this.#choice;
    const published = Object.keys(set).length === 1 && !machine; // nothing but the seed is changed
    this.#sides = kernels.map((kernel) => {
      const { title, side } = study.kernels.find((k) => k.id === kernel);
      return { kernel, title, counters: [], side: published ? side : {} };
    });
    this.#findings = new Findings($("findings"), this.#sides.map(({ title }) => title));
    showCosts($("costs"), this.#site, (param) => this.#settings.value(param) ?? this.#settings.common(param), kernels.map((id) => study.kernels.find((k) => k.id === id)));
    this.#charts.start(this.#sides.map(({ title }) => title));
    const run = new Run(module, psPerSecond($("speed").value), {
      onFrame: (side, answer) => this.#took(side, answer),
      onResult: (...found) => this.#found(...found),
      onChange: () => {
        this.#showState();
        if (run === this.#run && !run.running) this.#guarded(this.#share.show(this.#run, () => run === this.#run && !run.running));
      },
    });
    this.#run = run;
    if (this.#forkPs !== undefined) {
      this.#forkPs = undefined;
      this.#share.show();
    }
    this.#setParting(null);
    this.#showOptions();
    const setup = { study: study.id, kernels, set, machine };
    this.#setup = setup;
    this.#parting.use(setup, this.#sides.map(({ title }) => title));
    await run.start({ ...setup, warm: this.#warm }, text.startFailed);
    if (this.#share.wantsEarlier(run)) await run.start({ ...setup, warm: [] }, text.startFailed);
    if (run !== this.#run) return;
    this.#enable(true);
    this.#guarded(then());
  }

  // Lets both kernels go on from where the first one stands.
  async #fork() {
    const run = this.#run;
    const state = await run.fork(this.#setup, text.forkFailed);
    this.#forkPs = run.nowPs;
    this.#setParting(null);
    this.#share.show();
    this.#results = {};
    this.#charts.start(this.#sides.map(({ title }) => title));
    this.#parting.use({ ...this.#setup, state }, this.#sides.map(({ title }) => title));
    messages.say(text.forked(instant(run.nowPs), ...this.#sides.map(({ title }) => title)));
    this.#guarded(this.#findParting(run, state));
  }

  // Tells and marks where the kernels of a run forked from that state part.
  async #findParting(run, state) {
    const engine = await this.#programs.engine();
    const parting = await findParting(engine, this.#setup, state);
    if (run !== this.#run) return;
    const first = parting.firsts.filter(Boolean).sort((a, b) => a.atPs - b.atPs)[0];
    this.#setParting(first ? { atPs: first.atPs, cpu: first.cpu } : null);
    messages.say(words(parting, this.#sides.map(({ title }) => title)));
  }

  #setParting(place) {
    this.#partsAt = place;
    this.#painter.setParting(place);
  }

  // Steps as chosen; on one CPU to any tracepoint of the one whose card is kept.
  #step() {
    const [event, on] = $("step-kind").value.split(" ");
    const cpu = on ? $("pin").value : "";
    if (on && cpu === "") messages.say(text.noCardCPU, "problem");
    else this.#guarded(this.#run.step({ event, cpu }));
  }

  #play() {
    this.#guarded(this.#run.play());
  }

  // Shows the failure of a run, unless another run has replaced it.
  #guarded(promise) {
    const run = this.#run;
    promise.catch((error) => {
      if (run === this.#run) messages.say(error.message, "problem");
    });
  }

  #newPainter(module) {
    return new Painter($("stage"), module, text.picture, {
      onReady: () => {
        this.#setUpPainter();
        if (this.#run) this.#guarded(this.#run.redraw());
      },
      onLost: () => messages.say(text.painterLost),
      onFailed: (why) => {
        $("stage").classList.remove("live");
        messages.say(text.painterFailed(why), "problem");
      },
      ...this.#looking.handlers,
    });
  }

  // Tells the painter how to draw.
  #showOptions() {
    this.#painter?.setOptions({
      view: $("view").selectedIndex, heat: $("heat").selectedIndex, fold: $("fold").checked, dark: dark.matches, reducedMotion: reducedMotion.matches, titles: this.#sides?.map(({ title }) => title) ?? ["", ""],
    });
  }

  // Tells a painter that has just started what it draws.
  #setUpPainter() {
    this.#showOptions();
    this.#painter.setParting(this.#partsAt);
    for (const side of [0, 1]) {
      const bytes = this.#run?.static(side);
      if (bytes) this.#painter.setStatic(side, bytes);
    }
    if (this.#run?.static(0)) this.#looking.setUp(this.#painter);
  }

  #took(side, { static: machine, frame, notice }) {
    if (notice) messages.say(notice);
    if (machine) this.#painter.setStatic(side, machine);
    if (machine && side === 0) this.#looking.setUp(this.#painter);
    const drawn = this.#painter.draw(side, frame);
    if (this.#painter.ready) $("stage").classList.add("live"); // until then the poster stays
    this.#refresh();
    return drawn;
  }

  #found(side, result, details, tables, periods) {
    this.#painter.setDetails(side, details);
    this.#findings.show(side, tables);
    const { kernel } = this.#sides[side];
    this.#results[kernel] = result;
    this.#sides[side].counters = result.counters;
    this.#charts.add(side, result.counters, periods);
    this.#showResults();
    if (this.#sides.every(({ counters }) => counters.length > 0)) {
      showCounters($("counters"), text.countersOf(span(this.#run.nowPs)), this.#sides);
    }
  }

  // Shows the state at most every refreshMs: nobody reads faster, and every
  // change has the browser draw the page.
  #refresh() {
    if (this.#refreshing) return;
    this.#refreshing = true;
    setTimeout(() => {
      this.#refreshing = false;
      if (this.#run) this.#showState();
    }, refreshMs);
  }
  #refreshing = false;

  #showState() {
    const run = this.#run;
    $("pause").textContent = run.running ? text.pause : text.resume;
    for (const id of ["pause", "step", "fork"]) $(id).disabled = run.done;
    this.#scrub.show(run);
    const parts = [text.clock(instant(run.nowPs), whole(run.events)), run.done ? text.finished : text.progress(run.progress)];
    if (run.running && run.clock.behind) parts.push(text.behind);
    $("clock").textContent = parts.join(" · ");
  }

  #enable(on) {
    for (const id of ["pause", "step", "restart", "fork", "scrub"]) $(id).disabled = !on;
  }
}

async function open() {
  const response = await fetch("data/site.json");
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  const site = await response.json();
  new Page(site, await readLink(location, site));
}

open().catch((error) => messages.say(text.noData(error.message), "problem"));
