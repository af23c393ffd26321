/// How the page is built, served for a look, and tested.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { LIMIT_MS, TEST_LIMIT_MS } from "./e2e/limit.ts";

/** The policy that the server sends; a page that needs more shows it here already. */
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
  "img-src 'self' data:; font-src 'self'; media-src 'self'; connect-src 'self'; " +
  "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
  "frame-ancestors 'none'";

/** Writes the service worker with the names of everything that was built. */
function offline(): Plugin {
  return {
    name: "castellan-offline",
    apply: "build",
    closeBundle() {
      const found = readdirSync("dist", { recursive: true, withFileTypes: true });
      const files = found
        .filter((entry) => entry.isFile() && entry.name !== "sw.js" && entry.name !== "index.html")
        .map((entry) => `/${entry.parentPath}/${entry.name}`.replaceAll("\\", "/").replace(/^\/dist\//, "/"))
        .sort();
      const build = createHash("sha256").update(readFileSync("dist/index.html")).update(files.join()).digest("hex");
      const code = readFileSync("src/sw.js", "utf8")
        .replace('["__FILES__"]', JSON.stringify(["/", ...files]))
        .replace("__BUILD__", build.slice(0, 12));
      writeFileSync("dist/sw.js", code);
    },
  };
}

/** The size of the engine's module, for the page to say how much of it has arrived. */
const engineBytes = statSync("src/wasm/engine.wasm", { throwIfNoEntry: false })?.size ?? 1;

/** What every run in a browser has in common. */
const inBrowser = {
  globalSetup: ["e2e/serve.ts"],
  testTimeout: TEST_LIMIT_MS,
  hookTimeout: TEST_LIMIT_MS,
  expect: { poll: { timeout: LIMIT_MS } },
};

export default defineConfig({
  plugins: [svelte(), offline()],
  define: { __ENGINE_BYTES__: engineBytes },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
  worker: { format: "es" },
  preview: { headers: { "Content-Security-Policy": policy } },
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["tests/**/*.test.ts"], testTimeout: TEST_LIMIT_MS } },
      { extends: true, test: { ...inBrowser, name: "shots", include: ["e2e/shots.ts"] } },
      { extends: true, test: { ...inBrowser, name: "pictures", include: ["e2e/pictures.ts"] } },
      // The files of a worker share its browser and its modules. A test waits now and then, so there
      // is one worker more than cores.
      { extends: true, test: { ...inBrowser, name: "e2e", include: ["e2e/*.test.ts"], maxWorkers: availableParallelism() + 1, isolate: false } },
      // What is measured is measured alone.
      { extends: true, test: { ...inBrowser, name: "measure", include: ["e2e/measure.ts"], maxWorkers: 1 } },
    ],
  },
});
