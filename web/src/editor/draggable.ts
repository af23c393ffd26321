/** Dragging of pieces out of the tray. */

/** Position of a dragged piece, in window pixels. */
export interface Drag {
  x: number;
  y: number;
}

/** Distance in pixels beyond which a press counts as a drag. */
const DRAG_PX = 5;

/**
 * Makes an element draggable. `onmove` receives the pointer position, and `null` at the end;
 * `ondrop` receives the event that ended the drag. The click that a browser fires after a drag is
 * suppressed.
 */
export function draggable(onmove: (drag: Drag | null) => void, ondrop: (event: PointerEvent) => void) {
  return (element: HTMLElement): (() => void) => {
    let start: Drag | null = null;
    let isDragging = false;

    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      start = { x: event.clientX, y: event.clientY };
      isDragging = false;
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      if (!start) return;
      isDragging ||= Math.hypot(event.clientX - start.x, event.clientY - start.y) > DRAG_PX;
      if (isDragging) onmove({ x: event.clientX, y: event.clientY });
    };
    const end = (event: PointerEvent): void => {
      start = null;
      onmove(null);
      if (isDragging && event.type === "pointerup") ondrop(event);
    };
    const click = (event: MouseEvent): void => {
      if (isDragging) event.stopImmediatePropagation();
      isDragging = false;
    };

    const listeners: [string, EventListener, boolean][] = [
      ["pointerdown", down as EventListener, false],
      ["pointermove", move as EventListener, false],
      ["pointerup", end as EventListener, false],
      ["pointercancel", end as EventListener, false],
      ["click", click as EventListener, true],
    ];
    for (const [name, listener, isCapturing] of listeners) element.addEventListener(name, listener, isCapturing);
    return () => {
      for (const [name, listener, isCapturing] of listeners) element.removeEventListener(name, listener, isCapturing);
    };
  };
}
