/**
 * Tells components which game they are about: the one set by their page, or the one on this device.
 */

import { getContext, setContext } from "svelte";
import { match } from "./match.svelte";
import type { ShownGame } from "./shown-game.svelte";

const KEY = Symbol("game");

/** Sets the game for all components of a page. */
export function provideGame(game: ShownGame): void {
  setContext(KEY, game);
}

/** Returns the game that a component is about. */
export const currentGame = (): ShownGame => getContext<ShownGame | undefined>(KEY) ?? match;
