/** The picture of a position: every piece in its place, from both sides, and nothing external. */

import { expect, test } from "vitest";
import { SQUARES, indexOf, placeOf } from "../src/board/geometry";
import { svgOf, type Look, type Scene } from "../src/review/picture";

const look: Look = { color: (token) => `[${token}]`, set: "study", shapes: "<defs/>" };
const scene = (change: Partial<Scene>): Scene => ({
  board: ".".repeat(64),
  orientation: "white",
  lastMove: null,
  check: null,
  arrows: [],
  hasCoordinates: false,
  title: "8/8",
  ...change,
});
const withPiece = (square: string, piece: string) => ".".repeat(indexOf(square)) + piece + ".".repeat(63 - indexOf(square));

test("a piece stands where the board has it, from both sides", () => {
  for (const orientation of ["white", "black"] as const) {
    for (const square of SQUARES) {
      const svg = svgOf(scene({ board: withPiece(square, "n"), orientation }), look);
      const { x, y } = placeOf(square, orientation);
      expect(svg.match(/<use /g)).toHaveLength(1);
      expect(svg).toContain(`<use href="#study-n" x="${x * 100 + 3}" y="${y * 100 + 3}"`);
      expect(svg).toContain('fill="[--piece-black]"');
    }
  }
});

test("the last move, a check and arrows are drawn, and only those", () => {
  const bare = svgOf(scene({}), look);
  expect(bare).not.toMatch(/--mark-last|url\(#check\)|<path|<circle|<text/);
  const full = svgOf(
    scene({ lastMove: { from: "e2", to: "e4" }, check: "e8", hasCoordinates: true, arrows: [{ from: "g1", to: "f3", kind: "better" }, { from: "e5", to: "e5", kind: "drawn" }] }),
    look,
  );
  expect(full.match(/--mark-last/g)).toHaveLength(2);
  expect(full.match(/url\(#check\)/g)).toHaveLength(1);
  expect(full.match(/<path /g)).toHaveLength(1);
  expect(full.match(/<circle /g)).toHaveLength(1);
  expect(full.match(/<text /g)).toHaveLength(16);
});

test("an arrow keeps the paint of its game", () => {
  const paints = (["G", "R", "Y", "B"] as const).map((paint) => svgOf(scene({ arrows: [{ from: "g1", to: "f3", kind: "drawn", paint }] }), look));
  const found = paints.map((svg) => /fill="\[(--mark-arrow[a-z-]*)\]"/.exec(svg)?.[1]);
  expect(found).toEqual(["--mark-arrow", "--mark-arrow-red", "--mark-arrow-yellow", "--mark-arrow-blue"]);
});

test("a title cannot break out of the picture", () => {
  expect(svgOf(scene({ title: '</title><script>"&' }), look)).not.toContain("<script>");
});
