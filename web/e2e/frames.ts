/** Counts the frames that a page draws, and how long the longest pause between two of them is. */

import type { Page } from "playwright-core";

interface Frames {
  longestMs: number;
  count: number;
}

/** Starts to count. */
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

/** What was counted so far. */
export const frames = (page: Page): Promise<Frames> => page.evaluate(() => (globalThis as unknown as { seenFrames: Frames }).seenFrames);
