/**
 * Reviews by another engine on this machine: its verdicts, its lines, and messages when it fails.
 */

import { beforeAll, expect, test } from "vitest";
import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import { ADDRESS, launch, newContext, objections } from "./browser";
import { OwnCastellan } from "./castellan";

const KEY = "0123456789abcdef0123456789abcdef";
const GAME = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *";
/** The engine's best move at each ply, and its evaluation from White's side, in centipawns. */
const BEST = ["e2e4", "c7c5", "g1f3", "b8c6", "f1b5", "g8f6", "b5a4", "d7d6", "e1g1"];
const WORTH = [30, 30, 640, 640, 640, 640, 640, 640, 640];

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

interface Asked {
  moves: string[];
  is_chess960: boolean;
  move_time_ms: number | null;
  nodes?: number | null;
  threads?: number | null;
  lines: number;
  wants_reports: boolean;
}

interface Program {
  engines: { id: number; name: string; author: string; path: string; threads?: number | null }[];
  /** Our own engine as a program. */
  own: { id: number; processors: number };
  asked: Asked[];
  /** Whether the engine answers, fails, does not know the rules, or thinks until it is stopped. */
  mood: "well" | "failing" | "unable" | "endless";
}

/** Answers like the server, with an engine that considers one move of the game a blunder. */
async function serve(context: BrowserContext): Promise<Program> {
  const engine = { id: 1, name: "Knightmare 3", author: "Somebody", path: "/opt/knightmare", threads: 4 };
  const program: Program = { engines: [engine], own: { id: 0, processors: 4 }, asked: [], mood: "well" };
  const json = (route: Route, status: number, body: unknown) =>
    route.fulfill({ status, contentType: "application/json", body: JSON.stringify(body) });
  await context.route("**/api/local**", async (route) => {
    const path = new URL(route.request().url()).pathname.replace("/api/local", "");
    if (path === "") return json(route, 200, { engines: program.engines, own: program.own });
    if (![program.own, ...program.engines].some(({ id }) => path === `/engines/${id}/search`)) return json(route, 404, { code: "engine_unknown", message: "" });
    const task = route.request().postDataJSON() as Asked;
    program.asked.push(task);
    // An unanswered request ends when the page closes it.
    if (program.mood === "endless") return;
    const error = { error: { code: program.mood === "unable" ? "engine_no_chess960" : "engine_failed", message: "it fell over" } };
    const body = (program.mood === "well" ? answer(task) : [error]).map((line) => `${JSON.stringify(line)}\n`).join("");
    return route.fulfill({ status: 200, contentType: "application/x-ndjson", body });
  });
  return program;
}

function answer({ moves, lines }: Asked): object[] {
  const ply = moves.length;
  const score = { cp: WORTH[ply] };
  const others = ply % 2 === 0 ? ["h2h3", "h2h4"] : ["h7h6", "h7h5"];
  const reports = [BEST[ply] ?? "", ...others].slice(0, lines).map((move, at) => ({
    report: { depth: 9, rank: at + 1, score, nodes: 100, time_ms: 10, moves: [move], line: [`line ${at + 1}`] },
  }));
  return [...reports, { result: { move: BEST[ply], san: "", score, nodes: 100, lines: [] } }];
}

async function review(game = GAME): Promise<{ page: Page; program: Program; context: BrowserContext }> {
  const context = await newContext(browser, { bypassCSP: true });
  // Our own engine only has to finish; its judgments are tested elsewhere.
  await context.addInitScript(() => localStorage.setItem("castellan.settings", '{"analysis":"quick"}'));
  const program = await serve(context);
  const page = await context.newPage();
  await page.goto(`${ADDRESS}/review#key=${KEY}`);
  await page.locator("#review-pgn").fill(game);
  await page.getByRole("button", { name: "Load", exact: true }).click();
  await page.getByRole("grid").waitFor();
  return { page, program, context };
}

const choice = (page: Page) => page.getByLabel("Analyze with");
const chosen = (page: Page) => choice(page).evaluate((it: HTMLSelectElement) => it.selectedOptions[0]?.textContent);
const blunders = async (page: Page) => (await page.locator("[data-verdict=blunder]").allTextContents()).map((it) => it.trim());
const isDone = (page: Page) => page.getByRole("button", { name: /Next mistake|No mistakes found/ }).waitFor();
const lines = (page: Page) => page.getByRole("region", { name: "Best lines" }).locator(".line").allTextContents();
const flat = (texts: string[]) => texts.map((text) => text.replace(/\s+/g, " ").trim());

test("another engine judges the game and gives its lines, and nothing is mixed with ours", async () => {
  const { page, program } = await review();
  await expect.poll(() => chosen(page)).toBe("Castellan");
  await isDone(page);
  expect(program.asked).toEqual([]);
  await expect.poll(() => blunders(page)).toEqual([]);
  const panel = page.getByRole("group", { name: "Engine" });
  await expect.poll(() => panel.textContent()).toContain("1 thread");
  await choice(page).selectOption("Knightmare 3");
  await expect.poll(() => blunders(page)).toEqual(["e5??"]);
  await expect.poll(() => panel.textContent()).toContain("4 threads");
  await isDone(page);
  expect(new Set(program.asked.map(({ moves }) => moves.length)).size).toBe(9);
  expect(program.asked.some(({ is_chess960 }) => is_chess960)).toBe(false);
  expect(program.asked.filter(({ lines }) => lines === 1).every((it) => it.wants_reports && it.move_time_ms === 300)).toBe(true);
  // The position on the board is searched longer, with three lines.
  await page.getByRole("button", { name: "Last move" }).click();
  await expect.poll(async () => flat(await lines(page))).toEqual(["+6.4 5. line 1", "+6.4 5. line 2", "+6.4 5. line 3"]);
  const { moves } = program.asked.at(-1) ?? { moves: [] };
  expect(moves.join(" ")).toBe("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6");
  expect(program.asked.at(-1)).toMatchObject({ lines: 3, move_time_ms: 2000 });
  await expect.poll(() => page.locator("path.hint").count()).toBe(1);
  // Each engine keeps its own results.
  await choice(page).selectOption("Castellan");
  await expect.poll(() => blunders(page)).toEqual([]);
  await isDone(page);
  const before = program.asked.length;
  await choice(page).selectOption("Knightmare 3");
  await expect.poll(() => blunders(page)).toEqual(["e5??"]);
  expect(program.asked.length).toBe(before);
  // The choice survives a reload.
  await page.reload();
  await expect.poll(() => blunders(page)).toEqual(["e5??"]);
  await expect.poll(() => chosen(page)).toBe("Knightmare 3");
});

test("another engine shows its lines below ours, which judges the game all the same", async () => {
  const { page, program } = await review();
  const beside = page.getByLabel("Compare with");
  const theirs = page.getByRole("region", { name: "Knightmare 3" });
  await isDone(page);
  await page.getByRole("button", { name: "Last move" }).click();
  await beside.selectOption("Knightmare 3");
  await expect.poll(async () => flat(await theirs.locator(".line").allTextContents())).toEqual(["+6.4 5. line 1", "+6.4 5. line 2", "+6.4 5. line 3"]);
  await page.locator(".other").getByText("Depth 9").waitFor();
  await expect.poll(() => page.getByRole("region", { name: "Best lines" }).locator(".line").count()).toBe(3);
  await expect.poll(() => chosen(page)).toBe("Castellan");
  await expect.poll(() => blunders(page)).toEqual([]);
  expect(await objections(page)).toEqual([]);
  // The engine follows the board, and its moves can be played.
  await page.getByRole("button", { name: "Previous move" }).click();
  await expect.poll(() => program.asked.at(-1)?.moves.length).toBe(7);
  await expect.poll(async () => flat(await theirs.locator(".line").allTextContents())[0]).toBe("+6.4 4… line 1");
  await theirs.getByRole("button").first().click();
  await expect.poll(() => page.locator("[data-node][aria-current]").textContent()).toContain("d6");
  // An engine that analyzes cannot be compared with itself, and can be turned off.
  await choice(page).selectOption("Knightmare 3");
  await expect.poll(() => beside.count()).toBe(0);
  await choice(page).selectOption("Castellan");
  await beside.selectOption("Knightmare 3");
  program.mood = "failing";
  await page.getByRole("button", { name: "First move" }).click();
  await page.getByRole("alert").getByText("The engine has stopped. Choose it again.").waitFor();
  await beside.selectOption("Off");
  await expect.poll(() => theirs.count()).toBe(0);
  await expect.poll(() => page.getByText("The engine has stopped.").count()).toBe(0);
});

test("hanging up stops the other engine: by going on, by the button, and by leaving", async () => {
  const { page, program } = await review();
  const ended: string[][] = [];
  page.on("requestfailed", (request) => {
    if (request.url().endsWith("/search")) ended.push((request.postDataJSON() as Asked).moves);
  });
  await isDone(page);
  program.mood = "endless";
  await choice(page).selectOption("Knightmare 3");
  await expect.poll(() => program.asked.length).toBe(1);
  expect(ended).toEqual([]);
  await page.getByRole("button", { name: /^Stop \(/ }).click();
  await expect.poll(() => ended.length).toBe(1);
  // Stops searching the position on the board when the user moves on.
  await page.getByRole("button", { name: "Next move" }).click();
  await expect.poll(() => program.asked.at(-1)?.moves).toEqual(["e2e4"]);
  await page.getByRole("button", { name: "Next move" }).click();
  await expect.poll(() => program.asked.at(-1)?.moves).toEqual(["e2e4", "e7e5"]);
  await expect.poll(() => ended.at(-1)).toEqual(["e2e4"]);
  const before = ended.length;
  await page.getByRole("link", { name: "Settings" }).click();
  await expect.poll(() => ended.length).toBe(before + 1);
  expect(ended.at(-1)).toEqual(["e2e4", "e7e5"]);
});

test("an engine that fails is told in words, and ours goes on", async () => {
  const { page, program } = await review();
  await isDone(page);
  program.mood = "failing";
  await choice(page).selectOption("Knightmare 3");
  const alert = page.getByRole("alert").filter({ hasText: "Knightmare 3 is not responding." });
  await alert.waitFor();
  await expect.poll(() => chosen(page)).toBe("Knightmare 3");
  expect(await objections(page)).toEqual([]);
  // The engine works again.
  program.mood = "well";
  await page.getByRole("button", { name: "Analyze game" }).click();
  await expect.poll(() => blunders(page)).toEqual(["e5??"]);
  await isDone(page);
  await expect.poll(() => alert.count()).toBe(0);
  program.mood = "failing";
  await page.locator("[data-square=h2]").click();
  await page.locator("[data-square=h4]").click();
  await alert.waitFor();
  await alert.getByRole("button", { name: "Switch to Castellan" }).click();
  await expect.poll(() => alert.count()).toBe(0);
  await expect.poll(() => chosen(page)).toBe("Castellan");
  await expect.poll(() => blunders(page)).toEqual([]);
});

test("an engine that was removed is told in words, and ours goes on by itself", async () => {
  const { page, program } = await review();
  await choice(page).selectOption("Knightmare 3");
  await expect.poll(() => blunders(page)).toEqual(["e5??"]);
  await isDone(page);
  program.engines = [];
  await page.locator("[data-square=h2]").click();
  await page.locator("[data-square=h4]").click();
  await page.getByText("Knightmare 3 is no longer available. Castellan is analyzing instead.").waitFor();
  await expect.poll(() => choice(page).count()).toBe(0);
  await isDone(page);
  await expect.poll(() => blunders(page)).toEqual([]);
  await page.reload();
  await isDone(page);
  await expect.poll(() => page.getByText("is no longer available").count()).toBe(0);
  // An engine that was removed while the page was closed is not found either.
  await page.evaluate(() => localStorage.setItem("castellan.review.analyst", '{"path":"/opt/gone","name":"Gone 1"}'));
  await page.reload();
  await page.getByText("Gone 1 is no longer available. Castellan is analyzing instead.").waitFor();
});

test("an engine that does not know Chess960 is told so, and asked only about such games", async () => {
  const { page, program } = await review('[FEN "4k3/8/8/8/8/8/8/6KR w H - 0 1"]\n\n1. O-O Ke7 *');
  await isDone(page);
  program.mood = "unable";
  await choice(page).selectOption("Knightmare 3");
  const alert = page.getByRole("alert").filter({ hasText: "This engine cannot play Chess960." });
  await alert.waitFor();
  // The page does not retry: the engine still would not know Chess960.
  expect(program.asked.every(({ is_chess960 }) => is_chess960)).toBe(true);
  expect(program.asked.filter(({ moves }) => moves.length === 0).length).toBeLessThanOrEqual(2);
  await alert.getByRole("button", { name: "Switch to Castellan" }).click();
  await isDone(page);
});

test("more threads: our engine thinks as a program on this computer, and the browser takes over if that fails", async () => {
  const { page, program } = await review();
  await isDone(page);
  expect(program.asked).toEqual([]);
  const threads = page.getByLabel("Threads");
  await expect.poll(() => threads.locator("option").allTextContents()).toEqual(["1 thread (browser)", "2 threads (computer)", "3 threads (computer)", "4 threads (computer)"]);
  await threads.selectOption("3 threads (computer)");
  await expect.poll(() => program.asked.at(-1)).toMatchObject({ threads: 3, nodes: 50_000, move_time_ms: null, lines: 3 });
  // It fails twice, the second time for good; the panel says where the lines come from.
  program.mood = "failing";
  await page.getByRole("button", { name: "Next move", exact: true }).click();
  await expect.poll(() => threads.inputValue()).toBe("1");
  await expect.poll(() => lines(page).then((all) => all.length)).toBe(3);
  // The choice is tried again.
  program.mood = "well";
  await threads.selectOption("2 threads (computer)");
  await expect.poll(() => program.asked.at(-1)).toMatchObject({ threads: 2 });
});

test("the real program: an engine of this machine finds the blunder", async () => {
  const castellan = new OwnCastellan();
  await castellan.start();
  const page = await castellan.visit(browser);
  await page.getByRole("link", { name: "Review" }).first().click();
  await page.locator("#review-pgn").fill("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0");
  await page.getByRole("button", { name: "Load", exact: true }).click();
  const asked = page.waitForRequest(/\/search$/);
  await choice(page).selectOption({ index: 1 });
  await asked;
  await isDone(page);
  await expect.poll(() => blunders(page)).toEqual(["Nf6??"]);
  await page.locator("[data-node]").filter({ hasText: "Bc4" }).click();
  await expect.poll(() => lines(page).then((all) => all.length)).toBe(3);
  // Our own engine can think in the program, with as many threads as there are.
  await choice(page).selectOption({ index: 0 });
  const threads = page.getByLabel("Threads");
  if ((await threads.count()) > 0) {
    const thinks = page.waitForResponse(/\/engines\/0\/search$/);
    await threads.selectOption({ index: 1 });
    expect((await thinks).status()).toBe(200);
    await expect.poll(() => threads.inputValue()).toBe("2");
    await expect.poll(() => lines(page).then((all) => all.length)).toBe(3);
  }
  await castellan.quit(page);
});
