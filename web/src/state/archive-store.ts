/**
 * Storage of the archive: one IndexedDB object store.
 *
 * Every function fails with an `ArchiveProblem`, which says whether storage is full.
 */

import type { Color } from "../core/types";
import { transact } from "./database";

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

const SCHEMA = { database: "castellan", stores: { games: { keyPath: "id" } } };

async function run<T>(mode: IDBTransactionMode, ask: (games: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  try {
    return await transact(SCHEMA, mode, (store) => ask(store("games")));
  } catch (error) {
    throw new ArchiveProblem(error);
  }
}

export const readAll = (): Promise<ArchivedGame[]> => run("readonly", (games) => games.getAll() as IDBRequest<ArchivedGame[]>);

export const write = (game: ArchivedGame): Promise<unknown> => run("readwrite", (games) => games.put(game));

export const remove = (id: string): Promise<unknown> => run("readwrite", (games) => games.delete(id));

export const removeAll = (): Promise<unknown> => run("readwrite", (games) => games.clear());
