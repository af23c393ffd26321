/** Exercises: puzzles, and mistakes from reviewed games for which a better move is to be found. */

import type { RatingView, ThemeName, Verdict, PositionScore } from "../core/types";
import type { Progress } from "./schedule";

export interface Exercise extends Progress {
  /** Identifies the position; the kind is its first letter. */
  id: string;
  kind: "puzzle" | "mistake";
  /** FEN of the position before the opponent's last move, and that move in UCI; empty if there is none. */
  before: string;
  last: string;
  fen: string;
  is_chess960: boolean;
  /** The solution in UCI and SAN; of a mistake only the first move is asked for. */
  moves: string[];
  line: string[];
  themes: ThemeName[];
  /** Estimated rating of a puzzle; 0 for a mistake, which is not rated. */
  estimate: number;
  rating: RatingView | null;
  /** What was played instead, how bad that was, and the evaluation before it; only for mistakes. */
  played: { san: string; verdict: Exclude<Verdict, "fine">; worth: PositionScore } | null;
  /** The game as a link, and the number of moves up to the position. */
  game: string;
  ply: number;
  white: string;
  black: string;
  /** When it was made, in milliseconds. */
  added: number;
}

/** Returns how many of its moves the solver has to find. */
export const askedMoves = (exercise: Exercise): number => (exercise.kind === "mistake" ? 1 : exercise.moves.length);

/** Returns whether the solver plays White. */
export const isWhite = (exercise: Exercise): boolean => exercise.fen.split(" ")[1] === "w";
