/**
 * Client for another engine on this machine, with the same requests as the built-in one
 * (`engine.ts`).
 *
 * Closing a request stops the engine's search. A game has one search at a time; an analysis passes
 * its own signal and does not disturb the game.
 */

import { askLocal, LocalRefusal } from "./local";
import type { SearchMessage, SearchReport, SearchResult, SearchTask } from "./types";

let current: AbortController | undefined;

/** Searches for a move to play. Cancels the previous search. */
export function searchElsewhere(engine: number, task: SearchTask): Promise<SearchResult> {
  current?.abort();
  current = new AbortController();
  return ask(engine, task, current.signal);
}

/**
 * Analyzes a position and reports lines to `onReport` until the signal is aborted. Some engines
 * report no score.
 */
export function analyzeElsewhere(engine: number, task: SearchTask, onReport: (report: SearchReport) => void, signal: AbortSignal): Promise<SearchResult> {
  return ask(engine, task, signal, onReport);
}

async function ask(engine: number, task: SearchTask, signal: AbortSignal, onReport?: (report: SearchReport) => void): Promise<SearchResult> {
  const question = { ...task, wants_reports: onReport !== undefined } satisfies SearchTask;
  const answer = await askLocal(`/engines/${engine}/search`, "POST", question, signal);
  for await (const line of lines(answer)) {
    if ("report" in line) onReport?.(line.report);
    else if ("result" in line) return line.result;
    else throw new LocalRefusal(line.error.code);
  }
  throw new Error("the engine did not answer");
}

/** Stops the search for the game's next move. */
export function stopElsewhere(): void {
  current?.abort();
  current = undefined;
}

async function* lines(answer: Response): AsyncGenerator<SearchMessage> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const whole = rest.split("\n");
    rest = done ? "" : (whole.pop() ?? "");
    for (const line of whole) if (line) yield JSON.parse(line) as SearchMessage;
    if (done) return;
  }
}
