// Traces and results as files for other tools: records a span of a run on an
// engine of its own, so that the run on the page stays what it is.

import { Engine } from "./engine.mjs";

// Formats of a trace, as the engine names them.
export const traceFormats = {
  ftrace: { extension: "txt", type: "text/plain" },
  perfetto: { extension: "json", type: "application/json" },
  dat: { extension: "dat", type: "application/octet-stream" },
};

const noEventLimit = 2 ** 52;
const sliceMs = 100;

// Records the tracepoints of setup's run from one simulated instant to
// another, in ps: {file, lost}. onProgress(share) is called
// with 0 to 1; signal stops it.
export async function recordTrace(module, setup, { fromPs, untilPs, format }, onProgress, signal) {
  const engine = new Engine(module);
  try {
    await engine.loaded;
    let { status } = await engine.start(setup);
    if (status.nowPs > fromPs) ({ status } = await engine.start({ ...setup, warm: [] }));
    const goTo = async (ps) => {
      while (!status.done && status.nowPs < ps) {
        signal.throwIfAborted();
        ({ status } = await engine.run(ps, noEventLimit, sliceMs));
        onProgress(Math.min(status.nowPs / untilPs, 1));
      }
    };
    await goTo(fromPs);
    await engine.record();
    await goTo(untilPs);
    return await engine.trace(format);
  } finally {
    engine.close();
  }
}

// Offers bytes or text as a download.
export function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
