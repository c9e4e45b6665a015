// The section "Sweep" in a real page: what cannot be swept, one parameter, a
// grid of two, cancelling, and the rows.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { newPage, serve } from "./harness.mjs";

const short = "?sockets=1&dies_per_socket=1&llcs_per_die=1&cores_per_llc=2&hackbench.groups=1&hackbench.loops=5"; // finishes at once
const ended = (page) => page.waitForFunction(() => document.querySelector("#sweep-end").textContent !== "");

test("in the page: bad values, one parameter, its rows, a grid, cancel", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url + short);
  for (const [values, seeds, said] of [["0, 11ms", "1", /Idle extension: “11ms” is not allowed: 0 to 10ms/], ["", "1", /“” is not allowed/], ["0", "0", /1 to 1000 seeds/], ["0", "1000000", /1 to 1000 seeds/]]) {
    await page.fill("#sweep-values-1", values);
    await page.fill("#sweep-seeds", seeds);
    await page.click("#sweep-run");
    assert.match(await page.textContent("#sweep-problem"), said);
    assert.ok(await page.isDisabled("#sweep-cancel"));
  }

  await page.fill("#sweep-values-1", "0, 0.5ms");
  await page.fill("#sweep-seeds", "2");
  await page.locator("#sweep-seeds").press("Enter");
  await ended(page);
  assert.match(await page.textContent("#sweep-end"), /^6 runs in/, "the first kernel has no idle extension: one value");
  assert.deepEqual(await page.locator("#sweep-table tbody th").allTextContents(), ["0", "500us"]);
  assert.match(await page.textContent("#sweep-table tbody tr:last-child"), /^500us.* s.*2 seeds.*2 seeds$/);
  await page.waitForSelector("#sweep-chart canvas");
  assert.match(await page.textContent("#sweep-command"), /^wakelab sweep --study hackbench-epyc9654 --kernel v6.5,idle-1ms --set idle_delay=0,500us --set sockets=1 --set dies_per_socket=1 --set llcs_per_die=1 --set cores_per_llc=2 --set hackbench.groups=1 --set hackbench.loops=5 --seed 1 --seeds 2 --format csv$/);

  const [file] = await Promise.all([page.waitForEvent("download"), page.click("#sweep-csv")]);
  const lines = (await readFile(await file.path(), "utf8")).trim().split("\n");
  assert.match(lines[0], /^row,rows,model_version,study,kernel,seed,idle_delay,sockets,dies_per_socket,llcs_per_die,cores_per_llc,hackbench.groups,hackbench.loops,time,time_lo,time_hi,settled,digest$/);
  assert.equal(lines.length, 7);
  assert.match(lines[6], /^6,6,\d+,hackbench-epyc9654,idle-1ms,2,500us,1,1,1,2,1,5,[\d.]+,[\d.]+,[\d.]+,true,[0-9a-f]{16}$/);
  const [picture] = await Promise.all([page.waitForEvent("download"), page.click("#sweep-svg")]);
  assert.match(await readFile(await picture.path(), "utf8"), /^<svg [^]*>500us<[^]*\?sockets=1/);

  await page.selectOption("#sweep-key-2", "c2");
  await page.fill("#sweep-values-2", "mwait, off");
  await page.fill("#sweep-seeds", "1");
  await page.click("#sweep-run");
  await ended(page);
  assert.equal(await page.locator("#sweep-table table.heat").count(), 2);
  assert.equal(await page.locator("#sweep-table table.heat:last-child td.number").count(), 4);
  assert.ok(await page.isHidden("#sweep-chart"));

  await page.fill("#sweep-seeds", "800");
  await page.click("#sweep-run");
  await page.waitForFunction(() => document.querySelectorAll("#sweep-table td.number").length >= 1);
  await page.click("#sweep-cancel");
  assert.match(await page.textContent("#sweep-end"), /^Cancelled after \d+ of 4800 runs/);
  while (page.workers().length > 0) await page.waitForTimeout(50); // workers go
  assert.deepEqual(page.problems, []);
});
