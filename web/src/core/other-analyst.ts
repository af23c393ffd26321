/**
 * Analyzes with an engine on this machine.
 *
 * Searches of other engines are limited by time, because engines count nodes differently. Closing the
 * request stops the search.
 */

import type { Analyst, Progress, Question, Seen } from "./analyst";
import { LatestLines } from "./latest-lines";
import { LocalRefusal } from "./local";
import { analyzeElsewhere } from "./other-engine";
import type { SearchReport, SearchTask } from "./types";

/** Search time in milliseconds: for each position of the game, and for the one on the board. */
const GAME_MS = 300;
const BOARD_MS = 2_000;
/** The longest search that the program on this machine allows. */
export const ENDLESS_MS = 3_600_000;
/**
 * Time that a stopped engine gets before the next request, so that no second process is started.
 */
const STOPPING_MS = 150;
/** Delay before the one retry, for an engine that crashed or has not stopped yet. */
const AGAIN_MS = 1_000;
/** Error codes that are worth a retry. */
const PASSING = ["engine_failed", "engine_busy"];

/** What limits a search besides its question. */
export type Limits = Pick<SearchTask, "nodes" | "move_time_ms" | "threads">;

const byTime = ({ isOnBoard, isEndless }: Question): Limits => ({ move_time_ms: isEndless ? ENDLESS_MS : isOnBoard ? BOARD_MS : GAME_MS });

export class OtherAnalyst implements Analyst {
  readonly isNimble = true;
  readonly #engine: number;
  readonly #limits: (question: Question) => Limits;
  #asked: AbortController | null = null;
  #stopping: Promise<void> | null = null;

  constructor(engine: number, limits = byTime) {
    this.#engine = engine;
    this.#limits = limits;
  }

  async think(question: Question, onProgress?: (progress: Progress) => void): Promise<Seen | null> {
    const asked = new AbortController();
    this.#asked = asked;
    await this.#stopping;
    try {
      return await this.#twice(question, asked.signal, onProgress);
    } finally {
      if (this.#asked === asked) this.#asked = null;
    }
  }

  stop(): void {
    if (!this.#asked) return;
    this.#asked.abort();
    this.#asked = null;
    this.#stopping = pause(STOPPING_MS);
  }

  async #twice(question: Question, signal: AbortSignal, onProgress?: (progress: Progress) => void): Promise<Seen | null> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await this.#ask(question, signal, onProgress);
      } catch (error) {
        if (signal.aborted) return null;
        const isFinal = error instanceof LocalRefusal && !PASSING.includes(error.code);
        if (attempt === 2 || isFinal) throw error;
        await pause(AGAIN_MS, signal);
      }
    }
    return null;
  }

  async #ask(question: Question, signal: AbortSignal, onProgress?: (progress: Progress) => void): Promise<Seen | null> {
    const latest = new LatestLines();
    const { start, moves, is_chess960, lines } = question;
    const task = { start, moves, is_chess960, lines, ...this.#limits(question) };
    const take = (report: SearchReport) => {
      latest.take(report);
      onProgress?.({ lines: latest.lines.slice(0, lines), depth: report.depth, nodes: report.nodes, time_ms: report.time_ms });
    };
    const result = await analyzeElsewhere(this.#engine, task, take, signal);
    const seen = latest.lines.slice(0, lines);
    // With a single legal move, an engine may report no line; then the final answer has the score.
    const score = seen[0]?.score ?? result.score;
    return score ? { score, lines: seen } : null;
  }
}

/** Waits for a time, or until the signal is aborted. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      done();
    });
  });
}
