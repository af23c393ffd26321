/** Puzzles in a real browser: made from games, solved, failed, repeated, and found in the review. */

import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, objectionsInBothThemes, visit } from "./browser";
import { keyboard } from "./keyboard";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

/** Three games with one clear puzzle each: a mate in one, a mate in two and a fork. */
const GAMES = `[White "Rank"]
[FEN "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1"]

1... Ra3 2. Kf1 *

[White "Legal"]
[FEN "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/3QK2R b Kkq - 0 5"]

5... Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

[White "Fork"]
[FEN "r3k3/5ppp/8/3N4/8/8/5PPP/4K3 b - - 0 1"]

1... h6 2. Nc7+ Kd7 3. Nxa8 *
`;
const MATE = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0";
const REVISIT_MS = 11 * 60 * 1000;

const state = (page: Page, name: string) => page.locator(`[data-state=${name}]`).waitFor();
const square = (page: Page, name: string) => page.locator(`[data-square=${name}]`);
const question = (page: Page) => page.locator(".question");
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

async function move(page: Page, from: string, to: string): Promise<void> {
  await square(page, from).click();
  await square(page, to).click();
}

async function make(page: Page): Promise<void> {
  await page.locator("input[type=file]").setInputFiles({ name: "games.pgn", mimeType: "text/plain", buffer: Buffer.from(GAMES) });
  await page.locator("[role=row][data-at='2']").waitFor();
  await page.getByRole("link", { name: "Puzzles" }).click();
  await button(page, "From the library (3)").click();
}

test("puzzles are made in the background, solved by keyboard and mouse, and come back when failed", async () => {
  const { page, errors } = await visit(browser, "/library", { bypassCSP: true, viewport: { width: 1440, height: 900 } });
  await make(page);
  await state(page, "asking");
  await page.getByText("New puzzles: 3 (games searched: 3)").waitFor();

  // A mate in one, by keyboard alone; the pieces stay visible.
  const { tabTo, play } = keyboard(page);
  await tabTo(({ square }) => square !== "");
  await play("d1", "d8");
  await state(page, "solved");
  await expect.poll(() => question(page).textContent()).toMatch(/Solved.*2\.\u00a0Rd8#.*Mate in 1.*Back-rank mate.*Puzzle rating \d+/s);
  const rating = () => page.locator("[data-rating]").textContent();
  const first = Number.parseInt((await rating()) ?? "");
  expect(first).toBeGreaterThan(1500);
  await page.keyboard.press("ArrowLeft");
  expect(await objectionsInBothThemes(page)).toEqual([]);

  // A wrong answer is refuted by a line, and the puzzle is failed.
  await page.locator("h2").first().click();
  await page.keyboard.press("n");
  await state(page, "asking");
  await move(page, "c3", "d1");
  await state(page, "wrong");
  await expect.poll(() => question(page).textContent()).toMatch(/Nxd1 is not the solution.*The reply is 6…\u00a0\S+/s);
  await expect.poll(() => page.locator("path.line").count()).toBe(1);
  await expect.poll(async () => Number.parseInt((await rating()) ?? "")).toBeLessThan(first);
  expect(await objectionsInBothThemes(page)).toEqual([]);
  // The refutation can be stepped through.
  await page.keyboard.press("ArrowRight");
  await button(page, "Try again").click();
  await button(page, "Hint").click();
  await expect.poll(() => page.locator(".arrows circle, circle.hint").count()).toBeGreaterThan(0);
  await move(page, "c4", "f7");
  // The opponent answers by itself.
  await expect.poll(() => square(page, "e7").getAttribute("aria-label")).toMatch(/king/i);
  await state(page, "asking");
  await move(page, "c3", "d5");
  await state(page, "solved");
  await expect.poll(() => question(page).textContent()).toContain("This exercise will come back later.");

  // The next visit goes on with the puzzle that is left; the solution leads to the game.
  await page.reload();
  await state(page, "asking");
  await page.getByText("New: 1, to repeat: 0").waitFor();
  await page.keyboard.press("s");
  await state(page, "shown");
  await expect.poll(() => question(page).textContent()).toMatch(/Solution.*2\.\u00a0Nc7\+ Kd7 3\.\u00a0Nxa8.*Fork/s);
  await page.getByRole("link", { name: /^Game: Fork/ }).click();
  await expect.poll(() => page.locator("[data-node][aria-current]").textContent()).toContain("h6");

  // Failed puzzles come back after ten minutes.
  await page.getByRole("link", { name: "Puzzles" }).click();
  await page.getByText("There is nothing to solve right now.").waitFor();
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await page.clock.setFixedTime(Date.now() + REVISIT_MS);
  await page.reload();
  await state(page, "asking");
  await page.getByText("New: 0, to repeat: 2").waitFor();
  expect(errors).toEqual([]);
});

test("making puzzles can be canceled, and goes on with the games that are left", async () => {
  const { page, errors, release } = await visit(browser, "/library", { held: /engine.*\.wasm/ });
  await make(page);
  await button(page, "Cancel").click();
  release();
  await page.getByText("New puzzles: 0 (games searched: 0)").waitFor();
  await button(page, "From the library (3)").click();
  await page.getByText("New puzzles: 3 (games searched: 3)").waitFor();
  // The same games are not searched twice.
  await page.locator("summary").click();
  await button(page, "From the library (3)").click();
  await page.getByText("New puzzles: 0 (games searched: 0)").waitFor();
  expect(errors).toEqual([]);
});

test("the review names the moments that decided, rates phases, and asks for better moves, by touch", async () => {
  const size = { viewport: { width: 390, height: 844 }, hasTouch: true, bypassCSP: true };
  const { page, errors } = await visit(browser, "/puzzles", size);
  await button(page, "From three famous games").waitFor();
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await page.goto(page.url().replace("/puzzles", "/review"));
  await page.locator("#review-pgn").fill(MATE);
  await button(page, "Load").tap();
  const lessons = page.getByRole("region", { name: "Turning points" });
  await lessons.waitFor();
  await lessons.getByRole("button", { name: /^3… Nf6: winning chances from \d+% to 0%$/ }).tap();
  await expect.poll(() => page.locator("[data-node][aria-current]").textContent()).toContain("Nf6");
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await button(page, "Evaluation table").tap();
  const opening = page.locator("[data-phase=opening] td");
  await expect.poll(() => opening.allTextContents()).toEqual([expect.stringMatching(/^\d+%, \d/), expect.stringMatching(/^\d+%, \d/)]);
  await page.keyboard.press("Escape");

  await lessons.getByRole("button", { name: /^Black \(\d\)$/ }).tap();
  await state(page, "asking");
  while (!(await question(page).textContent())?.includes("Nf6 was played")) {
    await button(page, "Show solution").tap();
    await button(page, /^Next/).tap();
    await state(page, "asking");
  }
  await square(page, "g8").tap();
  await square(page, "f6").tap();
  await state(page, "wrong");
  await expect.poll(() => question(page).textContent()).toContain("4.\u00a0Qxf7#");
  await button(page, "Try again").tap();
  await square(page, "g7").tap();
  await square(page, "g6").tap();
  await state(page, "solved");
  await expect.poll(() => question(page).textContent()).toMatch(/In the game: Nf6 \(Blunder\).*This exercise will come back later/s);
  expect(errors).toEqual([]);
});
