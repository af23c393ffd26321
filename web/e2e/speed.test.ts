/** The first screen is small, nothing on it shifts, and a move appears at once. */

import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ADDRESS, launch, newContext, visit } from "./browser";

/** Maximum compressed size of the first screen, in bytes. */
const MOST_BYTES = 150_000;
/** Maximum cumulative layout shift; Lighthouse calls less than 0.1 good. */
const MOST_SHIFT = 0.05;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

test("the first screen is small and waits for no module", async () => {
  const context = await newContext(browser);
  // A fresh page has nothing else to request.
  const page = await context.newPage();
  const brought: number[] = [];
  await page.route("**/*", async (route) => {
    // Modules load after the first screen, which has to be complete without them.
    if (route.request().url().endsWith(".wasm")) return route.abort();
    const response = await route.fetch();
    brought.push(gzipSync(await response.body()).length);
    return route.fulfill({ response });
  });
  await page.goto(`${ADDRESS}/`, { waitUntil: "networkidle" });
  await page.locator(".ways").waitFor();
  const sum = brought.reduce((bytes, one) => bytes + one, 0);
  console.log(`first screen: ${brought.length} files, ${sum} bytes after gzip`);
  expect(brought.length).toBeGreaterThan(2);
  expect(sum).toBeLessThan(MOST_BYTES);
  await context.close();
});

/** Returns the cumulative layout shift since the page loaded, as browsers measure it. */
const shift = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        let sum = 0;
        const asked = performance.now();
        const watch = new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) {
            if (entry.startTime >= asked) done(sum);
            else if (!entry.hadRecentInput) sum += entry.value;
          }
        });
        watch.observe({ type: "layout-shift", buffered: true });
        // The test causes the last shift itself: once it is reported, so are all shifts before it.
        const wedge = document.createElement("div");
        wedge.style.height = "200px";
        document.body.prepend(wedge);
      }),
  );

test.each([390, 1440])("nothing jumps while a page comes, at %i pixels", async (width) => {
  for (const path of ["/", "/two", "/computer", "/editor", "/doctor", "/library", "/online", "/settings"]) {
    const { page } = await visit(browser, path, { viewport: { width, height: 844 } });
    await page.locator("h1").first().waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
    expect(await shift(page), path).toBeLessThan(MOST_SHIFT);
    await page.context().close();
  }
});

test("a move is on the board in the next frame", async () => {
  const { page } = await visit(browser, "/two");
  await page.getByRole("button", { name: "Start game" }).click();
  const square = (name: string) => page.locator(`[data-square="${name}"]`);
  await square("e2").click();
  await page.evaluate(() => {
    const seen: (string | null)[] = [];
    Object.assign(globalThis, { seenOnE4: seen });
    // A frame is drawn after its callbacks, so what the callback sees is what the user sees.
    addEventListener(
      "pointerup",
      () => requestAnimationFrame(() => seen.push(document.querySelector("[data-square=e4]")?.getAttribute("aria-label") ?? null)),
      { capture: true, once: true },
    );
  });
  await square("e4").click();
  await expect.poll(() => page.evaluate(() => (globalThis as unknown as { seenOnE4: string[] }).seenOnE4[0])).toContain("white pawn");
});
