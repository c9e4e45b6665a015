// The worker's side of the protocol described in engine.mjs: it starts the
// program (cmd/wasm/worker), which puts its functions on globalThis.wakelab,
// and answers messages one at a time.

import "../wasm_exec.js";
import { unpack } from "./load.mjs";

const handlers = {
  async load({ module }) {
    const go = new Go();
    go.run(await WebAssembly.instantiate(module, go.importObject));
    return {};
  },
  async start({ study, kernel, set, machine = "", warm, state: forked, observe = true }) {
    if (forked) return wakelab.start(study, kernel, set, machine, new Uint8Array(forked), true, observe, false);
    const { key, scene, error } = wakelab.warmKey(study, kernel, set, machine);
    if (error !== undefined) return { error };
    let state = null;
    let notice;
    const own = warm.find((name) => name.startsWith(key));
    const name = own ?? warm.find((name) => name.endsWith(`-${scene}`));
    if (name !== undefined) {
      await unpack(`../warm/${name}.gz`).then((bytes) => (state = bytes), (reason) => (notice = reason.message));
    }
    return { notice, ...wakelab.start(study, kernel, set, machine, state, false, observe, own === undefined) };
  },
  run: ({ until, events, ms }) => wakelab.run(until, events, ms),
  next: ({ want, ms }) => wakelab.next({ event: "", enters: "", cpu: "", to: "", ...want }, ms),
  seek: ({ ps }) => wakelab.seek(ps),
  save: () => wakelab.save(),
  part: ({ study, kernels, set, machine = "", state, ms }) => wakelab.part(study, kernels, set, machine, state ? new Uint8Array(state) : null, ms),
  view: () => wakelab.view(),
  result: () => wakelab.result(),
  digest: () => wakelab.digest(),
  importMachine: ({ description, latencies, name }) => wakelab.import(description, latencies, name),
  record: () => wakelab.record(),
  trace: ({ format }) => wakelab.trace(format),
  periods: ({ from }) => wakelab.periods(from),
  sweep: ({ study, kernels, texts, machine = "", first, seeds, results }) => wakelab.sweep(study, kernels, texts, machine, first, seeds, JSON.stringify(results)),
  csv: ({ study, machine = "", runs }) => wakelab.csv(study, machine, JSON.stringify(runs)),
  report: ({ study, runs }) => wakelab.report(study, JSON.stringify(runs)),
};

onmessage = async ({ data: { id, type, ...fields } }) => {
  let answer;
  try {
    answer = await handlers[type](fields) ?? { error: "the engine's program has ended" };
  } catch (error) {
    answer = { error: error.message };
  }
  const buffers = [answer.static, answer.frame, answer.details, answer.state, answer.file].filter(Boolean);
  postMessage({ id, ...answer }, buffers);
};
