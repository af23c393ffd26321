/**
 * Measures every click and key of the main flows with the Event Timing API: the time from the event
 * until the browser has painted what it changed.
 *
 * The environment variable `FLOWS` chooses some of the flows: `FLOWS=library,puzzles`. The online flow
 * needs the server, whose path is in `CASTELLAN_BINARY`.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Browser, CDPSession, Page } from "playwright-core";
import { visit } from "./browser";
import { BINARY } from "./castellan";
import { manyGames } from "./many-games";
import { arrive, button, close, move, open, server } from "./seats";

/** An interaction: which step of which flow, and what it took. */
export interface Interaction {
  name: string;
  /** Time until the next paint, which other work on the machine makes longer. */
  ms: number;
  /** Processor time of the page's main thread until the frames after it, which depends little on other work. */
  cpuMs: number;
}

/** The API reports no interactions shorter than this, and rounds the others to 8 ms. */
const SHORTEST_MS = 16;
const GAMES = 20_000;
/** A short game, and one with a mate in two in which the opponent's move between is forced. */
const PUZZLES = `[White "Short"]

1. e4 e5 1/2-1/2

[White "Legal"]
[FEN "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/3QK2R b Kkq - 0 5"]

5... Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0
`;

interface Timing extends PerformanceEntry {
  interactionId: number;
}

/** Starts to collect the interactions of a page. */
const watch = (page: Page): Promise<void> =>
  page.evaluate((durationThreshold) => {
    const seen = new Map<number, number>();
    Object.assign(globalThis, { seenInteractions: seen });
    const observer = new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries() as Timing[]) {
        if (interactionId) seen.set(interactionId, Math.max(duration, seen.get(interactionId) ?? 0));
      }
    });
    observer.observe({ type: "event", durationThreshold, buffered: true } as PerformanceObserverInit);
  }, SHORTEST_MS);

/** Returns the longest interaction since the last call, once its frame is painted. */
const longest = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    // The entry comes after the frame that shows the interaction.
    for (let at = 0; at < 4; at++) await frame();
    const { seenInteractions: seen } = globalThis as unknown as { seenInteractions: Map<number, number> };
    const most = Math.max(0, ...seen.values());
    seen.clear();
    return most;
  });

/** A visitor whose steps are measured by name. */
class Flow {
  readonly all: Interaction[] = [];
  readonly #name: string;
  readonly #page: Page;
  readonly #session: CDPSession;

  constructor(name: string, page: Page, session: CDPSession) {
    this.#name = name;
    this.#page = page;
    this.#session = session;
  }

  /** Returns the processor time of the main thread so far, in milliseconds. */
  async #cpuMs(): Promise<number> {
    const { metrics } = await this.#session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN) * 1000;
  }

  async step(name: string, act: () => Promise<unknown>): Promise<void> {
    const before = await this.#cpuMs();
    await act();
    const ms = await longest(this.#page);
    this.all.push({ name: `${this.#name}: ${name}`, ms, cpuMs: (await this.#cpuMs()) - before });
  }

  click(name: string | RegExp): Promise<void> {
    return this.step(`click ${String(name)}`, () => this.#page.getByRole("button", { name, exact: typeof name === "string" }).first().click());
  }

  follow(name: string): Promise<void> {
    return this.step(`menu ${name}`, () => this.#page.getByRole("navigation").first().getByRole("link", { name, exact: true }).click());
  }

  press(key: string): Promise<void> {
    return this.step(`press ${key}`, () => this.#page.keyboard.press(key));
  }

  async move(...names: string[]): Promise<void> {
    for (const name of names) await this.step(`square ${name}`, () => this.#page.locator(`[data-square=${name}]`).click());
  }

  type(field: string, text: string): Promise<void> {
    return this.step(`type into ${field}`, async () => {
      await this.#page.locator(field).focus();
      await this.#page.keyboard.type(text);
    });
  }
}

type Run = (flow: Flow, page: Page) => Promise<void>;

interface Route {
  path: string;
  /** Whether the page comes from a server with other players. */
  isOnline?: boolean;
  run: Run;
}

const FLOWS: Record<string, Route> = {
  "two players": {
    path: "/",
    run: async (flow, page) => {
      await flow.step("link Two players", () => page.locator(".ways").getByRole("link", { name: "Two players" }).click());
      await flow.click("Start game");
      await flow.move("e2", "e4", "e7", "e5", "g1", "f3", "b8", "c6", "f1", "b5", "a7", "a6");
      await flow.press("ArrowLeft");
      await flow.press("Home");
      await flow.press("End");
      await flow.press("f");
      await flow.click("Copy PGN");
      await flow.click("Resign");
      await flow.click("Yes, resign");
      await flow.step("review the game", () => page.getByRole("region", { name: "Game over" }).getByRole("button", { name: "Review" }).click());
      await page.locator("[data-node]").first().waitFor();
      for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) await flow.press(key);
    },
  },
  computer: {
    path: "/computer",
    run: async (flow, page) => {
      await flow.click("Start game");
      await flow.move("e2", "e4");
      await page.locator("[data-ply='2']").waitFor();
      await flow.click("Hint");
      await page.locator("path.hint").waitFor();
      await flow.click("Takeback");
      await flow.move("d2", "d4");
    },
  },
  analysis: {
    path: "/analysis",
    run: async (flow, page) => {
      await flow.move("e2", "e4", "c7", "c5", "g1", "f3", "d7", "d6");
      await page.locator(".worth").first().waitFor();
      for (const key of ["ArrowLeft", "ArrowLeft", "ArrowRight"]) await flow.press(key);
      await flow.press("c");
      await page.locator("#comment").waitFor();
      await flow.type("#comment", "a plan");
      await flow.step("move in the list", () => page.locator("[data-node='1']").click());
      await flow.click("Share");
      await flow.press("Escape");
      await flow.click("Add a chapter");
    },
  },
  library: {
    path: "/library",
    run: async (flow, page) => {
      await page.locator("input[type=file]").setInputFiles({ name: "games.pgn", mimeType: "text/plain", buffer: Buffer.from(manyGames(GAMES)) });
      await page.getByRole("heading", { name: "20,000 games" }).waitFor();
      await flow.click("White");
      await flow.click("Date");
      await flow.type("#player", "o");
      await flow.click("Explorer");
      await page.locator("[data-uci=e2e4]").waitFor();
      await flow.move("e2", "e4");
      await page.locator("[data-uci=e7e5]").waitFor();
      await flow.step("row of the explorer", () => page.locator("[data-uci=e7e5]").click());
      await page.locator("[role=row][data-at='0']").waitFor();
      await flow.step("game of the list", () => page.locator("[role=row][data-at='0']").click());
      await page.locator("[data-node]").first().waitFor();
      await flow.press("PageDown");
    },
  },
  puzzles: {
    path: "/library",
    run: async (flow, page) => {
      await page.locator("input[type=file]").setInputFiles({ name: "games.pgn", mimeType: "text/plain", buffer: Buffer.from(PUZZLES) });
      await page.locator("[role=row][data-at='1']").waitFor();
      await flow.follow("Puzzles");
      const state = (name: string) => page.locator(`[data-state=${name}]`).waitFor();
      await flow.click("From the library (2)");
      await state("asking");
      await flow.move("c3", "d1");
      await state("wrong");
      await flow.press("ArrowRight");
      await flow.click("Try again");
      await flow.click("Hint");
      await flow.move("c4", "f7");
      await page.locator("[data-square=e7][aria-label*=king]").waitFor();
      await state("asking");
      await flow.move("c3", "d5");
      await state("solved");
      await flow.press("ArrowLeft");
      await flow.step("link to the game", () => page.getByRole("link", { name: /^Game: Legal/ }).click());
    },
  },
  online: {
    path: "/online",
    isOnline: true,
    run: async (flow, page) => {
      await button(page, "10 + 5").waitFor();
      await flow.click("10 + 5");
      const { page: other } = await arrive("Olga");
      await button(other, "10 + 5").click();
      for (const it of [page, other]) await it.getByRole("grid").waitFor();
      const isWhite = (await page.locator("[data-player]").last().getAttribute("data-player")) === "white";
      for (const [at, [from, to]] of ([["e2", "e4"], ["e7", "e5"], ["g1", "f3"], ["b8", "c6"], ["f1", "b5"], ["a7", "a6"]] as const).entries()) {
        await (isWhite === (at % 2 === 0) ? flow.move(from, to) : move(other, from, to));
        await page.locator(`[data-ply='${at + 1}']`).waitFor();
        await other.locator(`[data-ply='${at + 1}']`).waitFor();
      }
      await flow.press("ArrowLeft");
      await flow.press("End");
      const field = page.getByLabel("Write a message");
      await flow.step("type a message", async () => {
        await field.focus();
        await page.keyboard.type("Good luck");
      });
      await flow.press("Enter");
      await flow.step("press outside the field", () => page.locator("[data-square=e4]").click());
      if (!isWhite) await move(other, "b5", "a4");
      await flow.click("Offer draw");
      await button(other, "Decline").click();
      await flow.click("Resign");
      await flow.click("Yes, resign");
      await flow.step("review the game", () => page.getByRole("region", { name: "Game over" }).getByRole("button", { name: "Review" }).click());
      await page.locator("[data-node]").first().waitFor();
    },
  },
  tools: {
    path: "/editor",
    run: async (flow, page) => {
      await page.locator("[data-square=a2]").waitFor();
      await flow.move("a2", "a5", "h7", "h4");
      await flow.step("piece of the tray", () => page.getByRole("group", { name: "Pieces" }).getByRole("button").first().click());
      await flow.move("d5");
      await flow.follow("FEN doctor");
      await page.locator("#fen").waitFor();
      await flow.type("#fen", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1");
      await flow.follow("Settings");
      const choice = (name: string) => page.getByRole("combobox", { name, exact: true }).first();
      await flow.step("other board", () => choice("Board").press("ArrowDown"));
      await flow.step("other pieces", () => choice("Piece set").press("ArrowDown"));
      await flow.step("other language", () => choice("Language").press("ArrowDown"));
    },
  },
};

/** Returns the chosen flows that can be measured here. */
function chosen(): [string, Route][] {
  const names = process.env["FLOWS"]?.split(",") ?? Object.keys(FLOWS);
  const isServed = existsSync(BINARY);
  if (!isServed) console.log(`there is no server at ${BINARY}, so the online flow is left out`);
  return Object.entries(FLOWS).filter(([name, { isOnline }]) => names.includes(name) && (isServed || !isOnline));
}

/** Goes through all flows and returns their interactions, the longest first. */
export async function measureInteractions(browser: Browser): Promise<Interaction[]> {
  const all: Interaction[] = [];
  for (const [name, { path, isOnline, run }] of chosen()) {
    if (isOnline) await open();
    const { page } = await visit(browser, path, {
      viewport: { width: 1440, height: 900 },
      ...(isOnline && { address: server.address, settings: { onlineName: "Paul" } }),
    });
    await page.locator("h1").first().waitFor({ state: "attached" });
    await watch(page);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const flow = new Flow(name, page, session);
    await run(flow, page);
    all.push(...flow.all);
    await page.context().close();
    if (isOnline) await close();
  }
  return all.sort((one, two) => two.ms - one.ms);
}

/** Keeps every core busy until the returned function is called. */
export function keepBusy(): () => void {
  const children = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  return () => children.forEach((child) => child.kill());
}
