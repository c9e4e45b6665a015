// The dialog that makes the reader's own machine the one to simulate.

import { Engine } from "./engine.mjs";
import { download } from "./export.mjs";
import { text } from "./text.mjs";

const $ = (id) => document.getElementById(id);

// load() resolves to the compiled engine; use(preset) is called with the text
// of a machine preset, or undefined for the study's own machine.
export function machineDialog(load, use) {
  const form = $("machine").querySelector("form");
  const say = (message) => ($("machine-status").textContent = message);
  let found; // {preset, hwloc} of the newest import

  const read = async (file) => (file ? file.text() : "");

  async function importText() {
    const description = form.description.value.trim() || await read(form.file.files[0]);
    const engine = new Engine(await load());
    try {
      await engine.loaded;
      const name = form.file.files[0]?.name ?? "pasted text";
      found = await engine.importMachine(description, await read(form.latency.files[0]), name);
    } finally {
      engine.close();
    }
    say([text.imported(found.title), ...found.notes].join("\n"));
    for (const id of ["machine-preset", "machine-hwloc"]) $(id).disabled = false;
    use(found.preset);
  }

  $("open-machine").addEventListener("click", () => $("machine").showModal());
  $("machine-use").addEventListener("click", () => importText().catch((error) => say(error.message)));
  $("machine-forget").addEventListener("click", () => {
    use(undefined);
    say(text.machineForgotten);
  });
  $("machine-preset").addEventListener("click", () => download("machine.json", found.preset, "application/json"));
  $("machine-hwloc").addEventListener("click", () => download("machine.xml", found.hwloc, "application/xml"));
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length > 0) form.file.files = event.dataTransfer.files;
  });
}
