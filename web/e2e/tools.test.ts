/** The editor, the doctor, PGN, the languages, offline use and accessibility, in a real browser. */

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ADDRESS, launch, objectionsInBothThemes, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
const start = (page: Page) => page.getByRole("button", { name: "Start game" }).click();
const type = async (page: Page, ...moves: string[]) => {
  for (const move of moves) {
    await page.locator("#move-field").fill(move);
    await page.keyboard.press("Enter");
  }
};

test("the editor refuses a wrong position, says why, and mends it", async () => {
  const { page, errors } = await visit(browser, "/editor");
  const play = page.getByRole("button", { name: "Two players" });
  await expect.poll(() => play.isEnabled()).toBe(true);
  // Puts a pawn on the first rank.
  await page.getByRole("group", { name: "Pieces" }).getByRole("button", { name: "white pawn" }).click();
  await square(page, "h1").click();
  await expect.poll(() => play.isEnabled()).toBe(false);
  await expect.poll(() => page.locator("#why").textContent()).toContain("The game cannot start yet");
  await expect.poll(() => page.locator(".findings").textContent()).toContain("The pawn on h1 cannot be there");
  await expect.poll(() => square(page, "h1").getAttribute("class")).toContain("error");
  // Fixes the position by hand, except for a castling right that the doctor repairs.
  await page.getByRole("button", { name: "Starting position" }).click();
  await page.getByRole("group", { name: "Pieces" }).getByRole("button", { name: "white pawn" }).click();
  const [rook, outside] = [await square(page, "h1").boundingBox(), { x: 5, y: 300 }];
  if (!rook) throw new Error("no board");
  await page.mouse.move(rook.x + 20, rook.y + 20);
  await page.mouse.down();
  await page.mouse.move(outside.x, outside.y, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => page.locator(".findings").textContent()).toContain("White can only castle with a rook on h1");
  await page.getByRole("button", { name: "Fix all" }).click();
  await expect.poll(() => play.isEnabled()).toBe(true);
  // Kings cannot be removed.
  await square(page, "e1").focus();
  await page.keyboard.press("Delete");
  await expect.poll(() => square(page, "e1").getAttribute("aria-label")).toContain("white king");
  await play.click();
  await start(page);
  await expect.poll(() => square(page, "h1").getAttribute("aria-label")).toContain("empty");
  expect(errors).toEqual([]);
});

test("a position is saved as PGN and FEN and loaded back from either, right or wrong", async () => {
  const fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 3 40";
  const { page, errors } = await visit(browser, `/editor?fen=${encodeURIComponent(fen)}`);
  const save = async (name: string) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return readFileSync(await download.path(), "utf8");
  };
  await expect.poll(() => page.getByRole("button", { name: "Save PGN" }).isEnabled()).toBe(true);
  const pgn = await save("Save PGN");
  expect(pgn).toContain(`[SetUp "1"]`);
  expect(pgn).toContain(`[FEN "${fen}"]`);
  expect(await save("Save FEN")).toBe(`${fen}\n`);
  const load = async (name: string, text: string) => {
    await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  };
  await page.getByRole("button", { name: "Starting position" }).click();
  await load("a.pgn", pgn);
  await expect.poll(() => page.locator("#fen").inputValue()).toBe(fen);
  const wrong = "4k3/8/8/8/8/8/8/4K2P w - - 0 1";
  await load("b.fen", `${wrong}\n`);
  await expect.poll(() => page.locator("#fen").inputValue()).toBe(wrong);
  await expect.poll(() => page.getByRole("button", { name: "Save PGN" }).isEnabled()).toBe(false);
  await load("c.txt", "nothing of the kind");
  await page.getByText("There is no position in this file.").waitFor();
  expect(errors).toEqual([]);
});

test("the other button of the mouse opens the menu of a square", async () => {
  const { page } = await visit(browser, "/editor");
  await expect.poll(() => page.getByRole("button", { name: "Two players" }).isEnabled()).toBe(true);
  await square(page, "e4").click({ button: "right" });
  const menu = page.getByRole("dialog", { name: "Piece on e4" });
  await menu.getByRole("button", { name: "black queen" }).click();
  await expect.poll(() => square(page, "e4").getAttribute("aria-label")).toContain("black queen");
  await square(page, "e4").click({ button: "right" });
  await menu.getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => square(page, "e4").getAttribute("aria-label")).toContain("empty");
  await square(page, "e4").click({ button: "right" });
  await expect.poll(() => menu.getByRole("button", { name: /king/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await expect.poll(() => menu.count()).toBe(0);
});

test("the doctor reads, marks and mends", async () => {
  const { page } = await visit(browser, "/doctor");
  await page.locator("#fen").fill("4k3/8/8/8/8/8/4Q3/4K3 w - - 0 40");
  await page.locator(".verdict.illegal").waitFor();
  await expect.poll(() => square(page, "e8").getAttribute("class")).toContain("error");
  await page.locator(".repairs button").first().click();
  await expect.poll(() => page.locator("#fen").inputValue()).toBe("4k3/8/8/8/8/8/4Q3/4K3 b - - 0 40");
  await expect.poll(() => page.locator(".verdict.illegal").count()).toBe(0);
});

test("a game is saved as PGN and loaded back with its clocks", async () => {
  const { page, errors } = await visit(browser, "/two", { settings: { names: { white: "Anna", black: "Boris" } } });
  // Freezes the page's clock: a PGN has the clock times of the moves, not the time since the last
  // one.
  await page.clock.setFixedTime(Date.now());
  await start(page);
  await type(page, "e4", "c5", "Nf3");
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "Yes, resign" }).click();
  const clocks = async () => (await page.locator(".clock").allTextContents()).map((it) => it.trim());
  const before = await clocks();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save PGN" }).first().click(),
  ]);
  const text = readFileSync(await download.path(), "utf8");
  expect(text).toContain('[White "Anna"]');
  expect(text).toContain('[Result "1-0"]');
  expect(text).toMatch(/1\. e4 \{\[%clk 0:10:05\]\}/);
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${ADDRESS}/library`);
  await page.locator("#pgn").fill(text);
  await page.getByRole("button", { name: "Load" }).click();
  await page.locator("[data-node='3']").click();
  await expect.poll(() => page.locator("[data-node]").allTextContents()).toEqual(["e4", "c5", "Nf3"]);
  await expect.poll(() => page.getByText("Black resigned, White wins").first().isVisible()).toBe(true);
  await expect.poll(() => clocks()).toEqual(before);
  expect(errors).toEqual([]);
});

const LANGUAGES: [string, string, string, string][] = [
  ["en-GB", "Two players", "Nf3", "Nf3"],
  ["sk-SK", "Dvaja hráči", "Jf3", "Jf3"],
  ["cs-CZ", "Dva hráči", "Jf3", "Jf3"],
  ["pl-PL", "Gra we dwójkę", "Sf3", "Sf3"],
  ["fi-FI", "Kaksinpeli", "Rf3", "Rf3"],
];

test.each(LANGUAGES)("%s: the page speaks it, reads its letters and writes them", async (locale, title, typed, written) => {
  const { page, errors } = await visit(browser, "/two", { locale });
  await page.getByRole("heading", { name: title }).waitFor();
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe(locale.slice(0, 2));
  await page.locator("button[type=submit]").click();
  await type(page, typed);
  await page.locator("[data-ply='1']").waitFor();
  await expect.poll(() => page.locator("[data-ply='1']").textContent()).toBe(written);
  expect(errors).toEqual([]);
});

test("a form says in the language of the page which number is wrong", async () => {
  const { page, errors } = await visit(browser, "/two", { locale: "sk-SK", settings: { minutes: 3 } });
  const minutes = page.getByLabel("Minúty na hráča");
  const begin = page.getByRole("button", { name: "Začať partiu" });
  await minutes.fill("0");
  await begin.click();
  await expect.poll(() => page.getByRole("alert").textContent()).toMatch(/^Pole „Minúty na hráča“: zadajte číslo od 0,1 do 1.?440\.$/);
  await expect.poll(() => minutes.evaluate((it) => it === document.activeElement)).toBe(true);
  await minutes.fill("");
  await minutes.press("Enter");
  await expect.poll(() => page.getByRole("alert").textContent()).toBe("Vyplňte pole „Minúty na hráča“.");
  // An empty field gets its last number back when the user leaves it.
  await minutes.fill("7");
  await minutes.fill("");
  await begin.focus();
  await expect.poll(() => minutes.inputValue()).toBe("7");
  await begin.click();
  await expect.poll(() => page.locator(".clock").first().textContent()).toContain("7:00");
  expect(errors).toEqual([]);
});

test("the language is switched and remembered", async () => {
  const { page } = await visit(browser, "/settings");
  await page.locator("main select").first().selectOption("fi");
  await page.getByRole("heading", { name: "Asetukset" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Asetukset" }).waitFor();
});

test("without a network the page is still whole, the computer included", async () => {
  const { page } = await visit(browser, "/", { serviceWorkers: "allow", settings: { level: 600 } });
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await page.context().setOffline(true);
  await page.goto(`${ADDRESS}/computer`);
  await start(page);
  await type(page, "e4");
  await page.locator("[data-ply='2']").waitFor();
  await page.goto(`${ADDRESS}/doctor`);
  await page.locator(".verdict").waitFor();
});

test("no page has what axe objects to", async () => {
  for (const path of ["/", "/two", "/computer", "/game", "/editor", "/doctor", "/library", "/settings", "/about"]) {
    const isGame = path === "/game";
    const { page } = await visit(browser, isGame ? "/two" : path, { colorScheme: "light", bypassCSP: true });
    if (isGame) {
      await start(page);
      await type(page, "e4", "d5", "exd5");
      await square(page, "d8").click();
    }
    await page.locator("h1").first().waitFor({ state: "attached" });
    expect(await objectionsInBothThemes(page), path).toEqual([]);
    await page.context().close();
  }
});
