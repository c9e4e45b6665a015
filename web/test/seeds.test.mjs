// Many seeds: the pool with engines of its own making, and the section in a
// real page with real workers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { newPage, serve } from "./harness.mjs";
import { Seeds } from "../js/seeds.mjs";

const short = "?sockets=1&dies_per_socket=1&llcs_per_die=1&cores_per_llc=2&hackbench.groups=1&hackbench.loops=5"; // finishes at once

// An engine that answers at once, or as act says of a (kernel, seed).
function fake(act = () => {}) {
  const open = new Set();
  const make = () => {
    const engine = {
      loaded: Promise.resolve(),
      start: async ({ kernel, set }) => {
        engine.seed = Number(set.seed);
        await act(kernel, engine.seed);
        return { status: { done: false } };
      },
      run: async () => ({ status: { done: true, progress: 1 } }),
      result: async () => ({ result: { metric: { value: engine.seed, lo: 0, hi: 0 }, settled: true } }),
      report: async (study, runs) => ({ summaries: runs, precision: 1 / runs[0].results.length }),
      close: () => open.delete(engine),
    };
    open.add(engine);
    return engine;
  };
  return { open, make };
}

const setup = { study: "s", kernels: ["a", "b"], set: { x: "1" } };

async function runSeeds({ make }, first, count, { stuckMs = 1000, until, answered = async () => {} } = {}) {
  const found = { failed: [] };
  await new Seeds(setup, make, {
    onProgress: (share, done, all) => Object.assign(found, { share, done, all }),
    onSummary: ({ summaries }) => (found.summaries = summaries),
    onFailed: (kernel, seed, why) => found.failed.push([kernel, seed, why]),
  }, { workers: 2, stuckMs, answered }).run(first, count, until);
  return found;
}

test("every kernel runs every seed, and no worker is left", async () => {
  const engines = fake();
  const { done, all, share, summaries, failed } = await runSeeds(engines, 7, 3);
  assert.deepEqual([done, all, share, failed], [6, 6, 1, []]);
  for (const { results } of summaries) assert.deepEqual(results.map(({ seed }) => seed), [7, 8, 9]);
  assert.equal(engines.open.size, 0);
});

test("a crashed and a stuck worker are replaced, their seeds told, the others run", async () => {
  const engines = fake((kernel, seed) => {
    if (kernel === "a" && seed === 2) throw new Error("crashed");
    if (kernel === "b" && seed === 3) return new Promise(() => {});
  });
  const { done, summaries, failed } = await runSeeds(engines, 1, 4, { stuckMs: 20 });
  assert.equal(done, 8);
  assert.deepEqual(failed.map(([kernel, seed]) => `${kernel}${seed}`).sort(), ["a2", "b3"]);
  assert.match(failed.find(([kernel]) => kernel === "b")[2], /no answer for 0.02 s/);
  assert.deepEqual(summaries.map(({ results }) => results.length), [3, 3]);
  assert.equal(engines.open.size, 0);
});

test("workers rest until the page has answered its reader", async () => {
  const engines = fake();
  let answer;
  const gate = new Promise((resolve) => (answer = resolve));
  const running = runSeeds(engines, 1, 2, { answered: () => gate });
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(engines.open.size, 0);
  answer();
  assert.equal((await running).done, 4);
});

test("where every run fails it gives up", async () => {
  await assert.rejects(runSeeds(fake(() => {
    throw new Error("bad");
  }), 0, 1000), /Given up after 10/);
});

test("seeds go on until the interval is narrow enough, or there are too many", async () => {
  const numbers = ({ summaries }) => summaries[0].results.map(({ seed }) => seed);
  assert.deepEqual(numbers(await runSeeds(fake(), 1, 3, { until: { precision: 0.2, seeds: 20 } })), [1, 2, 3, 4, 5, 6]);
  assert.equal(numbers(await runSeeds(fake(), 1, 3, { until: { precision: 0, seeds: 20 } })).length, 20);
  assert.equal(numbers(await runSeeds(fake(), 1, 25, { until: { precision: 0, seeds: 20 } })).length, 25);
});

// Changes parameters by keyboard.
async function change(page, set) {
  await page.locator("#parameters > summary").press("Enter");
  for (const [key, value] of Object.entries(set)) {
    await page.focus("#search");
    await page.keyboard.press("Control+A");
    await page.keyboard.type(key);
    await page.locator(`[id="set-${key}"]`).waitFor(); // its group has opened
    while (!(await page.evaluate((id) => document.activeElement.id === id, `set-${key}`))) await page.keyboard.press("Tab");
    await page.keyboard.press("Control+A");
    await page.keyboard.type(`${value}\n`);
  }
  assert.equal(await page.textContent("#changes"), "9 changed"); // and the six of the address
}

const ended = (page) => page.waitForFunction(() => document.querySelector("#seeds-end").textContent !== "");

test("in the page: bad counts, cancel in the middle, a killed worker, a full run", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url + short);
  for (const wrong of ["0", "1000000", "-3", "2.5", ""]) {
    await page.fill("#seeds", wrong);
    await page.click("#seeds-run");
    assert.match(await page.textContent("#seeds-problem"), /1 to 1000/, `“${wrong}”`);
    assert.ok(await page.isDisabled("#seeds-cancel"));
  }

  for (const wrong of ["0", "101"]) {
    await page.fill("#until", wrong);
    await page.click("#seeds-run");
    assert.match(await page.textContent("#seeds-problem"), /percentage from 0.1 to 100/);
  }
  await page.fill("#until", "");

  await change(page, { "hackbench.fds": "2", idle_delay: "0.5ms", "hackbench.size": "200" });
  await page.fill("#seeds", "500");
  await page.locator("#seeds").press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#seeds-strip circle").length >= 3);
  assert.match(await page.textContent("#seeds-bar-label"), /of 1000 runs done/);
  await page.click("#seeds-cancel");
  assert.match(await page.textContent("#seeds-end"), /^Cancelled after \d+ of 1000 runs/);
  await page.waitForFunction(() => document.activeElement.id === "seeds-run");
  for (let tries = 0; page.workers().length > 0 && tries < 100; tries++) await page.waitForTimeout(100); // the browser tells a little later
  assert.equal(page.workers().length, 0, "workers are gone");

  await page.fill("#seeds", "40");
  const [worker] = await Promise.all([page.waitForEvent("worker"), page.click("#seeds-run")]);
  await worker.evaluate(() => setTimeout(() => { throw new Error("killed by the test"); }));
  await ended(page);
  assert.match(await page.textContent("#seeds-failed"), /^Seed \d+, .*killed by the test/);

  await page.fill("#seeds", "3");
  await page.click("#seeds-run");
  await ended(page);
  assert.match(await page.textContent("#seeds-end"), /^6 runs in/);
  assert.equal(await page.textContent("#seeds-failed"), "");
  assert.equal(await page.locator("#seeds-strip circle").count(), 6);
  assert.match(await page.textContent("#result"), /3 seeds · 95 %: .*× [\d.]+ of .* \(95 %: [\d.]+ to [\d.]+\)/);
  assert.match(await page.locator("#seeds-strip svg").first().getAttribute("aria-label"), /3 seeds from .* median/);

  await page.fill("#seeds", "3");
  await page.fill("#until", "100");
  await page.locator("#until").press("Enter");
  await ended(page);
  assert.match(await page.textContent("#seeds-end"), /^6 runs in/, "100 % is reached at once");
  await page.fill("#until", "");
  await page.fill("#seeds", "10");
  await page.click("#seeds-run");
  await ended(page);
  await page.locator("#percentiles > summary").press("Enter");
  assert.deepEqual(await page.locator("#percentiles-table tbody th").allTextContents(), ["Min", "1st-qrtle", "2nd-qrtle", "3rd-qrtle",
    "Max-1", "Max-5", "Max-10", "Max-90", "Max-95", "Max-99", "Max", "Amean", "Stddev", "CoeffVar", "BAmean-99", "BAmean-95", "BAmean-90", "BAmean-75", "BAmean-50", "BAmean-25"]);
});
