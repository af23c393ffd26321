/** An online game that the server is too busy to send, or has lost. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ClientMessage } from "../src/net/protocol";
import { ServerClock } from "../src/net/server-clock";
import { Live } from "../src/state/live.svelte";

const BUSY = { of: "watch", game: "GameGameGame", code: "busy", message: "The server is busy." } as const;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function visited(): [Live, ClientMessage[]] {
  const sent: ClientMessage[] = [];
  const live = new Live((message) => sent.push(message) > 0, new ServerClock());
  live.visit(BUSY.game);
  return [live, sent];
}

test("a busy server is asked for the game again, less and less often", () => {
  const [live, sent] = visited();
  const waits: number[] = [];
  for (let asked = 1; asked <= 8; asked += 1) {
    expect(sent).toEqual(Array(asked).fill({ type: "watch", data: { game: BUSY.game } }));
    live.refused(BUSY);
    const before = Date.now();
    vi.advanceTimersToNextTimer();
    waits.push(Date.now() - before);
  }
  expect(waits[0]).toBeLessThanOrEqual(500);
  expect(Math.min(...waits.slice(6))).toBeGreaterThan(Math.max(...waits.slice(0, 3)));
  expect(live.notice).toBe("");
});

test("a game that was left is not asked for again", () => {
  const [live, sent] = visited();
  live.refused(BUSY);
  live.leave();
  vi.advanceTimersByTime(60_000);
  expect(sent).toHaveLength(1);
});

test("a damaged game is named as such and not asked for again", () => {
  const [live, sent] = visited();
  live.refused({ ...BUSY, code: "damaged_game" });
  expect(live.missing).toBe("damaged_game");
  expect(live.notice).toMatch(/lost part of this game/);
  expect(live.canMove).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(sent).toHaveLength(1);
  live.leave();
  expect(live.missing).toBe(null);
});
