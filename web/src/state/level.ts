/** Strength levels of the engine, and the names of playing strengths. */

import { t, type MessageKey } from "./i18n.svelte";

/** Name of the built-in engine in games and files, in every language. */
export const COMPUTER = "Computer";
export const LOWEST = 400;
export const HIGHEST = 2800;
/** Step of the strength slider, in Elo points. */
export const STEP = 50;
/** End of the slider: full strength, without any limit. */
export const FULL = 2900;

/** Labels under the slider. */
export const SCALE: readonly [number, MessageKey][] = [
  [LOWEST, "level.beginner"],
  [1550, "level.club"],
  [2100, "level.expert"],
  [FULL, "level.full"],
];

export const isFull = (points: number): boolean => points > HIGHEST;

/** Returns the name of a playing strength. */
export function levelWord(points: number): string {
  if (isFull(points)) return t("level.full");
  if (points < 800) return t("level.beginner");
  if (points < 1400) return t("level.casual");
  if (points < 1800) return t("level.club");
  return t(points < 2300 ? "level.expert" : "level.master");
}
