/**
 * Tracks pieces from one board to the next, so that their movement can be animated.
 *
 * Compares two boards and nothing else: a piece that disappeared from one square and appeared on
 * another is taken to be the same piece, the nearest first.
 */

import type { BoardText } from "../core/types";
import { SQUARES, indexOf } from "./geometry";

export interface Man {
  id: number;
  piece: string;
  square: string;
}

let last = 0;

/** Returns the pieces of a board, keeping the ids of the pieces that were there before. */
export function follow(before: readonly Man[], board: BoardText): Man[] {
  const stays = before.filter((man) => board[indexOf(man.square)] === man.piece);
  const gone = before.filter((man) => !stays.includes(man));
  const taken = new Set(stays.map((man) => man.square));
  const came = SQUARES.filter((square, index) => board[index] !== "." && !taken.has(square)).map(
    (square) => arrive(gone, board[indexOf(square)] ?? ".", square),
  );
  return [...stays, ...came].sort((one, two) => one.id - two.id);
}

function arrive(gone: Man[], piece: string, square: string): Man {
  const candidates = gone.filter((man) => man.piece === piece);
  const nearest = candidates.sort((one, two) => distance(one, square) - distance(two, square))[0];
  if (!nearest) return { id: ++last, piece, square };
  gone.splice(gone.indexOf(nearest), 1);
  return { ...nearest, square };
}

function distance(man: Man, square: string): number {
  const [one, two] = [indexOf(man.square), indexOf(square)];
  return Math.abs((one % 8) - (two % 8)) + Math.abs(Math.floor(one / 8) - Math.floor(two / 8));
}
