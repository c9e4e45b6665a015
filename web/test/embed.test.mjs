// Embeds in somebody else's page, on another origin.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { newPage, serve } from "./harness.mjs";

const small = "?study=hackbench-epyc9654&hackbench.groups=1&hackbench.loops=5";

const endless = "?study=hackbench-epyc9654&hackbench.groups=1";

// A host page with such a body; its origin differs from the embed's.
async function host(body) {
  const server = createServer((_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end(
    `<!doctype html><meta name="viewport" content="width=device-width"><title>host</title><body style="height: 6000px">${body}`));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

const element = (attributes, id = "fig", link = small) => `<wakelab-embed id="${id}" link="${link}" ${attributes}>A picture</wakelab-embed>`;

async function open(body, options) {
  const { url, requests } = await serve();
  const page = await newPage(options);
  await page.goto(await host(`<script src="${url}wakelab-embed.js"></script>${body}`));
  const frames = () => page.frames().filter((f) => f.url().includes("embed.html"));
  await page.waitForFunction(() => document.querySelector("wakelab-embed"));
  return { page, requests, frames, frame: await ready(page, frames) };
}

async function ready(page, frames) {
  await page.locator("wakelab-embed").first().scrollIntoViewIfNeeded();
  await until(page, () => frames().length > 0);
  await frames()[0].waitForSelector("#run:enabled", { state: "attached" });
  return frames()[0];
}

async function until(page, condition) {
  for (let i = 0; !(await condition()); i++) {
    assert.ok(i < 600, `not within a minute: ${condition}`);
    await page.waitForTimeout(100);
  }
}

const started = (frame) => frame.waitForFunction(() => document.querySelector("#clock").textContent.includes("events"));
const clock = (frame) => frame.textContent("#clock");

test("nothing heavy is loaded before the reader asks, and the poster is there", async () => {
  const { requests, frame, page } = await open(element(""));
  assert.deepEqual(requests.filter((r) => r.includes(".wasm")), []);
  assert.ok(await frame.locator("#poster").evaluate((img) => img.decode().then(() => img.naturalWidth > 0)));
  await frame.click("#run");
  await started(frame);
  assert.equal(requests.filter((r) => r.includes(".wasm")).length, 2);
  assert.deepEqual(page.problems, []);
});

test("focus stays in the host page, Tab passes, wheel scrolls it", async () => {
  const { page, frame } = await open(`<button id="before">before</button>${element("autoplay unlock=seed")}<button id="after">after</button>`);
  await page.focus("#before");
  await started(frame);
  await frame.waitForFunction(() => document.querySelector(".stage.live"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "before", "a start takes no focus");

  let last = "";
  for (let i = 0; i < 12 && last !== "after"; i++) {
    await page.keyboard.press("Tab");
    last = await page.evaluate(() => document.activeElement.id);
  }
  assert.equal(last, "after", "Tab leaves the embed");

  await page.evaluate(() => scrollTo(0, 0));
  const box = await page.locator("wakelab-embed").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 100);
  await page.mouse.wheel(0, 150);
  await page.waitForFunction(() => scrollY > 0);
});

test("one finger pans the host page", async () => {
  const { page, frame } = await open(element("autoplay"), { hasTouch: true, isMobile: true, viewport: { width: 390, height: 600 } });
  await started(frame);
  await frame.waitForFunction(() => document.querySelector(".stage.live"));
  await page.evaluate(() => scrollTo(0, 0));
  const session = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", { x: 195, y: 300 });
  for (let y = 290; y >= 100; y -= 10) await touch("touchMove", { x: 195, y });
  await touch("touchEnd");
  await page.waitForFunction(() => scrollY > 50);
});

test("off screen it stands still, and goes on at the same instant", async () => {
  const { page, frame } = await open(element("", "fig", endless));
  await frame.click("#run");
  await started(frame);
  await page.evaluate(() => scrollTo(0, 4000));
  // Not waitForFunction: a frame that is off screen draws nothing.
  await until(page, () => frame.evaluate(() => document.querySelector("#pause").textContent !== "Pause" && !document.querySelector(".painter")));
  const stood = await clock(frame);
  await page.waitForTimeout(400);
  assert.equal(await clock(frame), stood);
  await page.evaluate(() => scrollTo(0, 0));
  await frame.waitForFunction((was) => document.querySelector("#clock").textContent !== was, stood);
  const ns = (text) => parseFloat(text) * { n: 1, u: 1e3, m: 1e6 }[text.match(/[num]/)[0]];
  assert.ok(ns(await clock(frame)) - ns(stood) < 1e6, "no time is caught up");
});

test("a link's fork and instant: it stops there and says whose run it is", async () => {
  const { url } = await serve();
  const author = await newPage();
  await author.goto(`${url}?study=hackbench-epyc9654&sockets=1&dies_per_socket=1&llcs_per_die=1&cores_per_llc=2&hackbench.groups=1&hackbench.loops=5&fork=10us&t=20us`);
  await author.click("#run");
  await author.waitForFunction(() => /t=20us.*d=/.test(location.search));
  const link = new URL(author.url()).search;
  assert.match(link, /fork=10us&t=20us&v=\d+&d=[0-9a-f]{16}$/);

  const { page, frame } = await open(element("", "fig", link.replaceAll("&", "&amp;")));
  assert.match(await frame.getAttribute("#open", "href"), /fork=10us&t=20us/);
  await frame.click("#run");
  await frame.locator("#messages", { hasText: "Same run as the author saw" }).waitFor();
  assert.match(await clock(frame), /^20\.000 us/);
  assert.equal(await frame.textContent("#pause"), "Continue");
  await frame.click("#pause");
  await frame.waitForFunction(() => !document.querySelector("#clock").textContent.startsWith("20.000 us"));
  assert.deepEqual(page.problems, []);
});

test("on its way to an instant it stands still while off screen, and gets there", async () => {
  const { page, frame } = await open(element("", "fig", `${endless}&amp;t=300us`));
  await frame.click("#run");
  await started(frame);
  await page.evaluate(() => scrollTo(0, 4000));
  await until(page, () => frame.evaluate(() => !document.querySelector(".painter")));
  let stood; // what was under way still comes
  do {
    stood = await clock(frame);
    await page.waitForTimeout(500);
  } while ((await clock(frame)) !== stood);
  assert.doesNotMatch(stood, /^300/, "on its way");
  await page.evaluate(() => scrollTo(0, 0));
  await frame.locator("#messages", { hasText: "This is the link's instant" }).waitFor();
  assert.match(await clock(frame), /^300\.000 us/);
});

test("prose drives it: set, run, seek; only what is unlocked", async () => {
  const { page, frame } = await open(`${element('unlock="idle_delay,seed"')}
    <a id="set" data-wakelab="fig" data-set="idle_delay=0.1ms" href="#nowhere">set</a>
    <a id="seek" data-wakelab="fig" data-seek="20us" href="#nowhere">seek</a>
    <a id="locked" data-wakelab="fig" data-set="c1=off&seed=5" href="#nowhere">locked</a>
    <button id="run" data-wakelab="fig" data-do="run">run</button><output data-wakelab="fig" data-kernel="v6.5">none</output>`);
  await page.evaluate(() => {
    globalThis.heard = [];
    for (const type of ["ready", "progress", "result", "error"]) addEventListener(`wakelab-${type}`, ({ detail }) => heard.push({ type, ...detail }));
  });
  await page.click("#set");
  await frame.waitForFunction(() => document.querySelector("[name=idle_delay]").value === "100us");
  assert.match(await frame.getAttribute("#open", "href"), /idle_delay=100us/);
  await page.click("#seek");
  await frame.waitForFunction(() => document.querySelector("#clock").textContent.startsWith("20.000 us"));
  assert.equal(await frame.textContent("#pause"), "Continue");
  await page.click("#locked");
  await page.waitForFunction(() => heard.some(({ type }) => type === "error"));
  const { problems } = await page.evaluate(() => heard.find(({ type }) => type === "error"));
  assert.deepEqual(problems, ["c1 is not unlocked in this embed."]);
  assert.equal(await frame.inputValue("[name=seed]"), "1", "all or nothing");
  await page.click("#run");
  await page.waitForFunction(() => document.querySelector("output").textContent !== "none", null, { timeout: 120_000 });
  assert.match(await page.textContent("output"), /^[\d.]+ s$/);
  assert.ok(await page.evaluate(() => heard.some(({ type, running }) => type === "progress" && running)));
  assert.equal(new URL(page.url()).hash, "", "links stay in the page");
});

test("only the page around it is heard, only from its first origin; malformed messages do nothing", async () => {
  const { page, frame } = await open(`${element('unlock="seed"')}<iframe id="other" srcdoc="<title>other</title>"></iframe>`);
  await page.evaluate(() => {
    const embed = document.querySelector("wakelab-embed").shadowRoot.querySelector("iframe").contentWindow;
    const nested = { wakelab: 1, type: "set", params: { seed: "9" } };
    document.querySelector("#other").contentWindow.eval("(target, message) => target.postMessage(message, '*')")(embed, nested);
    for (const bad of [
      null, 1, "run", [], {}, { wakelab: 1 }, { wakelab: 2, type: "run" }, { wakelab: 1, type: "nonsense" }, { wakelab: 1, type: "constructor" },
      { wakelab: 1, type: "set" }, { wakelab: 1, type: "set", params: null }, { wakelab: 1, type: "set", params: [1] }, { wakelab: 1, type: "set", params: { seed: 9 } },
      { wakelab: 1, type: "seek" }, { wakelab: 1, type: "seek", t: 5 }, { wakelab: "1", type: "run" },
    ]) embed.postMessage(bad, "*");
    document.querySelector("wakelab-embed").set({ seed: "2" });
  });
  await frame.waitForFunction(() => document.querySelector("[name=seed]").value === "2");
  assert.equal(await frame.textContent("#clock"), "not started");
  assert.equal(await frame.textContent("#messages"), "");
  assert.deepEqual(page.problems, []);
});

test("an origin= in the address keeps others from being heard", async () => {
  const { url } = await serve();
  const page = await newPage();
  await page.goto(await host(`<iframe src="${url}embed.html${small}&unlock=seed&origin=https%3A%2F%2Fexample.org"></iframe>`));
  const frame = page.frames().find((f) => f.url().includes("embed.html"));
  await frame.waitForSelector("#run:enabled", { state: "attached" });
  await page.evaluate(() => {
    globalThis.heard = 0;
    addEventListener("message", () => heard++);
    for (const message of [{ type: "hello" }, { type: "set", params: { seed: "9" } }, { type: "run" }]) {
      document.querySelector("iframe").contentWindow.postMessage({ wakelab: 1, ...message }, "*");
    }
  });
  await page.waitForTimeout(300);
  assert.equal(await frame.inputValue("[name=seed]"), "1");
  assert.equal(await page.evaluate(() => heard), 0);
});

test("twenty embeds on one page", async () => {
  const body = Array.from({ length: 20 }, (_, i) => `<p>text</p>${element('height="220"', `fig${i}`)}`).join("");
  const { page, frames, requests } = await open(body);
  for (let i = 0; i < 20; i++) {
    await page.locator(`#fig${i}`).scrollIntoViewIfNeeded();
    await page.waitForTimeout(50);
  }
  await until(page, () => frames().length === 20);
  for (const frame of frames()) await frame.waitForSelector("#run:enabled", { state: "attached" });
  assert.deepEqual(requests.filter((r) => r.includes(".wasm")), [], "nothing is loaded for those that nobody runs");
  for (const i of [0, 7, 19]) {
    await page.locator(`#fig${i}`).scrollIntoViewIfNeeded();
    const frame = await (await page.evaluateHandle((id) => document.getElementById(id).shadowRoot.querySelector("iframe"), `fig${i}`)).contentFrame();
    await frame.click("#run");
    await started(frame);
  }
  const pictures = await Promise.all(frames().map((frame) => frame.locator(".painter").count()));
  assert.ok(pictures.reduce((a, b) => a + b) <= 4, `only those in view are drawn: ${pictures}`);
  assert.deepEqual(page.problems, []);
});

test("its height is told, and depends on the width alone", async () => {
  const { page } = await open(element('ui="full"'));
  const height = () => page.evaluate(() => document.querySelector("wakelab-embed").getBoundingClientRect().height);
  await page.waitForFunction(() => document.querySelector("wakelab-embed").getBoundingClientRect().height > 450);
  const wide = await height();
  await page.waitForTimeout(500);
  assert.equal(await height(), wide, "it does not grow by itself");
});
