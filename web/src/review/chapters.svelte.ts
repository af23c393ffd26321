/**
 * The chapters of the analysis board: several games that are saved as one file.
 *
 * The current chapter is the study itself; the others wait here as PGN. Invariant: there is always a
 * current chapter, and the number of chapters and their size are bounded.
 */

import type { Color } from "../core/types";
import { t } from "../state/i18n.svelte";
import { readStored, settings, store } from "../state/settings.svelte";
import { MAX_CHAPTERS, MAX_NAME, named, nameOf } from "./chapter-names";
import { study } from "./study.svelte";

export interface Chapter {
  /** Name given by the user, or empty. */
  name: string;
  pgn: string;
  /** Ply in the main line that was shown. */
  ply: number;
  orientation: Color;
}

/** Total length of the chapters kept in the browser. */
const MAX_KEPT_CHARS = 2_000_000;
const KEY = "castellan.chapters";
const BLANK: Chapter = { name: "", pgn: "", ply: 0, orientation: "white" };

class Chapters {
  list = $state.raw<readonly Chapter[]>([BLANK]);
  current = $state(0);

  get canAdd(): boolean {
    return this.list.length < MAX_CHAPTERS;
  }

  nameAt(at: number): string {
    return this.list[at]?.name || t("chapters.number", { number: at + 1 });
  }

  /** Restores the chapters of the last visit. The study has been restored before. */
  recall(): void {
    const kept = readStored<{ list: Chapter[]; current: number }>(KEY);
    const list = (Array.isArray(kept?.list) ? kept.list : []).filter((it) => typeof it?.pgn === "string").slice(0, MAX_CHAPTERS);
    if (list.length === 0) return;
    this.list = list;
    this.current = Math.max(0, Math.min(Number(kept?.current) || 0, list.length - 1));
  }

  /** Returns the current chapter as it is on the board. */
  #now(): Chapter {
    const ply = Math.max(0, study.main.indexOf(study.node));
    return { name: this.list[this.current]?.name ?? "", pgn: study.pgn(settings.saveEvals), ply, orientation: study.orientation };
  }

  #put(): void {
    this.list = this.list.with(this.current, this.#now());
  }

  #keep(): void {
    const length = this.list.reduce((sum, { pgn }) => sum + pgn.length, 0);
    if (length <= MAX_KEPT_CHARS) store(KEY, { list: this.list, current: this.current });
    study.keepNow();
  }

  #show(at: number): void {
    const { pgn, ply, orientation } = this.list[at] ?? BLANK;
    if (!pgn || !study.open(pgn)) study.openBoard();
    study.orientation = orientation;
    study.go(study.main[ply] ?? 0);
    this.current = at;
    this.#keep();
  }

  /** Puts a chapter on the board. */
  go(at: number): void {
    if (at === this.current || !this.list[at]) return;
    this.#put();
    this.#show(at);
  }

  /** Adds an empty chapter and puts it on the board. Returns `false` if there are too many. */
  add(): boolean {
    if (!this.canAdd) return false;
    this.#put();
    this.list = [...this.list, BLANK];
    this.#show(this.list.length - 1);
    return true;
  }

  rename(name: string): void {
    this.list = this.list.with(this.current, { ...this.#now(), name: name.trim().slice(0, MAX_NAME) });
    this.#keep();
  }

  /** Deletes the current chapter; the last one becomes an empty board. */
  remove(): void {
    const left = this.list.filter((_, at) => at !== this.current);
    this.list = left.length > 0 ? left : [BLANK];
    this.#show(Math.min(this.current, this.list.length - 1));
  }

  /** Adds games as chapters and shows the first of them. An empty board makes way. Returns how many were added. */
  addAll(games: readonly string[]): number {
    this.#put();
    const before = study.main.length > 1 || this.list.length > 1 ? this.list : [];
    const added = games.slice(0, MAX_CHAPTERS - before.length).map((pgn) => ({ ...BLANK, pgn, name: nameOf(pgn) }));
    if (added.length === 0) return 0;
    this.list = [...before, ...added];
    this.#show(before.length);
    return added.length;
  }

  /** Returns all chapters as one file. */
  pgn(): string {
    this.#put();
    if (this.list.length === 1 && !this.list[0]?.name) return this.list[0]?.pgn ?? "";
    return this.list.map(({ pgn }, at) => named(pgn || "*\n", this.nameAt(at)).trimEnd()).join("\n\n") + "\n";
  }
}

export const chapters = new Chapters();
