// The form of parameters, by keyboard and with values that are not allowed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { newPage, serve } from "./harness.mjs";

const short = "?hackbench.groups=1&hackbench.loops=5";

// A page with the form open.
async function open(search = "", options = {}) {
  const { url } = await serve();
  const page = await newPage(options);
  await page.goto(url + search);
  page.setDefaultTimeout(40_000);
  await page.locator("#parameters > summary").press("Enter");
  await page.waitForSelector(".group");
  return page;
}

const parameters = (page) => new URL(page.url()).searchParams;
const addressHas = (page, key, value) => page.waitForFunction(([k, v]) => new URLSearchParams(location.search).get(k) === v, [key, value]);

// Goes to the control of a parameter by search and Tab.
async function go(page, words, key) {
  await page.focus("#search");
  await page.keyboard.press("Control+A");
  await page.keyboard.type(words);
  for (let i = 0; i < 40; i++) {
    if (await page.evaluate((id) => document.activeElement.id === id, `set-${key}`)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not come to ${key}`);
}

test("three fields by keyboard, undone, done again and reset", async () => {
  const page = await open();
  await go(page, "idle_delay", "idle_delay");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("0.5ms\n");
  await addressHas(page, "idle_delay", "500us");
  assert.equal(await page.inputValue("#set-idle_delay"), "500us");
  await go(page, "ttwu_queue", "ttwu_queue");
  await page.keyboard.press("Space");
  await addressHas(page, "ttwu_queue", "off");
  await go(page, "ttwu_runnable", "ttwu_runnable");
  await page.keyboard.press("ArrowUp");
  await addressHas(page, "ttwu_runnable", "v1");
  assert.equal(await page.textContent("#changes"), "3 changed");
  assert.match(await page.textContent("#result-note"), /Changed from the study.*idle_delay=500us, ttwu_queue=off, ttwu_runnable=v1/);

  await page.keyboard.press("Control+Z");
  await page.keyboard.press("Control+Z");
  assert.equal(await page.textContent("#changes"), "1 changed");
  assert.ok(await page.isChecked("#set-ttwu_queue"));
  await page.keyboard.press("Control+Shift+Z");
  assert.equal(await page.textContent("#changes"), "2 changed");
  await page.fill("#search", "");
  await page.locator("[data-key=ttwu_queue] button").press("Enter");
  assert.equal(await page.textContent("#changes"), "1 changed");
  await page.focus("#reset-all");
  await page.keyboard.press("Enter");
  assert.equal(await page.textContent("#changes"), "");
  await page.waitForFunction(() => !location.search.includes("idle_delay"));
  assert.deepEqual(page.problems, []);
});

test("a slider moves by keyboard, and its way is one change", async () => {
  const page = await open();
  await page.fill("#search", "sockets");
  const slider = page.locator("[data-key=sockets] input[type=range]");
  await slider.press("ArrowRight");
  await slider.press("ArrowRight");
  assert.equal(await page.inputValue("#set-sockets"), "4");
  assert.equal(await slider.getAttribute("aria-valuetext"), "4");
  await page.click("#undo");
  assert.equal(await page.inputValue("#set-sockets"), "2");
});

test("what is out of range is explained beside the field, not clamped, and not run", async () => {
  const page = await open(short);
  await page.fill("#search", "sockets");
  for (const wrong of ["17", "0", "many", "1.5", ""]) {
    await page.fill("#set-sockets", wrong);
    await page.locator("#set-sockets").press("Enter");
    assert.equal(await page.inputValue("#set-sockets"), wrong);
    assert.equal(await page.getAttribute("#set-sockets", "aria-invalid"), "true");
    const described = (await page.getAttribute("#set-sockets", "aria-describedby")).split(" ");
    const said = await page.locator(`#${described[0]}`).textContent();
    assert.match(said, /1 to 16 sockets/, `${wrong}: ${said}`);
  }
  await page.click("#run");
  assert.match(await page.textContent("#messages"), /Sockets has a value that is not allowed/i);
  assert.equal(await page.evaluate(() => document.activeElement.id), "set-sockets");
  assert.equal(parameters(page).get("sockets"), null);
  await page.click("[data-key=sockets] button");
  assert.equal(await page.inputValue("#set-sockets"), "2");
  assert.equal(await page.getAttribute("#set-sockets", "aria-invalid"), "false");
});

test("a field says whom a change concerns, as the command line's --set does", async () => {
  const page = await open();
  await page.fill("#search", "idle_delay");
  assert.equal(await page.inputValue("#set-idle_delay"), "1ms");
  assert.match(await page.textContent("#set-idle_delay-state"), /only the kernels that set it: .*1ms\)\. All others have 0/);
  await page.goto(`${page.url().split("?")[0]}?study=perfpipe-xeon`);
  await page.locator("#parameters > summary").press("Enter");
  await page.fill("#search", "ttwu_runnable");
  assert.equal(await page.inputValue("#set-ttwu_runnable"), "", "kernels differ");
});

test("search finds titles, keys and confidence; every field has its words", async () => {
  const page = await open();
  await page.fill("#search", "calibrated");
  await page.waitForSelector("#found:not(:empty)");
  const keys = await page.locator(".field:visible").evaluateAll((all) => all.map(({ dataset }) => dataset.key));
  assert.ok(keys.includes("line_occupancy_write") && !keys.includes("sockets"), `found: ${keys}`);
  await page.fill("#search", "");
  const site = JSON.parse(await readFile(new URL("../../dist/data/site.json", import.meta.url), "utf8"));
  const shown = await page.locator(".field").evaluateAll((all) => all.map((field) => [field.dataset.key, field.textContent]));
  const listed = site.params.filter((param) => param.public && param.key !== "seed");
  assert.deepEqual(shown.map(([key]) => key).sort(), listed.map(({ key }) => key).sort());
  for (const [key, content] of shown) {
    const param = site.params.find((p) => p.key === key);
    for (const words of [param.title, param.help, param.source]) assert.ok(content.includes(words), `${key} lacks “${words}”`);
  }
});

test("accessible by axe's rules, in both themes, with a wrong value and a changed one", async () => {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"]) {
    const page = await open("?sockets=1", { colorScheme, bypassCSP: true });
    await page.locator(".group").evaluateAll((all) => all.forEach((group) => (group.open = true)));
    await page.fill("#set-dies_per_socket", "1000");
    await page.locator("#set-dies_per_socket").press("Enter");
    await page.evaluate(axe);
    const violations = await page.evaluate(async () =>
      (await globalThis.axe.run("#parameters")).violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((n) => n.html).join(" ")}`));
    assert.deepEqual(violations, [], colorScheme);
  }
});
