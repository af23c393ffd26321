/** The board editor and the FEN doctor, used by mouse, touch and keyboard in a real browser. */

import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
const pieceOn = (page: Page, name: string) => square(page, name).getAttribute("aria-label");
const playTwo = (page: Page) => page.getByRole("button", { name: "Two players" });
const tray = (page: Page) => page.getByRole("group", { name: "Pieces" });

async function edit(fen: string, options: Parameters<typeof visit>[2] = {}): Promise<Page> {
  const { page } = await visit(browser, `/editor?fen=${encodeURIComponent(fen)}`, options);
  await page.locator(".findings, .fine").first().waitFor();
  return page;
}

/** Positions that cannot be played, each with a word of the reason. */
const UNPLAYABLE: [string, string][] = [
  ["4k3/8/8/8/8/8/8/8 w - - 0 1", "White has no king"],
  ["4k3/8/8/8/8/8/8/K3K3 b - - 0 1", "White has 2 kings"],
  ["8/8/8/3kK3/8/8/8/8 w - - 0 1", "next to each other"],
  ["4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "pawn on a1"],
  ["4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has 9 pawns"],
  ["4k3/8/8/8/8/QQQQQQQQ/PPPPPPPP/R3K3 w - - 0 1", "White has 18 pieces"],
  ["4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1", "in check from e2"],
  ["4k3/8/8/8/8/8/8/4K3 w K - 0 1", "rook on h1"],
  ["4k3/8/8/8/8/8/8/4K3 b - e3 0 1", "there would be a pawn on e4"],
];

test.each(UNPLAYABLE)("%s cannot be started", async (fen, reason) => {
  const page = await edit(fen);
  await expect.poll(() => page.locator("#why.error").textContent()).toContain(reason);
  await expect.poll(() => playTwo(page).isEnabled()).toBe(false);
  await expect.poll(() => page.locator(".findings .error").first().textContent()).toContain("annot be played");
  await page.context().close();
});

test("what no game reaches is a warning, and the game starts", async () => {
  for (const fen of ["r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w kq - 12 7"]) {
    const page = await edit(fen);
    await expect.poll(() => page.locator("#why.warning").textContent()).toContain("no game can reach this position");
    await expect.poll(() => page.locator(".findings .error").count()).toBe(0);
    await expect.poll(() => page.locator(".findings .warning").first().textContent()).toMatch(/warning/i);
    await playTwo(page).click();
    await page.getByRole("button", { name: "Start game" }).click();
    await expect.poll(() => page.locator("[data-ply]").count()).toBe(0);
    await expect.poll(() => pieceOn(page, "a1")).toContain("white rook");
    await page.context().close();
  }
});

test.each(["both", "click"])("a click takes a piece and a second one puts it down (moving: %s)", async (input) => {
  const page = await edit(START, { settings: { input } });
  await square(page, "g1").click();
  await expect.poll(() => square(page, "g1").getAttribute("aria-selected")).toBe("true");
  await square(page, "f3").click();
  await expect.poll(() => pieceOn(page, "f3")).toContain("white knight");
  await expect.poll(() => pieceOn(page, "g1")).toContain("empty");
  // A second click on the same piece opens its menu, with labels.
  await square(page, "f3").click();
  await square(page, "f3").click();
  const menu = page.getByRole("dialog", { name: "Piece on f3" });
  await expect.poll(() => menu.textContent()).toContain("white queen");
  await menu.getByText("black rook").click();
  await expect.poll(() => pieceOn(page, "f3")).toContain("black rook");
  // By keyboard: Enter picks up, arrow keys move, Enter puts down.
  await square(page, "b1").focus();
  for (const key of ["Enter", "ArrowUp", "ArrowUp", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  await expect.poll(() => pieceOn(page, "c3")).toContain("white knight");
  await page.keyboard.press("Shift+F10");
  await page.getByRole("dialog", { name: "Piece on c3" }).waitFor();
});

test("a finger that rests on a square opens its menu", async () => {
  const page = await edit(START, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  const box = await square(page, "d4").boundingBox();
  if (!box) throw new Error("no board");
  const finger = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const session = await page.context().newCDPSession(page);
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [finger] });
  const menu = page.getByRole("dialog", { name: "Piece on d4" });
  await menu.waitFor();
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await menu.getByText("white bishop").tap();
  await expect.poll(() => pieceOn(page, "d4")).toContain("white bishop");
});

test("pieces are dragged out of the tray, or chosen there and put on squares", async () => {
  const page = await edit("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
  const [from, to] = [await tray(page).getByRole("button", { name: "white rook" }).boundingBox(), await square(page, "d4").boundingBox()];
  if (!from || !to) throw new Error("no tray");
  await page.mouse.move(from.x + 20, from.y + 20);
  await page.mouse.down();
  await page.mouse.move(to.x + 20, to.y + 20, { steps: 5 });
  await page.locator(".carried").waitFor();
  await page.mouse.up();
  await expect.poll(() => pieceOn(page, "d4")).toContain("white rook");
  await expect.poll(() => tray(page).locator("[aria-pressed=true]").count()).toBe(0);
  await tray(page).getByRole("button", { name: "black knight" }).click();
  for (const name of ["a5", "b6"]) {
    await square(page, name).click();
    await expect.poll(() => pieceOn(page, name)).toContain("black knight");
  }
});

test("why a king cannot be removed is shown where users see it", async () => {
  const page = await edit(START);
  await square(page, "e1").focus();
  await page.keyboard.press("Delete");
  await page.getByText("You can move a king but not remove it.").and(page.locator(":visible")).first().waitFor();
  await expect.poll(() => page.locator(".notice").isVisible()).toBe(true);
  await expect.poll(() => pieceOn(page, "e1")).toContain("white king");
  await square(page, "d8").click({ button: "right" });
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => page.locator(".notice").count()).toBe(0);
});

test("the FEN stands above what is wrong with it, and Copy copies it", async () => {
  const fen = "4k3/8/8/8/8/P7/PPPPPPPP/RNBQKBNR w - - 0 1";
  const page = await edit(fen, { permissions: ["clipboard-read", "clipboard-write"] });
  const top = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? NaN;
  expect(await top("#fen")).toBeLessThan(await top(".findings"));
  await page.getByRole("button", { name: "Copy FEN" }).click();
  await page.getByText("FEN copied.").first().waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(fen);
  // What was copied is no longer what is shown.
  await square(page, "a3").click();
  await square(page, "a5").click();
  await expect.poll(() => page.locator(".fen").getByText("FEN copied.").count()).toBe(0);
});

test("only wrong counts are marked, each with its own reason", async () => {
  const page = await edit("4k3/8/8/8/8/P7/PPPPPPPP/RNBQKBNR w - - 0 1");
  const row = page.getByRole("row").filter({ hasText: "White" });
  await expect.poll(() => row.locator("td.wrong").allTextContents()).toEqual([
    expect.stringContaining("White has 9 pawns"),
    expect.stringContaining("White has 17 pieces"),
  ]);
  await expect.poll(() => page.locator(".counts p").allTextContents()).toEqual([
    expect.stringContaining("White has 9 pawns"),
    expect.stringContaining("White has 17 pieces"),
  ]);
  await expect.poll(() => page.getByRole("row").filter({ hasText: "Black" }).locator("td.wrong, td.odd").count()).toBe(0);
});

async function ask(page: Page, fen: string): Promise<void> {
  await page.locator("#fen").fill(fen);
}

const castling = (page: Page) => page.locator("dt", { hasText: "Castling" }).locator("+ dd").textContent();

test("the doctor marks a checked king, a wrong letter and adjacent kings", async () => {
  const { page } = await visit(browser, "/doctor");
  await ask(page, "4k3/8/8/8/4R3/8/8/3K4 b - - 3 40");
  await expect.poll(() => square(page, "e8").getAttribute("class")).toContain("check");
  await ask(page, START.replace("pppppppp", "ppppxppp"));
  await expect.poll(() => square(page, "e7").getAttribute("class")).toContain("error");
  await ask(page, "8/8/8/3kK3/8/8/8/8 w - - 0 40");
  for (const name of ["d5", "e5"]) {
    await expect.poll(() => square(page, name).getAttribute("class")).toContain("error");
    await expect.poll(() => square(page, name).getAttribute("class")).not.toContain("check");
  }
});

test("the doctor's words about castling agree with its errors, and Chess960 is the other reading", async () => {
  const { page } = await visit(browser, "/doctor");
  await ask(page, "rnbqkbnr/pppppppp/8/8/8/7P/PPPPPPP1/RNBQKBN1 w KQkq - 0 20");
  await expect.poll(() => castling(page)).toBe("White: queenside; Black: kingside, queenside; “K” is wrong");
  await ask(page, "4k3/8/8/8/8/8/8/R2K3R w KQ - 0 29");
  await expect.poll(() => page.locator(".findings .error").first().textContent()).toContain("if this is Chess960, write");
  for (const name of ["d1", "e1"]) await expect.poll(() => square(page, name).getAttribute("class")).toContain("error");
  await page.getByLabel(/Chess960/).check();
  await expect.poll(() => page.locator(".findings .error").count()).toBe(0);
  await expect.poll(() => castling(page)).toContain("with the rook on h1");
});

test("the doctor offers first what mends everything", async () => {
  const { page } = await visit(browser, "/doctor");
  await ask(page, "4k3/8/8/8/8/8/8/R3K3 w KQ - 99 1");
  await expect.poll(() => page.locator(".repairs button").first().textContent()).toContain("Fix all");
  await page.locator(".repairs button").first().click();
  await expect.poll(() => page.locator(".findings .error, .findings .warning").count()).toBe(0);
});
