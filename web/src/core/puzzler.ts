/**
 * Finds puzzles in a worker of its own, so that making them disturbs neither the computer opponent
 * nor an analysis.
 */

import { EngineWorker } from "./engine-worker";
import type { PuzzleProgress, PuzzleTask, PuzzleView } from "./types";

export class Puzzler {
  readonly #worker = new EngineWorker();

  /** Returns the puzzles of a game, or `null` if the search was stopped. Takes one game at a time. */
  find(task: PuzzleTask, onProgress: (progress: PuzzleProgress) => void): Promise<PuzzleView[] | null> {
    return this.#worker.ask("find_puzzles", task, onProgress);
  }

  stop(): void {
    this.#worker.stop();
  }
}
