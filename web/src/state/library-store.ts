/**
 * Keeps the last file of the library for the next visit: the file in IndexedDB, and how the list was
 * left in the browser's small storage.
 */

import type { Sort } from "../core/types";
import { transact } from "./database";
import type { ExplorerLine } from "./explorer.svelte";
import { forget, readStored, store } from "./settings.svelte";

/** How the list was left. */
export interface LeftList {
  player: string;
  opening: string;
  tag: string;
  result: string;
  years: string;
  isBrokenOnly: boolean;
  isUnique: boolean;
  material: string;
  /** Start and moves of the explorer's line; `null` if it is closed. */
  line: ExplorerLine | null;
  sort: Sort | null;
  scroll: number;
  active: number;
}

/** Why a file is not kept. */
export type NotKept = "tooLarge" | "noRoom";

/** Largest file that is kept. */
export const MAX_KEPT_BYTES = 256 << 20;

const KEY = "castellan.library";
const LAST = "last";
const SCHEMA = { database: "castellan-library", stores: { files: {} } };

const run = <T>(mode: IDBTransactionMode, ask: (files: IDBObjectStore) => IDBRequest<T>): Promise<T> =>
  transact(SCHEMA, mode, (store) => ask(store("files")));

/** Keeps a file in place of the last one. Returns why it is not kept, if it is not. */
export async function keepFile(file: File): Promise<NotKept | null> {
  await dropFile();
  if (file.size > MAX_KEPT_BYTES) return "tooLarge";
  try {
    await run("readwrite", (files) => files.put({ name: file.name, blob: new Blob([file]) }, LAST));
    return null;
  } catch {
    return "noRoom";
  }
}

/** Returns the file of the last visit, or `null` if there is none. */
export async function keptFile(): Promise<File | null> {
  try {
    const kept = await run("readonly", (files) => files.get(LAST) as IDBRequest<{ name: string; blob: Blob } | undefined>);
    return kept ? new File([kept.blob], kept.name) : null;
  } catch {
    return null;
  }
}

/** Forgets the file of the last visit. */
export async function dropFile(): Promise<void> {
  forget(KEY);
  try {
    await run("readwrite", (files) => files.delete(LAST));
  } catch {
    // Without storage there is nothing to forget.
  }
}

export const keepList = (left: LeftList): void => store(KEY, left);

/** Returns how the list was left; `undefined` if no file is kept. */
export const leftList = (): Partial<LeftList> | undefined => readStored<Partial<LeftList>>(KEY);
