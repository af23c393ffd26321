/** Saving a game as a file, and copying it. */

import * as table from "../core/table";
import { match } from "../state/match.svelte";

/** The game on the board as PGN. */
export function currentPgn(): string {
  const view = match.view;
  if (!view) return "";
  return table.writePgn(view.game);
}

/** Hands a text to the browser as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Hands the game to the browser as a file. */
export function savePgn(): void {
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`castellan-${day}.pgn`, "application/x-chess-pgn", currentPgn());
}

/** Puts the game on the clipboard; says whether that worked. */
export async function copyPgn(): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(currentPgn());
    return true;
  } catch {
    return false;
  }
}
