/**
 * Games on their way into the archive.
 *
 * Writing to the archive takes a while, and a user may close the page right after the end of a game.
 * So each game waits here meanwhile, in storage that is written at once, and the next visit archives
 * what is left.
 */

import type { ArchivedGame } from "./archive-store";
import { forget, readStored, store } from "./settings.svelte";

const KEY = "castellan.archive.unsaved";

/** Returns the games that have not reached the archive. */
export const unsavedGames = (): ArchivedGame[] => readStored<ArchivedGame[]>(KEY) ?? [];

/** Adds a game, in place of an older version of it. */
export function addUnsaved(game: ArchivedGame): void {
  store(KEY, [...others(game.id), game]);
}

export function removeUnsaved(id: string): void {
  const left = others(id);
  if (left.length > 0) store(KEY, left);
  else forget(KEY);
}

const others = (id: string): ArchivedGame[] => unsavedGames().filter((game) => game.id !== id);
