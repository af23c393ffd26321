/**
 * Delay before the next connection attempt.
 *
 * The delay about doubles with each attempt, up to a limit. It is partly random, so that clients do
 * not all reconnect at the same time and overload a server that has just restarted.
 */

const FIRST_MS = 500;
const LONGEST_MS = 15_000;
/** Longest delay after the server asked to retry later. */
const LATER_MS = 30_000;

/**
 * Returns the delay before attempt number `tries`, counted from 0. `random` is between 0 and 1, and
 * `isLater` means that the server asked to retry later.
 */
export function pauseMs(tries: number, random: number, isLater = false): number {
  const longest = isLater ? LATER_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(tries, 16));
  return Math.round(longest * (0.5 + random / 2));
}
