/**
 * Client of the engine's worker, which is started when it is first needed.
 *
 * A search cannot be interrupted; to stop one, the worker is terminated, and the next request starts
 * another. Users that must not disturb each other have a client each.
 */

import { engineLoad } from "./engine-load.svelte";
import type { EngineName, EngineRequest } from "./engine.worker";
import type { Api, PuzzleProgress, SearchReport } from "./types";

/** What a request reports before its response. */
interface Reports {
  search: SearchReport;
  consider_draw: never;
  find_puzzles: PuzzleProgress;
}

interface Waiting {
  onReport: ((report: never) => void) | undefined;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: number;
  answer?: unknown;
  report?: unknown;
  error?: string;
  text?: string;
}

export class EngineWorker {
  #worker: Worker | undefined;
  #last = 0;
  #waiting = new Map<number, Waiting>();

  /** Whether a request is not answered yet. */
  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** Starts the worker ahead of time, so that the first request does not wait for it. */
  start(): void {
    this.#worker ??= this.#create();
  }

  /** Sends a request. Returns its response, or `null` if it was stopped. */
  ask<Name extends EngineName>(
    name: Name,
    request: Api[Name]["request"],
    onReport?: (report: Reports[Name]) => void,
  ): Promise<Api[Name]["response"] | null> {
    const worker = (this.#worker ??= this.#create());
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { onReport, resolve: resolve as Waiting["resolve"], reject });
      worker.postMessage({ id, name, request } as { id: number } & EngineRequest);
    });
  }

  /** Stops everything; pending requests are answered with `null`. */
  stop(): void {
    this.#end();
    engineLoad.end();
    for (const { resolve } of this.#take()) resolve(null);
  }

  #create(): Worker {
    const made = new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" });
    engineLoad.follow(made);
    made.onmessage = (event: MessageEvent<Message>) => this.#receive(event.data);
    made.onerror = (event) => {
      // The next request tries again with a new worker.
      this.#end();
      for (const { reject } of this.#take()) reject(new Error(event.message));
    };
    return made;
  }

  #receive({ id, answer, report, error, text }: Message): void {
    const asked = id === undefined ? undefined : this.#waiting.get(id);
    if (!asked || id === undefined) return;
    if (report !== undefined) {
      asked.onReport?.(report as never);
      return;
    }
    this.#waiting.delete(id);
    if (answer !== undefined) asked.resolve(answer);
    else asked.reject(new Error(`${error ?? "engine_failed"}: ${text ?? ""}`));
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Returns the pending requests, which are pending no longer. */
  #take(): Waiting[] {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    return waiting;
  }
}
