/** How the pages are laid out: sharp boards, actions in sight, fonts, and the home page. */

import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, objectionsInBothThemes, settled, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const LYING = { ...PHONE, viewport: { width: 844, height: 390 } };
const TABLET = { ...PHONE, viewport: { width: 820, height: 1180 } };
const GAME = '[White "Anna"]\n[Black "Boris"]\n[WhiteElo "2011"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n';

const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
const start = (page: Page) => page.getByRole("button", { name: "Start game" }).click();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function play(page: Page, ...moves: string[]): Promise<void> {
  for (const [index, move] of moves.entries()) {
    await square(page, move.slice(0, 2)).click();
    await square(page, move.slice(2)).click();
    await page.locator(`[data-ply="${index + 1}"]`).waitFor();
  }
}

async function review(page: Page): Promise<void> {
  await page.locator("#review-pgn").fill(GAME);
  await button(page, "Load").click();
  await page.getByRole("grid").waitFor();
}

/** Returns how far the squares are from whole device pixels, at most: in size, and in place. */
const blur = (page: Page) =>
  page.evaluate(() => {
    // Below text, the height at which the board begins is that of the text.
    const isBelowText = document.querySelector("textarea") !== null;
    const off = (at: number) => Math.abs(at * devicePixelRatio - Math.round(at * devicePixelRatio));
    const boxes = [...document.querySelectorAll("[data-square]")].map((it) => it.getBoundingClientRect());
    return Math.max(...boxes.flatMap((box) => [off(box.left), isBelowText ? 0 : off(box.top), off(box.width), off(box.height)]));
  });

test.each(["/game", "/editor", "/doctor", "/review"])("the squares of %s are whole pixels on every screen", async (path) => {
  const { page } = await visit(browser, path === "/game" ? "/two" : path);
  if (path === "/game") await start(page);
  if (path === "/review") await review(page);
  await page.getByRole("grid").waitFor();
  const devtools = await page.context().newCDPSession(page);
  // Moving a window to another screen and zooming change the pixels of a page that is open.
  for (const deviceScaleFactor of [1, 1.25, 1.5, 2, 3]) {
    for (const [width, height] of [[1337, 803], [411, 823], [823, 411]] as const) {
      await devtools.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor, mobile: false });
      await expect.poll(() => page.evaluate(() => [innerWidth, devicePixelRatio])).toEqual([width, deviceScaleFactor]);
      // A layout unit of the browser is a 64th of a pixel.
      await expect.poll(() => blur(page), { message: `${width} pixels at ${deviceScaleFactor}` }).toBeLessThan(0.15);
    }
  }
});

test("a piece has a layer of its own only while it is dragged", async () => {
  const { page } = await visit(browser, "/two");
  await start(page);
  await page.getByRole("grid").waitFor();
  const layers = () => page.locator(".pieces > .piece").evaluateAll((all) => all.filter((it) => getComputedStyle(it).willChange !== "auto").length);
  expect(await layers()).toBe(0);
  const box = await square(page, "e2").boundingBox();
  if (!box) throw new Error("no e2");
  await page.mouse.move(box.x + 20, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y - 60, { steps: 3 });
  await expect.poll(layers).toBe(1);
  await page.mouse.up();
  await expect.poll(layers).toBe(0);
});

test("the pieces that can move are marked under the pointer, or all of them on request", async () => {
  const { page } = await visit(browser, "/settings");
  const marked = () =>
    page.locator("[data-square]").evaluateAll((all) => all.filter((it) => getComputedStyle(it, "::after").backgroundImage.includes("linear-gradient")).map((it) => it.getAttribute("data-square")));
  const begin = async () => {
    await page.goto(page.url().replace(/\/[^/]*$/, "/two"));
    await start(page);
    await page.getByRole("grid").waitFor();
  };
  await begin();
  await page.locator(".status").hover();
  await expect.poll(marked).toEqual([]);
  await square(page, "e2").hover();
  await expect.poll(marked).toEqual(["e2"]);
  await page.goto(page.url().replace(/\/[^/]*$/, "/settings"));
  await page.getByLabel("Mark all pieces that can move").check();
  await begin();
  await page.locator(".status").hover();
  await expect.poll(async () => (await marked()).length).toBe(10);
});

test.each([["a phone", PHONE], ["a phone on its side", LYING], ["a tablet", TABLET]] as const)("on %s the board and all actions are in sight", async (_, screen) => {
  const { page, errors } = await visit(browser, "/computer", { ...screen, settings: { level: 600, animation: false } });
  await start(page);
  await page.getByRole("grid").waitFor();
  const { width, height } = screen.viewport;
  const boxes = async () => {
    const found = page.locator("[data-square], .bar, .steps button, .actions button");
    return found.evaluateAll((all) => all.map((it) => it.getBoundingClientRect()).map(({ left, top, right, bottom }) => ({ left, top, right, bottom })));
  };
  await expect.poll(async () => (await boxes()).filter((it) => it.left < -1 || it.top < -1 || it.right > width + 1 || it.bottom > height + 1)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  // On a touch screen there is no field to type moves into, and the board is as large as it can be.
  await expect.poll(() => page.locator("#move-field").isVisible()).toBe(false);
  const board = await page.locator(".pieces").boundingBox();
  expect(board?.width).toBeGreaterThan(Math.min(width, height) * 0.95);
  // The result can be read, and the next game started, without scrolling.
  await button(page, "Resign").tap();
  await settled(page);
  const sure = await button(page, "Yes, resign").boundingBox();
  expect(sure && sure.x >= 0 && sure.x + sure.width <= width && sure.y + sure.height <= height).toBe(true);
  await button(page, "Yes, resign").tap();
  const rematch = page.getByRole("region", { name: "Game over" }).getByRole("button", { name: "Rematch" });
  await rematch.waitFor();
  const isOnTop = () =>
    rematch.evaluate((it) => {
      const { x, y, width, height } = it.getBoundingClientRect();
      return it.contains(document.elementFromPoint(x + width / 2, y + height - 4));
    });
  await expect.poll(isOnTop).toBe(true);
  expect(errors).toEqual([]);
});

test.each([["en", "Resign", "Yes, resign"], ["pl", "Poddaj partię", "Na pewno poddać partię?"]])("beside a board there is room for the second click of what cannot be undone: %s", async (language, name, sure) => {
  const { page } = await visit(browser, "/computer", { viewport: { width: 1440, height: 900 }, settings: { language, level: 600 } });
  await page.locator("form button[type=submit]").click();
  await button(page, name).click();
  const box = await button(page, sure).boundingBox();
  const row = await page.locator(".actions").boundingBox();
  expect(box && row && box.x >= row.x && box.x + box.width <= row.x + row.width).toBe(true);
});

test("clocks keep their width and weight, and only the running one is filled", async () => {
  const { page } = await visit(browser, "/two", { settings: { clock: "down", minutes: 0.2, increment: 0 } });
  // The test controls the page's clock, so that slow machines do not lose on time.
  const began = Date.now();
  await page.clock.setFixedTime(began);
  await start(page);
  await play(page, "e2e4", "e7e5");
  const looks = () => page.locator(".clock").evaluateAll((all) => all.map((it) => [getComputedStyle(it).width, getComputedStyle(it).fontWeight].join()));
  const filled = () => page.locator(".clock").evaluateAll((all) => all.map((it) => getComputedStyle(it).backgroundColor !== "rgba(0, 0, 0, 0)"));
  const first = await looks();
  expect(new Set(first).size).toBe(1);
  await expect.poll(filled).toEqual([false, true]);
  // Tenths of a second appear: nothing moves.
  await page.clock.setFixedTime(began + 5000);
  await expect.poll(() => page.locator("[data-player=white] .clock").textContent()).toMatch(/0:0\d\.\d/);
  expect(await looks()).toEqual(first);
  await expect.poll(filled).toEqual([false, true]);
});

test("a tool says its name to the eye, too", async () => {
  const { page } = await visit(browser, "/two");
  await start(page);
  await page.locator("#move-field").focus();
  for (let step = 0; step < 10 && !(await page.evaluate(() => document.activeElement?.classList.contains("tool"))); step++) await page.keyboard.press("Tab");
  const tip = page.locator(".tool:focus .tip");
  await expect.poll(() => tip.evaluate((it) => getComputedStyle(it).opacity)).toBe("1");
  const box = await tip.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 1280).toBe(true);
});

test("in the review the moves have half of the height, and the comment is folded", async () => {
  const { page, release } = await visit(browser, "/review", { viewport: { width: 1440, height: 900 }, held: /engine.*\.wasm/ });
  await review(page);
  await settled(page);
  const tree = page.locator(".tree");
  expect((await tree.boundingBox())?.height).toBeGreaterThan(450);
  // When the analysis is complete, the lessons share the height of the graph.
  release();
  await page.locator(".lessons").waitFor();
  await settled(page);
  expect((await tree.boundingBox())?.height).toBeGreaterThan(450);
  expect(await page.locator("#comment").count()).toBe(0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("c");
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("comment");
  await expect.poll(() => page.locator("[data-player=white]").textContent()).toContain("2011");
});

test("on a phone the moves of a review begin right below the board, and the steps stay in sight", async () => {
  const { page } = await visit(browser, "/review", PHONE);
  await review(page);
  await settled(page);
  const [board, tree, steps] = [await page.locator(".pieces").boundingBox(), await page.locator(".tree").boundingBox(), await page.locator(".steps").boundingBox()];
  if (!board || !tree || !steps) throw new Error("not there");
  expect(tree.y - (board.y + board.height)).toBeLessThan(48);
  expect(steps.y + steps.height).toBeLessThanOrEqual(844);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test.each([["a phone", PHONE], ["a tablet", TABLET]] as const)("on %s the analysis board has the engine's lines and the moves in sight", async (_, screen) => {
  const { page } = await visit(browser, "/analysis", screen);
  for (const name of ["e2", "e4", "c7", "c5", "g1", "f3"]) await square(page, name).tap();
  await page.locator("[data-node]").nth(2).waitFor();
  await expect.poll(() => page.locator(".lines .line").count()).toBe(3);
  await settled(page);
  // The bar with the steps is at the lower edge and covers none of them.
  const steps = await page.locator(".steps").boundingBox();
  if (!steps) throw new Error("not there");
  expect(steps.y + steps.height).toBeLessThanOrEqual(screen.viewport.height);
  const bottoms = await page.locator("[data-square], .lines .line, [data-node]").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().bottom));
  expect(Math.max(...bottoms)).toBeLessThanOrEqual(steps.y);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(screen.viewport.width);
});

test("on a phone it is in sight why a position cannot be analyzed", async () => {
  const { page } = await visit(browser, "/analysis?fen=8/8/8/8/8/8/8/8", PHONE);
  const notice = page.getByText("No game can be played from this FEN.").first();
  await notice.waitFor();
  const { y = NaN, height = NaN } = (await notice.boundingBox()) ?? {};
  expect(y + height).toBeLessThan(844 - 52);
});

test("on a phone on its side the explorer shows its board and its table", async () => {
  const { page } = await visit(browser, "/library", LYING);
  await page.locator("#pgn").fill(`${GAME}\n${GAME}`);
  await button(page, "Load").tap();
  await button(page, "Explorer").tap();
  await page.locator("[data-uci=e2e4]").waitFor();
  await settled(page);
  const outside = await page
    .locator(".explorer [data-square], .explorer td, .explorer .steps button, #explorer-fen")
    .evaluateAll((all) => all.map((it) => it.getBoundingClientRect()).filter(({ left, top, right, bottom }) => left < 0 || top < 0 || right > innerWidth || bottom > innerHeight).length);
  expect(outside).toBe(0);
});

test("a tablet on its side has everything in sight", async () => {
  const { page } = await visit(browser, "/two", { ...TABLET, viewport: { width: 1180, height: 820 } });
  await start(page);
  await page.getByRole("grid").waitFor();
  await settled(page);
  const bottoms = await page.locator("[data-square], .bar, .actions button").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().bottom));
  expect(Math.max(...bottoms)).toBeLessThanOrEqual(820);
});

test("text is set in the fonts that come with the page, in every language", async () => {
  for (const locale of ["en-GB", "pl-PL"]) {
    const { page, errors } = await visit(browser, "/settings", { locale });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const loaded = () => page.evaluate(() => [...document.fonts].filter((it) => it.status === "loaded").map((it) => it.family.replaceAll('"', "")));
    // Polish has letters of Latin Extended-A; so have the names of languages on every page.
    await expect.poll(async () => (await loaded()).filter((it) => it === "Castellan Sans").length).toBe(2);
    await expect.poll(loaded).toContain("Literata");
    expect(errors).toEqual([]);
  }
});

test("home: one click starts the usual game, which is then shown there with the last games", async () => {
  const { page, errors } = await visit(browser, "/", { settings: { side: "white", level: 600 }, bypassCSP: true });
  await page.getByRole("button", { name: /Computer · 600 · 10 \+ 5/ }).click();
  await page.getByRole("grid").waitFor();
  await play(page, "e2e4");
  await page.locator("[data-ply='2']").waitFor();
  await page.getByRole("link", { name: "Castellan" }).first().click();
  await expect.poll(() => page.getByRole("link", { name: /Continue your game/ }).textContent()).toContain("You – Computer");
  // The picture is the position: the pawn has left e2, the fifth square of the seventh row.
  await expect.poll(() => page.locator(".picture .mini > span").nth(52).locator("use").count()).toBe(0);
  await expect.poll(() => page.locator(".picture .mini > span").nth(36).locator("use").count()).toBe(1);
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await page.getByRole("link", { name: /Continue your game/ }).click();
  await button(page, "Resign").click();
  await button(page, "Yes, resign").click();
  await page.getByRole("link", { name: "Castellan" }).first().click();
  await page.getByRole("button", { name: /You – Computer.*0–1/ }).click();
  await expect.poll(() => page.locator("[data-node]").count()).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});

test("empty pages offer something, and axe finds nothing on them", async () => {
  const { page, errors } = await visit(browser, "/archive", { bypassCSP: true, viewport: { width: 1440, height: 900 } });
  await page.getByText("No games yet").waitFor();
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await page.goto(page.url().replace("/archive", "/review"));
  await button(page, "Open a famous game").waitFor();
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await button(page, "Open a famous game").click();
  await expect.poll(() => page.locator("[data-node]").last().textContent()).toContain("Be7#");
  await page.goto(page.url().replace("/review", "/library"));
  await button(page, "Open three famous games").waitFor();
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await button(page, "Open three famous games").click();
  await page.getByRole("heading", { name: "3 games" }).waitFor();
  await expect.poll(() => page.getByText("with errors").count()).toBe(0);
  await page.goto(page.url().replace("/library", "/two"));
  await page.locator(".picture .mini").waitFor();
  expect(await objectionsInBothThemes(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test("at full strength the computer gets its clock and no fixed time", async () => {
  const { page } = await visit(browser, "/");
  await page.addInitScript(() => {
    const sent: unknown[] = [];
    Object.assign(window, { sent });
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (this: Worker, message: unknown) {
      sent.push(message);
      post.call(this, message);
    };
    localStorage.setItem("castellan.settings", JSON.stringify({ level: 2900, side: "white", computerClock: "down", minutes: 0.1, increment: 1 }));
  });
  await page.goto(page.url() + "computer");
  await start(page);
  await page.getByRole("grid").waitFor();
  await play(page, "e2e4");
  const tasks = () => page.evaluate(() => (window as unknown as { sent: { request?: { moves?: string[] } }[] }).sent.map(({ request }) => request).filter((request) => request?.moves));
  await expect.poll(tasks).toEqual([expect.objectContaining({ moves: ["e2e4"], level: null, move_time_ms: null, clock: { remaining_ms: 6000, increment_ms: 1000 } })]);
  await page.locator("[data-ply='2']").waitFor();
});

test("the doctor's first fix mends all that can be mended", async () => {
  const { page } = await visit(browser, "/doctor");
  await page.locator("#fen").fill("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 b KQkq e3 0 1");
  await page.locator(".repairs button").first().waitFor();
  const count = async () => page.locator(".findings li").count();
  const before = await count();
  await page.locator(".repairs button").first().click();
  await expect.poll(count).toBeLessThan(before);
  await expect.poll(() => page.locator("li.error").count()).toBe(0);
});

test("the editor counts moves that were not set, and applies a FEN while it is typed", async () => {
  const { page } = await visit(browser, "/editor");
  await button(page, "Clear").click();
  await page.locator(".tray").getByRole("button", { name: "white queen" }).click();
  await square(page, "d5").click();
  await expect.poll(() => square(page, "d5").getAttribute("aria-label")).toContain("white queen");
  await expect.poll(() => page.locator(".findings").filter({ hasText: /move number|half-move clock/ }).count()).toBe(0);
  const field = page.locator("#fen");
  await expect.poll(() => field.inputValue()).toMatch(/ \d+ [2-9]\d*$/);
  await field.fill("8/8/4k3/8/8/4K3/4P3/8 w - - 0 60");
  await expect.poll(() => square(page, "e2").getAttribute("aria-label")).toContain("white pawn");
});
