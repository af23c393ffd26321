/**
 * Where the built-in engine analyzes, and with how many threads.
 *
 * In the browser it has one thread. If the page comes from the program on this machine, that program
 * can analyze with as many threads as the processor has. Should it fail, the browser takes over.
 */

import { localProgram } from "../state/local.svelte";
import { settings } from "../state/settings.svelte";
import type { OwnEngine } from "./local";

class OwnThreads {
  /** Whether the program has failed since the user last chose. */
  #hasFailed = $state(false);

  /** Numbers of threads to choose from; only one in a browser without the program. */
  get choices(): number[] {
    const most = localProgram.own?.processors ?? 1;
    const usual = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192].filter((threads) => threads < most);
    return [...usual, most];
  }

  /** Number of threads in use. */
  get count(): number {
    return this.program ? Math.min(settings.threads, this.program.processors) : 1;
  }

  /** The program that analyzes; `null` if the browser does. */
  get program(): OwnEngine | null {
    return settings.threads > 1 && !this.#hasFailed ? localProgram.own : null;
  }

  choose(threads: number): void {
    this.#hasFailed = false;
    settings.threads = threads;
  }

  /** Lets the browser analyze, because the program has failed. */
  fail(): void {
    this.#hasFailed = true;
  }
}

export const ownThreads = new OwnThreads();
