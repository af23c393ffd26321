/** How the computer behaves besides its moves: resigning and draw offers. */

import { expect, test } from "vitest";
import { hopelessAt, resigns, thinksOfDraw, worthFor } from "../src/state/opponent";

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
