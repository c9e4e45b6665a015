// <wakelab-embed>: a Wakelab study in your page, and links in your prose that
// drive it. Documented in EMBED.md; no dependencies.
"use strict";

(() => {
  const home = new URL(".", document.currentScript.src);
  const options = ["ui", "unlock", "theme", "lang", "autoplay"];
  const defaultHeight = 360; // CSS pixels
  const style = new CSSStyleSheet(); // not an element: the host's CSP has no say in it
  style.replaceSync(":host { display: block } iframe { display: block; width: 100%; border: 0 }");

  class WakelabEmbed extends HTMLElement {
    static observedAttributes = ["link", ...options];

    #frame = document.createElement("iframe");
    #ready = false;
    #waiting = []; // messages for an embed that is not ready
    #listen = (event) => this.#receive(event);

    constructor() {
      super();
      this.#frame.loading = "lazy";
      this.#frame.title = "Wakelab";
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [style];
      root.append(this.#frame);
    }

    connectedCallback() {
      addEventListener("message", this.#listen);
      this.#show();
    }

    disconnectedCallback() {
      removeEventListener("message", this.#listen);
    }

    attributeChangedCallback() {
      if (this.isConnected) this.#show();
    }

    run() {
      this.#send({ type: "run" });
    }

    pause() {
      this.#send({ type: "pause" });
    }

    // Changes unlocked parameters: {key: text}.
    set(params) {
      this.#send({ type: "set", params });
    }

    // Goes to a simulated instant, such as "1.25ms".
    seek(t) {
      this.#send({ type: "seek", t });
    }

    #show() {
      const link = new URL(this.getAttribute("link") ?? "", home);
      const address = new URL(`embed.html${link.search}${link.hash}`, home);
      for (const key of options) if (this.hasAttribute(key)) address.searchParams.set(key, this.getAttribute(key) || "on");
      if (location.origin !== "null") address.searchParams.set("origin", location.origin);
      this.#frame.style.height = `${parseInt(this.getAttribute("height"), 10) || defaultHeight}px`;
      if (this.#frame.src === address.href) return;
      this.#ready = false;
      this.#frame.src = address.href;
    }

    #send(message) {
      if (!this.#ready) this.#waiting.push(message);
      else this.#frame.contentWindow.postMessage({ wakelab: 1, ...message }, home.origin);
    }

    #receive({ source, origin, data }) {
      if (source !== this.#frame.contentWindow || origin !== home.origin || data?.wakelab !== 1) return;
      const { wakelab, type, ...detail } = data;
      if (type === "loaded") {
        this.#frame.contentWindow.postMessage({ wakelab, type: "hello" }, home.origin);
        return;
      }
      if (type === "ready") {
        this.#ready = true;
        for (const message of this.#waiting.splice(0)) this.#send(message);
      }
      if (detail.height !== undefined && !this.hasAttribute("height")) this.#frame.style.height = `${detail.height}px`;
      if (type === "result") showResult(this.id, detail);
      this.dispatchEvent(new CustomEvent(`wakelab-${type}`, { detail, bubbles: true }));
    }
  }

  // <output data-wakelab="ID" data-kernel="KERNEL"> shows that kernel's result.
  function showResult(id, { kernels, unit }) {
    for (const output of document.querySelectorAll("output[data-wakelab][data-kernel]")) {
      const found = output.dataset.wakelab === id && kernels[output.dataset.kernel];
      if (found) output.textContent = `${Number(found.value.toPrecision(3))} ${unit}`;
    }
  }

  // <a data-wakelab="ID" data-set="KEY=TEXT&..." data-seek="T" data-do="run|pause">
  // does that to the embed; without scripts it is the link that it is.
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-wakelab], button[data-wakelab]");
    const embed = link && document.getElementById(link.dataset.wakelab);
    if (!(embed instanceof WakelabEmbed) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { set, seek, do: action } = link.dataset;
    if (set !== undefined) embed.set(Object.fromEntries(new URLSearchParams(set)));
    if (seek !== undefined) embed.seek(seek);
    if (action === "run" || action === "pause") embed[action]();
  });

  customElements.define("wakelab-embed", WakelabEmbed);
})();
