/** Requests to the engine's worker get their own responses, and none is left waiting. */

import { beforeEach, expect, test, vi } from "vitest";
import { EngineWorker } from "../src/core/engine-worker";

class FakeWorker {
  static all: FakeWorker[] = [];
  asked: { id: number; name: string }[] = [];
  isTerminated = false;
  onmessage: ((event: { data: object }) => void) | null = null;
  onerror: ((event: { message: string }) => void) | null = null;

  constructor() {
    FakeWorker.all.push(this);
  }

  addEventListener(): void {}

  postMessage(request: { id: number; name: string }): void {
    this.asked.push(request);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  say(data: object): void {
    this.onmessage?.({ data });
  }
}

const TASK = { start: "8/8/8/8/8/8/8/8 w - - 0 1", moves: [] };
const DRAW = { ...TASK, is_white: true, level: null };
const last = () => FakeWorker.all.at(-1) as FakeWorker;

beforeEach(() => {
  FakeWorker.all = [];
  vi.stubGlobal("Worker", FakeWorker);
});

test("each request gets its own reports and its own response", async () => {
  const engine = new EngineWorker();
  engine.start();
  const reports: unknown[] = [];
  const found = engine.ask("search", TASK, (report) => reports.push(report));
  const accepts = engine.ask("consider_draw", DRAW);
  expect(FakeWorker.all.length).toBe(1);
  expect(last().asked.map(({ name }) => name)).toEqual(["search", "consider_draw"]);
  const [search, draw] = last().asked.map(({ id }) => id);
  last().say({ loaded: 0.5 });
  last().say({ id: search, report: { depth: 1 } });
  last().say({ id: draw, answer: false });
  expect(await accepts).toBe(false);
  expect(engine.isBusy).toBe(true);
  last().say({ id: search, answer: { move: "e2e4" } });
  expect(await found).toEqual({ move: "e2e4" });
  expect(reports).toEqual([{ depth: 1 }]);
  expect(engine.isBusy).toBe(false);
});

test("a refused request fails, and the next one is answered", async () => {
  const engine = new EngineWorker();
  const bad = engine.ask("search", TASK);
  last().say({ id: 1, error: "bad_fen", text: "no kings" });
  await expect(bad).rejects.toThrow("bad_fen: no kings");
  const good = engine.ask("search", TASK);
  last().say({ id: 2, answer: { move: null } });
  expect(await good).toEqual({ move: null });
  expect(FakeWorker.all.length).toBe(1);
});

test("stopping answers what waits, and the next request starts another worker", async () => {
  const engine = new EngineWorker();
  const stopped = [engine.ask("search", TASK), engine.ask("search", TASK)];
  const first = last();
  engine.stop();
  expect(await Promise.all(stopped)).toEqual([null, null]);
  expect(first.isTerminated).toBe(true);
  const next = engine.ask("search", TASK);
  expect(last()).not.toBe(first);
  // What the first worker still says is for nobody.
  first.say({ id: 1, answer: { move: "a2a3" } });
  last().say({ id: 3, answer: { move: "e2e4" } });
  expect(await next).toEqual({ move: "e2e4" });
});

test("a worker that fails rejects what waits, and is replaced", async () => {
  const engine = new EngineWorker();
  const lost = engine.ask("search", TASK);
  const first = last();
  first.onerror?.({ message: "out of memory" });
  await expect(lost).rejects.toThrow("out of memory");
  const next = engine.ask("search", TASK);
  expect(last()).not.toBe(first);
  last().say({ id: 2, answer: { move: "e2e4" } });
  expect(await next).toEqual({ move: "e2e4" });
});
