/** The computer opponent, in a worker of its own. */

import { EngineWorker } from "./engine-worker";
import type { DrawOffer, SearchResult, SearchTask } from "./types";

const worker = new EngineWorker();

/** Starts the worker ahead of time, so that the first move does not wait for it. */
export const warmUp = (): void => worker.start();

/** Searches a position and returns the engine's move. */
export const search = (task: SearchTask): Promise<SearchResult> => unlessStopped(worker.ask("search", task));

/** Returns whether the computer accepts a draw. */
export const considerDraw = (offer: DrawOffer): Promise<boolean> => unlessStopped(worker.ask("consider_draw", offer));

/** Drops all pending requests; their promises never resolve. An idle worker stays. */
export function stopThinking(): void {
  if (worker.isBusy) worker.stop();
}

async function unlessStopped<T>(asked: Promise<T | null>): Promise<T> {
  return (await asked) ?? new Promise<never>(() => {});
}
