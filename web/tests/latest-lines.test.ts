/** Lines as engines report them: the lines kept belong to one set. */

import { expect, test } from "vitest";
import { LatestLines } from "../src/core/latest-lines";

const report = (rank: number, depth: number, move: string) => ({ rank, depth, score: { cp: 10 }, moves: [move], line: [move] });

function latest(...all: ReturnType<typeof report>[]): string[] {
  const lines = new LatestLines();
  for (const one of all) lines.take(one);
  return lines.lines.map(({ rank, depth, moves }) => `${rank} ${moves[0]} ${depth}`);
}

test("a deeper line takes the place of the one before", () => {
  expect(latest(report(1, 1, "e2e4"), report(1, 2, "d2d4"))).toEqual(["1 d2d4 2"]);
});

test("a search that ends among its lines leaves the last whole ones", () => {
  const whole = [report(1, 7, "e2e4"), report(2, 7, "d2d4"), report(3, 7, "c2c4")];
  expect(latest(...whole, report(1, 8, "d2d4"))).toEqual(["1 e2e4 7", "2 d2d4 7", "3 c2c4 7"]);
  expect(latest(...whole, report(1, 8, "d2d4"), report(2, 8, "e2e4"), report(3, 8, "g1f3"))).toEqual(["1 d2d4 8", "2 e2e4 8", "3 g1f3 8"]);
});

test("no move is listed twice", () => {
  expect(latest(report(1, 3, "e2e4"), report(2, 3, "d2d4"), report(3, 3, "d2d4"))).toEqual(["1 e2e4 3", "3 d2d4 3"]);
});
