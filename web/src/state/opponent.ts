/**
 * How the computer behaves as an opponent besides its moves: when it resigns, and when it offers a
 * draw.
 *
 * Only functions of what is passed in. The strength of the moves is the engine's; the rules of
 * resigning and of draws are the game's, and so is the time that a person takes for a move.
 */

import type { Color, Score } from "../core/types";

/** Returns a score in centipawns for a color; a mate counts as a hundred pawns. */
export function worthFor(score: Score, color: Color): number {
  const white = "cp" in score ? score.cp : Math.sign(score.mate) * 10_000;
  return color === "white" ? white : -white;
}

/** Weakest level that resigns and offers draws: beginners play to the end. */
const POLITE_LEVEL = 1400;
const isPolite = (level: number | null): boolean => level === null || level >= POLITE_LEVEL;
/** Number of moves in a row after which a game counts as lost or as drawn. */
const IN_A_ROW = 3;
/** Number of plies before which the computer neither resigns nor offers a draw. */
const EARLY_PLIES = 20;
const DRAWISH_PLIES = 60;
const IDLE_PLIES = 12;

/** Returns the loss in centipawns from which a level resigns: stronger players see sooner that a game is lost. */
export const hopelessAt = (level: number | null): number => -Math.round(1200 - (Math.min(level ?? 2800, 2800) - POLITE_LEVEL) / 3);

/**
 * Returns whether the computer resigns. `worths` are its scores before its last moves, the newest last.
 * It lets the opponent show a mate in two moves or fewer.
 */
export function resigns(worths: readonly number[], level: number | null, ply: number, mateIn: number | null): boolean {
  if (!isPolite(level) || ply < EARLY_PLIES || (mateIn !== null && mateIn <= 2)) return false;
  return worths.length >= IN_A_ROW && worths.slice(-IN_A_ROW).every((worth) => worth <= hopelessAt(level));
}

/**
 * Returns whether the computer thinks of offering a draw: late in a game in which nothing happens any
 * more and neither side is better. Its engine has the last word.
 */
export function thinksOfDraw(worths: readonly number[], level: number | null, ply: number, halfmoveClock: number): boolean {
  if (!isPolite(level) || ply < DRAWISH_PLIES || halfmoveClock < IDLE_PLIES) return false;
  return worths.length >= IN_A_ROW && worths.slice(-IN_A_ROW).every((worth) => Math.abs(worth) < 30);
}

/** Returns the number of plies since the last capture or pawn move. */
export const halfmoveClockOf = (fen: string): number => Number(fen.split(" ")[4]) || 0;
