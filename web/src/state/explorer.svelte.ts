/**
 * The board of the library on which a position is searched for: a starting position and the moves
 * from it.
 *
 * Responsible for the line and the place in it. The owner is notified when the position changes.
 */

import * as table from "../core/table";
import { Refused } from "../core/module";
import type { Color, PositionView } from "../core/types";

/** A line as it is kept: the start, the moves, and how many of them are made. */
export interface ExplorerLine {
  start: string;
  moves: string[];
  at: number;
}

interface Step {
  uci: string;
  san: string;
  fen: string;
}

/** Longest line. */
const MAX_PLIES = 600;

export class Explorer {
  isOpen = $state(false);
  orientation = $state<Color>("white");
  #start = $state(table.START_FEN);
  #steps = $state.raw<readonly Step[]>([]);
  /** Number of moves that are made. */
  at = $state(0);
  readonly #onchange: () => void;

  constructor(onchange: () => void) {
    this.#onchange = onchange;
  }

  get fen(): string {
    return this.#steps[this.at - 1]?.fen ?? this.#start;
  }

  /** The position on the board. Needs the rules module, which every page with a board has loaded. */
  readonly position: PositionView = $derived(table.position(this.fen));

  /** The moves up to the position on the board. */
  get sans(): string[] {
    return this.#steps.slice(0, this.at).map(({ san }) => san);
  }

  get lastMove(): { from: string; to: string } | null {
    const uci = this.#steps[this.at - 1]?.uci;
    return uci ? { from: uci.slice(0, 2), to: uci.slice(2, 4) } : null;
  }

  get isAtEnd(): boolean {
    return this.at === this.#steps.length;
  }

  /** The line to be kept; `null` if the explorer is closed. */
  get line(): ExplorerLine | null {
    return this.isOpen ? { start: this.#start, moves: this.#steps.map(({ uci }) => uci), at: this.at } : null;
  }

  /** Opens the explorer at the usual start, or where it was. */
  open(): void {
    this.isOpen = true;
    this.#onchange();
  }

  close(): void {
    Object.assign(this, { isOpen: false, at: 0 });
    [this.#start, this.#steps] = [table.START_FEN, []];
  }

  /** Opens the explorer at a FEN. Returns whether it is a position. */
  setUp(fen: string): boolean {
    try {
      this.#start = table.position(fen).fen;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return false;
    }
    [this.#steps, this.at] = [[], 0];
    this.open();
    return true;
  }

  /** Opens the explorer with a line of the last visit, as far as its moves are legal. */
  restore({ start, moves, at }: ExplorerLine): void {
    if (!this.setUp(start)) return;
    for (const uci of moves.slice(0, MAX_PLIES)) if (!this.play(uci)) break;
    this.goTo(at);
  }

  /** Makes a move, which replaces those after it. Returns whether it is legal. */
  play(uci: string): boolean {
    if (this.at >= MAX_PLIES) return false;
    try {
      const { san, fen } = table.tryMove(this.fen, uci, false);
      this.#steps = [...this.#steps.slice(0, this.at), { uci, san, fen }];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return false;
    }
    this.goTo(this.at + 1);
    return true;
  }

  goTo(at: number): void {
    const next = Math.max(0, Math.min(at, this.#steps.length));
    this.at = next;
    this.#onchange();
  }
}
