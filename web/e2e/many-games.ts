/** PGN files with many games, for the library tests. */

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import type { Page } from "playwright-core";

/** The sample games. */
export const samples = readFileSync("e2e/sample.pgn", "utf8").trim().split(/\n\n(?=\[Event )/);

const NEEDLE = '[Event "Sample"]\n[White "Žižka, Bořivoj"]\n[Black "Hollow, Ada"]\n[Date "1962.02.03"]\n[Result "1-0"]\n\n1. f4 e5 2. Nf3 exf4 3. Nc3 1-0\n\n';

/** Writes a file of many games with distinct names; one of them is the game to search for. */
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

/** Returns games with distinct names. */
export const manyGames = (count: number): string =>
  Array.from({ length: count }, (_, at) => (samples[at % samples.length] ?? "").replace(/\[(White|Black) "(.*?)"\]/g, `[$1 "$2 ${at}"]`)).join("\n\n");

/** A read in progress that is paused. */
export interface HeldReading {
  /** Resolves when all allowed chunks have been read and the next one is waiting. */
  held: () => Promise<void>;
  /** Continues reading; resolves when the waiting chunk has been read. */
  goOn: () => Promise<void>;
}

/**
 * Lets the library read a limited number of chunks of the next file, so that tests of what happens
 * during reading do not depend on its speed.
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
  // The page listens before the file is chosen, so that it cannot miss the message.
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
