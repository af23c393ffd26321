/** A search in the library and an analysis, by keyboard alone and by touch alone. */

import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, visit } from "./browser";
import { keyboard, seen } from "./keyboard";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const GAMES = '[White "Anna"]\n\n1. e4 e5 2. Nf3 1-0\n\n[White "Boris"]\n\n1. e4 c5 0-1\n\n[White "Cyril"]\n\n1. d4 d5 1/2-1/2\n';
const rows = (page: Page) => page.locator("[role=row][data-at]");
const nodes = (page: Page) => page.locator("[data-node]").allTextContents();

test("by keyboard alone: games are loaded, a position searched for, a game opened and analyzed", async () => {
  const { page, errors } = await visit(browser, "/library", { settings: { autoAnalysis: false, animation: false } });
  const { press, tabTo, play } = keyboard(page);
  await page.locator("#pgn").waitFor();
  await tabTo(({ id }) => id === "pgn");
  await page.keyboard.insertText(GAMES);
  await tabTo(({ text }) => text === "Load");
  await press("Enter");
  await page.getByRole("heading", { name: "3 games" }).waitFor();
  await tabTo(({ text }) => text === "Explorer");
  await press("Enter");
  await page.locator("[data-uci=e2e4]").waitFor();
  await tabTo(({ square }) => square !== "");
  await play("e2", "e4");
  await expect.poll(() => rows(page).count()).toBe(2);
  await tabTo(({ text }) => text.startsWith("e5:"));
  await press("Enter");
  await expect.poll(() => rows(page).allTextContents()).toEqual([expect.stringContaining("Anna")]);
  await tabTo(({ text }) => text === "Games", "Shift+Tab");
  await press("Enter");
  await page.locator("[data-node='2'][aria-current]").waitFor();
  // The row is gone; the focus is in the new page and not at the top of the window.
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
  // The game is analyzed: another move, a comment to it, and back.
  await tabTo(({ square }) => square !== "");
  await play("g1", "e2");
  await expect.poll(() => nodes(page)).toContain("2.Ne2");
  await press("Escape", "Tab", "c");
  await page.locator("#comment").waitFor();
  await page.keyboard.type("solid");
  await press("Tab", "ArrowLeft");
  await page.locator("[data-node='2'][aria-current]").waitFor();
  await expect.poll(() => page.locator(".tree").textContent()).toContain("solid");
  expect(errors).toEqual([]);
});

test("by touch alone: the same on a phone", async () => {
  const { page, errors } = await visit(browser, "/library", { viewport: { width: 390, height: 844 }, hasTouch: true, settings: { autoAnalysis: false, animation: false } });
  await page.locator("#pgn").tap();
  await page.keyboard.insertText(GAMES);
  await page.getByRole("button", { name: "Load" }).tap();
  await page.getByRole("button", { name: "Explorer" }).tap();
  const tap = async (...names: string[]) => {
    for (const name of names) await page.locator(`[data-square="${name}"]`).tap();
  };
  await tap("e2", "e4");
  await seen(page, "e4");
  await page.getByRole("button", { name: /^e5:/ }).tap();
  await expect.poll(() => rows(page).count()).toBe(1);
  await rows(page).first().tap();
  await page.locator("[data-node='2'][aria-current]").waitFor();
  await tap("g1", "e2");
  await expect.poll(() => nodes(page)).toContain("2.Ne2");
  await seen(page, "e2");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(390);
  expect(errors).toEqual([]);
});
