/** Arrows: one outline each, which begins on the first square and has its tip on the last one. */

import { expect, test } from "vitest";
import { arrowPath, type Arrow } from "../src/board/marks";

const KINDS: Arrow["kind"][] = ["drawn", "hint", "line", "better"];
const center = (square: number) => ({ x: (square % 8) * 100 + 50, y: Math.floor(square / 8) * 100 + 50 });

test("an arrow has its tip on the target, lies between its squares, and its head is never detached", () => {
  for (const kind of KINDS) {
    for (let from = 0; from < 64; from++) {
      for (let to = 0; to < 64; to++) {
        if (from === to) continue;
        const [start, end] = [center(from), center(to)];
        const path = arrowPath({ kind }, start, end);
        const parts = path.split("Z").filter(Boolean);
        expect(parts.every((part) => /^M[-\d.]+,[-\d.]+(L[-\d.]+,[-\d.]+)+$/.test(part)), path).toBe(true);
        // The part with the head has its share of the shaft: two points more than the triangle has.
        expect(parts[0]?.split("L")).toHaveLength(7);
        expect(parts[0]?.split("L")).toContain(`${end.x},${end.y}`);
        const length = Math.hypot(end.x - start.x, end.y - start.y);
        for (const point of path.matchAll(/([-\d.]+),([-\d.]+)/g)) {
          const [x, y] = [Number(point[1]) - start.x, Number(point[2]) - start.y];
          const along = (x * (end.x - start.x) + y * (end.y - start.y)) / length;
          expect(along).toBeGreaterThan(20);
          expect(along).toBeLessThan(length + 1);
        }
      }
    }
  }
});

test("only hints and engine lines are dashed, and only where there is room", () => {
  const count = (kind: Arrow["kind"], to: number) => arrowPath({ kind }, center(0), center(to)).split("M").length - 1;
  expect(KINDS.map((kind) => count(kind, 7) > 1)).toEqual([false, true, true, false]);
  expect(KINDS.map((kind) => count(kind, 1))).toEqual([1, 2, 2, 1]);
});
