/** Opening saved games: an unfinished one is played on, a finished one is looked at. */

import { Refused } from "../core/module";
import * as table from "../core/table";
import { confirm } from "./confirm.svelte";
import { t } from "./i18n.svelte";
import { incoming } from "./incoming.svelte";
import { putAway } from "./leaving";
import { match } from "./match.svelte";
import { route } from "./route.svelte";

/** Shows a game in the review. */
export function review(pgn: string): void {
  incoming.game = pgn;
  route.go("review");
}

/** Opens the first game of a PGN. Fails with `Refused` if it cannot even be looked at. */
export async function openSaved(pgn: string): Promise<void> {
  const isUnfinished = table.readPgn(pgn)[0]?.result === "*";
  if (!match.isUnfinished) {
    toBoard(pgn);
  } else if (!isUnfinished) {
    // A game that is going on at this board stays there; others are looked at meanwhile.
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

/** Plays an unfinished game of the archive on. */
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
    // A null move stands in analyses, not in games.
    if (!(error instanceof Refused) || error.code !== "null_move") throw error;
    review(pgn);
  }
}
