/** A move tree is laid out as rows of the main line, with comments and variations between them. */

import { expect, test } from "vitest";
import type { StudyView, TreeMove } from "../src/core/types";
import { readable, type Aside, type Row } from "../src/review/tree";

/** Builds a study from moves: parent, SAN, number, side and comment. */
function study(moves: [parent: number, san: string, number: number, isWhite: boolean, comment?: string][]): StudyView {
  const root: TreeMove = { parent: null, next: [], san: "", uci: null, number: 1, is_white: true, glyphs: [], before: "", comment: "", fen: "", eval: null, ended: null, phase: "opening" };
  const all = [root, ...moves.map(([parent, san, number, is_white, comment = ""]): TreeMove => ({ ...root, parent, next: [], san, number, is_white, comment }))];
  all.forEach((move, at) => {
    if (move.parent !== null) all[move.parent]?.next.push(at);
  });
  return { study: 1, node: 0, tags: [], result: "*", end: null, is_chess960: false, starts_white: true, moves: all, problems: [], can_undo: false, can_redo: false };
}

const text = (view: StudyView) =>
  readable(view).map((item: Row | Aside) => {
    if (item.kind === "row") {
      const san = (node: number | null) => (node === null ? "" : ` ${view.moves[node]?.san}`);
      return `${item.number}.${item.white === null ? " …" : san(item.white)}${san(item.black)}`;
    }
    return item.pieces
      .map((piece) => (piece.kind === "move" ? `${piece.number}${view.moves[piece.node]?.san}` : piece.kind === "words" ? `{${piece.text}}` : piece.text))
      .join(" ");
  });

test("a plain game is two plies a row", () => {
  expect(text(study([[0, "e4", 1, true], [1, "e5", 1, false], [2, "Nf3", 2, true]]))).toEqual(["1. e4 e5", "2. Nf3"]);
});

test("a comment or a variation interrupts the row, and Black goes on after it", () => {
  const view = study([
    [0, "e4", 1, true, "best by test"],
    [1, "e5", 1, false],
    [1, "c5", 1, false],
    [3, "Nf3", 2, true],
    [2, "f4", 2, true],
  ]);
  expect(text(view)).toEqual(["1. e4", "{best by test}", "1. … e5", "1…c5 2.Nf3", "2. f4"]);
});

test("variations within variations stand in brackets, once and in order", () => {
  const view = study([
    [0, "e4", 1, true],
    [0, "d4", 1, true],
    [2, "d5", 1, false],
    [2, "Nf6", 1, false, "Indian"],
    [4, "c4", 2, true],
    [3, "c4", 2, true],
    [0, "c4", 1, true],
  ]);
  expect(text(view)).toEqual(["1. e4", "1.d4 d5 ( 1…Nf6 {Indian} 2.c4 ) 2.c4", "1.c4"]);
});

test("a game that Black begins has an empty first place", () => {
  expect(text(study([[0, "Kd7", 40, false], [1, "Ke4", 41, true]]))).toEqual(["40. … Kd7", "41. Ke4"]);
});

test("every move of a tree is shown exactly once", () => {
  const moves: [number, string, number, boolean][] = [];
  // A bushy tree: each node gets up to three moves, by a fixed pattern.
  for (let at = 0; moves.length < 120; at++) {
    const depth = at === 0 ? 0 : (moves[at - 1]?.[2] ?? 0);
    for (let child = 0; child <= (at * 7) % 3 && moves.length < 120; child++) moves.push([at, `m${moves.length}`, depth + 1, true]);
  }
  const view = study(moves);
  const shown = readable(view).flatMap((item) =>
    item.kind === "row" ? [item.white, item.black].filter((it) => it !== null) : item.pieces.flatMap((piece) => (piece.kind === "move" ? [piece.node] : [])),
  );
  expect([...shown].sort((one, two) => one - two)).toEqual(moves.map((_, at) => at + 1));
});
