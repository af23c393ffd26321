/**
 * Chess960 on this device: choice of the start, castling by clicking the rook, the computer, and
 * PGN.
 */

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
const pieceOn = (page: Page, name: string) => square(page, name).getAttribute("aria-label");
const start = (page: Page) => page.getByRole("button", { name: "Start game" }).click();
const written = (page: Page) => page.locator("[data-ply]").allTextContents();

async function choose(page: Page, number: string): Promise<void> {
  await page.getByRole("radio", { name: "Chess960" }).check();
  await page.getByLabel("Number").fill(number);
}

test("a start is chosen by its number, and castling is entered on the rook's square", async () => {
  const { page, errors } = await visit(browser, "/two");
  await choose(page, "960");
  await expect.poll(() => page.locator(".rank span").count()).toBe(0);
  await start(page);
  await expect.poll(() => page.locator("[data-square]").count()).toBe(0);
  // Knights, rook, queen, bishop, king, rook, bishop: the king can castle at once.
  await page.getByLabel("Number").fill("59");
  await expect.poll(() => page.locator(".rank span").count()).toBe(8);
  await start(page);
  await expect.poll(() => pieceOn(page, "f1")).toContain("white king");
  await square(page, "f1").click();
  await expect.poll(() => square(page, "g1").getAttribute("class")).toContain("quiet");
  await square(page, "g1").click();
  await expect.poll(() => pieceOn(page, "g1")).toContain("white king");
  await expect.poll(() => pieceOn(page, "f1")).toContain("white rook");
  await page.locator("#move-field").fill("O-O");
  await page.keyboard.press("Enter");
  await expect.poll(() => pieceOn(page, "g8")).toContain("black king");
  await expect.poll(() => written(page)).toEqual(["O-O", "O-O"]);
  // The game survives a reload, and the next game has the same choice.
  await page.reload();
  await expect.poll(() => written(page)).toEqual(["O-O", "O-O"]);
  await page.goto(page.url().replace("/game", "/two"));
  await expect.poll(() => page.getByLabel("Number").inputValue()).toBe("59");
  expect(errors).toEqual([]);
});

test("without a number any start is drawn", async () => {
  const drawn = new Set<string>();
  const { page } = await visit(browser, "/two");
  for (let game = 0; game < 6; game++) {
    await page.getByRole("radio", { name: "Chess960" }).check();
    await start(page);
    await square(page, "a1").waitFor();
    const files = [..."abcdefgh"].map((file) => pieceOn(page, `${file}1`));
    drawn.add((await Promise.all(files)).join());
    await page.goto(page.url().replace("/game", "/two"));
  }
  expect(drawn.size).toBeGreaterThan(1);
});

test("the computer plays it, castles included, and its PGN says so", async () => {
  // Castling is checkmate, and no other move is.
  const mate = "5k2/R7/2B5/3B4/8/8/6P1/5KR1 w G - 0 1";
  const { page, errors } = await visit(browser, `/computer?fen=${encodeURIComponent(mate)}`, {
    settings: { side: "black", level: 2900 },
  });
  await start(page);
  await page.locator("[data-ply='1']").waitFor();
  await expect.poll(() => written(page)).toEqual(["O-O#"]);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save PGN" }).first().click();
  const text = readFileSync(await (await saving).path(), "utf8");
  expect(text).toContain('[Variant "Chess960"]');
  expect(errors).toEqual([]);
});
