// A run: the two kernels' engines on one seed and one clock.

import { Clock } from "./clock.mjs";
import { Engine } from "./engine.mjs";

const sliceMs = 12; // an engine's longest answer while the speed is limited
const sliceUnlimitedMs = 15;
const slowFrameMs = 40;
const slowPictureMs = 250; // a picture that takes longer is not waited for
const resultEveryMs = 500;
const noEventLimit = 2 ** 52;

export class Run {
  #engines;
  #latest = []; // each engine's last answer
  #statics = [];
  #periods = [0, 0]; // of each engine, told so far: going back changes none
  #started = false;
  #startPs = 0;
  #furthestPs = 0; // that either engine has reached
  #running = false;
  #closed = false;
  #shown; // resolves when the last frame is on the screen
  #resultsMs = 0; // when the results were read last
  #loop = Promise.resolve();
  #resting = Promise.resolve(); // work on a paused run, which has to end before it goes on

  // handlers: onFrame(side, answer) for every frame, which may resolve when it is on the
  // screen; onResult(side, result, details, tables,
  // periods) now and then and at the end, with the periods that are new; onChange() when it starts, pauses or ends.
  constructor(module, psPerSecond, handlers) {
    this.clock = new Clock(psPerSecond);
    this.handlers = handlers;
    this.#engines = [new Engine(module), new Engine(module)];
  }

  // Builds both machines: a study's kernels with the parameters in set
  // changed, on the machine of that preset's text, if there is one; warm lists
  // the settled states there are. Rejects with what explain makes of the
  // engines' words, a list with undefined for a side that has started.
  async start({ kernels, ...setup }, explain) {
    this.#furthestPs = 0;
    this.#periods = [0, 0];
    const sides = await Promise.allSettled(this.#engines.map(async (engine, side) => {
      await engine.loaded;
      const answer = await engine.start({ kernel: kernels[side], ...setup });
      this.#statics[side] = answer.static;
      this.#startPs = answer.status.nowPs;
      this.#took(side, answer);
    }));
    const words = sides.map(({ reason }) => reason?.message);
    if (words.some(Boolean)) throw new Error(explain(words));
    this.#started = true;
  }

  get running() {
    return this.#running;
  }

  get done() {
    return this.#latest.length > 0 && this.#latest.every(({ status }) => status.done);
  }

  // The instant that every unfinished engine has reached, in ps.
  get nowPs() {
    const open = this.#latest.filter(({ status }) => !status.done);
    const at = (open.length > 0 ? open : this.#latest).map(({ status }) => status.nowPs);
    return open.length > 0 ? Math.min(...at) : Math.max(...at, 0);
  }

  // The share of the run that is over, 0 to 1, of the side that has more left.
  get progress() {
    return this.#latest.length > 0 ? Math.min(...this.#latest.map(({ status }) => status.progress)) : 0;
  }

  // The earliest and latest instants that goTo reaches without new simulation, in ps.
  get pastPs() {
    return [this.#startPs, this.#furthestPs];
  }

  // Bytes of the snapshots that both engines keep for it.
  get keptBytes() {
    return this.#latest.reduce((sum, { status }) => sum + status.keptBytes, 0);
  }

  get events() {
    return this.#latest.reduce((sum, { status }) => sum + status.events, 0);
  }

  static(side) {
    return this.#statics[side];
  }

  set speed(psPerSecond) {
    this.clock.psPerSecond = psPerSecond;
    this.clock.start(performance.now(), this.nowPs);
  }

  play() {
    if (this.#running || this.done || this.#closed) return this.#loop;
    return this.#keepOn(() => this.#advance());
  }

  // Goes to simulated instant ps, back or on, as fast as it goes; a pause ends
  // it earlier.
  async goTo(ps) {
    await this.pause();
    await Promise.all(this.#engines.map(async (engine, side) => {
      this.#took(side, await engine.seek(ps));
    }));
    return this.#keepOn(() => this.#reach(ps, () => this.#running));
  }

  // Resolves when both engines have come to rest.
  async pause() {
    this.#running = false;
    await Promise.allSettled([this.#loop, this.#resting]);
  }

  // Brings a paused run's engines to one instant: {atPs, digest}, the first
  // eight digits of each engine's digest there.
  digest() {
    this.#resting = this.#digest();
    return this.#resting;
  }

  // Goes to the next event that fits (want as in engine.mjs) of one engine, or
  // of the one that is behind; the other catches up with it. Resolves to the
  // event's {cpu, to}, or to undefined if a pause or the run's end came before.
  async step(want, side = this.#behind) {
    await this.pause();
    let hit;
    const advance = async () => {
      const answer = await this.#engines[side].next(want, sliceUnlimitedMs);
      this.#took(side, answer);
      hit = answer.hit ?? undefined;
      return hit || answer.status.done;
    };
    const catchUp = () => this.#reach(this.#latest[side].status.nowPs, () => true);
    const near = advance();
    this.#resting = near.then((there) => there && catchUp());
    if (await near) {
      await this.#resting;
      this.handlers.onChange();
      return hit;
    }
    await this.#keepOn(async () => {
      while (this.#running && !await advance());
      await catchUp();
    });
    return hit;
  }

  // The side that is further from the run's end.
  get #behind() {
    const [a, b] = this.#latest.map(({ status }) => status);
    return a.done || (b.nowPs < a.nowPs && !b.done) ? 1 : 0;
  }

  // Starts both kernels anew from the state in which the first one stands, and
  // resolves to that state. Rejects as start does.
  async fork(setup, explain) {
    await this.pause();
    await this.digest(); // brings both to one instant, at which a link finds the same state
    const { state } = await this.#engines[0].save();
    await this.start({ ...setup, state, warm: [] }, explain);
    return state;
  }

  // Asks both engines for a frame of the instant they stand at.
  async redraw() {
    if (!this.#started) return;
    await Promise.all(this.#engines.map(async (engine, side) => this.#took(side, await engine.view())));
  }

  close() {
    this.#closed = true;
    this.#running = false;
    for (const engine of this.#engines) engine.close();
  }

  #keepOn(loop) {
    this.#running = true;
    this.handlers.onChange();
    this.#loop = loop().finally(() => {
      this.#running = false;
      if (!this.#closed) this.handlers.onChange();
    });
    return this.#loop;
  }

  async #digest() {
    await this.#loop.catch(() => {});
    const open = this.#latest.filter(({ status }) => !status.done);
    const atPs = Math.max(...(open.length > 0 ? open : this.#latest).map(({ status }) => status.nowPs));
    await this.#reach(atPs, () => true);
    const digests = await Promise.all(this.#engines.map((engine) => engine.digest()));
    return { atPs: this.nowPs, digest: digests.map(({ digest }) => digest.slice(0, 8)).join("") };
  }

  async #reach(ps, goOn) {
    while (goOn() && this.#latest.some(({ status }) => !status.done && status.nowPs < ps)) {
      await Promise.all([0, 1].map((side) => this.#ask(side, ps, noEventLimit, sliceUnlimitedMs)));
    }
    await this.#readResults(performance.now());
  }

  async #advance() {
    await this.#resting.catch(() => {});
    this.clock.start(performance.now(), this.nowPs);
    let tookMs = 0;
    let shown; // resolves when the picture before the last is on the screen
    while (this.#running && !this.done) {
      const { unlimited } = this.clock;
      // A long slice is followed by the next at once, a short one by a
      // drawing, so that frames never come faster than they can be drawn.
      if (!unlimited || document.hidden || tookMs < sliceMs) await nextFrame();
      // No slice while the picture before the last waits for the screen: the
      // engines would keep the processors from drawing it.
      await Promise.race([shown, delay(slowPictureMs)]);
      shown = this.#shown;
      const start = performance.now();
      const until = this.clock.target(start);
      const ms = unlimited ? sliceUnlimitedMs : sliceMs;
      await Promise.all([0, 1].map((side) => this.#ask(side, until, noEventLimit, ms)));
      const end = performance.now();
      tookMs = end - start;
      this.clock.reached(end, this.nowPs);
      if (end - this.#resultsMs > resultEveryMs) await this.#readResults(end);
    }
    await this.#readResults(performance.now());
  }

  async #readResults(nowMs) {
    this.#resultsMs = nowMs;
    await Promise.all(this.#engines.map(async (engine, side) => {
      const from = this.#periods[side];
      const [{ result, details, tables }, periods] = await Promise.all([engine.result(), engine.periods(from)]);
      if (from !== this.#periods[side]) return; // told meanwhile
      this.#periods[side] += periods.atPs.length;
      if (!this.#closed) this.handlers.onResult(side, result, details, tables, periods);
    }));
  }

  async #ask(side, until, events, ms) {
    const { status } = this.#latest[side];
    if (status.done || status.nowPs >= until) return;
    this.#took(side, await this.#engines[side].run(until, events, ms));
  }

  #took(side, answer) {
    this.#latest[side] = answer;
    this.#furthestPs = Math.max(this.#furthestPs, answer.status.nowPs);
    if (!this.#closed) this.#shown = this.handlers.onFrame(side, answer);
  }
}

const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The next animation frame, but no longer than slowFrameMs where drawing is
// slow (software WebGL). A hidden tab gets neither: its run stands still and
// goes on where it was.
const nextFrame = () => new Promise((resolve) => {
  requestAnimationFrame(resolve);
  if (!document.hidden) setTimeout(resolve, slowFrameMs);
});
