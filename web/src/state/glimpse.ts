/** The game in progress as the home page shows it, without opening it. */

import { other } from "../board/geometry";
import * as table from "../core/table";
import type { BoardText, Color } from "../core/types";
import { t } from "./i18n.svelte";
import { COMPUTER } from "./level";
import { match } from "./match.svelte";
import { has, readKept, type KeptGame } from "./stored-game";

/** The game in progress. */
export interface Glimpse {
  board: BoardText;
  orientation: Color;
  names: string;
}

/** Returns the game in progress without opening it; `null` if there is none. */
export function glimpse(): Glimpse | null {
  const kept = match.view ? null : readKept();
  if (!match.view && !kept) return null;
  try {
    const view = match.view ?? table.loadGame((kept as KeptGame).stored);
    if (!match.view) table.closeGame(view.game);
    const computer = match.view ? match.computer : (kept?.computer ?? null);
    const nameOf = (color: Color) => {
      if (computer?.color === color) return view[color] === COMPUTER ? t("name.computer") : view[color];
      return view[color] || t(computer ? "name.you" : `color.${color}`);
    };
    const orientation = computer ? other(computer.color) : "white";
    return { board: (view.plies.at(-1) ?? view.start).board, orientation, names: `${nameOf("white")} – ${nameOf("black")}` };
  } catch {
    // The game stored in the browser may be damaged.
    return null;
  }
}

/** Returns whether a stored game can be continued. */
export function hasKeptGame(): boolean {
  const kept = readKept();
  return kept !== undefined && !has(kept, "ended");
}
