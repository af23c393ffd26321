/**
 * Another engine of this machine, with the same questions as our own (`engine.ts`).
 *
 * Hanging up tells the engine to stop. Whoever plays asks one thing at a time; whoever analyses
 * brings a signal and does not disturb the game.
 */

import { askLocal, LocalRefusal, type EngineLine, type Told } from "./local";
import type { Score, ThinkTask, Thought } from "./types";

export interface OtherTask extends Omit<ThinkTask, "level" | "seed"> {
  depth?: number | null;
  /** How many Elo points it plays with; as well as it can if there is none. */
  elo?: number | null;
  /** How many lines it looks at, up to five. */
  lines?: number;
}

let current: AbortController | undefined;

/** What another engine thinks about a move to be played; a question ends the one before it. */
export function thinkElsewhere(engine: number, task: OtherTask): Promise<Thought> {
  current?.abort();
  current = new AbortController();
  return ask(engine, task, current.signal);
}

/** What another engine sees in a position, told line by line until the signal ends it; some say nothing of a score. */
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

/** Ends what another engine is thinking about for the game. */
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
