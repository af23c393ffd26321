/**
 * How long to wait before the next try.
 *
 * Each try waits about twice as long as the one before, up to a bound, and never all clients at
 * once: a server that comes back is not run over.
 */

const FIRST_MS = 500;
const LONGEST_MS = 15_000;
/** After having been told to come back later. */
const LATER_MS = 30_000;

/** The pause before try number `tries`, from 0; `random` is between 0 and 1. */
export function pauseMs(tries: number, random: number, isLater = false): number {
  const most = isLater ? LATER_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries, 16));
  return Math.round(most * (0.5 + random / 2));
}
