// Axe's rules on page and embed with everything open; the whole page by
// keyboard; phone and embed layouts.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { clock, newPage, serve } from "./harness.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function violations(page) {
  if (!await page.evaluate(() => globalThis.axe !== undefined)) await page.evaluate(axe);
  return page.evaluate(async () =>
    (await globalThis.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 4).map((n) => n.html.slice(0, 200)).join(" ")}`));
}

const study = "?study=ipistorm-epyc-milan";

test("no violation of axe's rules on the page: at a step of the story, with all sections and each dialog open, in both themes", async () => {
  const { url } = await serve();
  const page = await newPage({ bypassCSP: true });
  await page.goto(url + study);
  await page.click("#tour-next");
  await page.waitForFunction(() => location.search.includes("step=1"));
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await violations(page), [], `the page, ${colorScheme}`);
    for (const [dialog, button] of [["palette", "open-palette"], ["keys", "help"], ["embed", "open-embed"], ["export", "open-export"], ["machine", "open-machine"]]) {
      await page.click(`#${button}`);
      await page.waitForSelector(`#${dialog}[open]`);
      assert.deepEqual(await violations(page), [], `${dialog}, ${colorScheme}`);
      await page.keyboard.press("Escape");
      await page.waitForSelector(`#${dialog}:not([open])`, { state: "attached" });
    }
  }
  assert.deepEqual(page.problems, []);
});

test("no violation of axe's rules in an embed, before a run and in it", async () => {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 640, height: 360 }, bypassCSP: true });
  for (const ui of ["none", "min", "full"]) {
    await page.goto(`${url}embed.html${study}&ui=${ui}&unlock=seed,c2`);
    await page.waitForSelector("#run:enabled");
    assert.deepEqual(await violations(page), [], `ui=${ui}, at first`);
  }
  await page.click("#run");
  await page.waitForSelector(".stage.live");
  assert.deepEqual(await violations(page), [], "during the run");
});

// Presses Tab until an element has the focus.
async function tabTo(page, selector) {
  for (let i = 0; i < 120; i++) {
    if (await page.evaluate((s) => document.activeElement.matches(s), selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab never comes to ${selector}`);
}

test("everything by keyboard alone: run, pause, step, view, a CPU's card, the story, and out of the picture again", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(url + study);
  await page.waitForSelector("#run:enabled");
  await tabTo(page, "#run");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".stage.live");
  await tabTo(page, ".painter");
  await page.keyboard.press("+");
  await tabTo(page, "#pause");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#pause").textContent === "Continue");
  const before = await clock(page);
  await tabTo(page, "#step");
  await page.keyboard.press("Enter");
  await page.waitForFunction((t) => document.querySelector("#clock").textContent !== t, before);
  await tabTo(page, "#view");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.inputValue("#view"), "timeline");
  await tabTo(page, "#pin");
  await page.keyboard.type("16");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#card caption")?.textContent === "CPU 16");
  await page.keyboard.press("Shift+Tab");
  await page.focus("#run");
  await tabTo(page, "#tour-next");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.search.includes("step=1"));
  assert.deepEqual(page.problems, []);
});

// What sticks out to the right or is too small to be hit by a finger.
const misfits = (page) => page.evaluate(() => {
  const wide = document.documentElement.scrollWidth > innerWidth ? [`the page is ${document.documentElement.scrollWidth} px wide`] : [];
  const small = [...document.querySelectorAll("main button, main select, header button")]
    .filter((node) => node.checkVisibility()).map((node) => [node, node.getBoundingClientRect()])
    .filter(([, { width, height }]) => width < 24 || height < 24).map(([node]) => `${node.id || node.textContent} is too small`);
  return [...wide, ...small];
});

test("on a phone: nothing sticks out, and run, story and views can be tapped", async () => {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.goto(url + study);
  await page.waitForSelector("#run:enabled");
  assert.deepEqual(await misfits(page), []);
  await page.tap("#run");
  await page.waitForSelector(".stage.live");
  await page.tap("#tour-next");
  await page.waitForFunction(() => location.search.includes("step=1"));
  assert.match(await page.textContent("#card"), /NEED_RESCHED/);
  await page.tap("#tour-next");
  await page.waitForFunction(() => location.search.includes("step=2"));
  assert.equal(await page.inputValue("#view"), "timeline");
  await page.tap("#tour-leave");
  await page.waitForFunction(() => document.querySelector("#pause").textContent === "Pause");
  await page.tap("#pause");
  assert.deepEqual(await misfits(page), []);
  assert.deepEqual(page.problems, []);
});

test("in an embed of 640 x 360 the picture keeps most of the room, and it can be clicked through", async () => {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 640, height: 360 } });
  await page.goto(`${url}embed.html${study}&ui=min`);
  await page.click("#run");
  await page.waitForSelector(".stage.live");
  await page.click("#pause");
  await page.waitForFunction(() => document.querySelector("#pause").textContent === "Continue");
  const { height } = await page.locator("#stage").boundingBox();
  assert.ok(height > 220, `the picture has ${height} px`);
  assert.deepEqual(await misfits(page), []);
  assert.ok(await page.isVisible("#open"));
  assert.deepEqual(page.problems, []);
});
