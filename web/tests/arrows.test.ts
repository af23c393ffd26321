/** Arrows: one outline each, which begins on the first square and has its tip on the last one. */

import { expect, test } from "vitest";
import { arrowPath, type Arrow } from "../src/board/marks";

const KINDS: Arrow["kind"][] = ["drawn", "hint", "line", "better"];
const center = (square: number) => ({ x: (square % 8) * 100 + 50, y: Math.floor(square / 8) * 100 + 50 });

/** The squares of the first rank and file stand for all: the board is symmetrical. */
const STARTS = [0, 1, 2, 3, 8, 16, 24, 27];

test("an arrow has its tip on the target, lies between its squares, and its head is never detached", () => {
  const problems: string[] = [];
  for (const kind of KINDS) {
    for (const from of STARTS) {
      for (let to = 0; to < 64; to++) {
        if (from === to) continue;
        const [start, end] = [center(from), center(to)];
        const path = arrowPath({ kind }, start, end);
        const [withHead = "", ...dashes] = path.split("Z").filter(Boolean).map((part) => part.slice(1).split("L"));
        const length = Math.hypot(end.x - start.x, end.y - start.y);
        const along = [...path.matchAll(/([-\d.]+),([-\d.]+)/g)].map(
          (point) => ((Number(point[1]) - start.x) * (end.x - start.x) + (Number(point[2]) - start.y) * (end.y - start.y)) / length,
        );
        // The head and its share of the shaft are one polygon of seven corners; dashes have four.
        const isWhole = withHead.length === 7 && withHead.includes(`${end.x},${end.y}`) && dashes.every((dash) => dash.length === 4);
        if (!isWhole || along.some((it) => !(it > 20 && it < length + 1))) problems.push(`${kind} ${from} ${to}: ${path}`);
      }
    }
  }
  expect(problems).toEqual([]);
});

test("only hints and engine lines are dashed, and only where there is room", () => {
  const count = (kind: Arrow["kind"], to: number) => arrowPath({ kind }, center(0), center(to)).split("M").length - 1;
  expect(KINDS.map((kind) => count(kind, 7) > 1)).toEqual([false, true, true, false]);
  expect(KINDS.map((kind) => count(kind, 1))).toEqual([1, 2, 2, 1]);
});
