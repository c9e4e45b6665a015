// Runs spread over workers.

import { answered } from "./answered.mjs";
import { text } from "./text.mjs";

const maxWorkers = 4;
const sliceMs = 20; // after which a worker makes room for a reader who does something
const tellEveryMs = 500; // about progress: drawing it takes time from the workers
const stuckMs = 60_000; // a worker that answers nothing for so long is replaced
const noEventLimit = 2 ** 52;
const noInstant = 2 ** 53;
const maxFailed = 10; // after so many failures the others would fail too
const compilingS = 3; // while the browser compiles and optimizes the engine, which tells nothing of the time left
const minS = 1; // of work after that, before a time is told

// What of a run's result is summed up.
export const figure = ({ metric, settled, digest }) => ({ metric, settled, digest });

// One worker a core, up to a limit.
const numWorkers = () => Math.min(maxWorkers, navigator.hardwareConcurrency || 1);

export class Pool {
  #jobs = []; // {kernel, set, share, result, error}
  #next = 0;
  #engines = new Set();
  #newEngine;
  #setup;
  #handlers;
  #limits;
  #stopped = false;
  #begunMs = performance.now();
  #toldMs = 0;
  #pacedFrom; // {s, share} since when the pace is measured

  // setup is what all runs have in common, as engine.mjs's start takes it.
  // newEngine() makes an engine. handlers: onProgress(share, done, all);
  // onResult(engine) may resolve later, job.result is there; onFailed(job, why).
  constructor(setup, newEngine, handlers, limits = { workers: numWorkers(), stuckMs, answered }) {
    this.#setup = setup;
    this.#newEngine = newEngine;
    this.#handlers = handlers;
    this.#limits = limits;
  }

  // Runs jobs, each {kernel, set} with what is not common. Resolves when all
  // have ended or been cancelled; the workers are gone then. A failed run is
  // told of and the others go on; it rejects where workers do not start.
  async run(jobs) {
    this.#jobs.push(...jobs.map((job) => Object.assign(job, { share: 0 })));
    const workers = Math.min(this.#limits.workers, jobs.length);
    this.#tell();
    try {
      await Promise.all(Array.from({ length: workers }, () => this.#work()));
    } catch (error) {
      this.cancel();
      throw error;
    }
  }

  // Ends the runs in flight; those that have ended count.
  cancel() {
    this.#stopped = true;
    for (const engine of this.#engines) engine.close();
    this.#engines.clear();
  }

  get stopped() {
    return this.#stopped;
  }

  get jobs() {
    return this.#jobs;
  }

  get done() {
    return this.#jobs.filter(({ result, error }) => result ?? error).length;
  }

  get all() {
    return this.#jobs.length;
  }

  // Whole seconds since it was made.
  get tookS() {
    return (performance.now() - this.#begunMs) / 1000;
  }

  // How far it is, in words.
  progress(share) {
    const now = { s: this.tookS, share };
    if (now.s > compilingS) this.#pacedFrom ??= now;
    const [s, part] = [now.s - this.#pacedFrom?.s, share - this.#pacedFrom?.share];
    const left = s > minS && part > 0 ? [text.timeLeft((1 - share) * s / part)] : [];
    return [text.seedsProgress(this.done, this.all), ...left].join(" · ");
  }

  // Waits for an engine, but not for a stuck one.
  async answer(promise) {
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

  // One worker's part: a job after the other, with a new engine after a
  // failure, whose state nobody knows.
  async #work() {
    let engine;
    for (;;) {
      await this.#limits.answered();
      if (this.#stopped || this.#next === this.#jobs.length) break;
      const job = this.#jobs[this.#next++];
      engine ??= await this.#open();
      try {
        job.result = await this.#measure(engine, job);
        await this.#handlers.onResult(engine);
      } catch (error) {
        if (this.#stopped) return;
        job.error ??= error.message;
        this.#handlers.onFailed(job, job.error);
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
    await this.answer(engine.loaded);
    return engine;
  }

  #close(engine) {
    if (this.#engines.delete(engine)) engine.close();
  }

  async #measure(engine, job) {
    const { set, ...setup } = this.#setup;
    let { status } = await this.answer(engine.start({ ...setup, kernel: job.kernel, set: { ...set, ...job.set }, observe: false }));
    while (!status.done) {
      await this.#limits.answered();
      ({ status } = await this.answer(engine.run(noInstant, noEventLimit, sliceMs)));
      job.share = status.progress;
      if (performance.now() - this.#toldMs > tellEveryMs) this.#tell();
    }
    const { result } = await this.answer(engine.result());
    if (!result.metric) throw new Error(text.noRate);
    return result;
  }

  #tell() {
    if (this.#stopped) return;
    this.#toldMs = performance.now();
    const share = this.#jobs.reduce((sum, job) => sum + job.share, 0) / this.#jobs.length;
    this.#handlers.onProgress(share, this.done, this.all);
  }
}
