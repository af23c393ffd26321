/** Reads a position from a file: a FEN, or the last position of the first game of a PGN. */

import * as table from "../core/table";

/** Positions are short, so the start of a large file is enough. */
const READ_BYTES = 1 << 20;

/** Returns the FEN in a file, whether it is legal or not, or `null` if there is none. */
export async function readSetup(file: File): Promise<string | null> {
  return setupOf(await file.slice(0, READ_BYTES).text());
}

export function setupOf(text: string): string | null {
  const plain = text.replace(/^\ufeff/, "").trim();
  const line = plain.split(/\r?\n/, 1)[0] ?? "";
  if (/^[1-8pnbrqk]+(\/[1-8pnbrqk]+)+(\s|$)/i.test(line)) return line;
  try {
    const view = table.openPgn(plain, 0);
    table.closeGame(view.game);
    if (view.plies.length > 0 || view.settings.start !== table.START_FEN) return view.position.fen;
  } catch {
    // The editor can still repair a position that cannot be played.
  }
  return /\[FEN\s+"([^"]+)"\s*\]/.exec(plain)?.[1] ?? (/\[\w+\s+"/.test(plain) ? table.START_FEN : null);
}
