// One engine in its own Web Worker, as promises.
//
// Protocol. The page sends {id, type, ...}; the worker answers each message
// with exactly one {id, ...}. A run is bounded in wall time (ms), so that a
// pause needs no message: the page just sends no further run.
//
//   load  {module}               the compiled worker.wasm      -> {}
//   start {config: {key: text}}  a new run of that configuration
//                                -> {static, frame, status}
//   run   {until, events, ms}    to simulated instant until (ps), at most
//                                that many events and milliseconds
//                                -> {frame, status}
//   view  {}                     where it stands               -> {frame, status}
//
// static and frame are ArrayBuffers made by engine/view's codec, transferred.
// status = {nowPs, events, done, counters: [{key, title, unit, value}]}.
// A failure is answered with {id, error: text}.

export class Engine {
  #worker;
  #waiting = new Map();
  #nextId = 1;

  constructor(module) {
    this.#worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#settle(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#failAll(new Error(event.message || "the worker could not be started"));
    };
    this.loaded = this.#ask("load", { module });
  }

  start(config) {
    return this.#ask("start", { config });
  }

  run(until, events, ms) {
    return this.#ask("run", { until, events, ms });
  }

  view() {
    return this.#ask("view", {});
  }

  // Ends the worker and frees its memory.
  close() {
    this.#worker.terminate();
    this.#failAll(new Error("closed"));
  }

  #ask(type, fields) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, type, ...fields });
    });
  }

  #settle({ id, error, ...answer }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting.resolve(answer);
    else waiting.reject(new Error(error));
  }

  #failAll(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
