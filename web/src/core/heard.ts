/**
 * The lines that an engine tells one by one, best first, and again when it has looked deeper.
 *
 * What counts are the last ones that belong together: a move that has just become the best would
 * otherwise stand there a second time, as what it was before.
 */

import type { Told } from "./local";
import type { ThoughtLine } from "./types";

/** The last lines that belong together. */
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
