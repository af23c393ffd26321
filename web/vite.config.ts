/// How the page is built, served for a look, and tested.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

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

export default defineConfig({
  plugins: [svelte(), offline()],
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
      { extends: true, test: { name: "unit", include: ["tests/**/*.test.ts"] } },
      {
        extends: true,
        test: { name: "shots", include: ["e2e/shots.ts"], globalSetup: ["e2e/serve.ts"] },
      },
      {
        extends: true,
        test: { name: "pictures", include: ["e2e/pictures.ts"], globalSetup: ["e2e/serve.ts"] },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["e2e/*.test.ts"],
          globalSetup: ["e2e/serve.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        // What is measured is measured alone.
        extends: true,
        test: {
          name: "alone",
          include: ["e2e/alone/*.test.ts"],
          globalSetup: ["e2e/serve.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
