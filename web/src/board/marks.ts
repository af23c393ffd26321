/** What is drawn over the board. */

/** The paints that games keep arrows in, by their letters: green, red, yellow, blue. */
export type Paint = "G" | "R" | "Y" | "B";

export interface Arrow {
  from: string;
  /** The same square makes a circle. */
  to: string;
  /** Drawn by hand, proposed, proposed besides, or what would have been better. */
  kind: "drawn" | "hint" | "line" | "better";
  /** Of one that is drawn by hand; green if nothing is said. */
  paint?: Paint;
}

/** The colors of arrows, by the names of their tokens. */
export function tokenOf({ kind, paint = "G" }: Arrow): string {
  return kind === "drawn" ? PAINTS[paint] : kind === "better" ? "--mark-target" : "--mark-hint";
}

const PAINTS: Record<Paint, string> = {
  G: "--mark-arrow",
  R: "--mark-arrow-red",
  Y: "--mark-arrow-yellow",
  B: "--mark-arrow-blue",
};

/** The same arrow once more takes it away. */
export function toggled(arrows: readonly Arrow[], arrow: Arrow): Arrow[] {
  const rest = arrows.filter(({ from, to }) => from !== arrow.from || to !== arrow.to);
  return rest.length < arrows.length ? rest : [...arrows, arrow];
}
