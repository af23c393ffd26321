/** Whole games in a real browser: by mouse, by keyboard, by touch, and against the computer. */

import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ADDRESS, launch, settled, visit } from "./browser";
import { keyboard } from "./keyboard";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
const sheet = (page: Page) => page.getByRole("region", { name: "Game over" });
const start = (page: Page) => page.getByRole("button", { name: "Start game" }).click();

async function center(page: Page, name: string): Promise<{ x: number; y: number }> {
  const box = await square(page, name).boundingBox();
  if (!box) throw new Error(`${name} is not on the screen`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(page: Page, from: string, to: string): Promise<void> {
  const [one, two] = [await center(page, from), await center(page, to)];
  await page.mouse.move(one.x, one.y);
  await page.mouse.down();
  await page.mouse.move((one.x + two.x) / 2, (one.y + two.y) / 2, { steps: 3 });
  await page.mouse.move(two.x, two.y, { steps: 3 });
  await page.mouse.up();
}

const pieceOn = (page: Page, name: string) => square(page, name).getAttribute("aria-label");

test("a whole game by mouse: clicks, drags, marks, and the end", async () => {
  const { page, errors } = await visit(browser, "/");
  await page.locator(".ways").getByRole("link", { name: "Two players" }).click();
  await start(page);
  await square(page, "f2").click();
  await expect.poll(() => square(page, "f3").getAttribute("class")).toContain("quiet");
  await expect.poll(() => square(page, "f2").getAttribute("aria-selected")).toBe("true");
  await square(page, "f3").click();
  await drag(page, "e7", "e5");
  await drag(page, "g2", "g4");
  // Anything that is not a legal move changes nothing.
  await drag(page, "d8", "d5");
  await expect.poll(() => pieceOn(page, "d8")).toContain("black queen");
  await drag(page, "d8", "h4");
  await sheet(page).waitFor();
  await expect.poll(() => sheet(page).textContent()).toContain("Black wins by checkmate");
  await expect.poll(() => page.locator("[data-ply]").allTextContents()).toEqual(["f3", "e5", "g4", "Qh4#"]);
  await expect.poll(() => page.locator("[data-player=black] .clock").getAttribute("class")).toContain("won");
  // Steps back through the game, then starts a rematch with reversed colors.
  await page.locator("[data-ply='1']").click();
  await expect.poll(() => pieceOn(page, "e5")).toContain("empty");
  await sheet(page).getByRole("button", { name: "Rematch" }).click();
  await expect.poll(() => page.locator("[data-ply]").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("castling, en passant and promotion each look like one move", async () => {
  const fen = "r3k3/6P1/8/8/6p1/8/5P2/4K2R w Kq - 0 1";
  const { page } = await visit(browser, `/two?fen=${encodeURIComponent(fen)}`);
  await start(page);
  await square(page, "e1").click();
  await square(page, "g1").click();
  await expect.poll(() => pieceOn(page, "f1")).toContain("white rook");
  await square(page, "e8").click();
  await square(page, "c8").click();
  await expect.poll(() => pieceOn(page, "d8")).toContain("black rook");
  await square(page, "f2").click();
  await square(page, "f4").click();
  await square(page, "g4").click();
  await square(page, "f3").click();
  await expect.poll(() => pieceOn(page, "f4")).toContain("empty");
  await square(page, "g7").click();
  await square(page, "g8").click();
  await page.getByRole("dialog").getByRole("button", { name: "knight" }).click();
  await expect.poll(() => pieceOn(page, "g8")).toContain("white knight");
  const written = await page.locator("[data-ply]").allTextContents();
  expect(written).toEqual(["O-O", "O-O-O", "f4", "gxf3", "g8=N"]);
});

test("a whole game by keyboard alone, from the first page on", async () => {
  const { page, errors } = await visit(browser, "/");
  const { press, tabTo, play } = keyboard(page);
  await tabTo(({ text }) => text.startsWith("Two players"));
  await press("Enter");
  await page.getByRole("heading", { name: "Two players" }).waitFor();
  await tabTo(({ text }) => text.startsWith("Start game"));
  await press("Enter");
  await page.getByRole("grid").waitFor();
  await tabTo(({ square }) => square !== "");
  await play("f2", "f3");
  await play("e7", "e5");
  await expect.poll(() => page.getByRole("status").first().textContent()).toContain("Black: pawn e5");
  // The remaining moves are typed.
  await press("/");
  await page.keyboard.type("p N");
  await press("Enter");
  await expect.poll(() => page.locator("#move-answer").textContent()).toContain("white knight b1");
  await page.keyboard.type("g2g4");
  await press("Enter");
  await page.keyboard.type("Ke9");
  await press("Enter");
  await expect.poll(() => page.locator("#move-answer").textContent()).toContain("Ke9 is not a legal move");
  // Escape empties the field and leaves it, and the keys of the page work again.
  await press("Escape", "ArrowLeft");
  await expect.poll(() => page.locator("[data-ply][aria-current]").textContent()).toBe("e5");
  await press("End", "/");
  await page.keyboard.type("Qh4");
  await press("Enter");
  await sheet(page).waitFor();
  expect(errors).toEqual([]);
});

test("a square in focus has a ring, and its piece can be seen", async () => {
  const { page } = await visit(browser, "/two");
  await start(page);
  const look = async (inset: number) => {
    const box = await square(page, "e2").boundingBox();
    if (!box) throw new Error("the square is not on the page");
    const { x, y, width, height } = box;
    const clip = { x: x + width * inset, y: y + height * inset, width: width * (1 - 2 * inset), height: height * (1 - 2 * inset) };
    return (await page.screenshot({ clip })).toString("base64");
  };
  await settled(page);
  const [before, middleBefore] = [await look(0), await look(0.2)];
  await square(page, "e1").focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => page.evaluate(() => document.activeElement?.matches(":focus-visible"))).toBe(true);
  await settled(page);
  expect(await look(0.2)).toBe(middleBefore);
  expect(await look(0)).not.toBe(before);
});

test("a whole game by touch on a phone", async () => {
  const { page, errors } = await visit(browser, "/two", {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 2,
  });
  await page.getByRole("button", { name: "Start game" }).tap();
  for (const name of ["f2", "f3", "e7", "e5", "g2", "g4", "d8", "h4"]) await square(page, name).tap();
  await sheet(page).waitFor();
  await expect.poll(() => sheet(page).textContent()).toContain("checkmate");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(390);
  expect(errors).toEqual([]);
});

test("against the computer: it answers, hints, takes back and is resigned to", async () => {
  const { page, errors } = await visit(browser, "/computer", { settings: { level: 600 } });
  await start(page);
  await square(page, "e2").click();
  await square(page, "e4").click();
  await page.locator("[data-ply='2']").waitFor();
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator("path.hint").waitFor();
  await page.getByRole("button", { name: "Takeback" }).click();
  await expect.poll(() => page.locator("[data-ply]").count()).toBe(0);
  await page.locator("#move-field").fill("d4");
  await page.keyboard.press("Enter");
  await page.locator("[data-ply='2']").waitFor();
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "Yes, resign" }).click();
  await expect.poll(() => sheet(page).textContent()).toContain("White resigned, Black wins");
  expect(errors).toEqual([]);
});

test("a move is made ready by touch while the computer thinks, and played at once", async () => {
  const { page, errors, release } = await visit(browser, "/computer", {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    settings: { level: 600, side: "white", confirm: false },
    // Held back, so that the computer cannot answer before the premove is set.
    held: /engine.*\.wasm$/,
  });
  await start(page);
  for (const name of ["e2", "e4", "d2", "d4"]) await square(page, name).tap();
  await expect.poll(() => square(page, "d4").getAttribute("class")).toContain("premove");
  await expect.poll(() => page.locator("[data-ply]").allTextContents()).toEqual(["e4"]);
  release();
  await page.locator("[data-ply='3']").waitFor();
  const written = await page.locator("[data-ply]").allTextContents();
  expect([written[0], written[2]]).toEqual(["e4", "d4"]);
  expect(errors).toEqual([]);
});

test("the page says how much of the engine has arrived", async () => {
  const { page, errors, release } = await visit(browser, "/computer", {
    settings: { level: 600, side: "white" },
    held: /engine.*\.wasm$/,
  });
  await start(page);
  for (const name of ["e2", "e4"]) await square(page, name).click();
  await page.getByText("loading, 0%").waitFor();
  release();
  await page.locator("[data-ply='2']").waitFor();
  await expect.poll(() => page.getByText("loading,").count()).toBe(0);
  expect(errors).toEqual([]);
});

test("the computer plays at full strength, too, and takes a mate in one", async () => {
  const fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
  const { page } = await visit(browser, `/computer?fen=${encodeURIComponent(fen)}`, { settings: { level: 2900, side: "black" } });
  await start(page);
  await sheet(page).waitFor();
  await expect.poll(() => page.locator("[data-ply]").allTextContents()).toEqual(["Rd8#"]);
});

test("a draw is offered and accepted, and a repetition is claimed", async () => {
  const { page } = await visit(browser, "/two", { settings: { clock: "none" } });
  await start(page);
  const type = async (move: string) => {
    await page.locator("#move-field").fill(move);
    await page.keyboard.press("Enter");
  };
  await page.getByRole("button", { name: "Offer draw" }).click();
  await page.getByRole("button", { name: "Decline" }).click();
  for (const move of ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"]) await type(move);
  await page.getByRole("button", { name: "Claim draw" }).click();
  await expect.poll(() => sheet(page).textContent()).toContain("Draw by threefold repetition");
});

test("a game is still there after a reload, and its clock has not run meanwhile", async () => {
  const { page } = await visit(browser, "/two");
  // The test controls the page's clock, so that slow machines do not lose time on it.
  const began = Date.now();
  await page.clock.setFixedTime(began);
  await start(page);
  for (const name of ["e2", "e4", "c7", "c5"]) await square(page, name).click();
  await page.locator("[data-ply='2']").waitFor();
  const clock = async () => (await page.locator("[data-player=white] .clock").textContent())?.trim();
  await page.clock.setFixedTime(began + 3000);
  await expect.poll(clock).toBe("10:02");
  await page.goto("about:blank");
  await page.clock.setFixedTime(began + 3_600_000);
  await page.goto(`${ADDRESS}/`);
  await page.getByRole("link", { name: "Continue your game" }).click();
  await page.locator("[data-ply='2']").waitFor();
  await expect.poll(clock).toBe("10:02");
  // The clock continues from there.
  await page.clock.setFixedTime(began + 3_602_000);
  await expect.poll(clock).toBe("10:00");
});

test("the opening is named during the game, and follows the move that is shown", async () => {
  const { page, errors } = await visit(browser, "/two", { settings: { clock: "none" } });
  await start(page);
  expect(await page.locator(".status .opening").count()).toBe(0);
  for (const [at, typed] of ["e4", "c5", "Nf3", "d6"].entries()) {
    await page.locator("#move-field").fill(typed);
    await page.keyboard.press("Enter");
    await page.locator(`[data-ply='${at + 1}']`).waitFor();
  }
  await expect.poll(() => page.locator(".status .opening").textContent()).toMatch(/B50 Sicilian Defense/);
  await page.getByRole("button", { name: "First move" }).click();
  await expect.poll(() => page.locator(".status .opening").count()).toBe(0);
  await page.getByRole("button", { name: "Next move" }).click();
  await expect.poll(() => page.locator(".status .opening").textContent()).toMatch(/B00 King's Pawn/);
  expect(errors).toEqual([]);
});

test("the title of the window says when it is the user's turn", async () => {
  const { page } = await visit(browser, "/computer", { settings: { side: "white", level: 600, computerClock: "none" } });
  await start(page);
  await expect.poll(() => page.title()).toBe("Your turn – Game – Castellan");
  await page.locator("#move-field").fill("e4");
  await page.keyboard.press("Enter");
  await page.locator("[data-ply='2']").waitFor();
  await expect.poll(() => page.title()).toBe("Your turn – Game – Castellan");
  await page.getByRole("button", { name: "Resign" }).click();
  await page.getByRole("button", { name: "Yes, resign" }).click();
  await expect.poll(() => page.title()).toBe("Game – Castellan");
  // Two people at one board both know.
  await page.goto(`${ADDRESS}/two`);
  await start(page);
  await expect.poll(() => page.title()).toBe("Game – Castellan");
});
