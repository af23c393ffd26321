/**
 * Another engine of this machine, with the same questions as our own (`engine.ts`).
 *
 * A question ends the one before it: hanging up tells the engine to stop.
 */

import { askLocal, type EngineLine, type Told } from "./local";
import type { ThinkTask, Thought } from "./types";

export interface OtherTask extends Omit<ThinkTask, "level" | "seed"> {
  depth?: number | null;
  /** How many lines it looks at, up to five. */
  lines?: number;
}

let current: AbortController | undefined;

/** What another engine thinks; `ontold` hears what it sees on the way. */
export async function thinkElsewhere(engine: number, task: OtherTask, ontold?: (told: Told) => void): Promise<Thought> {
  current?.abort();
  const own = new AbortController();
  current = own;
  const question = { ...task, is_telling: ontold !== undefined };
  const answer = await askLocal(`/engines/${engine}/think`, "POST", question, own.signal);
  for await (const line of lines(answer)) {
    if ("told" in line) ontold?.(line.told);
    else if ("thought" in line) return line.thought;
    else throw new Error(line.error.words);
  }
  throw new Error("the engine did not answer");
}

/** Ends what another engine is thinking about. */
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
