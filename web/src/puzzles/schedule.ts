/**
 * When an exercise comes back, and which one comes next.
 *
 * A failed exercise returns after ten minutes. Each time it is solved, the next pause is longer;
 * after the last one it is done. An exercise that is solved at once does not come back.
 */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Pauses before a failed exercise comes back, in milliseconds. */
export const PAUSES: readonly number[] = [10 * MINUTE, DAY, 3 * DAY, 7 * DAY, 21 * DAY, 60 * DAY];

export interface Progress {
  /** Number of attempts so far. */
  attempts: number;
  /** Index of the current pause; `null` if the exercise does not come back. */
  step: number | null;
  /** When it comes back, in milliseconds; 0 if it does not. */
  due: number;
}

export const NEW: Progress = { attempts: 0, step: null, due: 0 };

/** Returns the progress after an attempt. */
export function afterAttempt({ attempts, step }: Progress, isSolved: boolean, now: number): Progress {
  const next = !isSolved ? 0 : step === null ? null : step + 1;
  const pause = next === null ? undefined : PAUSES[next];
  if (next === null || pause === undefined) return { attempts: attempts + 1, step: null, due: 0 };
  return { attempts: attempts + 1, step: next, due: now + pause };
}

export const isDue = ({ step, due }: Progress, now: number): boolean => step !== null && due <= now;

export const isNew = ({ attempts }: Progress): boolean => attempts === 0;

/**
 * Chooses the next exercise: one that is due, the longest waiting first, or else a new one whose
 * rating is closest to the solver's. `null` if there is none.
 */
export function chooseNext<T extends Progress & { id: string; estimate: number }>(all: readonly T[], points: number, now: number, skip = ""): T | null {
  const others = all.filter(({ id }) => id !== skip);
  const least = (some: T[], of: (it: T) => number) => some.reduce<T | null>((best, it) => (best === null || of(it) < of(best) ? it : best), null);
  const due = least(others.filter((it) => isDue(it, now)), ({ due }) => due);
  return due ?? least(others.filter(isNew), ({ estimate }) => Math.abs(estimate - points));
}
