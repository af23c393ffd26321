/**
 * Input state of the board: the selected piece, the drag in progress, and the drawings.
 *
 * Responsible for turning mouse, touch and keyboard input into moves. The legal moves come with the
 * scene; this module knows no rules of chess. In the editor, pieces can go anywhere: a click picks up
 * a piece and a second click puts it down; a second click on the same square opens its menu.
 */

import type { BoardText, Color, MoveView } from "../core/types";
import { settings } from "../state/settings.svelte";
import { pieceAt, placeOf, squareAt } from "./geometry";
import { Drawing, paintOf } from "./drawing.svelte";
import type { Arrow, Paint } from "./marks";
import { isPageKey, stepByKey, type Steps } from "./steps";

/** What the board shows, and the callbacks it reports to. */
export interface Scene {
  board: BoardText;
  orientation: Color;
  moves: readonly MoveView[];
  origins: ReadonlySet<string>;
  /** Square of the piece that must move under the touch-move rule. */
  mustMove: string | null;
  /** Arrows and circles that are already shown on the board. */
  arrows: readonly Arrow[];
  /** Color to draw with instead of moving pieces; `null` to move them. */
  pen: Paint | null;
  /** Whether a premove is set, which can be canceled. */
  isWaiting: boolean;
  onmove: ((move: MoveView) => void) | undefined;
  /** Called for every piece that is touched, even if it cannot move. */
  ontouch: ((square: string) => void) | undefined;
  onfree: ((from: string, to: string | null) => void) | undefined;
  /** In an editor: uses the chosen tool on a square; returns `false` if none is chosen. */
  onsquare: ((square: string) => boolean) | undefined;
  /** In an editor: opens the menu of a square. */
  onmenu: ((square: string) => void) | undefined;
  oncancel: (() => void) | undefined;
  /** Stores a drawing. Without it, drawings last until the next move or click. */
  ondraw: ((from: string, to: string, paint: Paint) => void) | undefined;
  /** How keys step through the moves. */
  steps: Steps | undefined;
}

interface Press {
  from: string;
  x: number;
  y: number;
  wasSelected: boolean;
}

/** Distance in pixels beyond which a press counts as a drag. */
const DRAG_PX = 5;
/** How long a finger must rest on a square to open its menu, in milliseconds. */
const LONG_PRESS_MS = 500;

export class Hand {
  selected = $state<string | null>(null);
  focused = $state("e2");
  drag = $state.raw<{ from: string; x: number; y: number } | null>(null);
  hover = $state<string | null>(null);
  choice = $state.raw<{ to: string; moves: MoveView[] } | null>(null);
  /** Whether pieces may slide; `false` until they are drawn on their squares. */
  isSettled = $state(false);
  root: HTMLElement | undefined;
  #press: Press | null = null;
  #longPress: ReturnType<typeof setTimeout> | undefined;
  readonly drawing: Drawing;
  readonly #scene: () => Scene;

  constructor(scene: () => Scene) {
    this.#scene = scene;
    this.drawing = new Drawing(scene, () => this.focused);
  }

  get #isFree(): boolean {
    return this.#scene().onfree !== undefined;
  }

  /** Resets the drawings for a new board. A piece stays selected if it can still move. */
  renew(): void {
    this.drawing.clear();
    this.choice = null;
    const { board, origins } = this.#scene();
    const mayStay = (square: string) => (this.#isFree ? pieceAt(board, square) !== null : origins.has(square));
    if (!(this.selected && mayStay(this.selected))) this.letGo();
  }

  letGo(): void {
    this.selected = this.#scene().mustMove;
  }

  /** Closes the promotion picker and returns the focus to the board. */
  leaveChoice(): void {
    this.choice = null;
    this.letGo();
    this.#focus(this.focused);
  }

  /**
   * Turns off sliding until the pieces are drawn on their squares. Returns a function that cancels.
   */
  settle(): () => void {
    this.isSettled = false;
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => (this.isSettled = true)));
    return () => cancelAnimationFrame(frame);
  }

  /** Plays a move or opens the promotion picker. Returns `false` if there is no such move. */
  choose(from: string, to: string): boolean {
    const { moves, onmove } = this.#scene();
    // Castling can also be entered by clicking the rook.
    const fitting = moves.filter((move) => move.from === from && (move.to === to || move.rook === to));
    const first = fitting[0];
    if (!first) return false;
    this.selected = null;
    if (fitting.length === 1) onmove?.(first);
    else if (settings.autoqueen) onmove?.(fitting.find((move) => move.promotion === "q") ?? first);
    else this.choice = { to, moves: fitting };
    return true;
  }

  #pick(square: string): void {
    this.selected = square;
    this.#scene().ontouch?.(square);
  }

  #canPick(square: string): boolean {
    const { board, origins } = this.#scene();
    return this.#isFree ? pieceAt(board, square) !== null : origins.has(square);
  }

  /**
   * Deselects the piece, or cancels the premove, after a click on a square without a movable piece.
   */
  #drop(square: string): void {
    const { board, ontouch, isWaiting, oncancel } = this.#scene();
    if (pieceAt(board, square)) ontouch?.(square);
    if (!this.selected && isWaiting) oncancel?.();
    this.letGo();
  }

  /** Handles a click on the editor's board. */
  #edit(square: string): void {
    const { board, onfree, onsquare, onmenu } = this.#scene();
    const held = this.selected;
    this.selected = null;
    if (onsquare?.(square)) return;
    if (held !== null && held !== square) onfree?.(held, square);
    else if (held === null && pieceAt(board, square)) this.selected = square;
    else onmenu?.(square);
  }

  /** Handles Enter, or a click without a drag. */
  activate(square: string): void {
    const { mustMove } = this.#scene();
    if (this.#isFree) {
      this.#edit(square);
      return;
    }
    if (this.selected && this.selected !== square && this.choose(this.selected, square)) return;
    if (this.selected === square && square !== mustMove) this.selected = null;
    else if (this.#canPick(square)) this.#pick(square);
    else this.#drop(square);
  }

  #pointAt(event: PointerEvent): { square: string | null; x: number; y: number } {
    const box = this.root?.getBoundingClientRect() ?? new DOMRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const size = box.width / 8;
    return { square: squareAt(Math.floor(x / size), Math.floor(y / size), this.#scene().orientation), x, y };
  }

  readonly onpointerdown = (event: PointerEvent): void => {
    const { square, x, y } = this.#pointAt(event);
    if (!square || this.choice) return;
    if (event.button === 2) this.#rightPress(square, paintOf(event));
    if (event.button !== 0) return;
    this.drawing.wipe();
    this.focused = square;
    this.root?.setPointerCapture(event.pointerId);
    const { pen } = this.#scene();
    if (pen) {
      this.drawing.begin(square, pen);
      return;
    }
    const held = this.selected;
    if (!this.#isFree && settings.input !== "drag" && held && held !== square && this.choose(held, square)) {
      this.#press = null;
      return;
    }
    if (!this.#canPick(square)) {
      if (!this.#isFree) this.#drop(square);
      this.#press = this.#isFree ? { from: square, x, y, wasSelected: false } : null;
    } else {
      this.#take(square, x, y);
    }
    if (this.#isFree && event.pointerType === "touch") this.#awaitLongPress(square);
  };

  #take(square: string, x: number, y: number): void {
    this.#press = { from: square, x, y, wasSelected: this.selected === square };
    if (!this.#isFree && this.selected !== square) this.#pick(square);
  }

  #awaitLongPress(square: string): void {
    clearTimeout(this.#longPress);
    this.#longPress = setTimeout(() => {
      if (!this.#press || this.drag) return;
      this.#press = null;
      this.#scene().onmenu?.(square);
    }, LONG_PRESS_MS);
  }

  #rightPress(square: string, paint: Paint): void {
    const { isWaiting, oncancel } = this.#scene();
    if (isWaiting) oncancel?.();
    else if (!this.#isFree) this.drawing.begin(square, paint);
  }

  readonly onpointermove = (event: PointerEvent): void => {
    this.drawing.goTo(this.#pointAt(event).square);
    const press = this.#press;
    if (!press || settings.input === "click") return;
    const { square, x, y } = this.#pointAt(event);
    const isFar = Math.hypot(x - press.x, y - press.y) > DRAG_PX;
    if (!this.drag && (!isFar || !pieceAt(this.#scene().board, press.from))) return;
    this.drag = { from: press.from, x, y };
    this.hover = square;
  };

  readonly onpointerup = (event: PointerEvent): void => {
    const { square } = this.#pointAt(event);
    if (this.drawing.end(square) || event.button === 2) return;
    const press = this.#press;
    const wasDrag = this.drag !== null;
    clearTimeout(this.#longPress);
    this.#press = null;
    this.drag = null;
    this.hover = null;
    if (!press) return;
    if (wasDrag) this.#dropAt(press.from, square);
    else this.#clickAt(press, square);
  };

  #dropAt(from: string, square: string | null): void {
    // The dragged piece is already under the pointer, so it should not slide there again.
    this.settle();
    const { onfree } = this.#scene();
    if (onfree) {
      this.selected = null;
      onfree(from, square);
    } else if (square !== from && (!square || !this.choose(from, square))) {
      this.letGo();
    }
  }

  #clickAt(press: Press, square: string | null): void {
    const { mustMove } = this.#scene();
    if (this.#isFree) {
      if (square === press.from) this.#edit(press.from);
    } else if ((press.wasSelected || settings.input === "drag") && press.from !== mustMove) {
      this.selected = null;
    }
  }

  readonly onpointercancel = (): void => {
    clearTimeout(this.#longPress);
    this.#press = null;
    this.drawing.cancel();
    this.drag = null;
    this.hover = null;
  };

  /** Returns the square under the pointer, for pieces that are dragged here from elsewhere. */
  squareUnder(event: PointerEvent): string | null {
    return this.#pointAt(event).square;
  }

  /**
   * Keeps a press from moving the focus to the board, so that the arrow keys keep stepping through
   * the moves. The promotion buttons keep the focus they have. In the editor the pressed square
   * takes the focus, because keys work on it there.
   */
  readonly onmousedown = (event: MouseEvent): void => {
    const isEditor = this.#scene().onfree !== undefined;
    if (this.choice || !isEditor) event.preventDefault();
    if (!this.choice && !isEditor && document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };

  /** Handles a key on the board. Returns whether the key was used. */
  press(key: string, paint: Paint = "G"): boolean {
    const { orientation, onfree, onmenu, isWaiting, oncancel } = this.#scene();
    const step = STEPS[key];
    if (step) {
      const { x, y } = placeOf(this.focused, orientation);
      const next = squareAt(x + step[0], y + step[1], orientation);
      if (next) this.#focus(next);
    } else if (key === "Enter" || key === " ") {
      this.activate(this.focused);
    } else if (key === "a" && !onfree) {
      this.drawing.press(this.#scene().pen ?? paint);
    } else if (key === "Escape" && this.choice) {
      this.leaveChoice();
    } else if (key === "Escape" && this.drawing.sketch) {
      this.drawing.cancel();
    } else if (key === "Escape" && this.selected) {
      this.letGo();
    } else if (key === "Escape" && isWaiting) {
      oncancel?.();
    } else if ((key === "Delete" || key === "Backspace") && onfree) {
      onfree(this.focused, null);
    } else if (key === "ContextMenu" && onmenu) {
      onmenu(this.focused);
    } else {
      return false;
    }
    return true;
  }

  readonly onkeydown = (event: KeyboardEvent): void => {
    const isMenuKey = event.key === "F10" && event.shiftKey;
    if (event.ctrlKey || event.metaKey) return;
    // With Alt, some keyboards give another letter.
    const isDrawing = event.key === "A" || (event.altKey && event.code === "KeyA");
    const key = isDrawing ? "a" : event.key;
    if (!this.press(isMenuKey ? "ContextMenu" : key, paintOf(event))) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Handles a key pressed elsewhere on the page: Escape, and the steps through the moves. */
  readonly onpagekey = (event: KeyboardEvent): void => {
    if (!isPageKey(event)) return;
    const { steps, oncancel } = this.#scene();
    if (event.key === "Escape") {
      // What waits for its turn or for a confirmation is canceled last.
      if (!this.press("Escape")) oncancel?.();
    } else if (!steps || !stepByKey(steps, event.key)) {
      return;
    }
    event.preventDefault();
  };

  #focus(square: string): void {
    this.focused = square;
    this.root?.querySelector<HTMLElement>(`[data-square="${square}"]`)?.focus();
  }
}

const STEPS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
