/**
 * Collects the lines that an engine reports one by one, best first and again at each new depth.
 *
 * Keeps the last complete set only. If depths were mixed, a move that just became the best one
 * would be listed a second time, at its old rank.
 */

import type { ThoughtLine } from "./types";

/** A line as an engine reports it; engines may leave out the depth and the score. */
type Told = Omit<ThoughtLine, "depth" | "score"> & { depth: number | null; score: ThoughtLine["score"] | null };

/** The last complete set of engine lines. */
export class Heard {
  lines: ThoughtLine[] = [];
  #now: ThoughtLine[] = [];

  take({ rank, depth, score, moves, line }: Told): void {
    if (!score || moves.length === 0) return;
    const others = rank === 1 ? [] : this.#now.filter((it) => it.rank !== rank && it.moves[0] !== moves[0]);
    this.#now = [...others, { rank, depth: depth ?? 0, score, moves, line }].sort((one, other) => one.rank - other.rank);
    if (this.#now.length >= this.lines.length) this.lines = this.#now;
  }
}
