/**
 * Finds puzzles in a worker of its own, so that making them disturbs neither the computer opponent
 * nor an analysis. A search cannot be interrupted; stopping it means terminating the worker.
 */

import { engineLoad } from "./engine-load.svelte";
import type { EngineRequest } from "./engine.worker";
import type { PuzzleProgress, PuzzleTask, PuzzleView } from "./types";

interface Waiting {
  onProgress: (progress: PuzzleProgress) => void;
  resolve(puzzles: PuzzleView[] | null): void;
  reject(error: Error): void;
}

interface Message {
  id?: number;
  answer?: PuzzleView[];
  report?: PuzzleProgress;
  text?: string;
}

export class Puzzler {
  #worker: Worker | undefined;
  #last = 0;
  #waiting: Waiting | null = null;

  /** Returns the puzzles of a game, or `null` if the search was stopped. Takes one game at a time. */
  find(task: PuzzleTask, onProgress: (progress: PuzzleProgress) => void): Promise<PuzzleView[] | null> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting = { onProgress, resolve, reject };
      worker.postMessage({ id, name: "find_puzzles", request: task } satisfies { id: number } & EngineRequest);
    });
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    engineLoad.end();
    this.#waiting?.resolve(null);
    this.#waiting = null;
  }

  #start(): Worker {
    const made = new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" });
    engineLoad.follow(made);
    made.onmessage = (event: MessageEvent<Message>) => {
      const { id, answer, report, text } = event.data;
      const asked = id === this.#last ? this.#waiting : null;
      if (!asked) return;
      if (report) {
        asked.onProgress(report);
        return;
      }
      this.#waiting = null;
      if (answer) asked.resolve(answer);
      else asked.reject(new Error(text ?? "engine_failed"));
    };
    made.onerror = (event) => {
      this.#waiting?.reject(new Error(event.message));
      this.#waiting = null;
    };
    return made;
  }
}
