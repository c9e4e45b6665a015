// The section "Many seeds": starts and cancels the runs, and shows how far
// they are and what came out.

import { Engine } from "./engine.mjs";
import { digits, quantity } from "./format.mjs";
import { percentiles } from "./percentiles.mjs";
import { Seeds } from "./seeds.mjs";
import { strip } from "./strip.mjs";
import { element, row, table, td, th } from "./tables.mjs";
import { text } from "./text.mjs";

// As on the command line.
const maxSeeds = 1000;
const maxSeedsUntil = 20;
const minSeedsUntil = 3;
const minUntil = 0.1; // percent

const $ = (id) => document.getElementById(id);

export class Many {
  #start;
  #onResults;
  #seeds; // those that run
  #turn = 0; // counts what has been cleared
  #runs = []; // [{kernel, result}] that have ended
  #mmtests; // text of the table of percentiles, if there is one

  // start() resolves to {module, setup, study, warm} of what is chosen, setup
  // as the page's run takes it, or to undefined if nothing can be run.
  // onResults({kernel: result}) takes results for the result table.
  constructor(start, onResults) {
    this.#start = start;
    this.#onResults = onResults;
    $("seeds").max = maxSeeds;
    for (const id of ["seeds", "until"]) $(id).addEventListener("input", () => this.#check());
    $("seeds-form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#check()) this.#run();
    });
    $("seeds-cancel").addEventListener("click", () => this.#cancel());
  }

  // Ends what runs and forgets what came out: something else is chosen.
  clear() {
    this.#turn++;
    this.#seeds?.cancel();
    this.#seeds = undefined;
    this.#runs = [];
    this.#mmtests = undefined;
    this.#enable(false);
    for (const id of ["seeds-end", "seeds-failed", "seeds-strip", "seeds-notes"]) $(id).replaceChildren();
    for (const id of ["seeds-values", "percentiles"]) $(id).hidden = true;
    this.#onResults({});
  }

  // What has come out so far: {runs: [{kernel, result}], mmtests}, mmtests being the
  // text of the table of percentiles, or undefined.
  get found() {
    return { runs: this.#runs, mmtests: this.#mmtests };
  }

  // Says what is wrong with the numbers, if anything.
  #check() {
    const n = $("seeds").valueAsNumber;
    const until = $("until").valueAsNumber;
    const goodSeeds = Number.isInteger(n) && n >= 1 && n <= maxSeeds;
    const goodUntil = Number.isNaN(until) ? !$("until").validity.badInput : until >= minUntil && until <= 100;
    $("seeds-problem").textContent = [!goodSeeds && text.seedsRange(maxSeeds), !goodUntil && text.untilRange(minUntil)].filter(Boolean).join(" ");
    $("seeds").setAttribute("aria-invalid", String(!goodSeeds));
    $("until").setAttribute("aria-invalid", String(!goodUntil));
    return goodSeeds && goodUntil;
  }

  async #run() {
    this.clear();
    this.#enable(true);
    const turn = this.#turn;
    const chosen = await this.#start();
    if (turn !== this.#turn) return;
    if (!chosen) {
      this.#enable(false);
      return;
    }
    const { module, setup, study } = chosen;
    const titles = new Map(study.kernels.map(({ id, title }) => [id, title]));
    const seeds = new Seeds(setup, () => new Engine(module), {
      onProgress: (share) => this.#progress(seeds.pool, share),
      onSummary: (report, runs) => this.#show(study, titles, report, runs),
      onFailed: (kernel, seed, why) => $("seeds-failed").append(element("li", text.seedFailed(seed, titles.get(kernel), why))),
    });
    this.#seeds = seeds;
    const until = $("until").valueAsNumber;
    const given = !Number.isNaN(until);
    const count = Math.max($("seeds").valueAsNumber, given ? minSeedsUntil : 1);
    let problem;
    await seeds.run(Number(setup.set.seed), count, given ? { precision: until / 100, seeds: maxSeedsUntil } : undefined)
      .catch((error) => (problem = error.message));
    if (seeds !== this.#seeds) return; // cancelled or replaced
    this.#end(problem ?? text.seedsDone(seeds.pool.all, digits(seeds.pool.tookS)));
  }

  #cancel() {
    if (!this.#seeds) { // still loading
      this.clear();
      return;
    }
    this.#seeds.cancel();
    this.#end(text.seedsCancelled(this.#seeds.pool.done, this.#seeds.pool.all));
  }

  #end(said) {
    this.#seeds = undefined;
    this.#enable(false);
    $("seeds-end").textContent = said;
  }

  #enable(running) {
    const [on, off] = running ? [$("seeds-cancel"), $("seeds-run")] : [$("seeds-run"), $("seeds-cancel")];
    on.disabled = false;
    if (document.activeElement === off) on.focus(); // a disabled button would drop the focus
    off.disabled = true;
    $("seeds-progress").hidden = !running;
  }

  #progress(pool, share) {
    $("seeds-bar").value = share;
    $("seeds-bar-label").textContent = pool.progress(share);
  }

  #show(study, titles, { summaries, mmtests, mmtestsText }, runs) {
    this.#runs = runs.flatMap(({ kernel, results }) => results.map((result) => ({ kernel, result })));
    this.#mmtests = mmtestsText ?? undefined;
    const { unit } = study.metric;
    const value = (v) => quantity(v, unit);
    const base = titles.get(summaries[0].kernel);
    const results = summaries.map((s) => [s.kernel, { metric: s, note: noteOf(s, base, value) }]);
    this.#onResults(Object.fromEntries(results));
    const valuesOf = (kernel) => runs.find((run) => run.kernel === kernel).results.map(({ metric }) => metric.value);
    $("seeds-strip").replaceChildren(strip(summaries.map((s) => ({ ...s, title: titles.get(s.kernel), values: valuesOf(s.kernel) })), value));
    $("seeds-notes").replaceChildren(...summaries.filter(({ groups }) => groups)
      .map(({ kernel, groups }) => element("p", text.twoGroups(titles.get(kernel), groups.map((group) => group.map(value))), "note")));
    this.#showValues(titles, runs, value);
    $("percentiles").hidden = !mmtests;
    if (mmtests) $("percentiles-table").replaceChildren(percentiles(mmtests, titles));
  }

  // Every seed's figure as text.
  #showValues(titles, runs, value) {
    const seeds = [...new Set(runs.flatMap(({ results }) => results.map(({ seed }) => seed)))].sort((a, b) => a - b);
    const heads = [th(text.seed, "col"), ...runs.map(({ kernel }) => th(titles.get(kernel), "col"))];
    const rows = seeds.map((seed) => row(th(String(seed), "row"), ...runs.map(({ results }) => {
      const found = results.find((result) => result.seed === seed);
      return td(found ? value(found.metric.value) : text.none, "number");
    })));
    $("seeds-values").hidden = false;
    $("seeds-table").replaceChildren(table(text.bySeed, [row(...heads)], rows));
  }
}

// How sure a mean over seeds is, and its ratio to the first kernel.
function noteOf({ seeds, settled, lo, hi, pairs, ratio, differs }, base, value) {
  const parts = [text.ofSeeds(seeds)];
  if (seeds > 1) parts.push(text.interval(value(lo), value(hi)));
  if (settled < seeds) parts.push(text.settledOf(settled, seeds));
  if (ratio && pairs > 1) {
    parts.push(text.ratio({ value: digits(ratio.value), lo: digits(ratio.lo), hi: digits(ratio.hi) }, base));
    if (!differs) parts.push(text.noDifference);
  } else if (ratio) {
    parts.push(text.ratioOne(digits(ratio.value), base));
  }
  return parts.join(" · ");
}
