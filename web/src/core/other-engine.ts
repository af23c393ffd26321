/**
 * Client for another engine on this machine, with the same requests as the built-in one
 * (`engine.ts`).
 *
 * Closing a request stops the engine's search. A game has one search at a time; an analysis passes
 * its own signal and does not disturb the game.
 */

import { askLocal, LocalRefusal, type EngineLine, type Told } from "./local";
import type { Score, ThinkTask, Thought } from "./types";

export interface OtherTask extends Omit<ThinkTask, "level" | "seed"> {
  depth?: number | null;
  /** Strength limit in Elo points; full strength if not set. */
  elo?: number | null;
  /** Number of lines to report, up to five. */
  lines?: number;
}

let current: AbortController | undefined;

/** Searches for a move to play. Cancels the previous search. */
export function thinkElsewhere(engine: number, task: OtherTask): Promise<Thought> {
  current?.abort();
  current = new AbortController();
  return ask(engine, task, current.signal);
}

/**
 * Analyzes a position and reports lines to `ontold` until the signal is aborted. Some engines
 * report no score.
 */
export function analyseElsewhere(engine: number, task: OtherTask, ontold: (told: Told) => void, signal: AbortSignal): Promise<{ score: Score | null }> {
  return ask(engine, task, signal, ontold);
}

async function ask(engine: number, task: OtherTask, signal: AbortSignal, ontold?: (told: Told) => void): Promise<Thought> {
  const question = { ...task, is_telling: ontold !== undefined };
  const answer = await askLocal(`/engines/${engine}/think`, "POST", question, signal);
  for await (const line of lines(answer)) {
    if ("told" in line) ontold?.(line.told);
    else if ("thought" in line) return line.thought;
    else throw new LocalRefusal(line.error.code);
  }
  throw new Error("the engine did not answer");
}

/** Stops the search for the game's next move. */
export function stopElsewhere(): void {
  current?.abort();
  current = undefined;
}

async function* lines(answer: Response): AsyncGenerator<EngineLine> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const whole = rest.split("\n");
    rest = done ? "" : (whole.pop() ?? "");
    for (const line of whole) if (line) yield JSON.parse(line) as EngineLine;
    if (done) return;
  }
}
