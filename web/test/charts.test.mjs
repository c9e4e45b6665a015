// Counters over time, the counters' changes and the first difference, in a real
// page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { newPage, run, serve } from "./harness.mjs";

const small = "?hackbench.groups=1&hackbench.fds=4&sockets=1&dies_per_socket=1&llcs_per_die=1&cores_per_llc=2&duration=1ms";

test("charts and comparison of two small runs", async (t) => {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 1000, height: 900 } });
  await page.goto(url + small);
  await page.locator("#speed").fill(await page.getAttribute("#speed", "max"));
  await run(page);
  await page.waitForFunction(() => document.querySelector("#clock").textContent.includes("finished"));

  await t.test("a counter over time: chart, tooltip, log scale, table and files", async () => {
    await page.waitForSelector("#chart canvas");
    await page.selectOption("#chart-counter", "messages_per_s");
    assert.match(await page.getAttribute("#chart", "aria-label"), /^Messages over simulated time\. Linux v6\.5: .*\/s to .*\/s\./);
    await page.locator("#chart .u-over").hover();
    assert.match(await page.textContent("#chart .tip"), /simulated time, ms: [\d.]+Linux v6\.5: [\d.]+ M\/sv6\.5/);
    await page.locator("#chart-log").press("Space");
    await page.waitForSelector("#chart canvas");
    await page.locator("#chart-data > summary").press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("#chart-table tbody tr").length === 200);

    const save = async (id) => {
      const [file] = await Promise.all([page.waitForEvent("download"), page.click(id)]);
      return readFile(await file.path());
    };
    const lines = String(await save("#chart-csv")).trim().split("\n");
    assert.match(lines[0], /^simulated_ms,kernel,cpus_used,.*messages_per_s/);
    assert.equal(lines.length, 1 + 2 * 200);
    assert.match(String(await save("#chart-svg")), /^<svg [^]*>Messages<[^]*<path d="M[\d.]+ [\d.]+L/);
    assert.deepEqual([...(await save("#chart-png")).subarray(1, 4)], [...Buffer.from("PNG")]);
  });

  await t.test("every counter's change and the first event in which the two differ", async () => {
    const heads = await page.locator("#counters th.head").allTextContents();
    assert.deepEqual(heads, ["counter", "Linux v6.5", "v6.5 + idle extension of 1 ms", "change"]);
    assert.match(await page.textContent("#counters tbody tr:has(th:text-is('Messages')) td:last-child"), /^[+-][\d.]+ %$/);
    assert.doesNotMatch(await page.textContent("#counters"), /published/, "the machine is another");
    await page.locator("#parting > summary").press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("#parting .said p").length === 3);
    const [, ...events] = await page.locator("#parting .said p").allTextContents();
    for (const event of events) assert.match(event, /: .*-\d+ +\[\d{3}\] .* \d+\.\d+: \w+: /);
    assert.notEqual(events[0], events[1]);
  });
  assert.deepEqual(page.problems, []);
});

test("published side figures stand beside the modelled ones", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url);
  const said = await page.evaluate(async () => {
    const { showCounters } = await import("./js/tables.mjs");
    const { studies } = await (await fetch("data/site.json")).json();
    const counters = [{ key: "cpus_used", title: "CPUs used", unit: "CPUs", value: 300 }];
    const { kernels } = studies.find(({ id }) => id === "hackbench-epyc9654");
    showCounters(document.querySelector("#counters"), "", kernels.slice(0, 2).map(({ title, side }) => ({ title, counters, side })));
    return document.querySelector("#counters tbody").textContent;
  });
  assert.match(said, /300 CPUspublished 253\.3 CPUs, used for calibration300 CPUs0\.0 %$/);
});
