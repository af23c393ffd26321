/** Files of many games, for the library. */

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Page } from "playwright-core";

/** Some games. */
export const samples = readFileSync("e2e/sample.pgn", "utf8").trim().split(/\n\n(?=\[Event )/);

const NEEDLE = '[Event "Sample"]\n[White "Žižka, Bořivoj"]\n[Black "Hollow, Ada"]\n[Date "1962.02.03"]\n[Result "1-0"]\n\n1. f4 e5 2. Nf3 exf4 3. Nc3 1-0\n\n';

/** A file of many games, each with names of its own, one of which is looked for. */
export function writeLarge(path: string, bytes: number): number {
  const file = openSync(path, "w");
  let written = 0;
  let games = 0;
  let hasNeedle = false;
  while (written < bytes) {
    const some: string[] = [];
    for (let at = 0; at < 500; at++, games++) {
      const sample = samples[games % samples.length] ?? "";
      some.push(sample.replace(/\[(White|Black) "(.*?)"\]/g, `[$1 "$2 ${games % 40_000}"]`), "\n\n");
    }
    if (!hasNeedle && written > bytes / 2) {
      some.push(NEEDLE);
      games += 1;
      hasNeedle = true;
    }
    written += writeSync(file, some.join(""));
  }
  closeSync(file);
  return games;
}

/** A file that is being read and has to wait. */
export interface HeldReading {
  /** Resolves when all pieces that may be read have been read, and the next one waits. */
  held: () => Promise<void>;
  /** Lets the reading go on; resolves when the piece that waited has been read. */
  goOn: () => Promise<void>;
}

/**
 * Lets the library read so many pieces of the next file and no more. What happens while a file is
 * being read does not depend then on how fast it is read.
 */
export async function holdReading(page: Page, pieces: number): Promise<HeldReading> {
  const gate = `{
    const read = Blob.prototype.arrayBuffer;
    const channel = new BroadcastChannel("castellan-gate");
    const opened = new Promise((done) => (channel.onmessage = done));
    let left = ${pieces};
    Blob.prototype.arrayBuffer = async function () {
      if (left-- !== 0) return read.call(this);
      channel.postMessage("held");
      await opened;
      const bytes = await read.call(this);
      channel.postMessage("read");
      return bytes;
    };
  }\n`;
  await page.route(/library\.worker.*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: gate + (await response.text()) });
  });
  // The page listens before the file is chosen, so that it cannot miss the word.
  const heard = await page.evaluateHandle(() => {
    const channel = new BroadcastChannel("castellan-gate");
    return { held: new Promise((done) => (channel.onmessage = done)) };
  });
  return {
    held: () => heard.evaluate(async ({ held }) => void (await held)),
    goOn: () =>
      page.evaluate(async () => {
        const channel = new BroadcastChannel("castellan-gate");
        const read = new Promise((done) => (channel.onmessage = done));
        channel.postMessage("go on");
        await read;
      }),
  };
}
