/** Texts for game results, time controls and refusals. */

import { other } from "../board/geometry";
import type { GameView, TimeControl } from "../core/types";
import { t } from "./i18n.svelte";

/** Returns a sentence about how the game ended; empty if it has not ended. */
export function endText(view: Pick<GameView, "end">): string {
  const end = view.end;
  if (!end) return "";
  if (end.reason === "unstated") return end.winner ? t(`won.${end.winner}`) : t("end.draw");
  const reason = t(`end.${end.reason}`);
  if (end.reason === "aborted") return reason;
  if (end.reason === "resignation" && end.winner) return t(`resigned.${other(end.winner)}`);
  return end.winner ? t(`win.${end.winner}`, { reason }) : t("draw.by", { reason });
}

/** Returns a result in PGN notation as people write it: `½–½`. */
export const resultText = (result: string): string => result.replaceAll("1/2", "½").replace("-", "–");

/** Describes a time control in words. */
export function controlText(control: TimeControl): string {
  switch (control.type) {
    case "unlimited":
      return t("clock.none");
    case "count_up":
      return t("clock.up");
    case "increment":
      return `${control.initial_ms / 60_000}\u00a0+\u00a0${control.increment_ms / 1000}`;
    case "delay":
      return `${control.initial_ms / 60_000} d${control.delay_ms / 1000}`;
  }
}

const REFUSALS = [
  "over",
  "illegal_move",
  "touched_piece",
  "nothing_to_claim",
  "touched_before_claim",
  "nothing_to_take_back",
  "takebacks_spent",
  "already_offered",
  "answer_first",
  "offered_too_often",
  "too_late_to_abort",
] as const;

/** Returns the message for an action that the game refused. */
export function refusalText(code: string): string {
  const known = REFUSALS.find((it) => it === code);
  return known ? t(`refusal.${known}`) : t("refusal.other");
}
