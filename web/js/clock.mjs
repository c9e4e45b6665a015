// The playback clock: which simulated instant the engines should have
// reached at a given moment. It is a plain value: it reads no clock itself.
//
// An engine that cannot keep up makes the clock slow (slow motion), never the
// results different. A gap, as after a hidden tab, is not caught up.

const longestGapMs = 100;
const firstLeadPs = 1e6; // of a run without a speed limit: 1 us

export class Clock {
  #atPs = 0;
  #wallMs = 0;
  #targetPs = 0;
  #leadPs = firstLeadPs;

  // True while the engines do less than the speed asks for.
  behind = false;

  constructor(psPerSecond) {
    this.psPerSecond = psPerSecond;
  }

  get unlimited() {
    return this.psPerSecond === Infinity;
  }

  // Goes on from simulated instant atPs at wall time nowMs.
  start(nowMs, atPs) {
    this.#wallMs = nowMs;
    this.#atPs = this.#targetPs = atPs;
    this.behind = false;
  }

  // The instant to run to.
  target(nowMs) {
    if (this.unlimited) {
      this.#targetPs = this.#atPs + this.#leadPs;
    } else {
      const passed = Math.min(nowMs - this.#wallMs, longestGapMs);
      this.#targetPs = this.#atPs + passed * this.psPerSecond / 1000;
    }
    return Math.floor(this.#targetPs);
  }

  // Every engine is now at or after atPs.
  reached(nowMs, atPs) {
    const made = atPs - this.#atPs;
    const short = atPs < Math.floor(this.#targetPs);
    if (this.unlimited) {
      // Aim a little further than the slower engine just came, so that the
      // two stay close and neither waits.
      this.#leadPs = short ? Math.max(2 * made, firstLeadPs) : 2 * this.#leadPs;
      this.behind = false;
    } else {
      this.behind = short;
    }
    this.#wallMs = nowMs;
    this.#atPs = atPs;
  }
}
