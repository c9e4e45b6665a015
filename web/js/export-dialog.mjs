// The dialog that exports the picture, the results, and a span of a run as a
// trace.

import { Engine } from "./engine.mjs";
import { download, recordTrace, traceFormats } from "./export.mjs";
import { parseSpan } from "./params.mjs";
import { openPerfetto, sendTrace } from "./perfetto.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);

// page: shown() is what the page shows, as writeLink takes it; picture(format)
// resolves to the picture as a file; found() is {runs, mmtests}: runs as
// engine.mjs's csv takes them, and the text of mmtests' table or undefined;
// load() resolves to the compiled engine. warm lists the settled states.
export function exportDialog({ shown, picture, found, load }, warm) {
  const form = $("export").querySelector("form");
  let stop = new AbortController();
  const say = (message) => ($("export-status").textContent = message);

  async function record(format) {
    const { study, kernels, set, machine } = shown();
    const fromPs = parseSpan(form.from.value.trim());
    const lengthPs = parseSpan(form.length.value.trim());
    if (!(fromPs >= 0) || !(lengthPs > 0)) throw new Error(text.badSpan);
    stop.abort();
    stop = new AbortController();
    const setup = { study: study.id, kernel: kernels[Number(form.side.value)], set, machine, warm };
    const { file, lost } = await recordTrace(await load(), setup, { fromPs, untilPs: fromPs + lengthPs, format },
      (share) => say(text.recording(share)), stop.signal);
    say(lost > 0 ? text.recordsLost(lost) : text.recorded);
    return { file, name: `${study.id}-${setup.kernel}` };
  }

  async function savePicture(format, type) {
    const file = await picture(format);
    download(`${shown().study.id}.${format}`, file, type);
    say("");
  }

  async function saveResults() {
    const { runs } = found();
    if (runs.length === 0) throw new Error(text.noResults);
    const { study, machine } = shown();
    const engine = new Engine(await load());
    try {
      await engine.loaded;
      const { csv } = await engine.csv({ study: study.id, machine, runs });
      download(`${study.id}.csv`, csv, "text/csv");
      say("");
    } finally {
      engine.close();
    }
  }

  async function saveMMTests() {
    const { mmtests } = found();
    if (!mmtests) throw new Error(text.noMMTests);
    download(`${shown().study.id}-mmtests.txt`, mmtests, "text/plain");
    say("");
  }

  const guarded = (work) => work().catch((error) => error.name === "AbortError" || say(error.message));

  $("open-export").addEventListener("click", () => $("export").showModal());
  $("export").addEventListener("close", () => stop.abort());
  $("export-svg").addEventListener("click", () => guarded(() => savePicture("svg", "image/svg+xml")));
  $("export-png").addEventListener("click", () => guarded(() => savePicture("png", "image/png")));
  $("export-csv").addEventListener("click", () => guarded(saveResults));
  $("export-mmtests").addEventListener("click", () => guarded(saveMMTests));
  $("export-download").addEventListener("click", () => guarded(async () => {
    const format = form.format.value;
    const { file, name } = await record(format);
    download(`${name}.${traceFormats[format].extension}`, file, traceFormats[format].type);
  }));
  $("export-perfetto").addEventListener("click", () => guarded(async () => {
    const target = openPerfetto(); // in the click, or it is blocked
    if (!target) throw new Error(text.windowBlocked);
    const { file, name } = await record("perfetto");
    await sendTrace(target, file, name);
  }));
}
