// The page without a network, after a new build, and from a file.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { newPage, run, serve } from "./harness.mjs";

const dist = new URL("../../dist/", import.meta.url);

test("offline after a visit with a run", async () => {
  const { url } = await serve({ redirectIndex: true });
  const page = await newPage({ serviceWorkers: "allow" });
  await page.goto(url);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await run(page);
  await page.context().setOffline(true);
  await page.goto(`${url}?seed=5`);
  await run(page);
  assert.equal(await page.inputValue("#seed"), "5");
});

test("a new build is announced, and shown when the reader asks", async () => {
  const { url, replace } = await serve();
  const page = await newPage({ serviceWorkers: "allow" });
  await page.goto(url);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  const css = `${await readFile(new URL("css/page.css", dist), "utf8")}\n:root { --build: 2 }`;
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(css))).toString("base64");
  const list = await readFile(new URL("sw-files.js", dist), "utf8");
  replace("css/page.css", css);
  replace("sw-files.js", list.replace(/("css\/page\.css": )"[^"]*"/, `$1"${hash}"`));
  const build = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--build"));
  await page.reload();
  await page.waitForSelector("#new-version button");
  assert.equal(await build(), "", "until then the old version stays whole");
  await page.click("#new-version button");
  await page.waitForFunction(() => getComputedStyle(document.documentElement).getPropertyValue("--build") === "2");
});

test("the list of files names all that the page fetches", async () => {
  const { url, requests } = await serve();
  const page = await newPage();
  await page.goto(url);
  await run(page);
  const list = await readFile(new URL("sw-files.js", dist), "utf8");
  const paths = requests.map((r) => new URL(r, url).pathname.slice(new URL(url).pathname.length) || "index.html");
  for (const path of new Set(paths)) if (!path.startsWith("sw")) assert.ok(list.includes(`"${path}":`), path);
});

test("from a file the page says what to do", async () => {
  const page = await newPage();
  await page.goto(new URL("index.html", dist).href);
  assert.match(await page.textContent("#summary"), /Serve its folder instead/);
});

test("no page has a script or style inline", async () => {
  for (const name of (await readdir(dist)).filter((n) => n.endsWith(".html"))) {
    const html = await readFile(new URL(name, dist), "utf8");
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i, name);
    assert.match(html, /Content-Security-Policy/, name);
  }
});
