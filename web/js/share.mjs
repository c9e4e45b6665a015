// Links to what the page shows: keeps the address true, copies it, and tells
// whether a run is the one that the author of a link saw.

import { copy } from "./copy.mjs";
import { instant } from "./format.mjs";
import { writeLink } from "./link.mjs";
import { text } from "./text.mjs";

const longLink = 2000; // characters; some programs cut what is longer

export class Share {
  #site;
  #shown;
  #say;
  #wanted; // the link, until its instants have been reached

  // link is what the address asked for; shown() is what the page shows now, as
  // writeLink takes it; say(message, kind) shows a message.
  constructor(site, link, shown, say) {
    this.#site = site;
    this.#shown = shown;
    this.#say = say;
    if ((link.forkPs ?? link.atPs) !== undefined) this.#wanted = link;
    this.#sayModel(link);
  }

  // The address of what is chosen, at the instant of a run, if there is one.
  async address(run) {
    const state = { ...this.#shown(), model: this.#site.model_version };
    if (run) Object.assign(state, await run.digest());
    const page = new URL(".", location.href).href;
    return page + await writeLink(state, this.#site);
  }

  // Puts that into the address bar, unless another run has begun meanwhile.
  async show(run, isCurrent = () => true) {
    const address = await this.address(run);
    if (isCurrent()) history.replaceState(null, "", address);
  }

  async copy(run) {
    await run?.pause();
    const address = await this.address(run);
    if (await copy(address, text.copyLink)) this.#say(address.length > longLink ? text.copiedLong(address.length) : text.copied);
  }

  // Something else is shown now: the link's instant is no longer wanted.
  forget() {
    this.#wanted = undefined;
  }

  // The link's instant is before a run's start: its author saw one that did
  // not start from a settled state.
  wantsEarlier(run) {
    return (this.#wanted?.forkPs ?? this.#wanted?.atPs) < run.nowPs;
  }

  // Takes a run that has just been built to the link's fork, if it names one,
  // and instant, and compares. fork() has it fork where it stands. Resolves to
  // false if the run may go on: the link named no instant.
  async reproduce(run, fork) {
    const link = this.#wanted;
    if (link?.forkPs !== undefined) {
      await run.goTo(link.forkPs);
      if (run.nowPs !== link.forkPs) return true; // the reader has paused it on the way
      await fork();
    }
    if (link?.atPs === undefined) {
      this.#wanted = undefined;
      return false;
    }
    await run.goTo(link.atPs);
    const { atPs, digest } = await run.digest();
    if (!run.done && atPs !== link.atPs) return true; // the reader has paused it on the way
    this.#wanted = undefined;
    this.#sayModel(link);
    if (link.digest === undefined || this.#otherModel(link)) this.#say(text.atInstant(instant(atPs)));
    else if (digest === link.digest) this.#say(text.sameRun(instant(atPs)));
    else this.#say(text.otherRun(instant(atPs), link.digest, digest), "problem");
    return true;
  }

  // A link without a version is one that somebody wrote by hand.
  #otherModel({ model }) {
    return model !== undefined && model !== this.#site.model_version;
  }

  #sayModel(link) {
    if (this.#otherModel(link)) this.#say(text.modelChanged(link.model, this.#site.model_version));
  }
}
