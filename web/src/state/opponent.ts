/**
 * How the computer behaves as an opponent besides its moves: how long it takes for a move, when it
 * resigns, and when it offers a draw.
 *
 * Only functions of what is passed in. The strength of the moves is the engine's; the rules of
 * resigning and of draws are the game's.
 */

import type { Color, GameView, Score } from "../core/types";

/** What the time for a move depends on. */
export interface Decision {
  /** Number of plies played before the move. */
  ply: number;
  /** Number of legal moves. */
  choices: number;
  isCheck: boolean;
  /** Whether the move captures on the square where the opponent has just captured. */
  isRecapture: boolean;
  /** How much the score changed since the computer's last move, in centipawns. */
  surprise: number;
  /** Time left and increment in milliseconds; `null` without a clock that counts down. */
  clock: { remaining: number; increment: number } | null;
  /** A number from 0 to 1 that makes moves differ. */
  chance: number;
}

/** Shortest time for a move, so that the user can follow it. */
export const MIN_REPLY_MS = 350;
/** Longest time for a move of a level. */
const MAX_REPLY_MS = 20_000;
/** Usual time for a move without a clock. */
const UNTIMED_MS = 1200;
/** Number of plies that people know by heart. */
const KNOWN_PLIES = 12;

/**
 * Returns how long a person would take for a move, in milliseconds: less for what is forced or known,
 * more after a surprise and with many choices. It never takes more than a tenth of the clock.
 */
export function replyTime(decision: Decision): number {
  const { clock, choices, isCheck, isRecapture, ply, surprise, chance } = decision;
  const usual = clock ? clock.remaining / 80 + clock.increment / 2 : UNTIMED_MS;
  const most = clock ? Math.min(MAX_REPLY_MS, clock.remaining / 10) : 2.5 * UNTIMED_MS;
  let share = 1;
  if (choices === 1) share = 0.1;
  else if (isRecapture) share = 0.2;
  else if (ply < KNOWN_PLIES) share = 0.3;
  else if (isCheck) share = 0.6;
  else share = 0.6 + Math.min(1, choices / 50) + Math.min(1, Math.abs(surprise) / 200);
  const time = usual * share * (0.6 + 0.8 * chance);
  return Math.max(Math.min(MIN_REPLY_MS, most), Math.min(time, most));
}

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
/** Number of plies before which nobody resigns or offers a draw. */
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

/** Returns the decision that a game asks for, given the computer's move. */
export function decisionOf(view: GameView, uci: string, surprise: number, chance: number): Decision {
  const last = view.plies.at(-1);
  const { remaining_ms: remaining } = view.clocks[view.turn];
  const control = view.settings.time_control;
  const increment = control.type === "increment" ? control.increment_ms : 0;
  return {
    ply: view.plies.length,
    choices: view.position.moves.length,
    isCheck: view.position.check !== null,
    isRecapture: last?.captured != null && last.to === uci.slice(2, 4),
    surprise,
    clock: remaining === null ? null : { remaining, increment },
    chance,
  };
}

/** Returns the number of plies since the last capture or pawn move. */
export const halfmoveClockOf = (fen: string): number => Number(fen.split(" ")[4]) || 0;
