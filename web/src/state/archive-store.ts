/**
 * The archive on the disk: one object store of IndexedDB.
 *
 * Every function fails with an `ArchiveProblem` that says whether the disk is full.
 */

import type { Color } from "../core/types";

/** A game of one's own: the PGN, and what a list shows of it. */
export interface ArchivedGame {
  id: string;
  pgn: string;
  /** Empty if unknown. */
  white: string;
  black: string;
  /** The side that the computer has, if it plays. */
  computer: Color | null;
  /** As PGN writes it; `*` if the game is unfinished. */
  result: string;
  plies: number;
  /** When it began and when it was put here, in milliseconds since 1970. */
  began: number;
  saved: number;
  /** Time spent at the board; 0 if unknown. */
  duration_ms: number;
  /** Filled in when the list is first shown; empty if it has no name. */
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

/** Runs one transaction; resolves when it is on the disk. */
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
