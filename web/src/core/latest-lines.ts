/**
 * Collects the lines that an engine reports one by one, best first and again at each new depth.
 *
 * Keeps the last complete set only. If depths were mixed, a move that just became the best one
 * would be listed a second time, at its old rank.
 */

import type { SearchLine } from "./types";

/** The last complete set of engine lines. */
export class LatestLines {
  lines: SearchLine[] = [];
  #now: SearchLine[] = [];

  take({ rank, depth, score, moves, line }: SearchLine): void {
    const others = rank === 1 ? [] : this.#now.filter((it) => it.rank !== rank && it.moves[0] !== moves[0]);
    this.#now = [...others, { rank, depth, score, moves, line }].sort((one, other) => one.rank - other.rank);
    if (this.#now.length >= this.lines.length) this.lines = this.#now;
  }
}
