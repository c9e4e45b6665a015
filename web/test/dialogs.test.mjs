// Traces out, machines in, the code of embeds.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { halt, newPage, run, serve } from "./harness.mjs";

async function open(query = "?hackbench.groups=1&hackbench.loops=5") {
  const { url } = await serve();
  const page = await newPage({ acceptDownloads: true });
  await page.goto(url + query);
  await page.waitForSelector("#run:enabled");
  return { page, url };
}

test("a trace is downloaded in each format", async () => {
  const { page } = await open();
  await page.click("#open-export");
  await page.fill("#export [name=length]", "20us");
  for (const [format, start] of [["ftrace", /^# tracer/], ["perfetto", /^\{"displayTimeUnit":"ns"/], ["dat", /^\x17\x08Dtracing6/]]) {
    await page.selectOption("#export [name=format]", format);
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#export-download")]);
    assert.match(await readFile(await file.path(), "latin1"), start, format);
  }
  assert.deepEqual(page.problems, []);
});

test("picture, results and mmtests' table are downloaded when there are any", async () => {
  const { page } = await open("?sockets=1&dies_per_socket=1&llcs_per_die=1&cores_per_llc=2&hackbench.groups=1&hackbench.loops=5&seed=3");
  const file = async (id) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(id)]);
    return readFile(await download.path());
  };
  const rows = async () => String(await file("#export-csv")).trim().split("\n").map((line) => line.split(","));
  await page.click("#open-export");
  for (const [id, why] of [["#export-svg", /no picture yet/], ["#export-csv", /no results yet/], ["#export-mmtests", /no such table yet/]]) {
    await page.click(id);
    await page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#export-status").textContent), why.source);
  }
  await page.keyboard.press("Escape");

  await run(page);
  await page.waitForFunction(() => document.querySelector("#clock").textContent.includes("finished"));
  await page.click("#open-export");
  const svg = String(await file("#export-svg"));
  assert.match(svg, /seed 3 · model version \d+ · \?study=hackbench-epyc9654&amp;sockets=1/);
  const shapes = await page.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml");
    return picture.querySelector("parsererror") ? -1 : picture.querySelectorAll("path").length;
  }, svg);
  assert.ok(shapes > 5, `${shapes} shapes`);
  const png = await file("#export-png");
  const width = await page.locator(".stage").evaluate((stage) => stage.clientWidth);
  assert.equal(png.toString("latin1", 1, 4), "PNG");
  assert.ok(Math.abs(png.readUInt32BE(16) - 2 * width) <= 2, `${png.readUInt32BE(16)} pixels wide, two a CSS pixel of ${width}`);

  const one = await rows();
  assert.equal(one.length, 3, "a header and the two kernels");
  const column = (table, name) => table.slice(1).map((row) => row[table[0].indexOf(name)]);
  assert.deepEqual(column(one, "seed"), ["3", "3"]);
  assert.deepEqual(column(one, "hackbench.loops"), ["5", "5"], "a changed parameter");
  const { params } = await page.evaluate(async () => (await fetch("data/site.json")).json());
  for (const { key } of params) assert.ok(one[0].includes(key), key);
  for (const time of column(one, "time")) assert.ok(Number(time) > 0);
  await page.keyboard.press("Escape");

  await page.fill("#seeds", "10");
  await page.click("#seeds-run");
  await page.waitForFunction(() => !document.querySelector("#percentiles").hidden && document.querySelector("#seeds-end").textContent !== "");
  await page.click("#open-export");
  const many = await rows();
  assert.equal(many.length, 21);
  assert.deepEqual(new Set(column(many, "seed")), new Set(["3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]));
  const digestOf = (table) => table.find((row) => row[1] === one[1][1] && row[table[0].indexOf("seed")] === "3")[3];
  assert.equal(digestOf(many), digestOf(one), "the same run");
  assert.match(String(await file("#export-mmtests")), /^Amean/m);
  assert.deepEqual(page.problems, []);
});

test("Perfetto gets the trace by its handshake", async () => {
  const { page } = await open();
  await page.context().route("https://ui.perfetto.dev/**", (route) => route.fulfill({
    contentType: "text/html",
    body: `<script>addEventListener("message", ({ data, source, origin }) => {
      if (data === "PING") source.postMessage("PONG", origin);
      else document.title = data.perfetto.title + " " + new TextDecoder().decode(data.perfetto.buffer).slice(0, 23);
    })</script>`,
  }));
  await page.click("#open-export");
  await page.fill("#export [name=length]", "20us");
  const [perfetto] = await Promise.all([page.waitForEvent("popup"), page.click("#export-perfetto")]);
  await perfetto.waitForFunction(() => document.title !== "");
  assert.equal(await perfetto.title(), 'hackbench-epyc9654-v6.5 {"displayTimeUnit":"ns"');
});

test("a pasted machine is simulated, and goes into the link", async () => {
  const { page } = await open();
  await page.click("#open-machine");
  await page.fill("#machine textarea", "nonsense");
  await page.click("#machine-use");
  await page.waitForFunction(() => document.querySelector("#machine-status").textContent.includes("lscpu"));
  await page.fill("#machine textarea", "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,0,0,0,,0,0,0,0\n3,1,0,0,,1,1,1,0\n");
  await page.click("#machine-use");
  await page.waitForFunction(() => location.hash.startsWith("#x=2."));
  assert.match(await page.textContent("#machine-status"), /\(4 CPUs\) is now the machine/);
  await page.reload();
  await page.click("#run");
  await page.waitForSelector(".stage.live");
  assert.match(page.url(), /#x=2\./);
  assert.equal(await page.locator("#messages .problem").count(), 0);
});

test("the embed dialog shows what it gives", async () => {
  const { page, url } = await open("?seed=3");
  await page.click("#open-embed");
  await page.waitForFunction(() => document.querySelector("#embed-code").value.includes("<wakelab-embed"));
  await page.selectOption("#embed [name=kind]", "iframe");
  await page.selectOption("#embed [name=ui]", "none");
  await page.waitForFunction(() => /embed\.html\?.*ui=none/.test(document.querySelector("#embed-preview").src));
  const code = await page.inputValue("#embed-code");
  assert.ok(code.startsWith(`<iframe src="${url}embed.html?study=hackbench-epyc9654&amp;seed=3`), code);
  await page.frameLocator("#embed-preview").locator("#run:enabled").waitFor();
  await page.selectOption("#embed [name=kind]", "markdown");
  assert.match(await page.inputValue("#embed-code"), /^\[!\[.*\]\(http.*-light\.svg\)\]\(http.*seed=3/);
});

test("the embed dialog makes an embed of the instant at which the run stands", async () => {
  const { page } = await open();
  await page.click("#open-embed");
  await page.waitForFunction(() => document.querySelector("#embed-code").value.includes("<wakelab-embed"));
  assert.ok(await page.isDisabled("#embed [name=instant]"), "there is no run");
  await page.keyboard.press("Escape");
  await page.locator("#speed").fill("12");
  await run(page);
  await halt(page);
  const { t, d } = Object.fromEntries(new URL(page.url()).searchParams);
  await page.click("#open-embed");
  await page.check("#embed [name=instant]");
  await page.waitForFunction(([t, d]) => document.querySelector("#embed-code").value.includes(`t=${t}&amp;v=`) && document.querySelector("#embed-code").value.includes(`d=${d}`), [t, d]);
  const preview = page.frameLocator("#embed-preview");
  await preview.locator("#run:enabled").click();
  await preview.locator("#messages", { hasText: "Same run as the author saw" }).waitFor();
  assert.deepEqual(page.problems, []);
});
