// Many seeds: every kernel with every seed, summed up as results come in.

import { figure, Pool } from "./pool.mjs";

const seedsAtATime = 3; // further ones, until the answer is precise

export class Seeds {
  #pool;
  #study;
  #handlers;
  #summed = 0; // results in the newest summary
  #precision = Infinity;
  #kernels;

  // Runs each of a setup's kernels; setup is otherwise as engine.mjs's start
  // takes it. newEngine() makes an engine. handlers: onProgress(share, done,
  // all); onSummary(report, runs) as engine.mjs's report has them, with whole results;
  // onFailed(kernel, seed, why). limits are the pool's.
  constructor({ kernels, ...setup }, newEngine, handlers, limits) {
    this.#handlers = handlers;
    this.#study = setup.study;
    this.#kernels = [...new Set(kernels)];
    this.#pool = new Pool(setup, newEngine, {
      onProgress: handlers.onProgress,
      onResult: (engine) => this.#sumUp(engine),
      onFailed: ({ kernel, seed }, why) => handlers.onFailed(kernel, seed, why),
    }, limits);
  }

  // Runs count seeds from the first on, and with until, {precision, seeds},
  // further ones until every ratio's interval is within that share of it or
  // there are so many seeds. Resolves and rejects as a pool's run does.
  async run(first, count, until = { precision: Infinity, seeds: 0 }) {
    for (let n = 0, to = count; n < to && !this.#pool.stopped; n = to, to = this.#precision <= until.precision ? n : Math.min(n + seedsAtATime, until.seeds)) {
      const seeds = Array.from({ length: to - n }, (_, i) => first + n + i);
      await this.#pool.run(seeds.flatMap((seed) => this.#kernels.map((kernel) => ({ kernel, seed, set: { seed: String(seed) } }))));
    }
  }

  cancel() {
    this.#pool.cancel();
  }

  get pool() {
    return this.#pool;
  }

  // Has what is there summed up, unless a later sum has overtaken this one.
  async #sumUp(engine) {
    const of = (kernel) => this.#pool.jobs.filter((job) => job.kernel === kernel && job.result);
    const runs = this.#kernels.map((kernel) => ({ kernel, results: of(kernel).map(({ seed, result }) => ({ seed, ...result })) }));
    const results = runs.reduce((sum, run) => sum + run.results.length, 0);
    const figures = runs.map(({ kernel, results }) => ({ kernel, results: results.map((result) => ({ seed: result.seed, ...figure(result) })) }));
    const report = await this.#pool.answer(engine.report(this.#study, figures));
    if (this.#pool.stopped || results < this.#summed) return;
    this.#summed = results;
    this.#precision = report.precision ?? Infinity;
    this.#handlers.onSummary(report, runs);
  }
}
