// The dialog that exports a span of a run as a trace.

import { download, recordTrace, traceFormats } from "./export.mjs";
import { parseSpan } from "./params.mjs";
import { openPerfetto, sendTrace } from "./perfetto.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);

// shown() is what the page shows, as writeLink takes it; warm lists the
// settled states; load() resolves to the compiled engine.
export function exportDialog(shown, warm, load) {
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

  const guarded = (work) => work().catch((error) => error.name === "AbortError" || say(error.message));

  $("open-export").addEventListener("click", () => $("export").showModal());
  $("export").addEventListener("close", () => stop.abort());
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
