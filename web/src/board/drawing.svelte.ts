/**
 * Arrows and circles that the user draws on the board: with the right mouse button, with a pen of
 * one color (for touch screens), or with the keyboard.
 *
 * The color comes from the pen or from the modifier keys: none for green, Shift for red, Alt for
 * blue, both for yellow.
 */

import { announcer } from "../state/announce.svelte";
import { t } from "../state/i18n.svelte";
import { toggled, type Arrow, type Paint } from "./marks";

interface Canvas {
  /** Arrows and circles that are already shown on the board. */
  arrows: readonly Arrow[];
  /** Stores a drawing. Without it, drawings last until the next move or click. */
  ondraw: ((from: string, to: string, paint: Paint) => void) | undefined;
}

/** Returns the color that the modifier keys choose. */
export function paintOf({ shiftKey, ctrlKey, altKey }: Pick<MouseEvent, "shiftKey" | "ctrlKey" | "altKey">): Paint {
  const isRed = shiftKey || ctrlKey;
  if (isRed && altKey) return "Y";
  return isRed ? "R" : altKey ? "B" : "G";
}

export class Drawing {
  drawn = $state.raw<Arrow[]>([]);
  /** Start of the arrow being drawn with the keyboard, and its color. */
  sketch = $state.raw<{ from: string; paint: Paint } | null>(null);
  /** The arrow being drawn with a pointer. */
  #pointed = $state.raw<{ from: string; to: string; paint: Paint } | null>(null);
  readonly #canvas: () => Canvas;
  readonly #focused: () => string;

  constructor(canvas: () => Canvas, focused: () => string) {
    this.#canvas = canvas;
    this.#focused = focused;
  }

  /** Removes everything, for a new board. */
  clear(): void {
    this.drawn = [];
    this.sketch = null;
  }

  /** Removes the drawings that are not stored. */
  wipe(): void {
    if (this.drawn.length) this.drawn = [];
  }

  begin(square: string, paint: Paint): void {
    this.#pointed = { from: square, to: square, paint };
  }

  goTo(square: string | null): void {
    if (this.#pointed) this.#pointed = { ...this.#pointed, to: square ?? this.#pointed.from };
  }

  /** Finishes the arrow of the pointer. Returns `false` if there is none. */
  end(square: string | null): boolean {
    const pointed = this.#pointed;
    this.#pointed = null;
    if (pointed && square) this.#draw(pointed.from, square, pointed.paint);
    return pointed !== null;
  }

  cancel(): void {
    this.#pointed = null;
    this.sketch = null;
  }

  #draw(from: string, to: string, paint: Paint): void {
    const { ondraw } = this.#canvas();
    if (ondraw) ondraw(from, to, paint);
    else this.drawn = toggled(this.drawn, { from, to, kind: "drawn", paint });
  }

  /** Arrows drawn on the board, including the one being drawn. */
  get marks(): readonly Arrow[] {
    const begun = this.#pointed ?? (this.sketch && { ...this.sketch, to: this.#focused() });
    return !begun || this.#find(begun.from, begun.to) ? this.drawn : [...this.drawn, { ...begun, kind: "drawn" }];
  }

  #find(from: string, to: string): Arrow | undefined {
    return [...this.#canvas().arrows, ...this.drawn].find((it) => it.from === from && it.to === to);
  }

  /**
   * Starts an arrow on the focused square, or ends it there; start and end on one square draw a
   * circle.
   */
  press(paint: Paint): void {
    const [sketch, to] = [this.sketch, this.#focused()];
    this.sketch = sketch ? null : { from: to, paint };
    if (!sketch) {
      announcer.say(t("draw.begun", { square: to }));
      return;
    }
    const { from } = sketch;
    const isThere = this.#find(from, to)?.kind === "drawn";
    this.#draw(from, to, sketch.paint);
    if (isThere) announcer.say(t("draw.gone"));
    else announcer.say(from === to ? t("draw.circle", { square: to }) : t("draw.arrow", { from, to }));
  }
}
