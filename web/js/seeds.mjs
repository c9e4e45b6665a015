// Many seeds: jobs of (kernel, seed) spread over workers.

import { text } from "./text.mjs";

const maxWorkers = 4;
const sliceMs = 200; // between two looks at the progress
const stuckMs = 60_000; // a worker that answers nothing for so long is replaced
const noEventLimit = 2 ** 52;
const noInstant = 2 ** 53;
const maxFailed = 10; // after so many failures the others would fail too

// One worker a core, up to a limit.
const numWorkers = () => Math.min(maxWorkers, navigator.hardwareConcurrency || 1);

export class Seeds {
  #jobs; // {kernel, seed, share, result, error}
  #next = 0;
  #engines = new Set();
  #newEngine;
  #setup;
  #handlers;
  #limits;
  #stopped = false;
  #summed = 0; // results in the newest summary

  // Runs each of a setup's kernels with each seed; setup is otherwise as
  // engine.mjs's start takes it. newEngine() makes an engine. handlers:
  // onProgress(share, done, all); onSummary(summaries, runs) as engine.mjs's
  // report has them; onFailed(kernel, seed, why).
  constructor({ kernels, ...setup }, seeds, newEngine, handlers, limits = { workers: numWorkers(), stuckMs }) {
    this.#setup = setup;
    this.#newEngine = newEngine;
    this.#handlers = handlers;
    this.#limits = limits;
    this.kernels = [...new Set(kernels)];
    this.#jobs = seeds.flatMap((seed) => this.kernels.map((kernel) => ({ kernel, seed, share: 0 })));
  }

  // Resolves when all runs have ended or been cancelled; the workers are gone
  // then. A failed run is told of and the others go on; it rejects where
  // workers do not start.
  async run() {
    const workers = Math.min(this.#limits.workers, this.#jobs.length);
    try {
      await Promise.all(Array.from({ length: workers }, () => this.#work()));
    } finally {
      this.cancel();
    }
  }

  // Ends the runs in flight; those that have ended count.
  cancel() {
    this.#stopped = true;
    for (const engine of this.#engines) engine.close();
    this.#engines.clear();
  }

  get done() {
    return this.#jobs.filter(({ result, error }) => result ?? error).length;
  }

  get all() {
    return this.#jobs.length;
  }

  // One worker's part: a job after the other, with a new engine after a
  // failure, whose state nobody knows.
  async #work() {
    let engine;
    while (!this.#stopped && this.#next < this.#jobs.length) {
      const job = this.#jobs[this.#next++];
      engine ??= await this.#open();
      try {
        job.result = await this.#measure(engine, job);
        await this.#sumUp(engine);
      } catch (error) {
        if (this.#stopped) return;
        job.error ??= error.message;
        this.#handlers.onFailed(job.kernel, job.seed, job.error);
        this.#close(engine);
        engine = undefined;
        if (this.#jobs.filter((j) => j.error).length >= maxFailed) throw new Error(text.tooManyFailed(maxFailed));
      }
      job.share = 1;
      this.#tell();
    }
    this.#close(engine);
  }

  async #open() {
    const engine = this.#newEngine();
    this.#engines.add(engine);
    await this.#answer(engine.loaded);
    return engine;
  }

  #close(engine) {
    if (this.#engines.delete(engine)) engine.close();
  }

  async #measure(engine, job) {
    const { set, ...setup } = this.#setup;
    let { status } = await this.#answer(engine.start({ ...setup, kernel: job.kernel, set: { ...set, seed: String(job.seed) }, observe: false }));
    while (!status.done) {
      ({ status } = await this.#answer(engine.run(noInstant, noEventLimit, sliceMs)));
      job.share = status.progress;
      this.#tell();
    }
    const { result: { metric, settled } } = await this.#answer(engine.result());
    if (!metric) throw new Error(text.noRate);
    return { seed: job.seed, metric, settled };
  }

  // Has what is there summed up, unless a later sum has overtaken this one.
  async #sumUp(engine) {
    const runs = this.kernels.map((kernel) => ({ kernel, results: this.#jobs.filter((job) => job.kernel === kernel && job.result).map(({ result }) => result) }));
    const results = runs.reduce((sum, run) => sum + run.results.length, 0);
    const { summaries } = await this.#answer(engine.report(this.#setup.study, runs));
    if (this.#stopped || results < this.#summed) return;
    this.#summed = results;
    this.#handlers.onSummary(summaries, runs);
  }

  async #answer(promise) {
    let timer;
    const stuck = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(text.stuck(this.#limits.stuckMs / 1000))), this.#limits.stuckMs);
    });
    try {
      return await Promise.race([promise, stuck]);
    } finally {
      clearTimeout(timer);
    }
  }

  #tell() {
    if (this.#stopped) return;
    const share = this.#jobs.reduce((sum, job) => sum + job.share, 0) / this.#jobs.length;
    this.#handlers.onProgress(share, this.done, this.all);
  }
}
