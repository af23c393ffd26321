/** Saves and copies the game as PGN. */

import * as table from "../core/table";
import { match } from "../state/match.svelte";

/** Returns the game on the board as PGN. */
export function currentPgn(): string {
  const view = match.view;
  if (!view) return "";
  return table.writePgn(view.game);
}

/** Offers a text as a file download. */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Offers the game as a PGN download. */
export function savePgn(): void {
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`castellan-${day}.pgn`, "application/x-chess-pgn", currentPgn());
}

/** Copies the game to the clipboard. Returns whether that worked. */
export async function copyPgn(): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(currentPgn());
    return true;
  } catch {
    return false;
  }
}
