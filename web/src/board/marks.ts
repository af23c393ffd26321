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

/** Adds an arrow, or removes it if the same arrow is already there. */
export function toggled(arrows: readonly Arrow[], arrow: Arrow): Arrow[] {
  const rest = arrows.filter(({ from, to }) => from !== arrow.from || to !== arrow.to);
  return rest.length < arrows.length ? rest : [...arrows, arrow];
}
