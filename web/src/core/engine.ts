/**
 * The computer opponent, in a worker that is started when it is first needed.
 *
 * A search cannot be interrupted; to cancel one, the worker is replaced.
 */

import { engineLoad } from "./engine-load.svelte";
import type { EngineRequest } from "./engine.worker";
import type { DrawOffer, SearchResult, SearchTask } from "./types";

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, Waiting>();

function start(): Worker {
  const made = new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" });
  engineLoad.follow(made);
  made.onmessage = (event: MessageEvent<{ id?: number; answer?: unknown; error?: string; text?: string }>) => {
    const { id, answer, error, text } = event.data;
    const asked = id === undefined ? undefined : waiting.get(id);
    if (!asked || id === undefined) return;
    waiting.delete(id);
    if (answer !== undefined) asked.resolve(answer);
    else asked.reject(new Error(`${error ?? "engine_failed"}: ${text ?? ""}`));
  };
  made.onerror = (event) => {
    for (const asked of waiting.values()) asked.reject(new Error(event.message));
    waiting.clear();
  };
  return made;
}

/** Starts the worker ahead of time, so that the first move does not wait for it. */
export function warmUp(): void {
  worker ??= start();
}

/** Searches a position and returns the engine's move. */
export const search = (request: SearchTask): Promise<SearchResult> => ask({ name: "search", request }) as Promise<SearchResult>;

/** Returns whether the computer accepts a draw. */
export const considerDraw = (request: DrawOffer): Promise<boolean> => ask({ name: "consider_draw", request }) as Promise<boolean>;

function ask(request: EngineRequest): Promise<unknown> {
  worker ??= start();
  const id = ++last;
  const busy = worker;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    busy.postMessage({ id, ...request });
  });
}

/** Drops all pending requests; their promises never resolve. */
export function stopThinking(): void {
  if (waiting.size === 0) return;
  worker?.terminate();
  worker = undefined;
  engineLoad.end();
  waiting.clear();
}
