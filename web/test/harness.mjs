// What the browser tests share: a static server, one Chromium, and a page that
// records what must not happen.

import { after } from "node:test";
import { chromium } from "playwright-core";

export { serve } from "./server.mjs";

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: [
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox", "--disable-gpu-rasterization",
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
