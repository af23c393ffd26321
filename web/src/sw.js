/*
 * Caches the whole page, so that everything except online play works without a network.
 *
 * The build fills in the list of files and the name of the cache. A new build is fetched next to
 * the old one and takes over once it is complete.
 */

const FILES = ["__FILES__"];
const CACHE = "castellan-__BUILD__";

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  const isOurs = url.origin === self.location.origin && event.request.method === "GET";
  if (!isOurs || /^\/(api|ws)(\/|$)/.test(url.pathname)) return;
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/", { ignoreVary: true })));
  } else {
    event.respondWith(caches.match(event.request, { ignoreVary: true }).then((kept) => kept ?? fetch(event.request)));
  }
});
