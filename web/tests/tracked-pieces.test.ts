/** Pieces keep their identity from one board to the next. */

import { expect, test } from "vitest";
import { SQUARES, indexOf, placeOf, squareAt } from "../src/board/geometry";
import { follow } from "../src/board/tracked-pieces";

const board = (pieces: Record<string, string>) => {
  const letters = Array<string>(64).fill(".");
  for (const [square, piece] of Object.entries(pieces)) letters[indexOf(square)] = piece;
  return letters.join("");
};

test("squares and places are each other's inverse, from both sides", () => {
  for (const side of ["white", "black"] as const) {
    for (const square of SQUARES) {
      const { x, y } = placeOf(square, side);
      expect(squareAt(x, y, side)).toBe(square);
    }
  }
  expect(placeOf("a8", "white")).toEqual({ x: 0, y: 0 });
  expect(placeOf("h1", "black")).toEqual({ x: 0, y: 0 });
  expect(squareAt(8, 0, "white")).toBeNull();
});

test("a piece that moves stays the same piece, and one that is taken is gone", () => {
  const before = follow([], board({ e4: "P", d5: "p", e1: "K" }));
  const after = follow(before, board({ d5: "P", e1: "K" }));
  expect(after).toHaveLength(2);
  const id = (pieces: typeof before, square: string) => pieces.find((piece) => piece.square === square)?.id;
  expect(id(after, "d5")).toBe(id(before, "e4"));
  expect(id(after, "e1")).toBe(id(before, "e1"));
});

test("castling moves two pieces", () => {
  const before = follow([], board({ e1: "K", h1: "R", a1: "R" }));
  const after = follow(before, board({ g1: "K", f1: "R", a1: "R" }));
  expect(after.map((piece) => piece.id)).toEqual(before.map((piece) => piece.id));
  expect(after.find((piece) => piece.piece === "R" && piece.square === "f1")?.id).toBe(
    before.find((piece) => piece.square === "h1")?.id,
  );
});
