/**
 * The open library. It keeps its state while the user looks at a game and comes back.
 *
 * Responsible for the worker, the filter, and the rows around the visible part. The number of
 * cached rows is bounded, however long the list is.
 */

import { Reader, type News } from "../core/library";
import type { Filter, GameRow, Tally } from "../core/types";

const PAGE_ROWS = 100;
const MAX_PAGES = 40;
const TYPING_MS = 120;

const NOTHING: Tally = { games: 0, broken: 0, matches: 0, is_full: false };

/** Parses a range of years: "1999", "1990-1999", or "199" for a decade. */
export function yearsOf(text: string): [number, number] | null {
  const [first, last = first] = text.match(/\d{1,4}/g) ?? [];
  if (!first || !last) return null;
  return [Number(first.padEnd(4, "0")), Number(last.padEnd(4, "9"))];
}

class Library {
  file = $state.raw<File | null>(null);
  tally = $state.raw<Tally>(NOTHING);
  /** Number of bytes read so far. */
  bytes = $state(0);
  isReading = $state(false);
  isStopped = $state(false);
  failure = $state("");
  player = $state("");
  opening = $state("");
  result = $state("");
  years = $state("");
  isBrokenOnly = $state(false);
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

  get filter(): Filter {
    return {
      player: this.player,
      opening: this.opening,
      result: this.result || null,
      years: yearsOf(this.years),
      is_broken: this.isBrokenOnly,
    };
  }

  get isSifted(): boolean {
    const { player, opening, result, years, is_broken } = this.filter;
    return Boolean(player.trim() || opening.trim() || result || years || is_broken);
  }

  open(file: File): void {
    this.#reader ??= new Reader(
      (news) => this.#hear(news),
      (text) => this.#fail(text),
    );
    this.clearWish();
    this.#forget();
    Object.assign(this, { file, tally: NOTHING, bytes: 0, isReading: true, isStopped: false, failure: "", onlyGame: null });
    [this.scroll, this.active] = [0, 0];
    this.#reader.open(file);
  }

  clearWish(): void {
    Object.assign(this, { player: "", opening: "", result: "", years: "", isBrokenOnly: false });
  }

  async stop(): Promise<void> {
    [this.isReading, this.isStopped] = [false, true];
    const tally = await this.#reader?.stop();
    if (tally) this.tally = tally;
    this.version += 1;
  }

  #hear({ tally, bytes, isOver }: News): void {
    const grew = tally.matches !== this.tally.matches;
    Object.assign(this, { tally, bytes, isReading: !isOver });
    if (grew) this.version += 1;
    if (isOver && tally.games === 1 && tally.broken === 0) void this.#take();
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
    const tally = await this.#reader?.filter(this.filter);
    if (!tally || sifting !== this.#sifting) return;
    this.tally = tally;
    [this.scroll, this.active] = [0, 0];
    this.#forget();
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
