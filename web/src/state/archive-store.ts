/**
 * Storage of the archive: one IndexedDB object store.
 *
 * Every function fails with an `ArchiveProblem`, which says whether storage is full.
 */

import type { Color } from "../core/types";

/** One of the user's games: the PGN, and what the list shows. */
export interface ArchivedGame {
  id: string;
  pgn: string;
  /** Names of the players; empty if unknown. */
  white: string;
  black: string;
  /** The computer's side; `null` if it does not play. */
  computer: Color | null;
  /** Result in PGN notation; `*` if the game is unfinished. */
  result: string;
  plies: number;
  /** When the game started and when it was archived, in Unix milliseconds. */
  began: number;
  saved: number;
  /** Time spent on the game; 0 if unknown. */
  duration_ms: number;
  /** ECO code and name of the opening, set when the list is first shown; empty if it has none. */
  opening?: string;
}

export class ArchiveProblem extends Error {
  readonly isFull: boolean;

  constructor(cause: unknown) {
    super("the archive cannot be used", { cause });
    this.isFull = cause instanceof DOMException && cause.name === "QuotaExceededError";
  }
}

const DATABASE = "castellan";
const STORE = "games";

let opened: Promise<IDBDatabase> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((done, fail) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
    request.onblocked = () => fail(new Error("the database is blocked"));
  });
  return opened;
}

/** Runs one transaction and resolves when it is complete. */
async function run<T>(mode: IDBTransactionMode, ask: (games: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  try {
    const database = await open();
    return await new Promise<T>((done, fail) => {
      const transaction = database.transaction(STORE, mode);
      const request = ask(transaction.objectStore(STORE));
      transaction.oncomplete = () => done(request.result);
      transaction.onerror = () => fail(transaction.error ?? request.error);
      transaction.onabort = () => fail(transaction.error ?? request.error);
    });
  } catch (error) {
    opened = undefined;
    throw new ArchiveProblem(error);
  }
}

export const readAll = (): Promise<ArchivedGame[]> => run("readonly", (games) => games.getAll() as IDBRequest<ArchivedGame[]>);

export const write = (game: ArchivedGame): Promise<unknown> => run("readwrite", (games) => games.put(game));

export const remove = (id: string): Promise<unknown> => run("readwrite", (games) => games.delete(id));

export const removeAll = (): Promise<unknown> => run("readwrite", (games) => games.clear());
