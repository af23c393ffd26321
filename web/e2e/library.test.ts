/** The library in a real browser: filters, broken games, drag and drop, and pasting. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
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
afterAll(() => rmSync(folder, { recursive: true }));

const rows = (page: Page) => page.locator("[role=row][data-at]");
const choose = (page: Page, path: string) => page.locator("input[type=file]").first().setInputFiles(path);

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

const TAGGED = [
  '[Event "Spring Open"]\n[Site "Košice"]\n[Date "2021.03.04"]\n[Round "10"]\n[White "Cyril"]\n[Black "Dana"]\n[WhiteElo "1800"]\n[BlackElo "2100"]\n[Annotator "Eva"]\n\n1. e4 e5 2. Nf3 1-0',
  '[Event "Autumn Cup"]\n[Site "Brno"]\n[Date "2019.10.01"]\n[Round "9"]\n[White "Anna"]\n[Black "Boris"]\n[WhiteElo "2250"]\n\n1. d4 d5 0-1',
  '[Event "Study: Rook endings"]\n[White "?"]\n[Black "?"]\n\n1. c4 {a plan} *',
].join("\n\n");

const players = async (page: Page) => (await rows(page).locator(".name:first-child").allTextContents()).map((it) => it.trim());
const header = (page: Page, name: string) => page.getByRole("columnheader").getByRole("button", { name, exact: true });

async function load(page: Page, text: string): Promise<void> {
  await page.locator("input[type=file]").first().setInputFiles({ name: "club.pgn", mimeType: "text/plain", buffer: Buffer.from(text) });
  await rows(page).first().waitFor();
}

test("the list has events, ratings and chapters, is sorted by any column, searched by any tag, and exported", async () => {
  const { page, errors } = await visit(browser, "/library", { viewport: { width: 1680, height: 900 } });
  await load(page, TAGGED);
  await expect.poll(() => players(page)).toEqual(["Cyril", "Anna", "Study: Rook endings"]);
  await expect.poll(() => rows(page).first().textContent()).toMatch(/Cyril.*1800.*Dana.*2100.*Spring Open.*Košice.*10/s);
  await header(page, "White's Elo").click();
  await expect.poll(() => page.getByRole("columnheader", { name: "White's Elo" }).getAttribute("aria-sort")).toBe("ascending");
  // Games without a rating come last, whichever way the list is sorted.
  await expect.poll(() => players(page)).toEqual(["Cyril", "Anna", "Study: Rook endings"]);
  await header(page, "White's Elo").click();
  await expect.poll(() => players(page)).toEqual(["Anna", "Cyril", "Study: Rook endings"]);
  await header(page, "Round").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => players(page)).toEqual(["Anna", "Cyril", "Study: Rook endings"]);
  await header(page, "Event").click();
  await header(page, "Event").click();
  await expect.poll(() => players(page)).toEqual(["Study: Rook endings", "Cyril", "Anna"]);
  await page.getByLabel("Any tag").fill("annotator eva");
  await expect.poll(() => players(page)).toEqual(["Cyril"]);
  await page.getByLabel("Any tag").fill("open");
  await page.getByText("1 game found").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.locator("#player").fill("a");
  await expect.poll(() => players(page)).toEqual(["Cyril", "Anna"]);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  const text = readFileSync(await download.path(), "utf8");
  expect(text.match(/^\[White ".*"\]/gm)).toEqual(['[White "Cyril"]', '[White "Anna"]']);
  expect(text).toContain("[Annotator \"Eva\"]");
  expect(errors).toEqual([]);
});

test("on a phone the list is sorted by a choice, and chapters are named", async () => {
  const { page } = await visit(browser, "/library", { viewport: { width: 390, height: 844 }, hasTouch: true });
  await load(page, TAGGED);
  await page.getByLabel("Sort by").selectOption({ label: "White ↑" });
  await expect.poll(() => players(page)).toEqual(["Anna", "Cyril", "Study: Rook endings"]);
  await rows(page).filter({ hasText: "Rook endings" }).tap();
  await expect.poll(() => page.locator(".tree").textContent()).toContain("a plan");
});

test("the review goes to the next and the previous game of the list, by buttons and keys", async () => {
  const { page, errors } = await visit(browser, "/library", { settings: { autoAnalysis: false } });
  await load(page, TAGGED);
  await page.locator("#player").fill("a");
  await expect.poll(() => players(page)).toEqual(["Cyril", "Anna"]);
  await rows(page).first().click();
  const white = page.locator("[data-player=white]");
  await expect.poll(() => white.textContent()).toContain("Cyril");
  expect(await page.getByRole("button", { name: "Previous game" }).isDisabled()).toBe(true);
  await page.getByText("1 of 2").waitFor();
  await page.getByRole("button", { name: "Next game" }).click();
  await expect.poll(() => white.textContent()).toContain("Anna");
  await page.locator("main").focus();
  await page.keyboard.press("PageUp");
  await expect.poll(() => white.textContent()).toContain("Cyril");
  await page.keyboard.press("PageDown");
  await page.getByText("2 of 2").waitFor();
  // The list knows which game was shown last.
  await page.getByRole("link", { name: "Back to the list" }).click();
  await expect.poll(() => page.getByRole("row", { selected: true }).textContent()).toContain("Anna");
  expect(errors).toEqual([]);
});

test("the library opens where it was left, until the file is closed", async () => {
  const { page, errors } = await visit(browser, "/library", { viewport: { width: 1440, height: 500 } });
  const many = Array.from({ length: 60 }, (_, at) => `[Event "Cup"]\n[White "Player ${at}"]\n[Black "Nobody"]\n[WhiteElo "${2000 - at}"]\n\n1. e4 *`);
  await load(page, many.join("\n\n"));
  await page.getByRole("heading", { name: "60 games" }).waitFor();
  await page.locator("#player").fill("player");
  await header(page, "White's Elo").click();
  await expect.poll(() => players(page).then(([first]) => first)).toBe("Player 59");
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await expect.poll(() => players(page).then((all) => all.at(-1))).toBe("Player 0");
  await expect.poll(() => page.evaluate(() => JSON.parse(localStorage.getItem("castellan.library") ?? "{}").active)).toBe(59);
  await page.reload();
  await page.getByRole("heading", { name: "60 games" }).waitFor();
  await expect.poll(() => page.locator("#player").inputValue()).toBe("player");
  await expect.poll(() => players(page).then((all) => all.at(-1))).toBe("Player 0");
  await page.getByText("club.pgn").waitFor();
  await page.keyboard.press("Tab");
  await page.getByRole("grid").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("[data-player=white]").textContent()).toContain("Player 0");
  await page.goBack();
  await page.getByRole("button", { name: "Close file" }).click();
  await page.getByRole("button", { name: "Open three famous games" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Open three famous games" }).waitFor();
  expect(errors).toEqual([]);
});

test("a file that cannot be kept for the next visit is told", async () => {
  const { page } = await visit(browser, "/library");
  await page.evaluate(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await load(page, TAGGED);
  await page.getByText("The browser has no space to keep this file for your next visit.").waitFor();
  await expect.poll(() => players(page)).toHaveLength(3);
});
