/** Formats evaluations, annotation symbols and moves. */

import type { TreeMove, Verdict, PositionScore } from "../core/types";
import { localSan, locale, t } from "../state/i18n.svelte";

/** Symbols of the common numeric annotation glyphs (NAGs). */
export const SIGNS: Record<number, string> = {
  1: "!",
  2: "?",
  3: "!!",
  4: "??",
  5: "!?",
  6: "?!",
  7: "□",
  10: "=",
  13: "∞",
  14: "⩲",
  15: "⩱",
  16: "±",
  17: "∓",
  18: "+−",
  19: "−+",
  22: "⨀",
  32: "⟳",
  36: "→",
  40: "↑",
  132: "⇆",
  146: "N",
};

export const sign = (glyph: number): string => SIGNS[glyph] ?? `$${glyph}`;

export const VERDICT_SIGNS: Record<Verdict, string> = { fine: "", inaccuracy: "?!", mistake: "?", blunder: "??" };

/** Formats an evaluation: `+1.3`, `#−4`, `1–0`. */
export function scoreText(worth: PositionScore): string {
  if ("over" in worth) return worth.over > 0 ? "1–0" : worth.over < 0 ? "0–1" : "½–½";
  if ("mate" in worth) return `#${worth.mate}`.replace("-", "−");
  const pawns = Math.round(worth.cp / 10) / 10;
  const form = { minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: "exceptZero" } as const;
  return new Intl.NumberFormat(locale.language, form).format(pawns).replace("-", "−");
}

/** Formats the accuracy of a player: `87%`. */
export const accuracyText = (percent: number): string =>
  new Intl.NumberFormat(locale.language, { style: "percent", maximumFractionDigits: 0 }).format(percent / 100);

/** Formats an average loss in pawns. */
export const lossText = (cp: number): string =>
  new Intl.NumberFormat(locale.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(cp / 100);

/** Describes an evaluation in words, for screen readers. */
export function scoreWords(worth: PositionScore): string {
  if ("over" in worth) return scoreText(worth);
  if ("mate" in worth) return t(worth.mate > 0 ? "review.whiteMates" : "review.blackMates", { count: Math.abs(worth.mate) });
  if (Math.abs(worth.cp) < 30) return t("review.even", { worth: scoreText(worth) });
  return t(worth.cp > 0 ? "review.whiteBetter" : "review.blackBetter", { worth: scoreText(worth) });
}

/** Returns the number in front of a move. */
export const numbered = (move: Pick<TreeMove, "number" | "is_white">): string => `${move.number}${move.is_white ? "." : "…"}`;

/** Returns a move with its number, in the piece letters of the language. */
export const moveText = (move: TreeMove, figurines: boolean): string => `${numbered(move)} ${localSan(move.san, figurines)}`;

/** Returns the moves of a line with their numbers. */
export function lineText(sans: readonly string[], number: number, isWhite: boolean, figurines: boolean): string[] {
  return sans.map((san, index) => {
    const ply = index + (isWhite ? 0 : 1);
    const at = number + Math.floor(ply / 2);
    const prefix = ply % 2 === 0 ? `${at}.\u00a0` : index === 0 ? `${at}…\u00a0` : "";
    return prefix + localSan(san, figurines);
  });
}

/** Formats a clock time. */
export function clockText(ms: number): string {
  const pad = (number: number) => String(number).padStart(2, "0");
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}
