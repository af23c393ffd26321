/** How strong the engine can be asked to be, and what people of that strength are called. */

import { t, type MessageKey } from "./i18n.svelte";

export const LOWEST = 400;
export const HIGHEST = 2800;
/** How fine the scale is. */
export const STEP = 50;
/** The end of the scale, where nothing holds the engine back. */
export const FULL = 2900;

/** What stands under the scale. */
export const SCALE: readonly [number, MessageKey][] = [
  [LOWEST, "level.beginner"],
  [1550, "level.club"],
  [2100, "level.expert"],
  [FULL, "level.full"],
];

export const isFull = (points: number): boolean => points > HIGHEST;

/** What a player of so many points is called. */
export function levelWord(points: number): string {
  if (isFull(points)) return t("level.full");
  if (points < 800) return t("level.beginner");
  if (points < 1400) return t("level.casual");
  if (points < 1800) return t("level.club");
  return t(points < 2300 ? "level.expert" : "level.master");
}
