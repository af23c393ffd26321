/** Files of many games, for the library. */

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

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
