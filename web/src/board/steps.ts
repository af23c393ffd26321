/**
 * Stepping through moves, the same on every board: the arrow keys, Home and End, the mouse wheel, and
 * `f` to flip the board.
 *
 * The keys work wherever the focus is, except in fields, dialogs and lists with keys of their own. A
 * square in focus comes first: its keys are in `hand.svelte.ts`.
 */

import type { Attachment } from "svelte/attachments";

/** How a page goes through its moves. */
export interface Steps {
  step(by: 1 | -1): void;
  toStart(): void;
  toEnd(): void;
  flip(): void;
  /** Goes to the previous or the next variation. */
  sidestep?(by: 1 | -1): void;
}

/** Pixels of scrolling for one move: less than one notch of a wheel, more than a touchpad's tremble. */
const PIXELS_PER_MOVE = 60;
/** Pixels of a line, for browsers that count in lines. */
const PIXELS_PER_LINE = 40;

/** Elements that use keys themselves. A list of games marks itself with `data-keys`. */
const OWN_KEYS = "input, textarea, select, dialog, [role=dialog], [data-keys=own]";

/** Returns whether a key belongs to the page, and not to a field, a dialog, a list or the browser. */
export function isPageKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  return isOutsideFields(event.target) && !document.querySelector("dialog:modal");
}

/** Returns whether an event happened outside of fields, dialogs and lists with keys of their own. */
export const isOutsideFields = (target: EventTarget | null): boolean => !(target instanceof Element && target.closest(OWN_KEYS));

/** Runs the step that a key means. Returns whether there is one. */
export function stepByKey(steps: Steps, key: string): boolean {
  const run: (() => void) | undefined = {
    ArrowLeft: () => steps.step(-1),
    ArrowRight: () => steps.step(1),
    Home: () => steps.toStart(),
    End: () => steps.toEnd(),
    f: () => steps.flip(),
    ...(steps.sidestep && { ArrowUp: () => steps.sidestep?.(-1), ArrowDown: () => steps.sidestep?.(1) }),
  }[key];
  run?.();
  return run !== undefined;
}

/** Steps through the moves when the mouse wheel turns over an element. */
export function stepByWheel(steps: Steps): Attachment<HTMLElement> {
  return (element) => {
    let scrolled = 0;
    const onwheel = (event: WheelEvent): void => {
      // With Ctrl the wheel zooms the page.
      if (event.ctrlKey) return;
      event.preventDefault();
      scrolled += event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * PIXELS_PER_LINE : event.deltaY;
      if (Math.abs(scrolled) < PIXELS_PER_MOVE) return;
      steps.step(scrolled > 0 ? 1 : -1);
      scrolled = 0;
    };
    // Svelte's own listener would be passive, and the page would scroll as well.
    element.addEventListener("wheel", onwheel, { passive: false });
    return () => element.removeEventListener("wheel", onwheel);
  };
}
