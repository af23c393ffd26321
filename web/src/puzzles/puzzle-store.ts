/** Storage of exercises, and of which games they were made from, in IndexedDB. */

import { transact } from "../state/database";
import type { Exercise } from "./exercise";

const SCHEMA = { database: "castellan-puzzles", stores: { exercises: { keyPath: "id" }, games: {} } };

const run = <T>(mode: IDBTransactionMode, ask: (exercises: IDBObjectStore, games: IDBObjectStore) => IDBRequest<T>): Promise<T> =>
  transact(SCHEMA, mode, (store) => ask(store("exercises"), store("games")));

export const readExercises = (): Promise<Exercise[]> => run("readonly", (exercises) => exercises.getAll() as IDBRequest<Exercise[]>);

export const writeExercise = (exercise: Exercise): Promise<unknown> => run("readwrite", (exercises) => exercises.put(exercise));

/** Stores the exercises of a game, and that the game has been searched. */
export const writeGame = (link: string, made: readonly Exercise[]): Promise<unknown> =>
  run("readwrite", (exercises, games) => {
    for (const exercise of made) exercises.put(exercise);
    return games.put(1, link);
  });

/** Returns whether a game has been searched for puzzles. */
export const isGameDone = async (link: string): Promise<boolean> => (await run("readonly", (_, games) => games.count(link))) > 0;

export const clearExercises = (): Promise<unknown> =>
  run("readwrite", (exercises, games) => {
    exercises.clear();
    return games.clear();
  });
