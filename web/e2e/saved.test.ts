/** Saved games are continued, restarted and archived, as by a club player. */

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ADDRESS, launch, objections, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const plies = (page: Page) => page.locator("[data-ply]").allTextContents();
const games = (page: Page) => page.getByRole("list", { name: "My games" }).getByRole("listitem");
const asked = (page: Page, title: string) => page.getByRole("dialog", { name: title });

async function play(page: Page, ...moves: string[]): Promise<void> {
  for (const san of moves) {
    const before = await page.locator("[data-ply]").count();
    await page.locator("#move-field").fill(san);
    await page.keyboard.press("Enter");
    await page.locator(`[data-ply='${before + 1}']`).waitFor();
  }
}

async function save(page: Page, name = "Save PGN"): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, name).first().click()]);
  return readFileSync(await download.path(), "utf8");
}

/** Starts a game for two people. */
async function begun(settings: object = {}, ...moves: string[]): Promise<{ page: Page; errors: string[] }> {
  const { page, errors } = await visit(browser, "/two", { settings: { clock: "none", ...settings } });
  await button(page, "Start game").click();
  await page.getByRole("grid").waitFor();
  await play(page, ...moves);
  return { page, errors };
}

const UNFINISHED = `[Event "Club evening"]
[White "Anna"]
[Black "Boris"]
[Result "*"]
[BlackTeam "Slovan"]
[TimeControl "300+3"]
[WhiteClock "0:04:10"]
[BlackClock "0:03:20"]

1. e4 {[%clk 0:04:40] my favourite} e5 {[%clk 0:03:20]} (1... c5 $5 {sharp}) 2. Nf3 {[%clk 0:04:10]} *
`;

/** Expects the game of the file in the review, continues it on the board, complete, and plays on. */
async function goesOn(page: Page): Promise<void> {
  await page.locator("[data-node='3']").waitFor();
  await expect.poll(() => page.locator(".tree").textContent()).toContain("my favourite");
  await button(page, "Continue this game").click();
  await page.locator("[data-ply='3']").waitFor();
  await expect.poll(() => plies(page)).toEqual(["e4", "e5", "Nf3"]);
  await expect.poll(() => page.locator("[data-player=white]").textContent()).toContain("4:10");
  await play(page, "Nc6");
  // The PGN wraps long lines.
  const text = (await save(page)).replaceAll("\n", " ");
  for (const kept of ['[Event "Club evening"]', '[BlackTeam "Slovan"]', '[TimeControl "300+3"]', "my favourite", "(1... c5 $5 {sharp})", "2. Nf3", "Nc6"]) {
    expect(text).toContain(kept);
  }
}

async function drop(page: Page, text: string): Promise<void> {
  const transfer = await page.evaluateHandle((pgn) => {
    const data = new DataTransfer();
    data.items.add(new File([pgn], "saved.pgn"));
    return data;
  }, text);
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
}

test("a saved game is continued from a file, by paste and by drop, with all that it says", async () => {
  const file = await visit(browser, "/library");
  await file.page.locator("input[type=file]").setInputFiles({ name: "a.pgn", mimeType: "text/plain", buffer: Buffer.from(UNFINISHED) });
  await goesOn(file.page);
  const paste = await visit(browser, "/library");
  await paste.page.locator("#pgn").fill(UNFINISHED);
  await button(paste.page, "Load").click();
  await goesOn(paste.page);
  const dropped = await visit(browser, "/two");
  await button(dropped.page, "Start game").waitFor();
  await drop(dropped.page, UNFINISHED);
  await goesOn(dropped.page);
  expect([...file.errors, ...paste.errors, ...dropped.errors]).toEqual([]);
});

test("a game is continued from the list of the library and from any position of a review", async () => {
  const { page, errors } = await visit(browser, "/library");
  await page.locator("#pgn").fill(`${UNFINISHED}\n[White "Cyril"]\n\n1. d4 1-0\n`);
  await button(page, "Load").click();
  await page.locator("[role=row][data-at]").filter({ hasText: "Anna" }).click();
  await goesOn(page);
  await page.goto(`${ADDRESS}/review`);
  // The game on the board opens in the review; the first move is a place to try another one.
  await page.locator("[data-node='1']").first().click();
  await button(page, "Play from here").click();
  const dialog = asked(page, "Play from this position");
  await dialog.getByRole("radio", { name: "The computer plays Black" }).check();
  await dialog.getByRole("button", { name: "Play" }).click();
  await asked(page, "Continue the saved game instead?").getByRole("button", { name: "Continue saved game" }).click();
  await page.locator("[data-ply='2']").waitFor();
  await expect.poll(() => page.locator("[data-player=black]").textContent()).toContain("Computer");
  await expect.poll(async () => (await plies(page))[0]).toBe("e4");
  const text = await save(page);
  expect(text).toContain('[Black "Computer"]');
  expect(text).toContain('[BlackType "program"]');
  expect(text).toContain("my favourite");
  expect(errors).toEqual([]);
});

test("an unfinished game goes on from its review by keyboard, after a question if another is running", async () => {
  const { page, errors } = await begun({}, "d4");
  await page.goto(`${ADDRESS}/library`);
  await page.locator("#pgn").fill(UNFINISHED);
  await button(page, "Load").click();
  const goOn = button(page, "Continue this game");
  await goOn.focus();
  await page.keyboard.press("Enter");
  const dialog = asked(page, "Continue the saved game instead?");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.locator("[data-node='3']").waitFor();
  await goOn.focus();
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Continue saved game" }).click();
  await expect.poll(() => plies(page)).toEqual(["e4", "e5", "Nf3"]);
  await play(page, "Nc6");
  // The game that was left is in the archive, and goes on from its own review as the same game.
  await page.getByRole("link", { name: "My games" }).click();
  await expect.poll(() => games(page).count()).toBe(1);
  await games(page).first().getByRole("button", { name: "Review" }).click();
  await goOn.click();
  await dialog.getByRole("button", { name: "Continue saved game" }).click();
  await expect.poll(() => plies(page)).toEqual(["d4"]);
  await play(page, "d5");
  await page.getByRole("link", { name: "My games" }).click();
  await expect.poll(() => games(page).count()).toBe(2);
  // A finished game has nothing to continue.
  await page.goto(`${ADDRESS}/library`);
  await page.locator("#pgn").fill("1. e4 e5 1-0");
  await button(page, "Load").click();
  await page.getByText("White won", { exact: true }).waitFor();
  expect(await goOn.count()).toBe(0);
  expect(errors).toEqual([]);
});

test("a game against the computer goes on with its side and level", async () => {
  const { page, errors } = await visit(browser, "/computer", { settings: { side: "black", level: 800 } });
  await button(page, "Start game").click();
  await page.locator("[data-ply='1']").waitFor();
  await play(page, "a6");
  await page.locator("[data-ply='3']").waitFor();
  const text = await save(page);
  for (const tag of ['[White "Computer"]', '[Black "?"]', '[WhiteType "program"]', '[BlackType "human"]', '[WhiteElo "800"]']) {
    expect(text).toContain(tag);
  }
  const other = await visit(browser, "/library");
  await other.page.locator("#pgn").fill(text);
  await button(other.page, "Load").click();
  await button(other.page, "Continue this game").click();
  await other.page.locator("[data-ply='3']").waitFor();
  await expect.poll(() => other.page.locator("[data-player=white]").textContent()).toMatch(/Computer.*800/);
  await expect.poll(() => other.page.locator("[data-player]").last().getAttribute("data-player")).toBe("black");
  await play(other.page, "h6");
  await other.page.locator("[data-ply='5']").waitFor();
  expect([...errors, ...other.errors]).toEqual([]);
});

test("restarting and starting anew ask first, and the game that was left can be continued", async () => {
  const { page, errors } = await begun({ names: { white: "Anna", black: "Boris" } }, "e4", "c5");
  await button(page, "Restart").click();
  const dialog = asked(page, "Restart the game?");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => plies(page)).toEqual(["e4", "c5"]);
  await button(page, "Restart").click();
  await dialog.getByRole("button", { name: "Restart game" }).click();
  await expect.poll(() => plies(page)).toEqual([]);
  await expect.poll(() => page.locator("[data-player=white]").textContent()).toContain("Anna");
  // A game without moves can be replaced without a question; one with moves cannot, even after a
  // reload.
  await play(page, "d4");
  await page.goto(`${ADDRESS}/two`);
  await button(page, "Start game").click();
  await asked(page, "Start a new game?").getByRole("button", { name: "Start new game" }).click();
  await page.getByText("No moves yet.").waitFor();
  await page.goto(`${ADDRESS}/archive`);
  await expect.poll(() => games(page).count()).toBe(2);
  await games(page).filter({ hasText: "B20" }).getByRole("button", { name: "Continue" }).click();
  await expect.poll(() => plies(page)).toEqual(["e4", "c5"]);
  await play(page, "Nf3");
  // It is still one game in the archive, only longer.
  await page.getByRole("link", { name: "My games" }).click();
  await games(page).filter({ hasText: "A40" }).getByRole("button", { name: "Continue" }).click();
  await asked(page, "Continue the saved game instead?").getByRole("button", { name: "Continue saved game" }).click();
  await expect.poll(() => plies(page)).toEqual(["d4"]);
  await page.getByRole("link", { name: "My games" }).click();
  await expect.poll(() => games(page).count()).toBe(2);
  await expect.poll(() => games(page).first().textContent()).toMatch(/unfinished.*2 moves/);
  expect(errors).toEqual([]);
});

test("games that end are archived; the archive is searched, reviewed, exported and emptied", async () => {
  const { page, errors } = await begun({ names: { white: "Šimon", black: "Boris" } }, "f3", "e5", "g4", "Qh4");
  const end = page.getByRole("region", { name: "Game over" });
  await expect.poll(() => end.textContent()).toMatch(/Duration: \d+:\d\d/);
  await end.getByRole("button", { name: "Rematch" }).click();
  await play(page, "d4", "d5");
  await button(page, "Resign").click();
  await button(page, "Yes, resign").click();
  await end.waitFor();
  await page.goto(`${ADDRESS}/`);
  await page.getByRole("link", { name: "All games" }).click();
  await expect.poll(() => games(page).count()).toBe(2);
  await expect.poll(() => games(page).allTextContents()).toEqual([expect.stringMatching(/0–1|1–0/), expect.stringMatching(/0–1.*2 moves/)]);
  expect(await objections(page)).toEqual([]);
  const search = page.getByRole("searchbox");
  await search.fill("simon boris 2 nothing");
  await expect.poll(() => games(page).count()).toBe(0);
  await search.fill("simon queen's pawn");
  await expect.poll(() => games(page).count()).toBe(1);
  await search.fill("");
  const text = await save(page, "Export all");
  expect(text.match(/^\[Event /gm)).toHaveLength(2);
  await games(page).last().getByRole("button", { name: "Review" }).click();
  await page.locator("[data-node='4']").first().waitFor();
  await page.goBack();
  await games(page).first().getByRole("button", { name: /^Delete/ }).click();
  await asked(page, "Delete this game?").getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => games(page).count()).toBe(1);
  await button(page, "Delete all").click();
  await asked(page, "Delete all").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No games yet.").waitFor();
  await page.reload();
  await page.getByText("No games yet.").waitFor();
  expect(errors).toEqual([]);
});

test("a game that ends just before the page is closed is archived on the next visit", async () => {
  const { page, errors } = await begun({}, "f3", "e5", "g4");
  // The database of this page never answers.
  await page.evaluate(() => {
    IDBFactory.prototype.open = () => ({}) as IDBOpenDBRequest;
  });
  await play(page, "Qh4");
  await page.goto(`${ADDRESS}/`);
  await page.getByRole("link", { name: "All games" }).click();
  await expect.poll(() => games(page).allTextContents()).toEqual([expect.stringMatching(/0–1.*2 moves/)]);
  // It is not added again after it has been deleted.
  await games(page).first().getByRole("button", { name: /^Delete/ }).click();
  await asked(page, "Delete this game?").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No games yet.").waitFor();
  await page.reload();
  await page.getByText("No games yet.").waitFor();
  expect(errors).toEqual([]);
});

test("a full disk is told, and the game is not lost without a word", async () => {
  const { page } = await begun({}, "e4");
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await button(page, "Restart").click();
  await asked(page, "Restart the game?").getByRole("button", { name: "Restart game" }).click();
  const dialog = asked(page, "The game could not be saved");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => plies(page)).toEqual(["e4"]);
  await button(page, "Resign").click();
  await button(page, "Yes, resign").click();
  await page.getByText("The browser has no space left for this game.").first().waitFor();
});

test.each([
  ["en", { two: ["White", "Black"], you: "You", start: "Start game", save: "Save PGN" }],
  ["sk", { two: ["Biely", "Čierny"], you: "Vy", start: "Začať partiu", save: "Uložiť PGN" }],
])("files name nobody in the language of the page: %s", async (language, words) => {
  for (const path of ["/two", "/computer"]) {
    const { page } = await visit(browser, path, { settings: { language, side: "white", clock: "none" } });
    await page.locator("form button[type=submit]").click();
    await page.getByRole("grid").waitFor();
    const white = page.locator("[data-player=white]");
    await expect.poll(() => white.textContent()).toContain(path === "/two" ? words.two[0] : words.you);
    const text = await save(page, words.save);
    expect(text).toContain('[Event "Casual game"]');
    expect(text).toContain('[White "?"]');
    expect(text).toContain(path === "/two" ? '[Black "?"]' : '[Black "Computer"]');
  }
});

test("all moves are played through on the board of a game that goes on", async () => {
  const { page } = await begun({}, "e4", "e5", "Nf3");
  // The test controls the page's clock, so that no move goes by unseen.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await button(page, "Autoplay").click();
  for (const san of ["e4", "e5", "Nf3"]) {
    await page.clock.runFor(1000);
    await expect.poll(() => page.locator("[data-ply][aria-current]").textContent()).toBe(san);
  }
  await page.clock.runFor(1000);
  await button(page, "Autoplay").waitFor();
  await play(page, "Nc6");
});
