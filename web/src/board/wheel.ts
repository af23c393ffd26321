/** The mouse wheel over a board steps through the moves. */

import type { Attachment } from "svelte/attachments";

/** Pixels of scrolling for one move: less than one notch of a wheel, more than a touchpad's tremble. */
const PIXELS_PER_MOVE = 60;
/** Pixels of a line, for browsers that count in lines. */
const PIXELS_PER_LINE = 40;

export function stepByWheel(onstep: (by: 1 | -1) => void): Attachment<HTMLElement> {
  return (element) => {
    let scrolled = 0;
    const onwheel = (event: WheelEvent): void => {
      // With Ctrl the wheel zooms the page.
      if (event.ctrlKey) return;
      event.preventDefault();
      scrolled += event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * PIXELS_PER_LINE : event.deltaY;
      if (Math.abs(scrolled) < PIXELS_PER_MOVE) return;
      onstep(scrolled > 0 ? 1 : -1);
      scrolled = 0;
    };
    // Svelte's own listener would be passive, and the page would scroll as well.
    element.addEventListener("wheel", onwheel, { passive: false });
    return () => element.removeEventListener("wheel", onwheel);
  };
}
