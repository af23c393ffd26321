/** Opens saved games: every game opens in the review, and an unfinished one goes on from there. */

import { Refused } from "../core/module";
import { confirm } from "./confirm.svelte";
import { t } from "./i18n.svelte";
import { incoming } from "./incoming.svelte";
import { putAway } from "./leaving";
import { match } from "./match.svelte";
import { route } from "./route.svelte";

/**
 * Opens a game in the review, at a ply of its main line. A game of the archive has an id, one of the
 * library its place there.
 */
export function review(pgn: string, id = "", place: number | null = null, ply = 0): void {
  [incoming.game, incoming.id, incoming.place, incoming.ply] = [pgn, id, place, ply];
  route.go("review");
}

/**
 * Continues an unfinished game on the board. If another game is in progress there, the user is
 * asked, and that game is saved in the archive. A game that has an id in the archive stays one game
 * there.
 */
export async function continueSaved(pgn: string, id = ""): Promise<void> {
  if (match.isUnfinished) {
    if (id && match.archiveId === id) {
      route.go("game");
      return;
    }
    const isSure = await confirm.isSure(t("leave.load"), t("leave.about"), t("leave.loadYes"));
    if (!isSure || !(await putAway())) return;
  }
  try {
    match.openSheet(pgn, {}, id || undefined);
    route.go("game");
  } catch (error) {
    // Null moves occur in analysis, but a game with one cannot be played.
    if (!(error instanceof Refused) || error.code !== "null_move") throw error;
    review(pgn, id);
  }
}
