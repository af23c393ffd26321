/** A search in the library and an analysis, by keyboard alone and by touch alone. */

import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, settled, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const GAMES = '[White "Anna"]\n\n1. e4 e5 2. Nf3 1-0\n\n[White "Boris"]\n\n1. e4 c5 0-1\n\n[White "Cyril"]\n\n1. d4 d5 1/2-1/2\n';
const rows = (page: Page) => page.locator("[role=row][data-at]");
const nodes = (page: Page) => page.locator("[data-node]").allTextContents();

/** Presses keys as a person does who has no mouse. */
function keyboard(page: Page) {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const active = () => page.evaluate(() => {
    const at = document.activeElement as HTMLElement | null;
    return { square: at?.dataset["square"] ?? "", text: at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? "", id: at?.id ?? "" };
  });
  const tabTo = async (fits: (at: Awaited<ReturnType<typeof active>>) => boolean, key = "Tab") => {
    for (let step = 0; step < 90; step++) {
      await press(key);
      if (fits(await active())) return;
    }
    throw new Error("it cannot be reached by Tab");
  };
  /** Goes to a square of the board in focus, and sees the piece there as well as before. */
  const goTo = async (name: string) => {
    for (let step = 0; step < 20; step++) {
      const { square } = await active();
      if (square === name) break;
      const [file, rank] = [name.charCodeAt(0) - square.charCodeAt(0), Number(name[1]) - Number(square[1])];
      await press(file > 0 ? "ArrowRight" : file < 0 ? "ArrowLeft" : rank > 0 ? "ArrowUp" : "ArrowDown");
    }
    await expect.poll(async () => (await active()).square).toBe(name);
  };
  const play = async (from: string, to: string) => {
    await goTo(from);
    await seen(page, from);
    await press("Enter");
    await goTo(to);
    await press("Enter");
    await seen(page, to);
  };
  return { press, tabTo, play };
}

/** Checks that the middle of a square shows a piece: more than one color. */
async function seen(page: Page, name: string): Promise<void> {
  await settled(page);
  const box = await page.locator(`[data-square="${name}"]`).boundingBox();
  if (!box) throw new Error(`${name} is not on the page`);
  const { x, y, width, height } = box;
  const inner = { x: x + width * 0.25, y: y + height * 0.25, width: width * 0.5, height: height * 0.5 };
  const bytes = (await page.screenshot({ clip: inner })).toString("base64");
  const colors = await page.evaluate(async (data) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context?.drawImage(picture, 0, 0);
    const pixels = context?.getImageData(0, 0, picture.width, picture.height).data ?? new Uint8ClampedArray();
    const found = new Set<number>();
    for (let at = 0; at < pixels.length; at += 4) found.add(((pixels[at] ?? 0) >> 5) << 10 | ((pixels[at + 1] ?? 0) >> 5) << 5 | (pixels[at + 2] ?? 0) >> 5);
    return found.size;
  }, bytes);
  expect(colors, `${name} shows its piece`).toBeGreaterThan(2);
}

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
