/** What is drawn over the board. */

export interface Arrow {
  from: string;
  /** The same square makes a circle. */
  to: string;
  /** Drawn by hand, proposed, proposed besides, or what would have been better. */
  kind: "drawn" | "hint" | "line" | "better";
}

/** The same arrow once more takes it away. */
export function toggled(arrows: readonly Arrow[], arrow: Arrow): Arrow[] {
  const rest = arrows.filter(({ from, to }) => from !== arrow.from || to !== arrow.to);
  return rest.length < arrows.length ? rest : [...arrows, arrow];
}
