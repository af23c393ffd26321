/**
 * The interface of engines that analyze games, and its implementation by the built-in engine.
 *
 * The built-in engine analyzes in its own worker, so that it does not disturb the computer
 * opponent, or with several threads as a program on this machine. Each analyst decides how much time or
 * how many nodes a question gets.
 */

import { settings, type Choices } from "../state/settings.svelte";
import { EngineWorker } from "./engine-worker";
import { LatestLines } from "./latest-lines";
import { ENDLESS_MS, OtherAnalyst, type Limits } from "./other-analyst";
import { ownThreads } from "./own-threads.svelte";
import type { Score, SearchLine } from "./types";

export interface Question {
  start: string;
  moves: string[];
  is_chess960: boolean;
  /** Number of best lines to return. */
  lines: number;
  /**
   * Whether this is the position on the board: the user is waiting for it, so it is searched
   * longer.
   */
  isOnBoard: boolean;
  /** Whether to search until stopped. */
  isEndless?: boolean;
}

export interface Seen {
  score: Score;
  lines: SearchLine[];
}

/** What a search has found so far. */
export interface Progress {
  lines: SearchLine[];
  depth: number;
  nodes: number;
  /** Time spent so far. */
  time_ms: number;
}

export interface Analyst {
  /**
   * Whether stopping is cheap. If so, a search is stopped as soon as its answer is no longer
   * needed.
   */
  readonly isNimble: boolean;
  /**
   * Searches a position and reports to `onProgress` meanwhile. Returns `null` if it was stopped or
   * has no result.
   */
  think(question: Question, onProgress?: (progress: Progress) => void): Promise<Seen | null>;
  stop(): void;
}

/** Nodes per search: for each position of the game, and for the one on the board. */
const NODES: Record<Choices["analysis"], { game: number; board: number }> = {
  quick: { game: 20_000, board: 50_000 },
  normal: { game: 120_000, board: 300_000 },
  thorough: { game: 600_000, board: 2_000_000 },
};

/** Returns how many positions a question is worth; `null` for no limit. */
function nodesFor({ isOnBoard, isEndless }: Question): number | null {
  const { game, board } = NODES[settings.analysis] ?? NODES.normal;
  return isEndless ? null : isOnBoard ? board : game;
}

/** Returns what limits the search of a question if the program on this machine thinks. */
const programLimits = (question: Question): Limits => ({
  nodes: nodesFor(question),
  move_time_ms: question.isEndless ? ENDLESS_MS : null,
  threads: ownThreads.count,
});

export class OwnAnalyst implements Analyst {
  readonly #worker = new EngineWorker();
  /** The same engine as a program. */
  #program: OtherAnalyst | null = null;

  /** A worker has to be started anew after a stop. */
  get isNimble(): boolean {
    return ownThreads.program !== null;
  }

  async think(question: Question, onProgress?: (progress: Progress) => void): Promise<Seen | null> {
    const program = ownThreads.program;
    if (!program) return this.#thinkHere(question, onProgress);
    this.#program ??= new OtherAnalyst(program.id, programLimits);
    try {
      return await this.#program.think(question, onProgress);
    } catch {
      ownThreads.fail();
      return this.#thinkHere(question, onProgress);
    }
  }

  async #thinkHere(question: Question, onProgress?: (progress: Progress) => void): Promise<Seen | null> {
    const { start, moves, is_chess960, lines } = question;
    const nodes = nodesFor(question);
    const task = { start, moves, is_chess960, nodes, lines, wants_reports: onProgress !== undefined };
    const latest = new LatestLines();
    const result = await this.#worker.ask("search", task, (report) => {
      latest.take(report);
      onProgress?.({ lines: latest.lines.slice(0, lines), depth: report.depth, nodes: report.nodes, time_ms: report.time_ms });
    });
    // Uses the score of the last complete line; a search that runs out of nodes may end with a
    // partial result.
    const score = result?.lines[0]?.score ?? result?.score;
    return result && score ? { score, lines: result.lines } : null;
  }

  stop(): void {
    this.#worker.stop();
    this.#program?.stop();
  }
}
