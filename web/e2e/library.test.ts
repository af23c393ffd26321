/** The library in a real browser: filters, broken games, drag and drop, and pasting. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ADDRESS, launch, objectionsInBothThemes, visit } from "./browser";
import { holdReading, samples, writeLarge } from "./many-games";

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

const rows = (page: Page) => page.locator("[role=row][data-at]");
const choose = (page: Page, path: string) => page.locator("input[type=file]").setInputFiles(path);

test("games are found by opening, result and years, and reached by keyboard", async () => {
  const path = join(folder, "small.pgn");
  writeLarge(path, 2_000_000);
  const { page, errors } = await visit(browser, "/library");
  await choose(page, path);
  const status = page.getByRole("search").locator("xpath=following-sibling::*[1]");
  await expect.poll(() => page.locator("progress").count()).toBe(0);
  const all = Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1;
  await page.locator("#opening").fill("najdorf");
  await expect.poll(() => status.textContent()).toMatch(/games found/);
  await expect.poll(() => rows(page).first().textContent()).toContain("Najdorf");
  await page.locator("#opening").fill("");
  await page.locator("#result").selectOption("1/2-1/2");
  await expect.poll(async () => Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1).toBeLessThan(all / 4);
  await page.locator("#result").selectOption("");
  await page.locator("#years").fill("199");
  await expect.poll(() => rows(page).first().textContent()).toContain("1994");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.poll(async () => Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1).toBe(all);
  // Goes to the end by keyboard, then back by one row.
  const active = `game-${all - 2}`;
  await expect
    .poll(async () => {
      await page.getByRole("grid").focus();
      await page.keyboard.press("End");
      await page.keyboard.press("ArrowUp");
      return page.getByRole("grid").getAttribute("aria-activedescendant");
    })
    .toBe(active);
  await expect.poll(() => page.locator(`#${active}`).textContent()).toContain(",");
  await page.keyboard.press("Enter");
  await page.locator("[data-node='1']").waitFor();
  // Going back restores the position in the list.
  await page.goBack();
  await page.locator(`#${active}`).waitFor();
  await expect.poll(() => page.getByRole("grid").evaluate((grid) => grid.scrollTop)).toBeGreaterThan(1000);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a broken game is reported with its place and the rest is still read", async () => {
  const { page } = await visit(browser, "/library");
  await page.locator("#pgn").fill('[White "Anna"]\n\n1. e4 e5 2. Ke3 *\n\n[White "Cyril"]\n\n1. d4 d5 1/2-1/2\n');
  await page.getByRole("button", { name: "Load" }).click();
  await page.getByRole("heading", { name: "2 games" }).waitFor();
  await expect.poll(() => page.locator(".broken").textContent()).toBe("Line 3, column 13: Ke3");
  await page.getByRole("checkbox", { name: "Only games with errors" }).check();
  await expect.poll(() => rows(page).count()).toBe(1);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await rows(page).filter({ hasText: "Cyril" }).click();
  await page.locator("[data-node='2']").waitFor();
});

test.each([390, 1440])("a list of games has nothing that axe objects to, at %i pixels", async (width) => {
  const { page } = await visit(browser, "/library", { colorScheme: "light", bypassCSP: true, viewport: { width, height: 900 } });
  const broken = Buffer.from(`${samples.join("\n\n")}\n\n[White "A"]\n\n1. Ke5 *\n`);
  await page.locator("input[type=file]").setInputFiles({ name: "a.pgn", mimeType: "text/plain", buffer: broken });
  await page.locator(".broken").waitFor();
  await page.getByRole("grid").focus();
  expect(await objectionsInBothThemes(page)).toEqual([]);
});

test("reading can be stopped, and what was read stays", async () => {
  const path = join(folder, "stopped.pgn");
  writeLarge(path, 20_000_000);
  const { page } = await visit(browser, "/library");
  const reading = await holdReading(page, 4);
  await choose(page, path);
  await rows(page).first().waitFor();
  // Only now is a chunk waiting to be read.
  await reading.held();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText(/^Loading was stopped at/).waitFor();
  const count = async () => Number(await page.getByRole("grid").getAttribute("aria-rowcount"));
  // The reader answers a search only after all of its earlier work.
  const search = async () => {
    await page.locator("#player").fill("no such player");
    await expect.poll(count).toBe(1);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(count).toBeGreaterThan(1);
    return count();
  };
  const games = await search();
  // The chunk that was waiting has no effect any more.
  await reading.goOn();
  expect(await search()).toBe(games);
  await rows(page).first().click();
  await page.locator("[data-node='1']").waitFor();
  rmSync(path);
});

test("a file is dropped anywhere, in letters of old Windows", async () => {
  const { page } = await visit(browser, "/two");
  const bytes = Buffer.from('[White "\x8aimon, M\xfcller"]\n[Black "?"]\n\n1. e4 *\n\n[White "B"]\n\n1. d4 *\n', "latin1");
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], "old.pgn"));
    return data;
  }, bytes.toString("latin1"));
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
  await page.getByRole("heading", { name: "2 games" }).waitFor();
  await rows(page).filter({ hasText: "Šimon, Müller" }).click();
  await page.locator("[data-node='1']").waitFor();
  await expect.poll(() => page.locator("[data-player=white]").textContent()).toContain("Šimon, Müller");
  await page.getByRole("button", { name: "Continue this game" }).click();
  await page.locator("[data-ply='1']").waitFor();
  await expect.poll(() => page.locator("[data-player=white]").textContent()).toContain("Šimon, Müller");
});

test("a game that is going on is not lost by looking at another", async () => {
  const { page, errors } = await visit(browser, "/two");
  await page.getByRole("button", { name: "Start game" }).click();
  await page.locator("#move-field").fill("e4");
  await page.keyboard.press("Enter");
  await page.locator("[data-ply='1']").waitFor();
  await page.goto(`${ADDRESS}/library`);
  await page.locator("#pgn").fill('[White "Cyril"]\n\n1. d4 d5 2. c4 1/2-1/2\n');
  await page.getByRole("button", { name: "Load" }).click();
  await page.locator("[data-node='3']").waitFor();
  await page.goto(`${ADDRESS}/game`);
  await page.locator("[data-ply='1']").waitFor();
  await expect.poll(() => page.locator("[data-ply]").allTextContents()).toEqual(["e4"]);
  expect(errors).toEqual([]);
});
