/**
 * The open library. It keeps its state while the user looks at a game and comes back, and the next
 * visit begins where this one ended.
 *
 * Responsible for the worker, the filter, the order, and the rows around the visible part. The number of
 * cached rows is bounded, however long the list is.
 */

import { Reader, type ReadProgress } from "../core/library";
import { Refused } from "../core/module";
import type { Column, Exploration, Filter, GameRow, Sort, LibraryCounts } from "../core/types";
import { Explorer } from "./explorer.svelte";
import { dropFile, keepFile, keepList, keptFile, leftList, type LeftList, type NotKept } from "./library-store";

const PAGE_ROWS = 100;
const MAX_PAGES = 40;
const TYPING_MS = 120;
/** Longest name of a merged file. */
const MAX_NAME = 100;

const NOTHING: LibraryCounts = { games: 0, broken: 0, matches: 0, unsearched: 0, is_full: false };

/** Parses a range of years: "1999", "1990-1999", or "199" for a decade. */
export function yearsOf(text: string): [number, number] | null {
  const [first, last = first] = text.match(/\d{1,4}/g) ?? [];
  if (!first || !last) return null;
  return [Number(first.padEnd(4, "0")), Number(last.padEnd(4, "9"))];
}

/** Returns a file without the mark that some programs write at its beginning; it belongs only there. */
async function withoutMark(file: File): Promise<Blob> {
  const first = new Uint8Array(await file.slice(0, 3).arrayBuffer());
  return first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf ? file.slice(3) : file;
}

class Library {
  file = $state.raw<File | null>(null);
  counts = $state.raw<LibraryCounts>(NOTHING);
  /** Number of bytes read so far. */
  bytes = $state(0);
  isReading = $state(false);
  isStopped = $state(false);
  failure = $state("");
  player = $state("");
  opening = $state("");
  tag = $state("");
  result = $state("");
  years = $state("");
  isBrokenOnly = $state(false);
  /** Whether copies of games are left out. */
  isUnique = $state(false);
  material = $state("");
  /** Whether the material cannot be understood; then it is not searched for. */
  isMaterialBad = $state(false);
  /** The board on which a position is searched for. */
  readonly explorer = new Explorer(() => this.sift());
  /** What was played in that position; `null` until it is known. */
  exploration = $state.raw<Exploration | null>(null);
  sort = $state.raw<Sort | null>(null);
  /** Why the file is not kept for the next visit; `null` if it is, or if that is not known yet. */
  notKept = $state<NotKept | null>(null);
  /** Scroll position of the list, restored when the user comes back. */
  scroll = 0;
  active = $state(0);
  /** Increases whenever rows arrive or become outdated. */
  version = $state(0);
  /** The only game of a file, once the file has been read without errors. */
  onlyGame = $state.raw<GameRow | null>(null);

  #reader: Reader | undefined;
  #pages = new Map<number, readonly GameRow[]>();
  #asked = new Set<number>();
  /** Number of the current filter; rows of an older one are dropped. */
  #sifting = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;
  /** How the list was left at the last visit, until it is shown that way again. */
  #left: Partial<LeftList> | null = null;
  /** Whether the file is in the storage of this browser. */
  #isKept = false;

  get filter(): Filter {
    return {
      player: this.player,
      opening: this.opening,
      tag: this.tag,
      sort: this.sort,
      result: this.result || null,
      years: yearsOf(this.years),
      is_broken: this.isBrokenOnly,
      is_unique: this.isUnique,
      material: this.material.trim() || null,
      position: this.explorer.isOpen ? this.explorer.fen : null,
    };
  }

  get isSifted(): boolean {
    const { player, opening, tag, result, years, is_broken, is_unique, material, position } = this.filter;
    return Boolean(player.trim() || opening.trim() || tag.trim() || result || years || is_broken || is_unique || material || position);
  }

  /** Whether a file of the last visit may be there. */
  get canResume(): boolean {
    return this.file === null && leftList() !== undefined;
  }

  /** Opens the file of the last visit as it was left. Returns whether there is one. */
  async resume(): Promise<boolean> {
    const left = leftList();
    const file = left && (await keptFile());
    if (!file || this.file) return this.file !== null;
    this.open(file);
    this.#left = left;
    this.#isKept = true;
    const { player = "", opening = "", tag = "", result = "", years = "", isBrokenOnly = false, isUnique = false, material = "", sort = null } = left;
    Object.assign(this, { player, opening, tag, result, years, isBrokenOnly, isUnique, material, sort });
    if (left.line) this.explorer.restore(left.line);
    return true;
  }

  /** Closes the file and forgets it. */
  async close(): Promise<void> {
    clearTimeout(this.#saving);
    [this.file, this.#isKept, this.isReading] = [null, false, false];
    await Promise.all([this.#reader?.stop(), dropFile()]);
  }

  /** Adds the games of more files to the list. The files themselves stay as they are. */
  async add(files: readonly File[]): Promise<void> {
    const [whole, added] = [this.file, await Promise.all(files.map(withoutMark))];
    if (!whole) return;
    const names = [whole.name, ...files.map((file) => file.name)].filter(Boolean);
    const { explorer } = this;
    const chosen = { player: this.player, opening: this.opening, tag: this.tag, result: this.result, years: this.years, isUnique: this.isUnique, material: this.material };
    const [sort, line] = [this.sort, explorer.line];
    this.open(new File([whole, ...added.flatMap((part) => ["\n\n", part])], names.join(" + ").slice(0, MAX_NAME)));
    Object.assign(this, chosen, { sort });
    if (line) explorer.restore(line);
    await this.#siftNow();
  }

  open(file: File): void {
    this.#reader ??= new Reader(
      (progress) => this.#receive(progress),
      (text) => this.#fail(text),
    );
    this.clearFilter();
    this.#forget();
    [this.sort, this.notKept, this.#left, this.#isKept] = [null, null, null, false];
    Object.assign(this, { file, counts: NOTHING, bytes: 0, isReading: true, isStopped: false, failure: "", onlyGame: null });
    [this.scroll, this.active] = [0, 0];
    this.#reader.open(file);
  }

  clearFilter(): void {
    Object.assign(this, { player: "", opening: "", tag: "", result: "", years: "", isBrokenOnly: false, isUnique: false, material: "" });
    this.explorer.close();
  }

  async stop(): Promise<void> {
    [this.isReading, this.isStopped] = [false, true];
    const counts = await this.#reader?.stop();
    if (counts) this.counts = counts;
    this.#forget();
    if (this.file) void this.#keep(this.file);
  }

  #receive({ counts, bytes, isOver }: ReadProgress): void {
    const grew = counts.matches !== this.counts.matches;
    Object.assign(this, { counts, bytes, isReading: !isOver });
    if (grew) this.version += 1;
    if (this.#left && isOver) void this.#goBack(this.#left);
    else if (isOver && this.sort) this.#forget();
    if (isOver) void this.#explore(this.filter);
    if (isOver && counts.games === 1 && counts.broken === 0) void this.#take();
    else if (isOver && this.file) void this.#keep(this.file);
  }

  /** Shows the list as it was left. */
  async #goBack(left: Partial<LeftList>): Promise<void> {
    this.#left = null;
    await this.#siftNow();
    [this.scroll, this.active] = [left.scroll ?? 0, left.active ?? 0];
    this.version += 1;
  }

  /** Keeps a list of games for the next visit; a single game is not worth it. */
  async #keep(file: File): Promise<void> {
    if (this.#isKept || this.counts.games < 2) return;
    this.notKept = await keepFile(file);
    this.#isKept = this.notKept === null && this.file === file;
    this.keepPlace();
  }

  /** Remembers the filter, the order and the place in the list. */
  keepPlace(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => {
      if (!this.#isKept || this.#left) return;
      const { player, opening, tag, result, years, isBrokenOnly, isUnique, material, sort, scroll, active } = this;
      keepList({ player, opening, tag, result, years, isBrokenOnly, isUnique, material, sort, scroll, active, line: this.explorer.line });
    }, TYPING_MS);
  }

  /** Sorts by a column, then the other way, then in the order of the file again. */
  sortBy(column: Column): void {
    const isSame = this.sort?.column === column;
    if (isSame && this.sort?.is_descending) this.sort = null;
    else this.sort = { column, is_descending: isSame };
    this.sift();
  }

  /** Returns the games of the list as a file of their own. */
  async extract(): Promise<Blob | null> {
    const [file, ranges] = [this.file, await this.#reader?.ranges()];
    if (!file || !ranges) return null;
    return new Blob(ranges.flatMap(({ begin, end }) => [file.slice(begin, end), "\n\n"]), { type: "application/x-chess-pgn" });
  }

  /** Reads the first games of the list. */
  async texts(count: number): Promise<string[]> {
    const rows = (await this.#reader?.rows(0, count)) ?? [];
    return Promise.all(rows.map((row) => this.text(row)));
  }

  /** Reads the game at a place of the list. Returns `null` if there is none. */
  async textAt(at: number): Promise<string | null> {
    const [row] = at < 0 ? [] : ((await this.#reader?.rows(at, 1)) ?? []);
    if (!row) return null;
    this.active = at;
    this.keepPlace();
    return this.text(row);
  }

  /** Reads a game of the list as `textAt` does, without leaving the game that the user looks at. */
  async peek(at: number): Promise<string | null> {
    const [row] = (await this.#reader?.rows(at, 1)) ?? [];
    return row ? this.text(row) : null;
  }

  async #take(): Promise<void> {
    this.onlyGame = (await this.#reader?.rows(0, 1))?.[0] ?? null;
  }

  #fail(text: string): void {
    Object.assign(this, { failure: text || "?", isReading: false });
  }

  /** Applies a changed filter, once the user pauses typing. */
  sift(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#siftNow(), TYPING_MS);
  }

  async #siftNow(): Promise<void> {
    const sifting = ++this.#sifting;
    const { filter } = this;
    const counts = await this.#filter(filter);
    if (!counts || sifting !== this.#sifting) return;
    this.counts = counts;
    await this.#explore(filter);
    if (sifting !== this.#sifting) return;
    [this.scroll, this.active] = [0, 0];
    this.#forget();
    this.keepPlace();
  }

  /** Filters the games. Material that is not understood yet, as while it is typed, is left out. */
  async #filter(filter: Filter): Promise<LibraryCounts | undefined> {
    try {
      const counts = await this.#reader?.filter(filter);
      this.isMaterialBad = false;
      return counts;
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== "bad_material") throw error;
      this.isMaterialBad = true;
      return this.#reader?.filter({ ...filter, material: null });
    }
  }

  async #explore({ position }: Filter): Promise<void> {
    const found = position === null ? null : await this.#reader?.explore();
    if (position === null || position === this.filter.position) this.exploration = found ?? null;
  }

  #forget(): void {
    this.#pages.clear();
    this.#asked.clear();
    this.#sifting += 1;
    this.version += 1;
  }

  /**
   * Returns a row if it is cached; otherwise requests it, and `version` increases when it arrives.
   */
  row(at: number): GameRow | undefined {
    const page = Math.floor(at / PAGE_ROWS);
    const row = this.#pages.get(page)?.[at % PAGE_ROWS];
    if (!row) void this.#fetch(page);
    return row;
  }

  async #fetch(page: number): Promise<void> {
    if (this.#asked.has(page) || !this.#reader) return;
    const sifting = this.#sifting;
    this.#asked.add(page);
    try {
      const rows = await this.#reader.rows(page * PAGE_ROWS, PAGE_ROWS);
      if (sifting !== this.#sifting || !rows) return;
      this.#asked.delete(page);
      this.#pages.set(page, rows);
      const oldest = this.#pages.keys().next().value;
      if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest);
      this.version += 1;
    } catch (error) {
      this.#fail(String(error));
    }
  }

  /** Reads the text of a game from the file again. */
  text(row: GameRow): Promise<string> {
    if (!this.#reader) return Promise.reject(new Error("no file is open"));
    return this.#reader.text(row);
  }
}

export const library = new Library();
