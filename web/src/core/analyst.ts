/**
 * The engine as an analyst, in a worker of its own: the opponent is not disturbed by it.
 *
 * A search cannot be interrupted; to stop is to end the worker.
 */

import type { ThinkTask, Thought } from "./types";

interface Waiting {
  resolve(thought: Thought | null): void;
  reject(error: Error): void;
}

export class Analyst {
  #worker: Worker | undefined;
  #last = 0;
  #waiting = new Map<number, Waiting>();

  /** What the engine thinks; nothing if it was stopped meanwhile. */
  think(task: ThinkTask): Promise<Thought | null> {
    this.#worker ??= this.#start();
    const id = ++this.#last;
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, task });
    });
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { resolve } of waiting) resolve(null);
  }

  #start(): Worker {
    const made = new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" });
    made.onmessage = (event: MessageEvent<{ id?: number; thought?: Thought; text?: string }>) => {
      const { id, thought, text } = event.data;
      const asked = id === undefined ? undefined : this.#waiting.get(id);
      if (!asked || id === undefined) return;
      this.#waiting.delete(id);
      if (thought) asked.resolve(thought);
      else asked.reject(new Error(text ?? "engine_failed"));
    };
    made.onerror = (event) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(event.message));
      this.#waiting.clear();
    };
    return made;
  }
}
