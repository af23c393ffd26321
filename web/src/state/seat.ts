/**
 * Tells components which game they are about: the one set by their page, or the one on this device.
 */

import { getContext, setContext } from "svelte";
import { match } from "./match.svelte";
import type { Sitting } from "./sitting.svelte";

const KEY = Symbol("sitting");

/** Sets the game for all components of a page. */
export function sitAt(sitting: Sitting): void {
  setContext(KEY, sitting);
}

/** Returns the game that a component is about. */
export const sitting = (): Sitting => getContext<Sitting | undefined>(KEY) ?? match;
