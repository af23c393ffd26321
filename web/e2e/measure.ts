/**
 * Measures how fast the page is on this machine: `npm run measure`.
 *
 * Prints figures without judging them: they mean something only on an otherwise idle machine. What
 * must hold on every machine is in the tests.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { ADDRESS, launch, newContext, visit } from "./browser";
import { BINARY } from "./castellan";
import { compareEngines } from "./engine-speed";
import { frames, watchFrames } from "./frames";
import { keepBusy, measureInteractions, type Interaction } from "./interactions";
import { playLong, type Cost } from "./long-game";
import { writeLarge } from "./many-games";

const ROUNDS = 10;
const FILE_BYTES = 100_000_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});

const median = (all: number[]) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
const told = (ms: number) => `${ms.toFixed(1)} ms`;

/** Returns the time from the start of navigation to the first contentful paint. */
const firstPaint = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        const watch = new PerformanceObserver((list) => {
          const [entry] = list.getEntriesByName("first-contentful-paint");
          if (entry) done(entry.startTime);
        });
        watch.observe({ type: "paint", buffered: true });
      }),
  );

test("the first screen", async () => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const context = await newContext(browser);
    const page = await context.newPage();
    await page.goto(`${ADDRESS}/`);
    times.push(await firstPaint(page));
    await context.close();
  }
  console.log(`first screen of a new visitor: ${told(median(times))}, at most ${told(Math.max(...times))}`);
});

test("a move", async () => {
  const { page } = await visit(browser, "/two");
  await page.getByRole("button", { name: "Start game" }).click();
  const times: number[] = [];
  for (const name of ["e2", "e4", "e7", "e5", "g1", "f3", "b8", "c6", "f1", "c4", "g8", "f6"]) {
    await page.evaluate(() => {
      const seen = { ms: -1 };
      Object.assign(globalThis, { seenFrame: seen });
      const onpress = (event: Event) => requestAnimationFrame(() => setTimeout(() => (seen.ms = performance.now() - event.timeStamp)));
      addEventListener("pointerdown", onpress, { capture: true, once: true });
    });
    await page.locator(`[data-square="${name}"]`).click();
    const handle = await page.waitForFunction(() => {
      const { ms } = (globalThis as unknown as { seenFrame: { ms: number } }).seenFrame;
      return ms >= 0 ? { ms } : null;
    });
    times.push((await handle.jsonValue())?.ms ?? NaN);
  }
  console.log(`from a press on the board to its frame: ${told(median(times))}, at most ${told(Math.max(...times))}`);
});

/** Slowest interactions that are printed. */
const SHOWN = 8;

test("every click and key of the main flows", async () => {
  const tell = (how: string, all: Interaction[]) => {
    const slow = all.filter(({ ms }) => ms > 100).length;
    console.log(`${all.length} interactions ${how}: median ${told(median(all.map(({ ms }) => ms)))} to the next paint, ${slow} over 100 ms; the slowest, with the processor time of the main thread:`);
    for (const { name, ms, cpuMs } of all.slice(0, SHOWN)) console.log(`  ${told(ms).padStart(9)}  ${told(cpuMs).padStart(9)}  ${name}`);
    const most = all.reduce((one, two) => (two.cpuMs > one.cpuMs ? two : one));
    console.log(`  processor time: median ${told(median(all.map(({ cpuMs }) => cpuMs)))}, at most ${told(most.cpuMs)} (${most.name})`);
  };
  tell("as the machine is", await measureInteractions(browser));
  const rest = keepBusy();
  try {
    tell("with every core busy", await measureInteractions(browser));
  } finally {
    rest();
  }
});

test("a game of six hundred plies", () => {
  const { plies, local, remote } = playLong("src/wasm/table.wasm");
  const words = ({ early, late }: Cost) =>
    `${early.us.toFixed(0)} µs and ${early.bytes} bytes early, ${late.us.toFixed(0)} µs and ${late.bytes} bytes late`;
  console.log(`a move in a game of ${plies} plies, on this device: ${words(local)}`);
  console.log(`an event in a game of ${plies} plies, from a server: ${words(remote)}`);
});

test("the engine beside the program", async () => {
  const { page, native } = await compareEngines("src/wasm/engine.wasm", BINARY);
  const rate = (nodes: number) => `${(nodes / 1000).toFixed(0)} thousand nodes/s`;
  console.log(`engine of the page: ${rate(page)}, of the program: ${rate(native)}, ratio ${(page / native).toFixed(2)}`);
});

test("a hundred megabytes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "castellan-library-"));
  const path = join(folder, "large.pgn");
  const games = writeLarge(path, FILE_BYTES);
  const { page } = await visit(browser, "/library");
  await watchFrames(page);
  const began = Date.now();
  await page.locator("input[type=file]").setInputFiles(path);
  await page.getByRole("heading", { name: `${new Intl.NumberFormat("en").format(games)} games` }).waitFor();
  const seconds = (Date.now() - began) / 1000;
  const { longestMs, count } = await frames(page);
  console.log(`library of ${games} games: ${seconds.toFixed(1)} s, ${count} frames, the longest ${told(longestMs)}`);
  rmSync(folder, { recursive: true });
});
