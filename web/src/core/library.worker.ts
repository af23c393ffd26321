/**
 * Reads a PGN file in its own thread: in chunks, into a list that can be filtered. The page never
 * waits for it.
 *
 * The file itself is not kept in memory. Only a row is stored for each game; when a game is opened,
 * it is read from the file again by its offset.
 */

import libraryUrl from "../wasm/library.wasm?url";
import type { Ask } from "./library";
import type { GameRow, LibraryCounts } from "./types";
import { Module, Refused } from "./module";

/** Chunk size, small enough that filter requests are answered between two chunks. */
const PIECE_BYTES = 1 << 20;
/** Minimum time between two progress reports, in milliseconds. */
const PROGRESS_MS = 120;

/** The module of the open file; requests wait for it. */
let loading: Promise<Module> | undefined;
let file: File | undefined;
/** Number of the current read; a read with another number is outdated and ends. */
let current = 0;

async function read(opened: File, turn: number): Promise<void> {
  let reportedAt = -Infinity;
  let counts: LibraryCounts = { games: 0, broken: 0, matches: 0, unsearched: 0, is_full: false };
  const report = (bytes: number, isOver: boolean) => {
    reportedAt = performance.now();
    postMessage({ turn, progress: { counts, bytes, isOver } });
  };
  loading = Module.load(libraryUrl);
  const module = await loading;
  if (turn !== current) return;
  let at = 0;
  while (at < opened.size && !counts.is_full) {
    const piece = await opened.slice(at, at + PIECE_BYTES).arrayBuffer();
    if (turn !== current) return;
    counts = module.feed(new Uint8Array(piece));
    at += piece.byteLength;
    if (piece.byteLength === 0) break;
    if (performance.now() - reportedAt > PROGRESS_MS) report(at, false);
  }
  counts = module.ask("finish_library", {});
  report(at, true);
}

/** Reads the text of a game as UTF-8, or as Windows-1252 if it is not valid UTF-8. */
async function text({ offset, length }: Pick<GameRow, "offset" | "length">): Promise<string> {
  if (!file) throw new Error("no file is open");
  const bytes = await file.slice(offset, offset + length).arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Answers a request, with `undefined` if no file is open. */
async function answer(ask: Exclude<Ask, { do: "open" }>): Promise<unknown> {
  // A stopped read ends at once, and not when its module has arrived.
  if (ask.do === "stop") current += 1;
  // If it cannot be loaded, the request that opened the file says so.
  const module = await loading?.catch(() => undefined);
  switch (ask.do) {
    case "filter":
      return module?.ask("filter_library", ask.filter);
    case "rows":
      return module?.ask("list_library", { from: ask.from, count: ask.count });
    case "ranges":
      return module?.ask("library_ranges", {});
    case "explore":
      return module?.ask("explore_library", {});
    case "text":
      return text(ask);
    case "stop":
      return module?.ask("finish_library", {});
  }
}

onmessage = async (event: MessageEvent<{ id: number; ask: Ask }>) => {
  const { id, ask } = event.data;
  try {
    if (ask.do === "open") {
      file = ask.file;
      current = ask.turn;
      await read(ask.file, ask.turn);
    } else {
      postMessage({ id, answer: await answer(ask) });
    }
  } catch (error) {
    const code = error instanceof Refused ? error.code : undefined;
    postMessage(ask.do === "open" ? { turn: ask.turn, failed: String(error) } : { id, error: String(error), code });
  }
};
