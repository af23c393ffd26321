/** Opens saved games: on the board, or in the review while another game is in progress. */

import { Refused } from "../core/module";
import * as table from "../core/table";
import { confirm } from "./confirm.svelte";
import { t } from "./i18n.svelte";
import { incoming } from "./incoming.svelte";
import { putAway } from "./leaving";
import { match } from "./match.svelte";
import { route } from "./route.svelte";

/** Opens a game in the review. */
export function review(pgn: string): void {
  incoming.game = pgn;
  route.go("review");
}

/** Opens the first game of a PGN. Throws `Refused` if it cannot even be shown. */
export async function openSaved(pgn: string): Promise<void> {
  const isUnfinished = table.readPgn(pgn)[0]?.result === "*";
  if (!match.isUnfinished) {
    toBoard(pgn);
  } else if (!isUnfinished) {
    // The game in progress stays on the board; finished games open in the review instead.
    review(pgn);
  } else {
    const choice = await confirm.ask({
      title: t("leave.load"),
      text: t("leave.about"),
      choices: [
        { value: "play", label: t("leave.loadYes"), isMain: true },
        { value: "look", label: t("leave.look") },
      ],
    });
    if (choice === "look") review(pgn);
    else if (choice === "play" && (await putAway())) toBoard(pgn);
  }
}

/** Continues an unfinished game of the archive. */
export async function continueArchived(id: string, pgn: string): Promise<void> {
  if (match.isUnfinished && match.archiveId !== id) {
    const isSure = await confirm.isSure(t("leave.load"), t("leave.about"), t("leave.loadYes"));
    if (!isSure || !(await putAway())) return;
  }
  if (match.isUnfinished && match.archiveId === id) route.go("game");
  else toBoard(pgn, id);
}

function toBoard(pgn: string, id?: string): void {
  try {
    match.openSheet(pgn, {}, id);
    route.go("game");
  } catch (error) {
    // Null moves occur in analysis, but a game with one cannot be played.
    if (!(error instanceof Refused) || error.code !== "null_move") throw error;
    review(pgn);
  }
}
