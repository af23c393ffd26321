/**
 * Touch-move according to FIDE 4.3 to 4.7, castling by king and rook, and closing the promotion
 * picker.
 */

import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
const pieceOn = (page: Page, name: string) => square(page, name).getAttribute("aria-label");
const played = (page: Page) => page.locator("[data-ply]").allTextContents();
const click = async (page: Page, ...names: string[]) => {
  for (const name of names) await square(page, name).click();
};

/** Starts a game for two people from a position. */
async function sit(fen: string, settings: object, options: Parameters<typeof visit>[2] = {}): Promise<Page> {
  const { page } = await visit(browser, `/two?fen=${encodeURIComponent(fen)}`, { settings, ...options });
  await page.getByRole("button", { name: "Start game" }).click();
  await page.getByRole("grid").waitFor();
  return page;
}

const TOUCH = { touchMove: true };
/** The pawn on e4 can capture on d5; the knight can move to f3. */
const TAKES = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
const CASTLES = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 20";

test("a touched own piece must move", async () => {
  const page = await sit(TAKES, TOUCH);
  await click(page, "g1", "b1", "c3");
  await expect.poll(() => page.locator(".notice").textContent()).toContain("the piece on g1 must move");
  expect(await played(page)).toEqual([]);
  await click(page, "f3");
  await expect.poll(() => played(page)).toEqual(["Nf3"]);
  // A released piece stays where it is.
  await expect.poll(() => page.getByRole("button", { name: "Takeback" }).count()).toBe(0);
});

test("a touched enemy piece must be captured, by mouse, finger and keys", async () => {
  const page = await sit(TAKES, TOUCH);
  await click(page, "d5");
  await expect.poll(() => page.locator(".notice").textContent()).toContain("the piece on d5 must be captured");
  await click(page, "g1", "f3");
  expect(await played(page)).toEqual([]);
  await click(page, "e4", "d5");
  await expect.poll(() => played(page)).toEqual(["exd5"]);

  const phone = await sit(TAKES, TOUCH, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  for (const name of ["d5", "g1", "f3", "e4", "d5"]) await square(phone, name).tap();
  await expect.poll(() => played(phone)).toEqual(["exd5"]);

  const keys = await sit(TAKES, TOUCH);
  for (const name of ["d5", "g1", "f3", "e4", "d5"]) {
    await square(keys, name).focus();
    await keys.keyboard.press("Enter");
  }
  await expect.poll(() => played(keys)).toEqual(["exd5"]);
});

test("the own piece touched first moves if it cannot take the enemy touched second", async () => {
  const page = await sit(TAKES, TOUCH);
  await click(page, "g1", "d5");
  await expect.poll(() => page.locator(".notice").textContent()).toContain("the piece on g1 must move");
  await click(page, "f3");
  await expect.poll(() => played(page)).toEqual(["Nf3"]);
});

test.each([TOUCH, {}])("king and then rook is castling (%o)", async (settings) => {
  const page = await sit(CASTLES, settings);
  await click(page, "e1", "h1", "e8", "a8");
  await expect.poll(() => played(page)).toEqual(["O-O", "O-O-O"]);
});

test("rook and then king is no castling where touch-move is played", async () => {
  const page = await sit("4k3/8/8/8/8/8/5PPP/4KB1R w K - 0 20", TOUCH);
  // The bishop moves away; on the next move the rook is touched first.
  await click(page, "f1", "c4", "e8", "e7", "h1", "e1");
  await expect.poll(() => page.locator(".notice").textContent()).toContain("the piece on h1 must move");
  await click(page, "g1");
  await expect.poll(() => played(page)).toEqual(["Bc4", "Ke7", "Rg1"]);
});

test("a promotion can be left with Escape after a move by mouse", async () => {
  const page = await sit("8/6P1/8/8/8/3k4/8/3K4 w - - 0 60", {});
  await click(page, "g7", "g8");
  await page.getByRole("dialog").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null)).toBe(true);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest("[role=grid]") !== null)).toBe(true);
  await expect.poll(() => pieceOn(page, "g7")).toContain("white pawn");
  await click(page, "g7", "g8");
  await page.keyboard.press("Enter");
  await expect.poll(() => played(page)).toEqual(["g8=Q"]);
});

test("the computer declines a draw in the opening", async () => {
  const { page } = await visit(browser, "/computer", { settings: { level: 1200, side: "white", clock: "none" } });
  await page.getByRole("button", { name: "Start game" }).click();
  await click(page, "g2", "g4");
  await page.locator("[data-ply='2']").waitFor();
  await page.getByRole("button", { name: "Offer draw" }).click();
  await page.getByText("The computer declines the draw.").first().waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Resign" }).isEnabled()).toBe(true);
});

test("the computer accepts a draw in a lost endgame, and keeps to touch-move", async () => {
  const fen = "8/8/8/2k5/8/8/3QK3/8 w - - 0 60";
  const { page } = await visit(browser, `/computer?fen=${encodeURIComponent(fen)}`, {
    settings: { level: 1200, side: "white", clock: "none", touchMove: true },
  });
  await page.getByRole("button", { name: "Start game" }).click();
  await click(page, "e2");
  await expect.poll(() => page.locator(".notice").textContent()).toContain("the piece on e2 must move");
  await page.getByRole("button", { name: "Offer draw" }).click();
  await page.getByRole("region", { name: "Game over" }).getByText("Draw", { exact: false }).first().waitFor();
});
