/** Chapters as games of one file. */

import { expect, test } from "vitest";
import { named, nameOf } from "../src/review/chapter-names";

test("the name of a chapter becomes the event of its game", () => {
  expect(named('[Event "Analysis"]\n[Site "?"]\n\n1. e4 *\n', "Italian")).toBe('[Event "Italian"]\n[Site "?"]\n\n1. e4 *\n');
  expect(named("1. e4 *\n", "Italian")).toBe('[Event "Italian"]\n1. e4 *\n');
});

test("a name cannot break the file", () => {
  expect(named('[Event "x"]\n\n*\n', 'A "b" \\ c\n[White "d"]')).toBe('[Event "A \\"b\\" \\\\ c [White \\"d\\"]"]\n\n*\n');
  expect(named('[Event "x"]\n\n*\n', "$& $1")).toBe('[Event "$& $1"]\n\n*\n');
});

test("a game of a file is named after its players, or else after its event", () => {
  const game = (...tags: string[]) => `${tags.join("\n")}\n\n1. e4 *\n`;
  expect(nameOf(game('[Event "Open"]', '[White "Ada \\"A\\" B"]', '[Black "C"]'))).toBe('Ada "A" B – C');
  expect(nameOf(game('[Event "Rook endings"]', '[White "?"]', '[Black "?"]'))).toBe("Rook endings");
  expect(nameOf(game('[Event "Study: x"]', '[ChapterName "x"]'))).toBe("x");
  expect(nameOf(game())).toBe("");
  expect(nameOf(game(`[Event "${"x".repeat(500)}"]`))).toHaveLength(60);
});
