/** A file of a hundred megabytes in the library, with nothing beside it that holds a frame up. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, visit } from "../browser";
import { writeLarge } from "../many-games";

const FILE_BYTES = 100_000_000;
/** Reading goes on for seconds; a page that did it itself would stand still for all of them. */
const LONGEST_FRAME_MS = 250;

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "castellan-library-"));
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** Notes the longest time between two frames from now on. */
const watchFrames = (page: Page) =>
  page.evaluate(() => {
    const seen = { longest: 0, frames: 0 };
    Object.assign(globalThis, { seenFrames: seen });
    let last = performance.now();
    const look = (now: number) => {
      seen.longest = Math.max(seen.longest, now - last);
      seen.frames += 1;
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame((now) => {
      last = now;
      requestAnimationFrame(look);
    });
  });
const frames = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { seenFrames: { longest: number; frames: number } }).seenFrames);

const rows = (page: Page) => page.locator("[role=row][data-at]");
const choose = (page: Page, path: string) => page.locator("input[type=file]").setInputFiles(path);

// Once more if a busy machine, and not the page, has held a frame up.
test("a hundred megabytes are read without a frozen frame, searched, and one game is opened", { retry: 1 }, async () => {
  const path = join(folder, "large.pgn");
  const games = writeLarge(path, FILE_BYTES);
  const { page, errors } = await visit(browser, "/library");
  await watchFrames(page);
  await choose(page, path);
  // The list can be used while the file is still being read.
  await rows(page).first().waitFor();
  expect(await page.locator("progress").count()).toBe(1);
  await expect.poll(() => rows(page).first().textContent()).toContain("Hollow, Ada 0");
  await page.getByRole("grid").hover();
  for (let step = 0; step < 10; step++) {
    await page.mouse.wheel(0, 3000);
    await page.waitForTimeout(50);
  }
  await expect.poll(() => page.locator("progress").count(), { timeout: 90_000 }).toBe(0);
  const heading = `${new Intl.NumberFormat("en").format(games)} games`;
  expect(await page.getByRole("heading", { name: heading }).isVisible()).toBe(true);
  const { longest, frames: drawn } = await frames(page);
  console.log(`library: ${games} games, ${drawn} frames, the longest ${Math.round(longest)} ms`);
  expect(longest).toBeLessThan(LONGEST_FRAME_MS);
  expect(drawn).toBeGreaterThan(20);
  // However many games there are, the page holds a screenful.
  expect(await rows(page).count()).toBeLessThan(60);
  expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe(String(games + 1));
  // The needle, without capitals and marks.
  await page.locator("#player").fill("borivoj zizka");
  await page.getByText("1 game found").waitFor();
  await expect.poll(() => rows(page).first().textContent()).toContain("Žižka, Bořivoj");
  expect(await rows(page).first().textContent()).toContain("From's Gambit");
  await rows(page).first().click();
  await page.locator("[data-ply='5']").waitFor();
  expect(await page.locator("[data-ply]").allTextContents()).toEqual(["f4", "e5", "Nf3", "exf4", "Nc3"]);
  // Back again, everything is as it was.
  await page.goBack();
  await page.getByText("1 game found").waitFor();
  expect(await page.locator("#player").inputValue()).toBe("borivoj zizka");
  expect(await rows(page).count()).toBe(1);
  expect(errors).toEqual([]);
  const used = await page.evaluate(() => (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory?.usedJSHeapSize ?? 0);
  expect(used).toBeLessThan(60_000_000);
  await page.context().close();
  rmSync(path);
});
