// Keeps the page usable offline. Files are kept by content: wakelabFiles, made
// by the build, maps each path to its hash, so that a page never sees files of
// two versions, and a new build is a new service worker. It waits until the
// reader asks for it, or has closed the page.

importScripts("sw-files.js");

const cacheName = "wakelab";

// Programs, posters and settled states are kept once they have been used.
const lazy = (path) => /\.(gz|wasm)$|^posters\//.test(path);

const keyOf = (path) => new Request(new URL(`${path}?${encodeURIComponent(wakelabFiles[path])}`, registration.scope));

// Fetches a file past the HTTP cache and keeps it. What a host may have
// unpacked on the way cannot be checked.
async function keep(cache, path) {
  const integrity = path.endsWith(".gz") ? "" : `sha256-${wakelabFiles[path]}`;
  const response = await fetch(new URL(path, registration.scope), { cache: "no-cache", integrity });
  if (!response.ok) return response;
  // A host may send index.html on to its folder, and no page opens from an
  // answer that was sent on.
  const own = new Response(await response.blob(), { headers: { "Content-Type": response.headers.get("Content-Type") ?? "" } });
  await cache.put(keyOf(path), own.clone());
  return own;
}

async function install() {
  const cache = await caches.open(cacheName);
  await Promise.all(Object.keys(wakelabFiles).filter((path) => !lazy(path)).map(async (path) => {
    if ((await cache.match(keyOf(path)))?.redirected === false) return;
    const { ok, status } = await keep(cache, path);
    if (!ok) throw new Error(`${status} for ${path}`);
  }));
}

async function forgetOthers() {
  const cache = await caches.open(cacheName);
  const wanted = new Set(Object.keys(wakelabFiles).map((path) => keyOf(path).url));
  for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
}

async function answer(path) {
  const cache = await caches.open(cacheName);
  return (await cache.match(keyOf(path))) ?? keep(cache, path);
}

oninstall = (event) => event.waitUntil(install());
onactivate = (event) => event.waitUntil(forgetOthers().then(() => clients.claim()));
onmessage = ({ data }) => data === "take over" && skipWaiting();
onfetch = (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const home = new URL(registration.scope);
  if (event.request.method !== "GET" || origin !== home.origin || !pathname.startsWith(home.pathname)) return;
  const path = decodeURIComponent(pathname.slice(home.pathname.length)).replace(/(^|\/)$/, "$1index.html");
  if (Object.hasOwn(wakelabFiles, path)) event.respondWith(answer(path));
};
