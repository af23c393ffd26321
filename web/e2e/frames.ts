/** Counts the frames that a page draws, and measures the longest gap between two frames. */

import type { Page } from "playwright-core";

interface Frames {
  longestMs: number;
  count: number;
}

/** Starts counting. */
export const watchFrames = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: Frames = { longestMs: 0, count: 0 };
    Object.assign(globalThis, { seenFrames: seen });
    let last = performance.now();
    const look = (now: number) => {
      seen.longestMs = Math.max(seen.longestMs, now - last);
      seen.count += 1;
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });

/** Returns the counts so far. */
export const frames = (page: Page): Promise<Frames> => page.evaluate(() => (globalThis as unknown as { seenFrames: Frames }).seenFrames);
