/**
 * The exercises on this machine, and the rating of their solver.
 *
 * Responsible for what happens after an attempt: ratings change at the first attempt at a puzzle,
 * and failed exercises are scheduled to come back. Exercises are in IndexedDB, and the solver's
 * rating in the small storage of the browser. Without storage everything works until the page is
 * left.
 */

import { loadReview, rateAttempt } from "../core/review";
import type { RatingView } from "../core/types";
import { readStored, store } from "../state/settings.svelte";
import type { Exercise } from "./exercise";
import { clearExercises, readExercises, writeExercise, writeGame } from "./puzzle-store";
import { afterAttempt, chooseNext, isDue, isNew } from "./schedule";

/** Maximum number of exercises. */
export const MAX_EXERCISES = 20_000;

const KEY = "castellan.puzzles";
const DAY_MS = 24 * 60 * 60 * 1000;
/** Rating of a new solver, for the choice of the first puzzles. */
const START_POINTS = 1500;

interface SolverRecord {
  rating: RatingView | null;
  solved: number;
  failed: number;
  /** Time of the last attempt, in milliseconds. */
  at: number;
}

const NOBODY: SolverRecord = { rating: null, solved: 0, failed: 0, at: 0 };

class Puzzles {
  /** All exercises; `null` until they have been loaded. */
  all = $state.raw<readonly Exercise[] | null>(null);
  solver = $state.raw<SolverRecord>({ ...NOBODY, ...readStored<Partial<SolverRecord>>(KEY) });
  /** Whether exercises could not be stored, so that they are gone after this visit. */
  isUnkept = $state(false);
  /** Ids of the mistakes of a reviewed game that the user wants to go through; empty if none. */
  round = $state.raw<readonly string[]>([]);

  async load(): Promise<void> {
    const [kept] = await Promise.all([this.all ?? readExercises().catch(() => this.#fail([])), loadReview()]);
    this.all ??= kept;
  }

  get points(): number {
    return this.solver.rating?.points ?? START_POINTS;
  }

  count(now: number): { total: number; fresh: number; due: number } {
    const all = this.all ?? [];
    return { total: all.length, fresh: all.filter(isNew).length, due: all.filter((it) => isDue(it, now)).length };
  }

  /** Returns the next exercise, and removes it from the round if there is one. */
  next(now: number, skip = ""): Exercise | null {
    while (this.round.length > 0) {
      const [id, ...rest] = this.round;
      this.round = rest;
      const found = this.all?.find((it) => it.id === id);
      if (found) return found;
    }
    return chooseNext(this.all ?? [], this.points, now, skip);
  }

  has(id: string): boolean {
    return this.all?.some((it) => it.id === id) ?? false;
  }

  /** Adds the exercises of a game that are not known yet. Returns their number. */
  async add(link: string, made: readonly Exercise[]): Promise<number> {
    const fresh = made.filter(({ id }, at) => !this.has(id) && made.findIndex((it) => it.id === id) === at);
    const room = MAX_EXERCISES - (this.all?.length ?? 0);
    const added = fresh.slice(0, Math.max(0, room));
    this.all = [...(this.all ?? []), ...added];
    await writeGame(link, added).catch(() => this.#fail(undefined));
    return added.length;
  }

  /** Records an attempt. Only the first attempt at a puzzle changes ratings. */
  record(exercise: Exercise, isSolved: boolean, now: number): Exercise {
    const isRated = exercise.kind === "puzzle" && isNew(exercise);
    let rating = exercise.rating;
    const { solver } = this;
    let own = solver.rating;
    if (isRated) {
      const idle_days = solver.at ? Math.max(0, now - solver.at) / DAY_MS : 0;
      ({ solver: own, puzzle: rating } = rateAttempt({ solver: own, puzzle: rating, estimate: exercise.estimate, is_solved: isSolved, idle_days }));
    }
    this.solver = { rating: own, solved: solver.solved + Number(isSolved), failed: solver.failed + Number(!isSolved), at: now };
    store(KEY, this.solver);
    const changed = { ...exercise, rating, ...afterAttempt(exercise, isSolved, now) };
    this.all = (this.all ?? []).map((it) => (it.id === changed.id ? changed : it));
    void writeExercise(changed).catch(() => this.#fail(undefined));
    return changed;
  }

  async clear(): Promise<void> {
    [this.all, this.round] = [[], []];
    this.solver = NOBODY;
    store(KEY, NOBODY);
    await clearExercises().catch(() => this.#fail(undefined));
  }

  #fail<T>(instead: T): T {
    this.isUnkept = true;
    return instead;
  }
}

export const puzzles = new Puzzles();
