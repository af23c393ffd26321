/** How the computer behaves besides its moves: its time, resigning, and draw offers. */

import { expect, test } from "vitest";
import { hopelessAt, replyTime, resigns, thinksOfDraw, worthFor, type Decision } from "../src/state/opponent";

const decision = (changes: Partial<Decision> = {}): Decision => ({
  ply: 30,
  choices: 30,
  isCheck: false,
  isRecapture: false,
  surprise: 0,
  clock: { remaining: 600_000, increment: 5000 },
  chance: 0.5,
  ...changes,
});

test("what is forced or known is played faster than what has to be decided", () => {
  const usual = replyTime(decision());
  for (const easy of [{ choices: 1 }, { isRecapture: true }, { ply: 4 }, { isCheck: true }]) {
    expect(replyTime(decision(easy)), JSON.stringify(easy)).toBeLessThan(usual);
  }
  expect(replyTime(decision({ choices: 1 }))).toBeLessThan(replyTime(decision({ isRecapture: true })));
  for (const hard of [{ choices: 50 }, { surprise: -150 }, { surprise: 300 }]) {
    expect(replyTime(decision(hard)), JSON.stringify(hard)).toBeGreaterThan(usual);
  }
});

test("no move takes more than a tenth of the clock, nor longer than people wait", () => {
  for (const remaining of [100, 1000, 5000, 30_000, 300_000, 7_200_000]) {
    for (const choices of [1, 5, 40, 200]) {
      for (const chance of [0, 0.5, 1]) {
        const time = replyTime(decision({ clock: { remaining, increment: 30_000 }, choices, surprise: 900, chance }));
        expect(time).toBeGreaterThan(0);
        expect(time).toBeLessThanOrEqual(Math.min(20_000, remaining / 10));
      }
    }
  }
  expect(replyTime(decision({ clock: null, surprise: 900, chance: 1 }))).toBeLessThanOrEqual(3000);
});

test("more time on the clock means more time for a move", () => {
  const times = [5000, 30_000, 60_000, 300_000].map((remaining) => replyTime(decision({ clock: { remaining, increment: 0 } })));
  expect(times).toEqual(times.toSorted((one, two) => one - two));
  expect(new Set(times).size).toBe(4);
});

test("a score counts for the side that plays", () => {
  expect(worthFor({ cp: 120 }, "white")).toBe(120);
  expect(worthFor({ cp: 120 }, "black")).toBe(-120);
  expect(worthFor({ mate: 3 }, "black")).toBe(-10_000);
  expect(worthFor({ mate: -3 }, "black")).toBe(10_000);
});

test("a club player resigns a lost game, a beginner plays to the end", () => {
  const lost = [-1500, -1500, -1500];
  expect(resigns(lost, 2000, 40, null)).toBe(true);
  expect(resigns(lost, null, 40, null)).toBe(true);
  expect(resigns(lost, 1000, 40, null)).toBe(false);
  // Not at once, not early, and not when there is a mate to be shown.
  expect(resigns([-1500, -1500], 2000, 40, null)).toBe(false);
  expect(resigns([-1500, -100, -1500], 2000, 40, null)).toBe(false);
  expect(resigns(lost, 2000, 10, null)).toBe(false);
  expect(resigns([-1500, -1500, -10_000], 2000, 40, 2)).toBe(false);
  expect(resigns([-1500, -1500, -10_000], 2000, 40, 7)).toBe(true);
  const limits = [1400, 2000, 2800].map(hopelessAt);
  expect(limits).toEqual(limits.toSorted((one, two) => one - two));
});

test("a draw is offered late, when nothing happens and neither side is better", () => {
  const level = [10, -5, 0];
  expect(thinksOfDraw(level, 1800, 80, 20)).toBe(true);
  expect(thinksOfDraw(level, 1000, 80, 20)).toBe(false);
  expect(thinksOfDraw(level, 1800, 30, 20)).toBe(false);
  expect(thinksOfDraw(level, 1800, 80, 2)).toBe(false);
  expect(thinksOfDraw([10, 60, 0], 1800, 80, 20)).toBe(false);
  expect(thinksOfDraw([0, 0], 1800, 80, 20)).toBe(false);
});
