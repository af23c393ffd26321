/** Exercises come back after growing pauses, and the right one comes next. */

import { expect, test } from "vitest";
import { NEW, PAUSES, afterAttempt, chooseNext, isDue, isNew, type Progress } from "../src/puzzles/schedule";

const NOW = 1_000_000;

test("an exercise that is solved at once does not come back", () => {
  const solved = afterAttempt(NEW, true, NOW);
  expect(solved).toEqual({ attempts: 1, step: null, due: 0 });
  expect(isNew(solved) || isDue(solved, Number.MAX_SAFE_INTEGER)).toBe(false);
});

test("a failed exercise comes back after growing pauses until it is done", () => {
  let progress: Progress = afterAttempt(NEW, false, NOW);
  for (const [step, pause] of PAUSES.entries()) {
    expect(progress).toEqual({ attempts: step + 1, step, due: NOW + pause });
    expect(isDue(progress, NOW + pause - 1)).toBe(false);
    expect(isDue(progress, NOW + pause)).toBe(true);
    progress = afterAttempt(progress, true, NOW);
  }
  expect(progress.step).toBeNull();
  expect([...PAUSES].sort((one, two) => one - two)).toEqual(PAUSES);
});

test("another failure begins again with the shortest pause", () => {
  const failed = afterAttempt(NEW, false, NOW);
  const later = afterAttempt(afterAttempt(failed, true, NOW), true, NOW);
  expect(later.step).toBe(2);
  expect(afterAttempt(later, false, NOW)).toEqual({ attempts: 4, step: 0, due: NOW + (PAUSES[0] ?? 0) });
});

test("what is due comes first, then new puzzles near the rating", () => {
  const made = (id: string, estimate: number, progress: Progress = NEW) => ({ id, estimate, ...progress });
  const fresh = [made("easy", 900), made("near", 1480), made("hard", 2200)];
  expect(chooseNext(fresh, 1500, NOW)?.id).toBe("near");
  expect(chooseNext(fresh, 1500, NOW, "near")?.id).toBe("easy");
  const waiting = made("waiting", 0, { attempts: 1, step: 0, due: NOW + 1 });
  const late = made("late", 0, { attempts: 1, step: 1, due: NOW - 5 });
  const later = made("later", 0, { attempts: 1, step: 1, due: NOW - 2 });
  expect(chooseNext([...fresh, waiting, later, late], 1500, NOW)?.id).toBe("late");
  expect(chooseNext([waiting], 1500, NOW)).toBeNull();
  expect(chooseNext([made("done", 1500, { attempts: 1, step: null, due: 0 })], 1500, NOW)).toBeNull();
});
