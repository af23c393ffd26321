/** A 100 MB file in the library: the page stays responsive and small. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, visit } from "./browser";
import { frames, watchFrames } from "./frames";
import { holdReading, writeLarge } from "./many-games";

const FILE_BYTES = 100_000_000;
/**
 * Longest allowed frame, as a share of the reading time. A page that read the file on its own
 * thread would draw nothing for all of that time.
 */
const LONGEST_FRAME_SHARE = 1 / 3;
/** Longest allowed sorting or search, as a share of the reading time; they need about a twentieth. */
const LONGEST_SEARCH_SHARE = 1 / 2;
const MOST_HEAP_BYTES = 60_000_000;

let browser: Browser;
let folder: string;
beforeAll(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "castellan-library-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const rows = (page: Page) => page.locator("[role=row][data-at]");

/** Returns the size of the JavaScript heap after garbage collection. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}

test("a hundred megabytes are read without a frozen frame, searched, and one game is opened", async () => {
  const path = join(folder, "large.pgn");
  const games = writeLarge(path, FILE_BYTES);
  const { page, errors } = await visit(browser, "/library");
  const { goOn } = await holdReading(page, 4);
  await page.locator("input[type=file]").setInputFiles(path);
  // The list is usable while the file is still being read.
  await rows(page).first().waitFor();
  await expect.poll(() => page.locator("progress").count()).toBe(1);
  await expect.poll(() => rows(page).first().textContent()).toContain("Hollow, Ada 0");
  await page.getByRole("grid").hover();
  await page.mouse.wheel(0, 3000);
  await expect.poll(() => rows(page).first().textContent()).not.toContain("Hollow, Ada 0");
  await watchFrames(page);
  const began = Date.now();
  await goOn();
  await expect.poll(() => page.locator("progress").count()).toBe(0);
  const readingMs = Date.now() - began;
  const { longestMs, count } = await frames(page);
  console.log(`library: ${games} games in ${readingMs} ms, ${count} frames, the longest ${Math.round(longestMs)} ms`);
  expect(longestMs).toBeLessThan(readingMs * LONGEST_FRAME_SHARE);
  const heading = `${new Intl.NumberFormat("en").format(games)} games`;
  await page.getByRole("heading", { name: heading }).waitFor();
  // The page has only a screenful of rows, however many games there are.
  await expect.poll(() => rows(page).count()).toBeLessThan(60);
  await expect.poll(() => page.getByRole("grid").getAttribute("aria-rowcount")).toBe(String(games + 1));
  // Sorts all games, and searches all of them for a position.
  const first = await rows(page).first().textContent();
  let asked = Date.now();
  await page.getByRole("columnheader", { name: "White", exact: true }).getByRole("button").click();
  await expect.poll(() => rows(page).first().textContent()).not.toBe(first);
  const sortingMs = Date.now() - asked;
  await page.getByRole("button", { name: "Explorer" }).click();
  await page.locator("[data-uci=e2e4]").click();
  await page.locator("[data-uci=e7e5]").waitFor();
  asked = Date.now();
  await page.locator("[data-uci=e7e5]").click();
  await page.locator("[data-uci=g1f3]").waitFor();
  const searchMs = Date.now() - asked;
  console.log(`library: sorted by player in ${sortingMs} ms, a position found in ${searchMs} ms`);
  expect(Math.max(sortingMs, searchMs)).toBeLessThan(readingMs * LONGEST_SEARCH_SHARE);
  await page.getByRole("button", { name: "Clear filters" }).click();
  // Searches for the one special game, without capitals and accents.
  await page.locator("#player").fill("borivoj zizka");
  await page.getByText("1 game found").waitFor();
  await expect.poll(() => rows(page).first().textContent()).toContain("Žižka, Bořivoj");
  await expect.poll(() => rows(page).first().textContent()).toContain("From's Gambit");
  await rows(page).first().click();
  await page.locator("[data-node='5']").waitFor();
  await expect.poll(() => page.locator("[data-node]").allTextContents()).toEqual(["f4", "e5", "Nf3", "exf4", "Nc3"]);
  // Going back restores everything.
  await page.goBack();
  await page.getByText("1 game found").waitFor();
  await expect.poll(() => page.locator("#player").inputValue()).toBe("borivoj zizka");
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(errors).toEqual([]);
  expect(await heapBytes(page)).toBeLessThan(MOST_HEAP_BYTES);
  await page.context().close();
  rmSync(path);
});
