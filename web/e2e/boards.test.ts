/** Arrow keys, wheel, Escape, Enter and dragging are tried on every board of the page. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { arrive, button, close, open, sitDown, square, type Seat } from "./seats";

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

/** Clicks a piece, which Escape lets go, although the focus is not on the board. */
async function letGo(page: Page, name: string): Promise<void> {
  await square(page, name).click();
  await isSelected(page, name).toBe("true");
  await page.keyboard.press("Escape");
  await isSelected(page, name).toBe("false");
}

/** Enters a move: on a square in focus, Enter takes the piece, Escape lets it go, and the arrow keys walk. */
async function enter(page: Page, move: Move): Promise<void> {
  await square(page, move[0]).focus();
  await page.keyboard.press("Enter");
  await isSelected(page, move[0]).toBe("true");
  await page.keyboard.press("Escape");
  await isSelected(page, move[0]).toBe("false");
  await page.keyboard.press("Enter");
  await walk(page, move);
  await page.keyboard.press("Enter");
}

async function tryBoard(page: Page, { moves: [first, second], other = page, hasSteps = true }: Trial): Promise<void> {
  await letGo(page, first[0]);
  await drag(page, first);
  await isOn(page, first[1]).toBe(true);
  await isOn(page, first[0]).toBe(false);
  await isOn(other, first[1]).toBe(true);
  await enter(other, second);
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
/** A game in which White misses the mate of the one above. */
const MISSED = `[FEN "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/3QK2R b Kkq - 0 5"]

5... Bxd1 6. Bxf7+ Ke7 7. h3 Bxc2 *
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
  await letGo(page, "c4");
  await drag(page, ["c4", "f7"]);
  await isOn(page, "e7").toBe(true);
  await page.locator("[data-state=asking]").waitFor();
  await enter(page, ["c3", "d5"]);
  await page.locator("[data-state=solved]").waitFor();
  await tryKeysAndWheel(page, "d5");

  await page.getByRole("link", { name: /^Game: Legal/ }).click();
  await page.locator("[data-node][aria-current]").waitFor();
  await page.keyboard.press("End");
  await tryKeysAndWheel(page, "d5");
  expect(errors).toEqual([]);
});

async function openReview(name: string, pgn: string): Promise<Seat> {
  const seat = await arrive(name, "/review");
  await seat.page.locator("#review-pgn").fill(pgn);
  await button(seat.page, "Load").click();
  await seat.page.getByRole("grid").waitFor();
  return seat;
}

test("the board of a review", async () => {
  const { page, errors } = await openReview("Berta", "1. h3 h6 *");
  await page.keyboard.press("End");
  await isOn(page, "h6").toBe(true);
  await tryBoard(page, { moves: OPENING });
  expect(errors).toEqual([]);
});

test("the board on which mistakes are practiced", async () => {
  const { page, errors } = await openReview("Cyril", MISSED);
  await page.getByRole("group", { name: "Find better moves" }).getByRole("button", { name: "White (1)" }).click();
  await page.locator("[data-state=asking]").waitFor();
  // The keyboard enters the move of the game, which is wrong.
  await enter(page, ["h2", "h3"]);
  await page.locator("[data-state=wrong]").waitFor();
  await isOn(page, "h3").toBe(true);
  await button(page, "Try again").click();
  await isOn(page, "h3").toBe(false);
  await letGo(page, "c3");
  // A move that is not legal leaves the piece where it is.
  await drag(page, ["c3", "c5"]);
  await isOn(page, "c5").toBe(false);
  await isOn(page, "c3").toBe(true);
  await drag(page, ["c3", "d5"]);
  await page.locator("[data-state=solved]").waitFor();
  await tryKeysAndWheel(page, "d5");
  expect(errors).toEqual([]);
});

test("the board of an online game, played and watched", async () => {
  const [white, black] = await sitDown(["Vera", "Tom"]);
  await tryBoard(white.page, { moves: OPENING, other: black.page });
  await tryKeysAndWheel(black.page, "e5");
  const address = new URL(white.page.url());
  const { page, errors } = await arrive("Zora", address.pathname + address.search);
  await isOn(page, "e5").toBe(true);
  // A spectator can take no piece: not by dragging, by clicking, or by keyboard.
  await drag(page, ["g1", "f3"]);
  await square(page, "g1").click();
  await isSelected(page, "g1").toBe("false");
  await square(page, "d2").focus();
  await page.keyboard.press("Enter");
  await isSelected(page, "d2").toBe("false");
  await walk(page, ["d2", "d4"]);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  for (const name of ["f3", "d4"]) await isOn(page, name).toBe(false);
  await tryKeysAndWheel(page, "e5");
  expect([...white.errors, ...black.errors, ...errors]).toEqual([]);
});
