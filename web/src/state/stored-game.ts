/**
 * The game on this device as it is stored in this browser: its record when it was opened, and the
 * events since, each change under a key of its own. So storing a move costs the same early and late
 * in a game.
 *
 * Two tabs may have the same game open. Each of them has a journal of its own, and the one that
 * stored last counts: it writes the whole record again if the other tab has stored in between.
 */

import type { Recorded, StoredGame } from "../core/types";
import type { Computer } from "./computer";
import { forget, readStored, store } from "./settings.svelte";

const KEY = "castellan.game";
const JOURNAL_KEY = `${KEY}.journal`;
const entryKey = (place: number): string => `${KEY}.${place}`;

export interface KeptGame {
  stored: StoredGame;
  computer: Computer | null;
  leftAt: number;
  /** Id of the game in the archive. */
  id?: string;
  /** Whether a move was made since the game was started or opened. */
  hasMoved?: boolean;
}

/** The state of a journal, which is written after each of its entries. */
interface Journal {
  journal: string;
  /** Number of entries. */
  count: number;
  leftAt: number;
  hasMoved: boolean;
  duration_ms: number;
}

interface Entry {
  journal: string;
  recorded: Recorded[];
}

/** What changes in a stored game without an event. */
export type Left = Pick<Journal, "leftAt" | "hasMoved" | "duration_ms">;

/** Returns the stored game; `undefined` if there is none or it is damaged. */
export function readKept(): KeptGame | undefined {
  const kept = readStored<KeptGame & { journal?: string }>(KEY);
  const state = readStored<Journal>(JOURNAL_KEY);
  if (!kept?.stored?.record || !state || state.journal !== kept.journal) return kept?.stored?.record ? kept : undefined;
  const record = [...kept.stored.record];
  for (let place = 1; place <= state.count; place += 1) {
    const entry = readStored<Entry>(entryKey(place));
    if (entry?.journal !== state.journal) break;
    record.push(...entry.recorded);
  }
  const { leftAt, hasMoved, duration_ms } = state;
  return { ...kept, stored: { ...kept.stored, record, duration_ms }, leftAt, hasMoved };
}

/** Stores a game that is being played. */
export class GameJournal {
  #journal = "";
  #count = 0;

  /** Stores a whole game, in place of the one that was stored. */
  begin(kept: KeptGame): void {
    for (let place = 1; readStored(entryKey(place)) !== undefined; place += 1) forget(entryKey(place));
    this.#journal = `${Date.now()}-${Math.random()}`;
    this.#count = 0;
    store(KEY, { ...kept, journal: this.#journal });
    this.#write({ leftAt: kept.leftAt, hasMoved: kept.hasMoved ?? true, duration_ms: kept.stored.duration_ms ?? 0 });
  }

  /** Adds events. `whole` returns the whole game, in case another tab has stored its own. */
  add(recorded: Recorded[], left: Left, whole: () => KeptGame): void {
    if (readStored<Journal>(JOURNAL_KEY)?.journal !== this.#journal) {
      this.begin(whole());
      return;
    }
    if (recorded.length > 0) {
      this.#count += 1;
      store(entryKey(this.#count), { journal: this.#journal, recorded } satisfies Entry);
    }
    this.#write(left);
  }

  #write(left: Left): void {
    store(JOURNAL_KEY, { journal: this.#journal, count: this.#count, ...left } satisfies Journal);
  }
}

/** Returns whether an event of this type has happened in a stored game. */
export const has = ({ stored }: KeptGame, type: Recorded["event"]["type"]): boolean => stored.record.some(({ event }) => event.type === type);
