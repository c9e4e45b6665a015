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

// The painter's document.
const painter = (page) => page.frameLocator(".painter").locator("canvas");
const shot = (page) => page.locator(".painter").screenshot();

async function paused(options, query = pipe) {
  const { url } = await serve();
  const page = await newPage({ viewport: { width: 1000, height: 900 }, ...options });
  await page.goto(url + query);
  await run(page);
  await halt(page);
  return page;
}

test("a click pins a CPU's card, which follows the run; another lets it go", async () => {
  const page = await paused({}, "?study=ipistorm-epyc-milan");
  assert.equal(await page.inputValue("#large"), "8,16", "the study's own choice");
  await painter(page).click({ position: { x: 100, y: 90 } });
  await page.waitForSelector("#card:not([hidden]).pinned");
  assert.match(await page.textContent("#card caption"), /^CPU \d+$/);
  for (const fact of ["task", "function", "nr_running", "NEED_RESCHED", "POLLING"]) {
    assert.equal(await page.locator("#card th", { hasText: fact }).count(), 1, fact);
  }
  const before = await page.textContent("#card");
  for (let i = 0; i < 40 && await page.textContent("#card") === before; i++) await page.click("#step");
  assert.notEqual(await page.textContent("#card"), before, "it is kept up to date");
  await page.click("#card-close");
  await page.waitForFunction(() => document.querySelector("#pin").value === "");
  await page.fill("#pin", "16");
  await page.dispatchEvent("#pin", "change");
  await page.waitForFunction(() => document.querySelector("#card caption").textContent === "CPU 16");
  assert.deepEqual(page.problems, []);
});

test("the picture shows the CPUs that are asked for and names mistakes", async () => {
  const page = await paused();
  const all = await shot(page);
  await page.fill("#show", "0-3");
  await page.dispatchEvent("#show", "change");
  await page.waitForTimeout(300);
  assert.notDeepEqual(await shot(page), all);
  await page.fill("#show", "3-1");
  await page.dispatchEvent("#show", "change");
  await page.waitForSelector("#messages .problem");
  assert.match(await page.textContent("#messages"), /3-1/);
  assert.equal(await page.getAttribute("#show", "aria-invalid"), "true");
});

test("letters move the picture only after a click into it", async () => {
  const page = await paused();
  await page.selectOption("#view", "timeline");
  await page.waitForTimeout(300);
  const still = await shot(page);
  await page.focus("#step");
  await page.keyboard.press("w");
  await page.waitForTimeout(300);
  assert.deepEqual(await shot(page), still, "the page has the focus");
  await painter(page).click({ position: { x: 5, y: 5 } });
  await page.waitForTimeout(300);
  let last = await shot(page);
  for (const key of ["w", "a", "d", "f"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(300);
    const now = await shot(page);
    assert.notDeepEqual(now, last, key);
    last = now;
  }
  await page.keyboard.press("Shift+?");
  await page.waitForSelector("#keys[open]");
});

test("Ctrl and wheel zoom the picture, not the page; a drag moves it and pins nothing", async () => {
  const page = await paused();
  await painter(page).scrollIntoViewIfNeeded();
  const box = await painter(page).boundingBox();
  const ratio = await page.evaluate(() => devicePixelRatio);
  const whole = await shot(page);
  await page.mouse.move(box.x + 200, box.y + 150);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await page.waitForTimeout(300);
  const zoomed = await shot(page);
  assert.notDeepEqual(zoomed, whole);
  assert.equal(await page.evaluate(() => devicePixelRatio), ratio);
  await page.mouse.down();
  await page.mouse.move(box.x + 260, box.y + 190, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(300);
  assert.notDeepEqual(await shot(page), zoomed);
  assert.equal(await page.inputValue("#pin"), "");
  assert.deepEqual(page.problems, []);
});

const digest = (page) => new URL(page.url()).searchParams.get("d");
const nowUs = async (page) => parseFloat((await page.textContent("#clock")).replaceAll(",", ""));

test("a run goes back, and forward to the very same state", async () => {
  const page = await paused();
  const url = page.url();
  const was = digest(page);
  await page.locator("#scrub").fill("300");
  await page.waitForFunction((d) => new URL(location.href).searchParams.get("d") !== d, was);
  assert.ok(await page.locator("#scrub").inputValue() < 400);
  await page.locator("#scrub").fill("1000");
  await page.waitForFunction((d) => new URL(location.href).searchParams.get("d") === d, was);
  assert.equal(page.url(), url, "the same instant, the same digests");
  assert.match(await page.textContent("#scrub-text"), /[kM]B of snapshots/);
  assert.deepEqual(page.problems, []);
});

test("two marks in the timeline tell the time between them", async () => {
  const page = await paused();
  await page.selectOption("#view", "timeline");
  await page.waitForTimeout(300);
  await painter(page).click({ position: { x: 5, y: 5 } });
  const box = await painter(page).boundingBox();
  for (const x of [150, 300]) {
    await page.mouse.move(box.x + x, box.y + 100);
    await page.keyboard.press("m");
  }
  await page.waitForFunction(() => /apart/.test(document.querySelector("#marked").textContent));
  await page.keyboard.press("m");
  await page.waitForFunction(() => document.querySelector("#marked").textContent === "");
  assert.deepEqual(page.problems, []);
});

test("two fingers zoom the picture and scroll nothing", async () => {
  const page = await paused({ hasTouch: true });
  await painter(page).scrollIntoViewIfNeeded();
  const [box, whole, scrolled] = [await painter(page).boundingBox(), await shot(page), await page.evaluate(() => scrollY)];
  const session = await page.context().newCDPSession(page);
  const touch = (type, apart) => session.send("Input.dispatchTouchEvent", {
    type, touchPoints: type === "touchEnd" ? [] : [-1, 1].map((way, id) => ({ id, x: box.x + 200 + way * apart, y: box.y + 120 })),
  });
  await touch("touchStart", 20);
  for (const apart of [30, 45, 60, 80]) await touch("touchMove", apart);
  await touch("touchEnd");
  await page.waitForTimeout(300);
  assert.notDeepEqual(await shot(page), whole);
  assert.equal(await page.evaluate(() => scrollY), scrolled);
  assert.equal(await page.evaluate(() => visualViewport.scale), 1);
  assert.deepEqual(page.problems, []);
});

test("a step on the card's CPU asks for a card and then goes there", async () => {
  const page = await paused();
  await page.selectOption("#step-kind", { label: "on the card's CPU" });
  await page.click("#step");
  await page.waitForSelector("#messages .problem");
  await page.fill("#pin", "0");
  await page.dispatchEvent("#pin", "change");
  const before = await page.textContent("#clock");
  await page.click("#step");
  await page.waitForFunction((was) => document.querySelector("#clock").textContent !== was && document.querySelector("#pause").textContent === "Continue", before);
});

test("steps go to the next event, wakeup and IPI", async () => {
  const page = await paused();
  for (const kind of ["event", "wakeup", "IPI"]) {
    await page.selectOption("#step-kind", kind);
    const before = await page.textContent("#clock");
    await page.click("#step");
    await page.waitForFunction((was) => document.querySelector("#clock").textContent !== was && document.querySelector("#pause").textContent === "Continue", before);
  }
  assert.ok(await nowUs(page) > 0);
  assert.deepEqual(page.problems, []);
});

test("a fork goes on with both kernels from one state and tells where they part", async () => {
  const page = await paused({}, "?study=ipistorm-epyc-milan&b=sm-idle");
  await page.click("#fork");
  await page.waitForFunction(() => /First events in which they part/.test(document.querySelector("#messages").textContent));
  const said = await page.textContent("#messages");
  assert.match(said, /both go on from the state of/);
  assert.match(said, /\[\d+\].*: \w+:/, "the events are written as in a trace");
  await page.click("#pause");
  await page.waitForFunction(() => document.querySelector("#pause").textContent === "Continue");
  await page.waitForFunction(() => location.search.includes("d="));
  assert.match(page.url(), /&fork=[\d.]+[a-z]+&t=[\d.]+[a-z]+&v=\d+&d=[0-9a-f]{16}$/);
  assert.deepEqual(page.problems, []);

  const again = await newPage();
  await again.goto(page.url());
  await run(again);
  await again.waitForFunction(() => /Same run as the author saw/.test(document.querySelector("#messages").textContent));
  assert.match(await again.textContent("#messages"), /both go on from the state of/);
  await again.waitForFunction((url) => location.href === url, page.url());
  await again.click("#restart");
  await again.waitForFunction(() => !location.search.includes("fork="));
});
