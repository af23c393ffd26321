/** Leaving a game in progress: the page asks first, and saves the game in the archive. */

import { confirm } from "./confirm.svelte";
import { t, type MessageKey } from "./i18n.svelte";
import { match } from "./match.svelte";

/** Returns whether another game may replace the one on the board, after asking the user. */
export async function mayLeave(title: MessageKey, yes: MessageKey): Promise<boolean> {
  if (!match.isUnfinished) return true;
  return (await confirm.isSure(t(title), t("leave.about"), t(yes))) && putAway();
}

/** Saves the game on the board in the archive. If that fails, asks whether it may be lost. */
export async function putAway(): Promise<boolean> {
  if (await match.archive()) return true;
  return confirm.isSure(t("leave.notKept"), t("leave.notKeptAbout"), t("leave.anyway"));
}
