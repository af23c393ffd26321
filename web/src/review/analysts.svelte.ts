/**
 * Choice of the engine that analyzes reviews: the built-in one, or another one on this machine.
 *
 * Responsible for remembering the choice. If the chosen engine is gone, the built-in one takes over
 * and the page can say so.
 */

import type { OtherEngine } from "../core/local";
import { localProgram } from "../state/local.svelte";
import { readStored, store } from "../state/settings.svelte";
import { analysis } from "./analysis.svelte";

/**
 * The stored choice. Ids change when an engine is removed, but a path always means the same
 * program.
 */
interface Kept {
  path: string;
  name: string;
}

const KEY = "castellan.review.analyst";

class Analysts {
  /** Name of the chosen engine if it is no longer there; otherwise empty. */
  missing = $state("");

  get engines(): readonly OtherEngine[] {
    return localProgram.engines ?? [];
  }

  /** Restores the stored choice. */
  async recall(): Promise<void> {
    this.missing = "";
    const kept = readStored<Partial<Kept> | null>(KEY);
    if (!kept?.path) return;
    await localProgram.look();
    this.#settle({ path: kept.path, name: kept.name ?? kept.path });
  }

  /** Chooses an engine by its path, or the built-in one. */
  choose(path: string | null): void {
    const engine = this.engines.find((it) => it.path === path) ?? null;
    this.missing = "";
    analysis.use(engine);
    store(KEY, engine && ({ path: engine.path, name: engine.name } satisfies Kept));
  }

  /** Checks whether the chosen engine is still there, and returns the result. */
  async check(): Promise<boolean> {
    const chosen = analysis.engine;
    if (!chosen) return true;
    await localProgram.look();
    // The user may have chosen another engine meanwhile.
    return analysis.engine !== chosen || this.#settle(chosen);
  }

  #settle({ path, name }: Kept): boolean {
    const isThere = this.engines.some((it) => it.path === path);
    this.choose(isThere ? path : null);
    if (!isThere) this.missing = name;
    return isThere;
  }
}

export const analysts = new Analysts();
