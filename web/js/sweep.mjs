// The section "Sweep": both kernels over values of one parameter, as a line
// chart, or of two, as heat tables.

import { Engine } from "./engine.mjs";
import { download } from "./export.mjs";
import { digits, quantity } from "./format.mjs";
import { canonical } from "./params.mjs";
import { Plot } from "./plot.mjs";
import { png, svg } from "./plot-file.mjs";
import { figure, Pool } from "./pool.mjs";
import { element, row, table, td, th } from "./tables.mjs";
import { text } from "./text.mjs";

const maxSeeds = 1000; // as on the command line
const maxRuns = 5000; // more belong on the command line, in shards

const $ = (id) => document.getElementById(id);

export class Sweep {
  #params;
  #prepare;
  #plot = new Plot($("sweep-chart"));
  #pool; // of the sweep that runs
  #csv = "";
  #shown; // {study, titles, keys, cells}
  #turn = 0; // counts what has been cleared

  // params is the parameter table; prepare() resolves to {module, setup, study}
  // of what is chosen, or to undefined if nothing can be run.
  constructor(params, prepare) {
    this.#params = params.filter((param) => param.public && param.key !== "seed");
    this.#prepare = prepare;
    for (const id of ["sweep-key-1", "sweep-key-2"]) {
      $(id).append(...this.#params.map((param) => new Option(`${param.title} (${param.key})`, param.key)));
      $(id).addEventListener("change", () => this.#hint());
    }
    $("sweep-key-1").value = "idle_delay";
    $("sweep-values-1").value = "0, 100us, 500us, 1ms, 2ms, 5ms";
    this.#hint();
    $("sweep-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#run();
    });
    $("sweep-cancel").addEventListener("click", () => this.#cancel());
    $("sweep-csv").addEventListener("click", () => download("sweep.csv", this.#csv, "text/csv"));
    $("sweep-svg").addEventListener("click", () => download("sweep.svg", svg(this.#plot.drawing, this.#title, location.href), "image/svg+xml"));
    $("sweep-png").addEventListener("click", async () => download("sweep.png", await png(this.#plot.drawing, this.#title, location.href), "image/png"));
  }

  // Ends what runs and forgets what came out: something else is chosen.
  clear() {
    this.#turn++;
    this.#pool?.cancel();
    this.#pool = undefined;
    this.#enable(false);
    this.#plot.clear();
    for (const id of ["sweep-end", "sweep-failed", "sweep-table", "sweep-command"]) $(id).replaceChildren();
    $("sweep-result").hidden = true;
  }

  // Says what the chosen parameters allow.
  #hint() {
    const said = ["sweep-key-1", "sweep-key-2"].map((id) => this.#params.find(({ key }) => key === $(id).value));
    $("sweep-hint").textContent = said.filter(Boolean).map((param) => `${param.title}: ${param.range}`).join(" · ");
    $("sweep-values-2").disabled = !said[1];
  }

  // The sweep's KEY=VALUE,VALUE... texts, or problems, of the fields.
  #read() {
    const problems = [];
    const swept = [1, 2].map((n) => ({ key: $(`sweep-key-${n}`).value, values: $(`sweep-values-${n}`).value })).filter(({ key }) => key !== "");
    if (swept.length === 2 && swept[0].key === swept[1].key) problems.push(text.sweepTwice);
    const texts = swept.map(({ key, values }) => {
      const param = this.#params.find((p) => p.key === key);
      const good = values.split(",").map((value) => {
        const known = canonical(param, value);
        if (known === undefined) problems.push(text.sweepValue(param, value.trim()));
        return known;
      });
      return `${key}=${[...new Set(good)].join(",")}`;
    });
    const seeds = $("sweep-seeds").valueAsNumber;
    if (!Number.isInteger(seeds) || seeds < 1 || seeds > maxSeeds) problems.push(text.seedsRange(maxSeeds));
    return { keys: swept.map(({ key }) => key), texts, seeds, problems };
  }

  async #run() {
    this.clear();
    const { keys, texts, seeds, problems } = this.#read();
    $("sweep-problem").textContent = problems.join(" ");
    if (problems.length > 0) return;
    this.#enable(true);
    const turn = this.#turn;
    const chosen = await this.#prepare();
    if (turn !== this.#turn) return;
    const said = chosen && await this.#sweep(chosen, keys, texts, seeds).catch((error) => error.message);
    if (turn !== this.#turn) return;
    this.#pool = undefined;
    this.#enable(false);
    if (said) $("sweep-end").textContent = said;
  }

  // Resolves to what to say at the end.
  async #sweep({ module, study, setup }, keys, texts, seeds) {
    const { seed, ...set } = setup.set;
    const others = Object.entries(set).filter(([key]) => !keys.includes(key)).map(([key, value]) => `${key}=${value}`);
    const kernels = [...new Set(setup.kernels)];
    const sweep = { study: setup.study, kernels, texts: [...texts, ...others], machine: setup.machine, first: Number(seed), seeds };
    const titles = new Map(study.kernels.map(({ id, title }) => [id, title]));
    const turn = this.#turn;
    const { runs } = await plan(module, sweep);
    if (turn !== this.#turn) return undefined;
    if (runs.length > maxRuns) return text.sweepTooLarge(runs.length, maxRuns, command(sweep));
    $("sweep-command").textContent = command(sweep);
    let shown = 0;
    const pool = new Pool({ study: setup.study, machine: setup.machine, warm: setup.warm }, () => new Engine(module), {
      onProgress: (share) => {
        $("sweep-bar").value = share;
        $("sweep-bar-label").textContent = pool.progress(share);
      },
      onResult: async (engine) => {
        const results = pool.jobs.map(({ set: { seed: of }, result }) => (result ? { seed: Number(of), ...figure(result) } : null));
        const there = results.filter(Boolean).length;
        const found = await pool.answer(engine.sweep(sweep, results));
        if (pool.stopped || there < shown) return;
        shown = there;
        this.#csv = found.csv;
        this.#show(study, titles, { ...found, keys: found.keys.slice(0, keys.length) });
      },
      onFailed: ({ kernel, set: of }, why) => $("sweep-failed").append(element("li", text.sweepFailed(titles.get(kernel), of, why))),
    });
    this.#pool = pool;
    await pool.run(runs);
    return text.seedsDone(pool.all, digits(pool.tookS));
  }

  #cancel() {
    const pool = this.#pool;
    this.#turn++;
    pool?.cancel();
    this.#pool = undefined;
    this.#enable(false);
    if (pool) $("sweep-end").textContent = text.seedsCancelled(pool.done, pool.all);
    $("sweep-run").focus();
  }

  #enable(running) {
    $("sweep-run").disabled = running;
    $("sweep-cancel").disabled = !running;
    $("sweep-progress").hidden = !running;
    $("sweep-bar").value = 0;
    $("sweep-bar-label").textContent = text.starting;
  }

  #show(study, titles, { keys, cells }) {
    const { unit, title } = study.metric;
    const write = (v) => quantity(v, unit);
    const kernels = [...new Set(cells.map(({ kernel }) => kernel))];
    const of = (kernel) => cells.filter((cell) => cell.kernel === kernel);
    // Values in the order in which they were given.
    const axes = keys.map((key, i) => order(cells.map(({ values }) => values[i]), this.#given(key)));
    this.#shown = { title };
    $("sweep-result").hidden = false;
    for (const id of ["sweep-svg", "sweep-png", "sweep-chart"]) $(id).hidden = keys.length > 1;
    const at = (kernel, ...values) => find(of(kernel), values);
    if (keys.length === 1) {
      this.#plot.show(this.#chart(keys[0], axes[0], kernels, titles, at, title, write));
      const heads = [th(this.#title1(keys[0]), "col"), ...kernels.map((kernel) => th(titles.get(kernel), "col"))];
      const rows = axes[0].map((value) => row(th(value, "row"), ...kernels.map((kernel) => this.#cell(at(kernel, value), write))));
      $("sweep-table").replaceChildren(table(text.sweepOf(title), [row(...heads)], rows));
      return;
    }
    const means = cells.map(({ mean }) => mean.value);
    const [low, high] = [Math.min(...means), Math.max(...means)];
    $("sweep-table").replaceChildren(...kernels.map((kernel) => {
      const heads = [th(`${this.#title1(keys[0])} ↓  ${this.#title1(keys[1])} →`, "col"), ...axes[1].map((value) => th(value, "col"))];
      const rows = axes[0].map((first) => row(th(first, "row"), ...axes[1].map((second) => {
        const cell = at(kernel, first, second);
        const node = this.#cell(cell, write);
        if (cell) heat(node, high > low ? (cell.mean.value - low) / (high - low) : 0);
        return node;
      })));
      const made = table(`${titles.get(kernel)}: ${text.sweepOf(title)}`, [row(...heads)], rows);
      made.className = "heat";
      return made;
    }));
  }

  #chart(key, values, kernels, titles, at, title, write) {
    const of = (take) => kernels.map((kernel) => values.map((value) => take(at(kernel, value)) ?? null));
    const [mean, lo, hi] = [of((c) => c?.mean.value), of((c) => c?.mean.lo), of((c) => c?.mean.hi)];
    return {
      x: values.map((_, i) => i), lines: kernels.map((kernel, i) => ({ title: titles.get(kernel), values: mean[i], lo: lo[i], hi: hi[i] })),
      xLabel: this.#title1(key), yLabel: title, xTick: (i) => values[i] ?? "", write, steps: true,
    };
  }

  #cell(cell, write) {
    if (!cell) return td(text.notYet, "faint");
    const { mean: { value, lo, hi }, seeds } = cell;
    const node = td(write(value), "number");
    if (lo !== hi) node.append(element("small", `${write(lo)} – ${write(hi)}`));
    node.append(element("small", text.ofSeeds(seeds)));
    return node;
  }

  #given(key) {
    const n = [1, 2].find((i) => $(`sweep-key-${i}`).value === key);
    const param = this.#params.find((p) => p.key === key);
    return $(`sweep-values-${n}`).value.split(",").map((value) => canonical(param, value));
  }

  #title1(key) {
    return this.#params.find((param) => param.key === key).title;
  }

  get #title() {
    return this.#shown.title;
  }
}

// A sweep's runs, from a worker of its own.
async function plan(module, sweep) {
  const engine = new Engine(module);
  try {
    await engine.loaded;
    return await engine.sweep(sweep);
  } finally {
    engine.close();
  }
}

// The cell of those values, or the only one of a kernel that the parameters do
// not concern.
function find(cells, values) {
  const fits = ({ values: of }) => values.every((value, i) => value === of[i] || new Set(cells.map((cell) => cell.values[i])).size === 1);
  return cells.find(fits);
}

// Values as given, then those that a kernel has of its own.
const order = (values, given) => [...given.filter((value) => values.includes(value)), ...new Set(values.filter((value) => !given.includes(value)))];

// Colours a cell by its share of the range; its text says the value too.
function heat(node, share) {
  node.style.backgroundColor = `color-mix(in srgb, var(--accent) ${Math.round(60 * share)}%, transparent)`;
}

// What does the same in a shell, also spread over machines.
function command({ study, kernels, texts, first, seeds, machine }) {
  const set = texts.map((of) => `--set ${of}`).join(" ");
  return machine ? text.ownMachineSweep : `wakelab sweep --study ${study} --kernel ${kernels.join(",")} ${set} --seed ${first} --seeds ${seeds} --format csv`;
}
