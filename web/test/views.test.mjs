// The picture's views, what stands beside them as text, and time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { halt, newPage, run, serve } from "./harness.mjs";

const pipe = "?study=perfpipe-xeon"; // wakes up within the first microseconds

test("what anatomy and lines views draw stands beside them as tables", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url + pipe);
  await run(page);
  await page.waitForFunction(() => /[1-9]\d\d us/.test(document.querySelector("#clock").textContent));
  await halt(page);
  for (const id of ["slices", "functions", "lines", "locks"]) await page.click(`#${id} summary`);
  const rows = (id) => page.locator(`#${id} tbody tr`).evaluateAll((all) => all.map((r) => [...r.cells].map((cell) => cell.textContent)));
  const slices = await rows("slices");
  assert.match(slices[0][0], /select_task_rq_fair/, "a slice names its kernel function");
  for (const cells of slices) assert.match(cells[1], /^[\d.,]+ [nu]s/);
  const shares = (await rows("functions")).map(([, a]) => parseFloat(a));
  const sum = shares.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum - 100) < 1, `shares of a kernel's functions add up to ${sum} %`);
  assert.ok((await rows("lines")).some(([name]) => name.includes("rq")), "lines have the kernel's names");
  assert.ok((await rows("locks")).length > 0);
  assert.deepEqual(page.problems, []);
});
