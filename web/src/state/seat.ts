/** Which game the parts of a page are about: the one the page sits at, or the one at this board. */

import { getContext, setContext } from "svelte";
import { match } from "./match.svelte";
import type { Sitting } from "./sitting.svelte";

const KEY = Symbol("sitting");

/** Says for all parts of a page which game it is about. */
export function sitAt(sitting: Sitting): void {
  setContext(KEY, sitting);
}

/** The game that a part is about. */
export const sitting = (): Sitting => getContext<Sitting | undefined>(KEY) ?? match;
