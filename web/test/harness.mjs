// What the browser tests share: a static server with a host's faults on
// demand, one Chromium, and a page that records what must not happen.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after } from "node:test";
import { chromium } from "playwright-core";

const dist = new URL("../../dist/", import.meta.url).pathname;

const types = {
  ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json",
  ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm",
};

// Serves dist/ under a sub-path as a plain host does: no compression.
// wrongTypes: .wasm and .gz come as text/html. encodeGz: a .gz file is marked
// as content-encoded, as some hosts do.
export async function serve({ under = "/some/where/", wrongTypes = false, encodeGz = false } = {}) {
  const requests = [];
  const replaced = new Map(); // path -> text served instead of the file
  const server = createServer(async ({ url }, response) => {
    requests.push(url);
    const path = decodeURIComponent(new URL(url, "http://host").pathname);
    const file = join(dist, normalize(path.slice(under.length - 1)), path.endsWith("/") ? "index.html" : "");
    const found = path.startsWith(under) && (await stat(file).catch(() => null))?.isFile();
    if (!found) {
      response.writeHead(404).end();
      return;
    }
    const extension = extname(file);
    const odd = wrongTypes && [".wasm", ".gz"].includes(extension);
    const headers = { "Content-Type": odd ? "text/html" : types[extension] ?? "application/octet-stream" };
    const instead = replaced.get(path.slice(under.length));
    if (encodeGz && extension === ".gz") headers["Content-Encoding"] = "gzip";
    response.writeHead(200, headers);
    if (instead !== undefined) response.end(instead);
    else createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}${under}`, requests, replace: (path, text) => replaced.set(path, text) };
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: [
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox",
    "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
  ],
});
after(() => browser.close());

// A fresh page, closed after the test. page.problems collects console errors, CSP violations and
// requests to other hosts.
export async function newPage(options = {}) {
  // Without a service worker, so that page.route() sees every request.
  const context = await browser.newContext({ viewport: { width: 800, height: 600 }, serviceWorkers: "block", ...options });
  after(() => context.close()); // a page left running would slow down the next test
  const page = await context.newPage();
  page.setDefaultTimeout(120_000); // a loaded machine is no failure
  page.problems = [];
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("pageerror", (error) => page.problems.push(error.stack));
  page.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") page.problems.push(`third party: ${request.url()}`);
  });
  return page;
}

// Starts the shown study and waits until both machines are drawn.
export async function run(page) {
  await page.click("#run");
  await page.waitForSelector(".stage.live");
  await page.waitForFunction(() => document.querySelectorAll("#counters tbody tr").length > 0);
}

// The simulated time and event count that the page shows.
export const clock = (page) => page.textContent("#clock");

// Pauses a run and waits until both engines rest at one instant, which the
// address then names.
export async function halt(page) {
  await page.click("#pause");
  await page.waitForFunction(() => location.search.includes("d="));
}
