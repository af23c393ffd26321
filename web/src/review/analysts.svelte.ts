/**
 * Which engine analyses in reviews: ours, or another one of this machine.
 *
 * Owns that the choice is remembered, and what happens when the one that was chosen is gone: ours
 * goes on, and the page can say so.
 */

import type { OtherEngine } from "../core/local";
import { localProgram } from "../state/local.svelte";
import { readStored, store } from "../state/settings.svelte";
import { analysis } from "./analysis.svelte";

/** Numbers are given anew once an engine is removed; a path is the same program. */
interface Kept {
  path: string;
  name: string;
}

const KEY = "castellan.review.analyst";

class Analysts {
  /** The name of the chosen one that is no longer there. */
  missing = $state("");

  get engines(): readonly OtherEngine[] {
    return localProgram.engines ?? [];
  }

  /** Takes up the choice of last time. */
  async recall(): Promise<void> {
    this.missing = "";
    const kept = readStored<Partial<Kept> | null>(KEY);
    if (!kept?.path) return;
    await localProgram.look();
    this.#settle({ path: kept.path, name: kept.name ?? kept.path });
  }

  /** Chooses an engine by its path, or ours. */
  choose(path: string | null): void {
    const engine = this.engines.find((it) => it.path === path) ?? null;
    this.missing = "";
    analysis.use(engine);
    store(KEY, engine && ({ path: engine.path, name: engine.name } satisfies Kept));
  }

  /** Looks whether the chosen one is still there; says whether it is. */
  async check(): Promise<boolean> {
    const chosen = analysis.engine;
    if (!chosen) return true;
    await localProgram.look();
    // Somebody may have chosen anew meanwhile.
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
