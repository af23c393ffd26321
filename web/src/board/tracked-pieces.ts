/**
 * Tracks pieces from one board to the next, so that their movement can be animated.
 *
 * Compares two boards and nothing else: a piece that disappeared from one square and appeared on
 * another is taken to be the same piece, the nearest first.
 */

import type { BoardText } from "../core/types";
import { SQUARES, indexOf } from "./geometry";

/** A piece with an id that stays the same while the piece moves. */
export interface TrackedPiece {
  id: number;
  piece: string;
  square: string;
}

let lastId = 0;

/** Returns the pieces of a board, keeping the ids of the pieces that were there before. */
export function follow(before: readonly TrackedPiece[], board: BoardText): TrackedPiece[] {
  const stays = before.filter((tracked) => board[indexOf(tracked.square)] === tracked.piece);
  const gone = before.filter((tracked) => !stays.includes(tracked));
  const taken = new Set(stays.map((tracked) => tracked.square));
  const arrived = SQUARES.filter((square, index) => board[index] !== "." && !taken.has(square)).map(
    (square) => arrive(gone, board[indexOf(square)] ?? ".", square),
  );
  return [...stays, ...arrived].sort((one, two) => one.id - two.id);
}

/**
 * Returns the piece that has arrived on a square: the nearest of its kind that is gone from another
 * square, or a new one.
 */
function arrive(gone: TrackedPiece[], piece: string, square: string): TrackedPiece {
  const candidates = gone.filter((tracked) => tracked.piece === piece);
  const nearest = candidates.sort((one, two) => distance(one, square) - distance(two, square))[0];
  if (!nearest) return { id: ++lastId, piece, square };
  gone.splice(gone.indexOf(nearest), 1);
  return { ...nearest, square };
}

function distance(piece: TrackedPiece, square: string): number {
  const [one, two] = [indexOf(piece.square), indexOf(square)];
  return Math.abs((one % 8) - (two % 8)) + Math.abs(Math.floor(one / 8) - Math.floor(two / 8));
}
