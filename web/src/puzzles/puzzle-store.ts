/** Storage of exercises, and of which games they were made from, in IndexedDB. */

import type { Exercise } from "./exercise";

const DATABASE = "castellan-puzzles";
const EXERCISES = "exercises";
const GAMES = "games";

function open(): Promise<IDBDatabase> {
  return new Promise((done, fail) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(EXERCISES, { keyPath: "id" });
      request.result.createObjectStore(GAMES);
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
    request.onblocked = () => fail(new Error("the database is blocked"));
  });
}

/** Runs one transaction and resolves when it is complete. */
async function run<T>(mode: IDBTransactionMode, ask: (exercises: IDBObjectStore, games: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((done, fail) => {
      const transaction = database.transaction([EXERCISES, GAMES], mode);
      const request = ask(transaction.objectStore(EXERCISES), transaction.objectStore(GAMES));
      transaction.oncomplete = () => done(request.result);
      transaction.onerror = () => fail(transaction.error ?? request.error);
      transaction.onabort = () => fail(transaction.error ?? request.error);
    });
  } finally {
    database.close();
  }
}

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
