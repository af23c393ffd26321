/** Lines as engines report them: the lines kept belong to one set. */

import { expect, test } from "vitest";
import { Heard } from "../src/core/heard";

const told = (rank: number, depth: number, move: string, cp: number | null = 10) => ({
  rank,
  depth,
  score: cp === null ? null : { cp },
  nodes: 0,
  moves: move ? [move] : [],
  line: [move],
});

function heard(...all: ReturnType<typeof told>[]): string[] {
  const lines = new Heard();
  for (const one of all) lines.take(one);
  return lines.lines.map(({ rank, depth, moves }) => `${rank} ${moves[0]} ${depth}`);
}

test("a deeper line takes the place of the one before", () => {
  expect(heard(told(1, 1, "e2e4"), told(1, 2, "d2d4"))).toEqual(["1 d2d4 2"]);
});

test("a search that ends among its lines leaves the last whole ones", () => {
  const whole = [told(1, 7, "e2e4"), told(2, 7, "d2d4"), told(3, 7, "c2c4")];
  expect(heard(...whole, told(1, 8, "d2d4"))).toEqual(["1 e2e4 7", "2 d2d4 7", "3 c2c4 7"]);
  expect(heard(...whole, told(1, 8, "d2d4"), told(2, 8, "e2e4"), told(3, 8, "g1f3"))).toEqual(["1 d2d4 8", "2 e2e4 8", "3 g1f3 8"]);
});

test("no move stands there twice, and a word without a score or a move is none", () => {
  expect(heard(told(1, 3, "e2e4"), told(2, 3, "d2d4"), told(3, 3, "d2d4"))).toEqual(["1 e2e4 3", "3 d2d4 3"]);
  expect(heard(told(1, 3, "e2e4"), told(1, 4, "", 30), told(1, 4, "d2d4", null))).toEqual(["1 e2e4 3"]);
});
