// A static server with a host's faults on demand.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after } from "node:test";

const dist = new URL("../../dist/", import.meta.url).pathname;

const types = {
  ".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json",
  ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm",
};

// Serves dist/ under a sub-path as a plain host does: no compression.
// wrongTypes: .wasm and .gz come as text/html. encodeGz: a .gz file is marked
// as content-encoded, as some hosts do. redirectIndex: index.html is sent on to
// its folder.
export async function serve({ under = "/some/where/", wrongTypes = false, encodeGz = false, redirectIndex = false } = {}) {
  const requests = [];
  const replaced = new Map(); // path -> text served instead of the file
  const server = createServer(async ({ url }, response) => {
    requests.push(url);
    const path = decodeURIComponent(new URL(url, "http://host").pathname);
    if (redirectIndex && path.endsWith("/index.html")) {
      response.writeHead(301, { Location: "./" }).end();
      return;
    }
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
