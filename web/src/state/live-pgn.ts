/**
 * An online game as PGN: from the server, or from the page's own data if the server is unreachable.
 */

import * as table from "../core/table";
import type { Color } from "../core/types";
import * as api from "../net/api";
import { archive } from "./archive.svelte";
import type { Live } from "./live.svelte";
import { COMPUTER } from "./match.svelte";

export async function livePgn(live: Live): Promise<string> {
  // Written now, because the page may show another game by the time the server answers.
  const own = ownPgn(live);
  try {
    return await api.gamePgn(live.id ?? "");
  } catch (error) {
    if (!(error instanceof api.ApiProblem)) throw error;
    return own;
  }
}

function nameOf(live: Live, color: Color): string {
  return live.engineColor === color ? COMPUTER : (live.view?.[color] ?? "");
}

function ownPgn({ view, now }: Live): string {
  return view ? table.writePgn(view.game, "Online game", now) : "";
}

/** Archives a game that has just ended, unless it was aborted or has no moves. */
export async function archiveLive(live: Live): Promise<void> {
  const { id, view } = live;
  if (!id || !view?.end || view.end.reason === "aborted" || view.plies.length === 0) return;
  const game = {
    id: `online-${id}`,
    white: nameOf(live, "white"),
    black: nameOf(live, "black"),
    computer: live.engineColor,
    result: view.end.score,
    plies: view.plies.length,
    began: view.started_at ?? Date.now(),
    saved: Date.now(),
    duration_ms: view.duration_ms,
  };
  // Saves the page's own PGN first: the user may leave before the server's version arrives.
  const [own, served] = [ownPgn(live), livePgn(live)];
  const isKept = (await archive.keep({ ...game, pgn: own })) && (await archive.keep({ ...game, pgn: await served }));
  if (!isKept && live.id === id) live.notice = archive.problem;
}
