/** Leaving a game that is being played: the page asks first, and keeps the game in the archive. */

import { confirm } from "./confirm.svelte";
import { t, type MessageKey } from "./i18n.svelte";
import { match } from "./match.svelte";

/** Whether another game may take the place of the one at this board. */
export async function mayLeave(title: MessageKey, yes: MessageKey): Promise<boolean> {
  if (!match.isUnfinished) return true;
  return (await confirm.isSure(t(title), t("leave.about"), t(yes))) && putAway();
}

/** Keeps the game at this board in the archive; if that fails, asks whether it may be lost. */
export async function putAway(): Promise<boolean> {
  if (await match.archive()) return true;
  return confirm.isSure(t("leave.notKept"), t("leave.notKeptAbout"), t("leave.anyway"));
}
