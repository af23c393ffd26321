/** Arrow keys, wheel, Escape, Enter and dragging are tried on every board of the page. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { arrive, button, close, open, sitDown, square } from "./seats";

beforeAll(open);
afterAll(close);

type Move = readonly [from: string, to: string];

interface Trial {
  /** The first move is dragged, the second is entered with the keyboard. Neither captures. */
  moves: readonly [Move, Move];
  /** The page on which the second move is made, if each player has their own. */
  other?: Page;
  /** Whether moves are made one after another, so that they can be stepped through. */
  hasSteps?: boolean;
}

const pieceOn = async (page: Page, name: string) => !(await square(page, name).getAttribute("aria-label"))?.includes("empty");
const isOn = (page: Page, name: string) => expect.poll(() => pieceOn(page, name));
const isSelected = (page: Page, name: string) => expect.poll(() => square(page, name).getAttribute("aria-selected"));

async function center(page: Page, name: string): Promise<[number, number]> {
  const box = await square(page, name).boundingBox();
  if (!box) throw new Error(`${name} is not on the screen`);
  return [box.x + box.width / 2, box.y + box.height / 2];
}

async function drag(page: Page, [from, to]: Move): Promise<void> {
  await page.mouse.move(...(await center(page, from)));
  await page.mouse.down();
  await page.mouse.move(...(await center(page, to)), { steps: 4 });
  await page.mouse.up();
}

/** Moves the focus over the board, one square for each key. */
async function walk(page: Page, [from, to]: Move): Promise<void> {
  const isFlipped = (await page.locator("[data-square]").first().getAttribute("data-square")) === "h1";
  const by = (distance: number, keys: [string, string]) => Array.from({ length: Math.abs(distance) }, () => keys[distance > 0 === isFlipped ? 1 : 0]);
  const steps = [...by(to.charCodeAt(0) - from.charCodeAt(0), ["ArrowRight", "ArrowLeft"]), ...by(Number(to[1]) - Number(from[1]), ["ArrowUp", "ArrowDown"])];
  for (const key of steps) await page.keyboard.press(key);
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-square"))).toBe(to);
}

async function tryBoard(page: Page, { moves: [first, second], other = page, hasSteps = true }: Trial): Promise<void> {
  // A piece that was clicked is let go with Escape, although the focus is not on the board.
  await square(page, first[0]).click();
  await isSelected(page, first[0]).toBe("true");
  await page.keyboard.press("Escape");
  await isSelected(page, first[0]).toBe("false");
  await drag(page, first);
  await isOn(page, first[1]).toBe(true);
  await isOn(page, first[0]).toBe(false);
  // On a square in focus, Enter takes the piece, Escape lets it go, and the arrow keys walk.
  await isOn(other, first[1]).toBe(true);
  await square(other, second[0]).focus();
  await other.keyboard.press("Enter");
  await isSelected(other, second[0]).toBe("true");
  await other.keyboard.press("Escape");
  await isSelected(other, second[0]).toBe("false");
  await other.keyboard.press("Enter");
  await walk(other, second);
  await other.keyboard.press("Enter");
  await isOn(other, second[1]).toBe(true);
  if (hasSteps) await tryKeysAndWheel(page, second[1]);
}

/** Steps back over the last move, which went to `last`, and forth again, in every way. */
async function tryKeysAndWheel(page: Page, last: string): Promise<void> {
  await isOn(page, last).toBe(true);
  // A press on the board takes the focus away from its squares, so that the keys step.
  await square(page, last).click();
  await page.keyboard.press("Escape");
  for (const [back, forth] of [["ArrowLeft", "ArrowRight"], ["Home", "End"]] as const) {
    await page.keyboard.press(back);
    await isOn(page, last).toBe(false);
    await page.keyboard.press(forth);
    await isOn(page, last).toBe(true);
  }
  await square(page, last).hover();
  await page.mouse.wheel(0, -120);
  await isOn(page, last).toBe(false);
  await page.mouse.wheel(0, 120);
  await isOn(page, last).toBe(true);
  const corner = () => page.locator("[data-square]").first().getAttribute("data-square");
  const before = await corner();
  await page.keyboard.press("f");
  await expect.poll(corner).not.toBe(before);
}

const OPENING: Trial["moves"] = [["e2", "e4"], ["e7", "e5"]];
/** A game with a mate in two, in which the opponent's move between is forced, and another game. */
const GAMES = `[White "Short"]

1. e4 e5 1/2-1/2

[White "Legal"]
[FEN "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/3QK2R b Kkq - 0 5"]

5... Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0
`;

test("every board that needs no other player", async () => {
  const { page, errors } = await arrive("Anna", "/two");
  const menu = (name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await button(page, "Start game").click();
  await tryBoard(page, { moves: OPENING });

  await menu("Analysis board");
  await page.getByRole("heading", { name: "Analysis board" }).waitFor();
  await isOn(page, "e2").toBe(true);
  await tryBoard(page, { moves: OPENING });

  await menu("Board editor");
  await isOn(page, "e2").toBe(true);
  await tryBoard(page, { moves: OPENING, hasSteps: false });

  await menu("Library");
  await page.getByRole("heading", { name: "Library", exact: true }).waitFor();
  await page.locator("input[type=file]").setInputFiles({ name: "games.pgn", mimeType: "text/plain", buffer: Buffer.from(GAMES) });
  await button(page, "Explorer").click();
  await isOn(page, "e2").toBe(true);
  await tryBoard(page, { moves: OPENING });
  await button(page, "Close the explorer").click();

  await menu("Puzzles");
  await button(page, "From the library (2)").click();
  await page.locator("[data-state=asking]").waitFor();
  await square(page, "c4").click();
  await page.keyboard.press("Escape");
  await isSelected(page, "c4").toBe("false");
  await drag(page, ["c4", "f7"]);
  await isOn(page, "e7").toBe(true);
  await page.locator("[data-state=asking]").waitFor();
  await square(page, "c3").focus();
  await page.keyboard.press("Enter");
  await walk(page, ["c3", "d5"]);
  await page.keyboard.press("Enter");
  await page.locator("[data-state=solved]").waitFor();
  await tryKeysAndWheel(page, "d5");

  await page.getByRole("link", { name: /^Game: Legal/ }).click();
  await page.locator("[data-node][aria-current]").waitFor();
  await page.keyboard.press("End");
  await tryKeysAndWheel(page, "d5");
  expect(errors).toEqual([]);
});

test("the board of an online game", async () => {
  const [white, black] = await sitDown(["Vera", "Tom"]);
  await tryBoard(white.page, { moves: OPENING, other: black.page });
  await tryKeysAndWheel(black.page, "e5");
  expect([...white.errors, ...black.errors]).toEqual([]);
});
