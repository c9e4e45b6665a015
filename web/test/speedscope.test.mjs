// The trace for Perfetto as another program reads it: speedscope's importer of
// Chrome JSON, which complains of slices that do not nest.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newPage } from "./harness.mjs";

const root = new URL("../../", import.meta.url).pathname;
const speedscope = new URL("../../node_modules/speedscope/dist/release/index.html", import.meta.url);
const dir = mkdtempSync(join(tmpdir(), "wakelab-"));
after(() => rmSync(dir, { recursive: true }));

// Tracks: of all CPUs, or of the two that do anything, one each for tasks and functions.
for (const [study, kernel, tracks] of [["hackbench-epyc9654", "v6.5", 768], ["ipistorm-epyc-milan", "sm-idle", 4], ["perfpipe-xeon", "linux-next-2022-11", 4]]) {
  test(`${study}: speedscope reads the trace`, async () => {
    const wanted = ["trace", study, "--kernel", kernel, "--from", "20us", "--for", "40us", "--events", "all", "--format", "perfetto"];
    const file = execFileSync("go", ["run", "./cmd/wakelab", ...wanted], { cwd: root, maxBuffer: 1 << 28 });
    const script = join(dir, `${study}.js`); // as speedscope's own command hands it a file
    writeFileSync(script, `speedscope.loadFileFromBase64("${study}", "${file.toString("base64")}")`);
    const page = await newPage();
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(`${speedscope}#localProfilePath=${script}`);
    await page.waitForFunction(() => /CPU \d+ .*\(1\/\d+\)/.test(document.body.innerText));
    assert.match(await page.evaluate(() => document.body.innerText), new RegExp(`\\(1/${tracks}\\)`));
    assert.ok(said.some((line) => line.includes("Trace Event Format")), said.join("\n"));
    assert.deepEqual(said.filter((line) => /Tried to end|still open|not/i.test(line)), []);
  });
}
