/**
 * The game under review.
 *
 * Responsible for the current position in the move tree, for edits, and for restoring both after a
 * reload. The tree itself lives in the WebAssembly module; this code knows no rules of chess.
 */

import { other } from "../board/geometry";
import { Refused } from "../core/module";
import * as core from "../core/review";
import type { Change, Color, NodeView, StudyView, TreeMove } from "../core/types";
import type { Paint } from "../board/marks";
import { readStored, store } from "../state/settings.svelte";
import { analysis, type KeptEval } from "./analysis.svelte";
import { lineFrom } from "./tree";

interface Kept {
  pgn: string;
  /** Ply in the main line that was shown. */
  ply: number;
  orientation: Color;
  /** Id of the game in the archive. */
  id?: string;
  /** Evaluations of its positions, which then need not be computed again. */
  evals?: KeptEval[];
}

/** The games that are kept in the browser: the one under review, and the analysis board. */
const KEYS = { review: "castellan.review", analysis: "castellan.analysis" } as const;
export type StudyKind = keyof typeof KEYS;
/** Longest PGN kept in the browser; a longer game has to be saved as a file. */
const MAX_KEPT_CHARS = 500_000;
/** Maximum number of evaluations kept in the browser with it. */
const MAX_KEPT_EVALS = 2_000;

class Study {
  kind: StudyKind = "review";
  view = $state.raw<StudyView | null>(null);
  place = $state.raw<NodeView | null>(null);
  node = $state(0);
  orientation = $state<Color>("white");
  /** Id of the game in the archive; empty if it is not from there. */
  archiveId = "";
  /** Place of the game in the list of the library; `null` if it is not from there. */
  libraryPlace = $state<number | null>(null);
  /** Error code of the module for the last refused action. */
  refusal = $state("");
  /** The move last taken from each node, so that back and forward undo each other. */
  #taken = new Map<number, number>();
  /** First nodes of the variations that are folded. */
  folded = $state.raw<ReadonlySet<number>>(new Set());

  get move(): TreeMove | null {
    return this.view?.moves[this.node] ?? null;
  }

  /** The nodes of the main line, from the start. */
  get main(): number[] {
    return lineFrom(this.view, 0);
  }

  get isMain(): boolean {
    return this.main.includes(this.node);
  }

  get isAtEnd(): boolean {
    return (this.move?.next.length ?? 0) === 0;
  }

  tag(name: string): string {
    const value = this.view?.tags.findLast(([tag]) => tag === name)?.[1] ?? "";
    return /^\?[?.]*$/.test(value) ? "" : value;
  }

  /** Whether the game can go on: it has not ended, and the rules know each of its moves. */
  get isUnfinished(): boolean {
    const moves = this.main.slice(1).map((node) => this.view?.moves[node]);
    return this.kind === "review" && this.view?.result === "*" && !this.view.end && moves.length > 0 && moves.every((move) => move?.uci != null) && moves.at(-1)?.ended === null;
  }

  /** Switches between the game under review and the analysis board; the other one is kept. */
  use(kind: StudyKind): void {
    if (this.kind === kind) return;
    this.keepNow();
    clearTimeout(this.#keeping);
    if (this.view) core.closeStudy(this.view.study);
    [this.view, this.place, this.node] = [null, null, 0];
    this.kind = kind;
  }

  /** Opens a board without moves, at the usual start or at a FEN that is known to be valid. */
  openBoard(fen = "", isChess960 = false): boolean {
    const variant = isChess960 ? '[Variant "Chess960"]\n' : "";
    return this.open(`[Event "Analysis"]\n${variant}${fen && `[SetUp "1"]\n[FEN "${fen}"]\n`}\n*\n`);
  }

  /** Opens the first game of a text, which may have an id in the archive or a place in the library. */
  open(text: string, id = "", libraryPlace: number | null = null): boolean {
    return this.#try(() => {
      this.#take(core.openStudy(text, 0), id);
      this.libraryPlace = libraryPlace;
    });
  }

  openLink(link: string): boolean {
    return this.#try(() => this.#take(core.openLink(link)));
  }

  /** Restores the game of the last visit, if there is one. */
  resume(): boolean {
    if (this.view) return true;
    const kept = readStored<Kept>(KEYS[this.kind]);
    if (!kept?.pgn || !this.open(kept.pgn, kept.id)) return false;
    if (this.view) analysis.recall(this.view, kept.evals);
    this.orientation = kept.orientation === "black" ? "black" : "white";
    this.go(this.main[kept.ply] ?? 0);
    return true;
  }

  #take(view: StudyView, id = ""): void {
    if (this.view) core.closeStudy(this.view.study);
    [this.archiveId, this.libraryPlace] = [id, null];
    this.#forget();
    this.view = view;
    analysis.recall(view);
    this.orientation = "white";
    this.go(0);
  }

  #try(run: () => void): boolean {
    try {
      this.refusal = "";
      run();
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refusal = error.code;
      return false;
    }
  }

  /** Forgets what refers to nodes by their numbers, which may have changed. */
  #forget(): void {
    this.#taken.clear();
    this.folded = new Set();
  }

  /** Folds a variation to its first move, or unfolds it. */
  fold(head: number): void {
    const folded = new Set(this.folded);
    if (!folded.delete(head)) folded.add(head);
    this.folded = folded;
  }

  go(node: number): void {
    const view = this.view;
    if (!view?.moves[node]) return;
    this.node = node;
    this.place = core.studyAt(view.study, node);
    // A move inside a folded variation could not be seen.
    const hidden = this.place.path.filter((at) => at !== node && this.folded.has(at));
    for (const head of hidden) this.fold(head);
    let at = node;
    for (const parent of this.place.path.toReversed().map((child) => view.moves[child]?.parent ?? 0)) {
      this.#taken.set(parent, at);
      at = parent;
    }
    this.keep();
  }

  back(): void {
    const parent = this.move?.parent;
    if (parent !== null && parent !== undefined) this.go(parent);
  }

  forward(): void {
    const next = this.#next(this.node);
    if (next !== undefined) this.go(next);
  }

  toStart(): void {
    this.go(0);
  }

  toEnd(): void {
    let at = this.node;
    for (let next = this.#next(at); next !== undefined; next = this.#next(at)) at = next;
    this.go(at);
  }

  /** Returns the move last taken from a node, or the main move. */
  #next(at: number): number | undefined {
    const next = this.view?.moves[at]?.next ?? [];
    const taken = this.#taken.get(at);
    return taken !== undefined && next.includes(taken) ? taken : next[0];
  }

  /** Goes to the next or previous alternative to the current move. */
  sidestep(by: number): void {
    const parent = this.move?.parent;
    if (parent === null || parent === undefined) return;
    const all = this.view?.moves[parent]?.next ?? [];
    const there = all[(all.indexOf(this.node) + by + all.length) % all.length];
    if (there !== undefined && there !== this.node) this.go(there);
  }

  /** Plays moves from the current position; a new move starts a variation. */
  play(moves: string[]): boolean {
    return this.#change({ type: "play", moves });
  }

  comment(node: number, text: string): boolean {
    return this.#changeAt(node, { type: "comment", text }, false);
  }

  glyph(glyph: number): boolean {
    const now = this.move?.glyphs ?? [];
    // A move has only one of the six move symbols at a time.
    const rest = now.filter((it) => it !== glyph && !(glyph <= 6 && it <= 6));
    return this.#change({ type: "glyphs", glyphs: now.includes(glyph) ? rest : [...rest, glyph] });
  }

  /** Draws an arrow, or a circle if both squares are the same; an existing one is removed. */
  draw(from: string, to: string, paint: Paint): boolean {
    return this.#change({ type: "draw", from, to, paint });
  }

  promote(): boolean {
    return this.#change({ type: "promote" });
  }

  remove(): boolean {
    this.#forget();
    return this.#change({ type: "delete" });
  }

  undo(): boolean {
    return this.#step((study) => core.undoStudy(study));
  }

  redo(): boolean {
    return this.#step((study) => core.redoStudy(study));
  }

  #step(run: (study: number) => StudyView): boolean {
    const view = this.view;
    if (!view) return false;
    return this.#try(() => {
      this.#forget();
      this.view = run(view.study);
      this.go(this.view.node);
    });
  }

  #change(change: Change): boolean {
    return this.#changeAt(this.node, change, true);
  }

  #changeAt(node: number, change: Change, isMoving: boolean): boolean {
    const view = this.view;
    if (!view) return false;
    return this.#try(() => {
      this.view = core.editStudy(view.study, node, change);
      if (isMoving) this.go(this.view.node);
      else this.keep();
    });
  }

  /** Adds mistakes to the game: a symbol on each, and the better line as a variation. */
  annotate(mistakes: readonly { node: number; glyph: number; better: string[] }[]): boolean {
    const view = this.view;
    if (!view) return false;
    return this.#try(() => {
      // All of it is undone in one step.
      let isJoined = false;
      const edit = (node: number, change: Change) => {
        this.view = core.editStudy(view.study, node, change, isJoined);
        isJoined ||= this.view.can_undo;
      };
      for (const { node, glyph, better } of mistakes) {
        const move = view.moves[node];
        if (!move || move.parent === null) continue;
        const isSigned = move.glyphs.some((it) => it <= 6);
        if (!isSigned) edit(node, { type: "glyphs", glyphs: [...move.glyphs, glyph] });
        if (better.length) edit(move.parent, { type: "play", moves: better });
      }
      this.go(this.node);
    });
  }

  flip(): void {
    this.orientation = other(this.orientation);
    this.keep();
  }

  /** Returns the game as PGN, with the engine's evaluations if they are wanted. */
  pgn(hasEvals = false): string {
    return this.view ? core.writeStudy(this.view.study, hasEvals ? analysis.evals(this.view) : []) : "";
  }

  #keeping: ReturnType<typeof setTimeout> | undefined;

  /** Saves the study in this browser after a short delay. */
  keep(): void {
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => this.keepNow(), 300);
  }

  keepNow(): void {
    if (!this.view) return;
    const pgn = this.pgn();
    if (pgn.length > MAX_KEPT_CHARS) return;
    const ply = Math.max(0, this.main.indexOf(this.node));
    const evals = analysis.kept(this.view).slice(0, MAX_KEPT_EVALS);
    store(KEYS[this.kind], { evals, pgn, ply, orientation: this.orientation, id: this.archiveId } satisfies Kept);
  }
}

export const study = new Study();
