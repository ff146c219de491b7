// Keeps the page itself, so that it opens without a connection and can say so. It never keeps or answers data: everything
// under /v1 goes to the service or fails, and the page shows what it last saw with its age.

const SHELL = "gsi-shell";
const START = "/";
/** Other paths of the page; one cached page opens at each of them. */
const PAGES = [START, "/method", "/validation"];

/** The page's own files that its first view needs. */
const filesOf = (html) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((m) => m[1]);

/** A new page brings new files; those of the page before it are dropped. */
async function keep(response) {
  const cache = await caches.open(SHELL);
  const html = await response.clone().text();
  const before = await (await cache.match(START))?.text();
  if (html === before) return;
  for (const request of await cache.keys()) await cache.delete(request);
  // Without their files a page would open empty: it is kept when all of them are.
  await cache.addAll(filesOf(html));
  await cache.put(START, response);
}

async function page(request) {
  try {
    const response = await fetch(request);
    // The gauge in another page's frame comes with another policy and is not what opens without a connection.
    if (response.ok && !new URL(request.url).searchParams.has("embed")) keep(response.clone()).catch(() => {});
    return response;
  } catch {
    return (await caches.match(START)) ?? Response.error();
  }
}

/** Files carry a digest in their names: one that is kept is the right one. */
async function file(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) (await caches.open(SHELL)).put(request, response.clone()).catch(() => {});
  return response;
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(fetch(START).then((response) => (response.ok ? keep(response) : undefined)));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== self.location.origin) return;
  if (event.request.mode === "navigate" && PAGES.includes(pathname)) event.respondWith(page(event.request));
  else if (pathname.startsWith("/assets/")) event.respondWith(file(event.request));
});
