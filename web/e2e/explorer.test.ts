/** The library's explorer, its searches in moves, merged files, and chapters of the analysis board. */

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, objectionsInBothThemes, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const rows = (page: Page) => page.locator("[role=row][data-at]");
const square = (page: Page, name: string) => page.locator(`.explorer [data-square="${name}"]`);
const lines = (page: Page) => page.locator(".explorer tbody tr");
const texts = (page: Page) =>
  lines(page).evaluateAll((rows) => rows.map((row) => [...(row as HTMLTableRowElement).cells].map((cell) => (cell.querySelector(".bar") ?? cell).textContent?.replace(/\s+/g, "") ?? "").filter(Boolean).join(" ")));
const status = (page: Page) => page.locator(".found [role=status]");

const game = (white: string, result: string, moves: string, more = "") =>
  `[Event "Cup"]\n[White "${white}"]\n[Black "Hollow, Ada"]\n[Date "${white.length + 1990}.01.01"]\n[Result "${result}"]\n${more}\n${moves} ${result}\n\n`;
const FIRST = [
  game("Anna", "1-0", "1. e4 e5 2. Nf3 Nc6 3. Bb5", '[WhiteElo "2000"]\n'),
  game("Boris", "0-1", "1. e4 c5 2. Nf3", '[WhiteElo "2200"]\n'),
  game("Cyril", "1/2-1/2", "1. Nf3 Nc6 2. e4 e5 3. Bc4"),
].join("");
/** The first game is also in the other file; the last one ends with a rook against a knight. */
const SECOND = [
  game("Anna", "1-0", "1. e4 e5 2. Nf3 Nc6 3. Bb5", '[WhiteElo "2000"]\n'),
  game("Dora", "1-0", "1. Re2 Kd6 2. Re3", '[FEN "8/8/2k5/8/8/n7/3R4/6K1 w - - 0 1"]\n[SetUp "1"]\n'),
].join("");

const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

test.each([390, 1440])("the explorer opens with its panel first, and its board moves nothing, at %i pixels", async (width) => {
  const { page } = await visit(browser, "/library", { viewport: { width, height: 900 } });
  await page.locator("input[type=file]").setInputFiles(file("one.pgn", FIRST));
  await page.getByRole("heading", { name: "3 games" }).waitFor();
  const opener = page.getByRole("button", { name: "Explorer" });
  /** Where the parts are in the frame after the click. */
  const first = await opener.evaluate(async (it: HTMLElement) => {
    it.click();
    await new Promise(requestAnimationFrame);
    const field = document.querySelector(".explorer .field");
    return { squares: document.querySelectorAll(".explorer [data-square]").length, height: field?.getBoundingClientRect().height };
  });
  expect(first.squares).toBe(0);
  await expect.poll(() => page.locator(".explorer [data-square]").count()).toBe(64);
  expect((await page.locator(".explorer .field").boundingBox())?.height).toBeCloseTo(first.height ?? NaN, 1);
});

test("the explorer counts the moves of the filtered games; position, material and copies are searched", async () => {
  const { page, errors } = await visit(browser, "/library", { bypassCSP: true, viewport: { width: 1440, height: 900 } });
  await page.locator("input[type=file]").setInputFiles(file("one.pgn", FIRST));
  await page.getByRole("heading", { name: "3 games" }).waitFor();
  await page.getByRole("button", { name: "Explorer" }).click();
  await expect.poll(() => texts(page)).toEqual(["e4 2 50%50% 2100 1994–1995", "Nf3 1 100% 1995", "All 3 33%33%33% 2100 1994–1995"]);
  // A move of the table is played on the board, and the list follows.
  await page.locator("[data-uci=e2e4]").click();
  await expect.poll(() => rows(page).count()).toBe(2);
  await expect.poll(() => square(page, "e4").getAttribute("aria-label")).toContain("white pawn");
  // A move on the board does the same. The third game reaches the position by another order.
  for (const name of ["e7", "e5", "g1", "f3", "b8", "c6"]) await square(page, name).click();
  await expect.poll(() => texts(page)).toEqual(["Bb5 1 100% 2000 1994", "Bc4 1 100% 1995", "All 2 50%50% 2000 1994–1995"]);
  await expect.poll(() => status(page).textContent()).toBe("2 games found");
  expect(await objectionsInBothThemes(page)).toEqual([]);
  // The filter counts in the explorer, too.
  await page.locator("#player").fill("anna");
  await expect.poll(() => texts(page)).toEqual(["Bb5 1 100% 2000 1994", "All 1 100% 2000 1994"]);
  // The game opens at the position, and the list is as it was.
  await rows(page).first().click();
  await page.locator("[data-node='4'][aria-current]").waitFor();
  await page.goBack();
  await expect.poll(() => texts(page)).toEqual(["Bb5 1 100% 2000 1994", "All 1 100% 2000 1994"]);
  await page.locator("#player").fill("");
  // Keys step through the line.
  await page.locator("#player").blur();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => square(page, "b8").getAttribute("aria-label")).toContain("black knight");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => square(page, "c6").getAttribute("aria-label")).toContain("black knight");
  // A second file is added; its copy of a game can be hidden.
  await page.locator("input[type=file][multiple]").setInputFiles(file("two.pgn", `\uFEFF${SECOND}`));
  await page.getByRole("heading", { name: "5 games" }).waitFor();
  await expect.poll(() => status(page).textContent()).toBe("3 games found");
  await page.getByRole("checkbox", { name: "Hide duplicates" }).check();
  await expect.poll(() => status(page).textContent()).toBe("2 games found");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  const saved = readFileSync(await download.path(), "utf8");
  expect(saved.match(/\[White "\w+"\]/g)).toEqual(['[White "Anna"]', '[White "Cyril"]']);
  // Another position, as FEN; a wrong one is refused.
  await page.locator("#explorer-fen").fill("8/8/8/8/8/8/8/8 w - - 0 1");
  await page.keyboard.press("Enter");
  await page.getByText("No game can be played from this FEN.").waitFor();
  await page.locator("#explorer-fen").fill("8/8/2k5/8/8/n7/4R3/6K1 b - - 9 9");
  await page.keyboard.press("Enter");
  await expect.poll(() => texts(page)).toEqual(["Kd6 1 100% 1994", "All 1 100% 1994"]);
  await page.getByRole("button", { name: "Close the explorer" }).click();
  // Material, with either color; nonsense is said to be that.
  await page.locator("#material").fill("KN");
  await page.getByRole("alert").filter({ hasText: "KRP-KR" }).waitFor();
  await expect.poll(() => status(page).textContent()).toBe("4 games found");
  await page.locator("#material").fill("KN-KR");
  await expect.poll(() => status(page).textContent()).toBe("1 game found");
  await expect.poll(() => rows(page).first().textContent()).toContain("Dora");
  // After a reload everything is as it was left.
  await expect.poll(() => page.evaluate(() => localStorage.getItem("castellan.library"))).toContain("KN-KR");
  await page.reload();
  await expect.poll(() => status(page).textContent()).toBe("1 game found");
  expect(errors).toEqual([]);
});

test("a filter that is chosen before the list can be read counts, too", async () => {
  const { page, errors } = await visit(browser, "/library", { viewport: { width: 1440, height: 900 } });
  await page.locator("input[type=file]").setInputFiles(file("one.pgn", FIRST));
  await page.getByRole("heading", { name: "3 games" }).waitFor();
  await page.getByRole("button", { name: "Explorer" }).click();
  await page.locator("[data-uci=e2e4]").click();
  await expect.poll(() => status(page).textContent()).toBe("2 games found");
  // The module for the longer file does not arrive before everything has been asked of it.
  let release = () => {};
  const released = new Promise<void>((done) => (release = done));
  await page.route(/library.*\.wasm$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: { ask?: { do: string } }) {
      if (message.ask?.do === "filter") document.body.dataset["filters"] = String(Number(document.body.dataset["filters"] ?? 0) + 1);
      post.call(this, message);
    };
  });
  await page.locator("input[type=file][multiple]").setInputFiles(file("two.pgn", SECOND));
  await expect.poll(() => page.evaluate(() => Number(document.body.dataset["filters"]))).toBe(2);
  release();
  await page.getByRole("heading", { name: "5 games" }).waitFor();
  await expect.poll(() => status(page).textContent()).toBe("3 games found");
  expect(errors).toEqual([]);
});

test("games become chapters, which are switched, added, renamed, deleted and saved as one file", async () => {
  const { page, errors } = await visit(browser, "/library", { bypassCSP: true, viewport: { width: 390, height: 844 }, hasTouch: true, settings: { autoAnalysis: false, saveEvals: false } });
  await page.locator("input[type=file]").setInputFiles(file("one.pgn", FIRST));
  await page.getByRole("button", { name: "Open as chapters" }).tap();
  const chapter = page.locator("#chapter");
  const shown = () => chapter.evaluate((select: HTMLSelectElement) => [select.selectedOptions[0]?.text, select.options.length]);
  await expect.poll(shown).toEqual(["Anna – Hollow, Ada", 3]);
  await page.locator("[data-node='5']").waitFor();
  await chapter.selectOption({ label: "Boris – Hollow, Ada" });
  await expect.poll(() => page.locator("[data-node]").allTextContents()).toEqual(["e4", "c5", "Nf3"]);
  await page.getByRole("button", { name: "Rename the chapter" }).tap();
  await page.locator("#chapter-name").fill('The "open" Sicilian');
  await page.keyboard.press("Enter");
  await expect.poll(shown).toEqual(['The "open" Sicilian', 3]);
  await page.getByRole("button", { name: "Add a chapter" }).tap();
  await expect.poll(shown).toEqual(["Chapter 4", 4]);
  for (const name of ["d2", "d4"]) await page.locator(`[data-square="${name}"]`).tap();
  await expect.poll(() => page.locator("[data-node]").allTextContents()).toEqual(["d4"]);
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await chapter.selectOption({ label: "Cyril – Hollow, Ada" });
  await page.getByRole("button", { name: "Delete the chapter" }).tap();
  await page.getByRole("button", { name: "Delete", exact: true }).tap();
  await expect.poll(shown).toEqual(["Chapter 3", 3]);
  // A position from elsewhere does not replace the moves on the board.
  await page.goto(`${new URL(page.url()).origin}/analysis?fen=${encodeURIComponent("8/8/2k5/8/8/n7/3R4/6K1 w - - 0 1")}`);
  await expect.poll(shown).toEqual(["Chapter 4", 4]);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save PGN" }).tap()]);
  const saved = readFileSync(await download.path(), "utf8");
  expect(saved.match(/\[Event ".*"\]/g)).toEqual(['[Event "Anna – Hollow, Ada"]', '[Event "The \\"open\\" Sicilian"]', '[Event "Chapter 3"]', '[Event "Chapter 4"]']);
  expect(saved).toContain("1. d4 *");
  expect(errors).toEqual([]);
});
