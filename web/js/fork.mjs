// Where two kernels part: found by a third worker that runs both, so that the
// picture goes on meanwhile.

import { Engine } from "./engine.mjs";

const longestMs = 3000;

// Resolves to {parted, nowPs, firsts} as engine.mjs describes it. setup is that
// of the run, {study, kernels, set, machine}; both go on from state, or without
// one from the benchmark's start.
export async function findParting(module, setup, state) {
  const engine = new Engine(module);
  try {
    await engine.loaded;
    return await engine.part({ ...setup, state, ms: longestMs });
  } finally {
    engine.close();
  }
}
