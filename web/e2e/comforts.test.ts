/** Playing comforts: several premoves, zen mode, notifications, marks, boards and pieces. */

import { beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { launch, objectionsInBothThemes, visit } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const square = (page: Page, name: string) => page.locator(`[data-square="${name}"]`);
const start = (page: Page) => page.getByRole("button", { name: "Start game" }).click();
const orders = (page: Page) => page.locator(".square.premove").evaluateAll((all) => all.map((it) => `${it.getAttribute("data-square")} ${it.getAttribute("data-order") ?? ""}`.trim()).sort());

test("premoves wait in a row, are shown, canceled, and played one on each turn", async () => {
  const { page, errors, release } = await visit(browser, "/computer", {
    bypassCSP: true,
    settings: { level: 400, side: "white", computerClock: "none" },
    // Held back, so that the computer cannot answer before the premoves are set.
    held: /engine.*\.wasm$/,
  });
  await start(page);
  const click = async (...names: string[]) => {
    for (const name of names) await square(page, name).click();
  };
  await click("e2", "e4", "g1", "f3", "f1", "e2");
  await expect.poll(() => orders(page)).toEqual(["e2 2", "f1", "f3 1", "g1"]);
  // The board shows where the pieces will be, and the next premove begins there.
  await expect.poll(() => square(page, "f3").getAttribute("aria-label")).toMatch(/white knight.*premove/);
  await click("e1", "g1");
  await expect.poll(() => square(page, "f1").getAttribute("aria-label")).toContain("white rook");
  await page.getByText("Premoves: g1–f3, f1–e2, e1–g1").waitFor();
  expect(await objectionsInBothThemes(page)).toEqual([]);
  // Escape cancels all of them, and so does the right button.
  await page.keyboard.press("Escape");
  await expect.poll(() => orders(page)).toEqual([]);
  await click("a2", "a3", "a3", "a4");
  await expect.poll(() => orders(page)).toEqual(["a2", "a3", "a4 2"]);
  await square(page, "h5").click({ button: "right" });
  await expect.poll(() => orders(page)).toEqual([]);
  await expect.poll(() => page.locator("[data-ply]").allTextContents()).toEqual(["e4"]);
  await click("a2", "a3", "h2", "h3");
  release();
  // Whatever the computer plays, both remain legal.
  await page.locator("[data-ply='5']").waitFor();
  const written = await page.locator("[data-ply]").allTextContents();
  expect([written[0], written[2], written[4]]).toEqual(["e4", "a3", "h3"]);
  await expect.poll(() => orders(page)).toEqual([]);
  expect(errors).toEqual([]);
});

test("zen mode, notifications, marks, boards, pieces and volume", async () => {
  const { page, errors } = await visit(browser, "/settings", { bypassCSP: true, settings: { level: 400, side: "white", computerClock: "none" } });
  // A stand-in, because the browser of the tests has no notifications.
  const fake = () => {
    const shown: string[] = [];
    class Fake {
      static permission = sessionStorage.getItem("permission") ?? "default";
      static async requestPermission() {
        sessionStorage.setItem("permission", "granted");
        return (Fake.permission = "granted");
      }
      onclick = null;
      constructor(title: string, options: { body: string }) {
        shown.push(`${title}: ${options.body}`);
      }
      close() {}
    }
    Object.assign(globalThis, { Notification: Fake, shown });
  };
  await page.addInitScript(fake);
  await page.reload();
  // Every board and every piece set draws all pieces.
  for (const [board, pieces] of [["moss", "angular"], ["contrast", "plain"], ["slate", "study"], ["paper", "angular"]]) {
    await page.getByRole("combobox", { name: /^Board/ }).selectOption(board ?? "");
    await page.getByRole("combobox", { name: /^Piece set/ }).selectOption(pieces ?? "");
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset["board"])).toBe(board);
    const boxes = await page.locator(".sample .piece use").evaluateAll((all) => all.map((use) => (use as SVGUseElement).getBBox()).filter(({ width, height }) => width > 20 && height > 20).length);
    expect(boxes).toBe(32);
  }
  expect(await objectionsInBothThemes(page)).toEqual([]);
  // The sample board shows what each mark does.
  const classes = (name: string) => page.locator(`.sample [data-square="${name}"]`).getAttribute("class");
  await page.locator('.sample [data-square="e1"]').click();
  for (const [label, name, mark] of [
    ["Show where the selected piece can go", "e2", "quiet"],
    ["Mark the last move", "h4", "last"],
    ["Mark a king in check", "e1", "check"],
  ] as const) {
    await expect.poll(() => classes(name)).toMatch(new RegExp(`\\b${mark}\\b`));
    await page.getByLabel(label).uncheck();
    await expect.poll(() => classes(name)).not.toMatch(new RegExp(`\\b${mark}\\b`));
  }
  await page.getByLabel("Volume").fill("25");
  await page.getByLabel(/^Notify me/).check();
  await expect.poll(() => page.evaluate(() => JSON.parse(localStorage.getItem("castellan.settings") ?? "{}"))).toMatchObject({ volume: 25, notify: true, lastMove: false });
  // In a game, the notification comes when the page is hidden and the computer has moved.
  await page.goto(`${new URL(page.url()).origin}/computer`);
  await start(page);
  await expect.poll(() => page.title()).toContain("Your turn");
  await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true }));
  await page.locator("#move-field").fill("e4");
  await page.keyboard.press("Enter");
  await page.locator("[data-ply='2']").waitFor();
  await expect.poll(() => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)).toEqual(["Your turn: You – Computer"]);
  // Zen mode leaves the board, the clocks, the moves and the actions.
  await page.locator(".status").click();
  await page.keyboard.press("z");
  await expect.poll(() => page.getByRole("navigation").count()).toBe(0);
  await expect.poll(() => page.locator(".status").count()).toBe(0);
  expect(await page.locator("[data-ply='2']").isVisible()).toBe(true);
  expect(await objectionsInBothThemes(page)).toEqual([]);
  await page.getByRole("button", { name: "Zen mode" }).click();
  await page.getByRole("navigation").first().waitFor();
  expect(errors).toEqual([]);
});

/** A rook ending in which nothing happens for thirty moves, against the computer with Black. */
const WHITE = ["Ra2", "Ra3", "Rb3", "Rc3", "Rc2", "Rc1", "Rb1", "Ra1"];
const BLACK = ["Rh7", "Rh6", "Rg6", "Rg7", "Rg8", "Rh8"];
const IDLE = [
  '[Event "Idle"]\n[White "?"]\n[Black "Computer"]\n[WhiteType "human"]\n[BlackType "program"]\n[BlackElo "2000"]',
  '[Result "*"]\n[TimeControl "-"]\n[SetUp "1"]\n[FEN "4k2r/8/8/8/8/8/8/R3K3 w - - 0 1"]\n',
  `${Array.from({ length: 30 }, (_, at) => `${at + 1}. ${WHITE[at % 8]} ${BLACK[at % 6]}`).join(" ")} *`,
].join("\n");

test.each([
  ["offers a draw in a game that goes nowhere", 0, "Draw by agreement"],
  ["resigns a lost game", 1500, "Black resigned, White wins"],
])("the computer %s", async (_, score, result) => {
  const { page, errors } = await visit(browser, "/library");
  // A stand-in for the engine, which moves its rook and finds the same score again and again.
  const stub = (cp: number) => `
    const at = (k) => ${JSON.stringify(BLACK)}[k % 6].slice(1);
    const result = ({ moves }) => { const k = (moves.length - 1) / 2; return { move: at(k - 1) + at(k), san: "", score: { cp: ${cp} }, nodes: 1, lines: [] }; };
    onmessage = ({ data: { id, name, request } }) => postMessage({ id, answer: name === "consider_draw" ? true : result(request) });
    postMessage({ loaded: 1 });`;
  await page.route(/engine\.worker.*\.js$/, (route) => route.fulfill({ contentType: "text/javascript", body: stub(score) }));
  await page.locator("#pgn").fill(IDLE);
  await page.getByRole("button", { name: "Load" }).click();
  await page.getByRole("button", { name: "Continue this game" }).click();
  for (const [turn, move] of ["Rb1", "Ra1", "Ra2"].entries()) {
    await page.locator(`[data-ply='${60 + 2 * turn}']`).waitFor();
    await page.locator("#move-field").fill(move);
    await page.keyboard.press("Enter");
  }
  if (score === 0) {
    await page.getByText("Black offers a draw").first().waitFor();
    await page.locator("[data-ply='66']").waitFor();
    await page.getByRole("button", { name: "Accept" }).click();
  }
  await expect.poll(() => page.getByRole("region", { name: "Game over" }).textContent()).toContain(result);
  expect(errors).toEqual([]);
});
