/**
 * Who looks at positions for a review, and our own engine as one of them.
 *
 * Ours thinks in a worker of its own: the opponent is not disturbed by it. Its search cannot be
 * interrupted; to stop is to end the worker. How much a question is worth is up to each analyst.
 */

import { engineLoad } from "./engine-load.svelte";
import type { Score, ThinkTask, Thought, ThoughtLine } from "./types";

export interface Question {
  start: string;
  moves: string[];
  is_chess960: boolean;
  /** How many best lines are wanted. */
  lines: number;
  /** Whether somebody waits for it: then it is looked at for longer. */
  isOnBoard: boolean;
}

export interface Seen {
  score: Score;
  lines: ThoughtLine[];
}

export interface Analyst {
  /** Whether it can be stopped at no cost, and so should be when its answer is no longer wanted. */
  readonly isNimble: boolean;
  /** What it sees; nothing if it was stopped meanwhile, or has nothing to say. */
  think(question: Question): Promise<Seen | null>;
  stop(): void;
}

/** Positions that a search looks at: for each of the game, and for the one on the board. */
const GAME_NODES = 120_000;
const BOARD_NODES = 300_000;

interface Waiting {
  resolve(thought: Thought | null): void;
  reject(error: Error): void;
}

export class OwnAnalyst implements Analyst {
  readonly isNimble = false;
  #worker: Worker | undefined;
  #last = 0;
  #waiting = new Map<number, Waiting>();

  async think({ start, moves, is_chess960, lines, isOnBoard }: Question): Promise<Seen | null> {
    const nodes = isOnBoard ? BOARD_NODES : GAME_NODES;
    const thought = await this.#ask({ start, moves, is_chess960, level: null, seed: 0, move_time_ms: null, clock: null, nodes, lines });
    // The last full line is what is shown; a search that ran out of positions may end on less.
    return thought && { score: thought.lines[0]?.score ?? thought.score, lines: thought.lines };
  }

  #ask(task: ThinkTask): Promise<Thought | null> {
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
    engineLoad.end();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { resolve } of waiting) resolve(null);
  }

  #start(): Worker {
    const made = new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" });
    engineLoad.follow(made);
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
