/**
 * Arrows and circles on the board: by mouse and keyboard, kept in a review and dropped in a game.
 */

import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { visit } from "./browser";
import { browser, button, current, move, open, review, saved, square } from "./studies";

beforeAll(open);

/** Draws with the right mouse button. */
async function draw(page: Page, from: string, to: string): Promise<void> {
  for (const [name, press] of [[from, "down"], [to, "up"]] as const) {
    const box = await square(page, name).boundingBox();
    if (!box) throw new Error(`no ${name}`);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse[press]({ button: "right" });
  }
}

test("arrows and circles are drawn, kept with the move, and gone when drawn again", async () => {
  const { page, errors } = await review("1. e4 {[%clk 0:05:00] [%cal Rd1h5] mate?} e5 2. Nf3 *", { settings: { saveEvals: false } });
  await button(page, "Best lines").click();
  await expect.poll(() => page.locator("path.hint").count()).toBe(0);
  const drawn = (what: "path" | "circle") => page.locator(`${what}.drawn`);
  const inks = () => drawn("path").evaluateAll((all) => all.map((it) => getComputedStyle(it).fill));
  await move(page, "e4").click();
  await expect.poll(() => drawn("path").count()).toBe(1);
  await draw(page, "f1", "c4");
  await draw(page, "e5", "e5");
  // Stored drawings survive a click on another square, and stepping away and back.
  await square(page, "a6").click();
  await button(page, "Next move").click();
  await expect.poll(async () => [await drawn("path").count(), await drawn("circle").count()]).toEqual([0, 0]);
  await button(page, "Previous move").click();
  await expect.poll(async () => [await drawn("path").count(), await drawn("circle").count()]).toEqual([2, 1]);
  // The arrow from the PGN keeps its color.
  expect(new Set(await inks()).size).toBe(2);
  const written = "1. e4 {[%clk 0:05:00] [%cal Rd1h5,Gf1c4] [%csl Ge5] mate?} 1... e5 2. Nf3 *";
  const file = async () => readFileSync(await (await saved(page, "Save PGN")).path(), "utf8").replace(/\s+/g, " ").trim();
  expect(await file()).toContain(written);
  await page.reload();
  await page.getByRole("grid").waitFor();
  await expect.poll(() => current(page)).toContain("e4");
  await expect.poll(async () => [await drawn("path").count(), await drawn("circle").count()]).toEqual([2, 1]);
  // The link contains the drawings, too.
  await button(page, "Share").click();
  const link = await page.locator("#share-link").inputValue();
  await page.keyboard.press("Escape");
  const other = await visit(browser, new URL(link).pathname + new URL(link).hash);
  await other.page.getByRole("grid").waitFor();
  await move(other.page, "e4").click();
  await expect.poll(() => other.page.locator("path.drawn").count()).toBe(2);
  await expect.poll(() => other.page.locator("circle.drawn").count()).toBe(1);
  // Drawing the same arrow again removes it, whatever its color.
  await draw(page, "d1", "h5");
  await draw(page, "f1", "c4");
  await draw(page, "e5", "e5");
  await expect.poll(async () => [await drawn("path").count(), await drawn("circle").count()]).toEqual([0, 0]);
  expect(await file()).toContain("1. e4 {[%clk 0:05:00] mate?} 1... e5 2. Nf3 *");
  expect(errors).toEqual([]);
});

test("arrows and circles are drawn by keys, and said aloud", async () => {
  const { page, errors } = await review("1. e4 e5 *", { settings: { saveEvals: false } });
  await button(page, "Best lines").click();
  await move(page, "e4").click();
  const said = (words: string) => expect.poll(() => page.locator("[aria-live]").allTextContents().then((all) => all.join(" "))).toContain(words);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await square(page, "g1").focus();
  await press("a");
  await said("Arrow started on g1");
  await press("ArrowUp", "ArrowUp", "ArrowLeft", "a");
  await said("Arrow from g1 to f3");
  await press("a", "a");
  await said("Circle on f3");
  // An unfinished arrow leaves nothing behind.
  await press("a", "ArrowUp", "Escape");
  await expect.poll(async () => [await page.locator("path.drawn").count(), await page.locator("circle.drawn").count()]).toEqual([1, 1]);
  const file = readFileSync(await (await saved(page, "Save PGN")).path(), "utf8");
  expect(file).toContain("[%cal Gg1f3] [%csl Gf3]");
  await square(page, "f3").focus();
  await press("a", "a");
  await said("Mark removed");
  await expect.poll(() => page.locator("circle.drawn").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("what is drawn during a game goes with the next click", async () => {
  const { page, errors } = await visit(browser, "/two");
  await button(page, "Start game").click();
  await draw(page, "f1", "c4");
  await draw(page, "d1", "h5");
  await draw(page, "f1", "c4");
  await expect.poll(() => page.locator("path.drawn").count()).toBe(1);
  await square(page, "a6").click();
  await expect.poll(() => page.locator("path.drawn").count()).toBe(0);
  expect(errors).toEqual([]);
});
