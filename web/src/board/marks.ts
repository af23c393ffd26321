/** Arrows and circles drawn over the board. */

/** Color of an arrow, by its letter in PGN comments: green, red, yellow, blue. */
export type Paint = "G" | "R" | "Y" | "B";

export interface Arrow {
  from: string;
  /** Target square; equal to `from` for a circle. */
  to: string;
  /** Drawn by the user, the best move, another engine line, or the better move that was missed. */
  kind: "drawn" | "hint" | "line" | "better";
  /** Color of an arrow drawn by the user; green by default. */
  paint?: Paint;
}

/** Returns the CSS color token of an arrow. */
export function tokenOf({ kind, paint = "G" }: Arrow): string {
  return kind === "drawn" ? PAINTS[paint] : kind === "better" ? "--mark-target" : "--mark-hint";
}

const PAINTS: Record<Paint, string> = {
  G: "--mark-arrow",
  R: "--mark-arrow-red",
  Y: "--mark-arrow-yellow",
  B: "--mark-arrow-blue",
};

interface Point {
  x: number;
  y: number;
}

/** Lengths for squares of 100 units. */
const TAIL = 24;
const HEAD = 36;
const HEAD_HALF = 21;
const DASH = 24;
const GAP = 12;

/**
 * Returns the outline of an arrow between the centers of two squares, as one SVG path that is
 * filled. Hints and engine lines have a dashed shaft.
 */
export function arrowPath({ kind }: Pick<Arrow, "kind">, from: Point, to: Point): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const round = (number: number) => Math.round(number * 10) / 10;
  /** A point by its distance from the start and from the axis. */
  const at = (along: number, aside: number) => `${round(from.x + dx * along - dy * aside)},${round(from.y + dy * along + dx * aside)}`;
  const half = kind === "line" ? 4 : 6.5;
  const neck = length - HEAD;
  const head = (join: string) => `${join}${at(neck, HEAD_HALF)}L${at(length, 0)}L${at(neck, -HEAD_HALF)}`;
  // The last dash is joined to the head, so that no arrow falls apart.
  const isDashed = kind === "hint" || kind === "line";
  const dashes: [number, number][] = [];
  let end = neck;
  while (isDashed && end - DASH - GAP > TAIL) {
    dashes.push([end - DASH, end]);
    end -= DASH + GAP;
  }
  dashes.push([TAIL, end]);
  const [last, ...others] = dashes;
  const box = ([a, b]: [number, number]) => `M${at(a, half)}L${at(b, half)}L${at(b, -half)}L${at(a, -half)}Z`;
  const [a, b] = last ?? [TAIL, neck];
  return `M${at(a, half)}L${at(b, half)}${head("L")}L${at(b, -half)}L${at(a, -half)}Z${others.map(box).join("")}`;
}

/** Adds an arrow, or removes it if the same arrow is already there. */
export function toggled(arrows: readonly Arrow[], arrow: Arrow): Arrow[] {
  const rest = arrows.filter(({ from, to }) => from !== arrow.from || to !== arrow.to);
  return rest.length < arrows.length ? rest : [...arrows, arrow];
}
