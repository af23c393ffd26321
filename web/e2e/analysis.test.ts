/** The analysis board and the engine's panel: positions from everywhere, drawings, undo, evaluations. */

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { ADDRESS, objectionsInBothThemes, visit } from "./browser";
import { browser, button, current, isDone, move, open, review, sans, saved, square } from "./studies";

beforeAll(open);

/** A won ending: the king leads the pawn. */
const ENDING = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 60";
const PAWN = "white pawn";
const QUIET = { settings: { autoAnalysis: false } };

const told = (page: Page, name: string) => square(page, name).getAttribute("aria-label");
const file = async (page: Page) => readFileSync(await (await saved(page, "Save PGN")).path(), "utf8").replace(/\s+/g, " ").trim();

async function play(page: Page, from: string, to: string): Promise<void> {
  await square(page, from).click();
  await square(page, to).click();
}

test("an empty board is reached from the menu and from home, and keeps its moves apart from the review", async () => {
  const { page, errors } = await review("1. d4 d5 2. c4 1-0", QUIET);
  await page.getByRole("link", { name: "Analysis board" }).click();
  await expect.poll(() => sans(page)).toEqual([]);
  await play(page, "e2", "e4");
  await expect.poll(() => current(page)).toBe("e4");
  expect(await button(page, "Continue this game").count()).toBe(0);
  // Both stay as they were left, also after a reload.
  await page.getByRole("link", { name: "Review", exact: true }).click();
  await expect.poll(() => sans(page)).toEqual(["d4", "d5", "c4"]);
  await page.goto(ADDRESS);
  await page.getByRole("navigation", { name: "Ways to play" }).getByRole("link", { name: /^Analysis board/ }).click();
  await expect.poll(() => sans(page)).toEqual(["e4"]);
  await button(page, "New board").click();
  await page.getByRole("dialog", { name: "New board" }).getByRole("button", { name: "Clear board" }).click();
  await expect.poll(() => sans(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test("a position comes by link, by paste and through the field; a game goes to the review", async () => {
  const { page, errors } = await visit(browser, `/analysis?fen=${encodeURIComponent(ENDING)}`, QUIET);
  await expect.poll(() => told(page, "e5")).toContain(PAWN);
  await page.reload();
  await expect.poll(() => told(page, "e5")).toContain(PAWN);
  await button(page, "Open FEN or PGN").click();
  // The fields after the board may be missing.
  await page.locator("#review-pgn").fill("8/8/8/8/8/4k3/4p3/4K3 b");
  await button(page, "Load").click();
  await expect.poll(() => told(page, "e2")).toContain("black pawn");
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.querySelector("[role=grid]")?.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }));
  }, ENDING);
  await expect.poll(() => told(page, "e5")).toContain(PAWN);
  await button(page, "Open FEN or PGN").click();
  await page.locator("#review-pgn").fill("8/8/8/8/8/8/8/8 w - - 0 1");
  await button(page, "Load").click();
  await expect.poll(() => page.getByRole("dialog").getByRole("alert").textContent()).toContain("No game can be played from this FEN.");
  await page.locator("#review-pgn").fill("1. c4 e5 *");
  await button(page, "Load").click();
  await expect.poll(() => sans(page)).toEqual(["c4", "e5"]);
  expect(new URL(page.url()).pathname).toBe("/review");
  // A FEN in the review opens the board.
  await button(page, "Open another game").click();
  await page.locator("#review-pgn").fill(ENDING);
  await button(page, "Load").click();
  await expect.poll(() => told(page, "e5")).toContain(PAWN);
  expect(new URL(page.url()).pathname).toBe("/analysis");
  // A link to the review with a FEN means the same.
  await page.goto(`${ADDRESS}/review?fen=${encodeURIComponent("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1")}`);
  await expect.poll(() => told(page, "e2")).toContain("black pawn");
  expect(new URL(page.url()).pathname).toBe("/analysis");
  const bad = await visit(browser, "/analysis?fen=8/8/8/8/8/8/8/8", QUIET);
  await bad.page.getByRole("link", { name: "See what is wrong" }).click();
  await bad.page.locator(".verdict.illegal").waitFor();
  expect(errors).toEqual([]);
});

test("the editor, the doctor and a running game lead to the analysis", async () => {
  const { page, errors } = await visit(browser, `/editor?fen=${encodeURIComponent(ENDING)}`, { settings: { autoAnalysis: false, clock: "none" } });
  await button(page, "Analyze").click();
  await expect.poll(() => told(page, "e5")).toContain(PAWN);
  await page.goto(`${ADDRESS}/doctor?fen=${encodeURIComponent(ENDING)}`);
  await button(page, "Analyze").click();
  await expect.poll(() => told(page, "e5")).toContain(PAWN);
  await page.goto(`${ADDRESS}/two`);
  await button(page, "Start game").click();
  for (const typed of ["e4", "c5"]) {
    await page.locator("#move-field").fill(typed);
    await page.keyboard.press("Enter");
  }
  await page.locator("[data-ply='2']").waitFor();
  await button(page, "Analyze").click();
  await expect.poll(() => current(page)).toBe("c5");
  await play(page, "g1", "f3");
  await expect.poll(() => sans(page)).toEqual(["e4", "c5", "Nf3"]);
  // The game itself is as it was.
  await button(page, "Continue this game").click();
  await expect.poll(() => page.locator("[data-ply]").allTextContents()).toEqual(["e4", "c5"]);
  expect(errors).toEqual([]);
});

test("the engine shows depth and speed, as many lines as wanted, and goes on until told otherwise", async () => {
  const { page, errors } = await visit(browser, "/analysis");
  const panel = page.getByRole("group", { name: "Engine" });
  const lines = page.getByRole("region", { name: "Best lines" }).locator(".line");
  await expect.poll(() => lines.count()).toBe(3);
  await panel.getByLabel("Lines").selectOption("5");
  await expect.poll(() => lines.count()).toBe(5);
  await panel.getByLabel("Lines").selectOption("1");
  await expect.poll(() => lines.count()).toBe(1);
  const depth = async () => Number(await panel.locator("[data-depth]").getAttribute("data-depth"));
  await expect.poll(depth).toBeGreaterThan(3);
  const first = await depth();
  await expect.poll(() => panel.textContent()).toMatch(/Depth \d+.*kN\/s.*1 thread(?!s)/s);
  const goOn = button(page, "Keep thinking");
  await goOn.focus();
  await page.keyboard.press("Enter");
  // It goes deeper than any search with an end would.
  await expect.poll(depth).toBeGreaterThan(first + 3);
  // Another position is searched instead, and again without end.
  await play(page, "e2", "e4");
  await expect.poll(() => lines.first().textContent()).toContain("1…");
  await expect.poll(depth).toBeGreaterThan(first + 1);
  await goOn.click();
  await expect.poll(() => goOn.getAttribute("aria-pressed")).toBe("false");
  await expect.poll(() => lines.count()).toBe(1);
  expect(errors).toEqual([]);
});

test("a line is previewed on a small board under the pointer and in focus", async () => {
  const { page } = await visit(browser, "/analysis");
  const lines = page.getByRole("region", { name: "Best lines" });
  const best = lines.locator(".line").first().getByRole("button").first();
  await best.hover();
  await expect.poll(() => lines.locator(".mini").count()).toBe(1);
  await page.mouse.move(0, 0);
  await expect.poll(() => lines.locator(".mini").count()).toBe(0);
  await best.focus();
  await expect.poll(() => lines.locator(".mini").count()).toBe(1);
  await page.keyboard.press("Enter");
  await expect.poll(() => sans(page)).toHaveLength(1);
});

test("arrows have four colors: by modifier keys with the mouse and on the keyboard", async () => {
  const { page, errors } = await review("1. e4 e5 *", { settings: { saveEvals: false, autoAnalysis: false } });
  await move(page, "e4").click();
  for (const [keys, to] of [[[], "a3"], [["Shift"], "b3"], [["Alt"], "c3"], [["Shift", "Alt"], "d3"]] as const) {
    for (const key of keys) await page.keyboard.down(key);
    for (const [name, press] of [["g1", "down"], [to, "up"]] as const) {
      const box = await square(page, name).boundingBox();
      if (!box) throw new Error(`no ${name}`);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse[press]({ button: "right" });
    }
    for (const key of keys) await page.keyboard.up(key);
  }
  await expect.poll(() => page.locator("path.drawn").count()).toBe(4);
  expect(await page.locator("path.drawn").evaluateAll((all) => new Set(all.map((it) => getComputedStyle(it).fill)).size)).toBe(4);
  await square(page, "h5").focus();
  await page.keyboard.press("Shift+A");
  await page.keyboard.press("Shift+A");
  expect(await file(page)).toContain("[%cal Gg1a3,Rg1b3,Bg1c3,Yg1d3] [%csl Rh5]");
  expect(errors).toEqual([]);
});

test("with a pen, a finger draws in the chosen color, and pieces stay where they are", async () => {
  const { page, errors } = await visit(browser, "/analysis", { settings: { saveEvals: false, autoAnalysis: false }, hasTouch: true, viewport: { width: 390, height: 844 } });
  await page.getByRole("grid").waitFor();
  await button(page, "Draw arrows and circles").tap();
  await button(page, "Blue").tap();
  await square(page, "e2").tap();
  await expect.poll(() => page.locator("circle.drawn").count()).toBe(1);
  await square(page, "e4").tap();
  await expect.poll(() => page.locator("circle.drawn").count()).toBe(2);
  expect(await file(page)).toContain("[%csl Be2,Be4]");
  await button(page, "Draw arrows and circles").tap();
  await square(page, "e2").tap();
  await square(page, "e4").tap();
  await expect.poll(() => current(page)).toBe("e4");
  expect(errors).toEqual([]);
});

test("edits are undone and redone, by buttons and by keys", async () => {
  const { page, errors } = await review("1. e4 e5 2. Nf3 *", QUIET);
  expect(await button(page, "Undo").isDisabled()).toBe(true);
  await move(page, "e4").click();
  await play(page, "c7", "c5");
  await button(page, "Good move").click();
  await expect.poll(() => sans(page)).toEqual(["e4", "e5", "1…c5!", "Nf3"]);
  await button(page, "Undo").click();
  await expect.poll(() => sans(page)).toEqual(["e4", "e5", "1…c5", "Nf3"]);
  await page.keyboard.press("Control+z");
  await expect.poll(() => sans(page)).toEqual(["e4", "e5", "Nf3"]);
  await expect.poll(() => current(page)).toBe("e4");
  await page.keyboard.press("Control+Shift+z");
  await button(page, "Redo").click();
  await expect.poll(() => sans(page)).toEqual(["e4", "e5", "1…c5!", "Nf3"]);
  expect(await button(page, "Redo").isDisabled()).toBe(true);
  // Even a deletion is undone.
  await move(page, "e4").click();
  await button(page, "Delete from here").click();
  await button(page, "Confirm deletion from here").click();
  await expect.poll(() => sans(page)).toEqual([]);
  await page.keyboard.press("Control+z");
  await expect.poll(() => sans(page)).toEqual(["e4", "e5", "1…c5!", "Nf3"]);
  expect(errors).toEqual([]);
});

test("a variation is folded and unfolded, and unfolds for the moves in it", async () => {
  const { page, errors } = await review("1. e4 (1. d4 d5 2. c4 {queen's gambit}) 1... e5 *", QUIET);
  const fold = button(page, "Variation d4");
  await expect.poll(() => fold.getAttribute("aria-expanded")).toBe("true");
  await fold.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => sans(page)).toEqual(["e4", "1.d4", "e5"]);
  await expect.poll(() => fold.getAttribute("aria-expanded")).toBe("false");
  await move(page, "d4").click();
  await button(page, "Next move").click();
  await expect.poll(() => current(page)).toBe("d5");
  await expect.poll(() => page.locator(".tree").textContent()).toContain("queen's gambit");
  expect(errors).toEqual([]);
});

test("evaluations are saved with the game and not computed again", async () => {
  const { page } = await review("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0");
  await isDone(page);
  const text = await file(page);
  expect(text).toMatch(/1\. e4 \{\[%eval -?\d\.\d\d,\d+\]\} 1\.\.\. e5 \{\[%eval/);
  expect(text).toMatch(/3\.\.\. Nf6 \{\[%eval #1,\d+\]\} 4\. Qxf7# 1-0/);
  const verdicts = () => page.locator("[data-verdict=blunder]").allTextContents();
  const shown = await verdicts();
  // The engine does not arrive any more; everything that was found is still there.
  await page.route(/engine.*\.wasm$/, () => {});
  await page.reload();
  await isDone(page);
  expect(await verdicts()).toEqual(shown);
  await move(page, "Nf6").click();
  await button(page, /^Better: /).waitFor();
  // Another browser takes them from the file.
  const { page: other } = await visit(browser, "/review", { held: /engine.*\.wasm$/ });
  await other.locator("#review-pgn").fill(text);
  await button(other, "Load").click();
  await expect.poll(() => other.locator("[data-verdict=blunder]").count()).toBe(1);
  expect(await file(other)).toContain(text.slice(text.indexOf("1. e4")));
});

test.each([390, 1440])("the analysis board has nothing that axe objects to, at %i pixels", async (width) => {
  const { page } = await visit(browser, "/analysis", { colorScheme: "light", bypassCSP: true, viewport: { width, height: 900 } });
  await expect.poll(() => page.getByRole("region", { name: "Best lines" }).locator(".line").count()).toBe(3);
  await button(page, "Draw arrows and circles").click();
  await button(page, "Keep thinking").click();
  expect(await objectionsInBothThemes(page)).toEqual([]);
});
