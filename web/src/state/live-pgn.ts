/**
 * An online game as PGN: from the server, or from the page's own data if the server is unreachable.
 */

import * as table from "../core/table";
import type { Color } from "../core/types";
import * as api from "../net/api";
import { isEngineId } from "../net/ledger";
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

/** Returns the side that the server's engine plays. */
function engineColor(live: Live): Color | null {
  const has = (color: Color) => isEngineId(live.snapshot?.[color]?.id ?? 0);
  return has("white") ? "white" : has("black") ? "black" : null;
}

function nameOf(live: Live, color: Color): string {
  return engineColor(live) === color ? COMPUTER : (live.snapshot?.[color]?.name ?? "");
}

const beganAt = (live: Live): number => live.snapshot?.started_at ?? Date.now();

function ownPgn(live: Live): string {
  const { snapshot, view } = live;
  if (!snapshot || !view) return "";
  const engine = engineColor(live);
  const level = typeof snapshot.level === "number" ? snapshot.level : null;
  const record = {
    settings: snapshot.settings,
    white: nameOf(live, "white"),
    black: nameOf(live, "black"),
    moves: snapshot.moves,
    touched: snapshot.touched,
  };
  return table.writeFollowed(record, engine && { is_white: engine === "white", level }, view.end, beganAt(live));
}

/** Archives a game that has just ended, unless it was aborted or has no moves. */
export async function archiveLive(live: Live): Promise<void> {
  const { id, view } = live;
  if (!id || !view?.end || view.end.reason === "aborted" || view.plies.length === 0) return;
  const game = {
    id: `online-${id}`,
    white: nameOf(live, "white"),
    black: nameOf(live, "black"),
    computer: engineColor(live),
    result: view.end.score,
    plies: view.plies.length,
    began: beganAt(live),
    saved: Date.now(),
    duration_ms: view.duration_ms,
  };
  // Saves the page's own PGN first: the user may leave before the server's version arrives.
  const [own, served] = [ownPgn(live), livePgn(live)];
  const isKept = (await archive.keep({ ...game, pgn: own })) && (await archive.keep({ ...game, pgn: await served }));
  if (!isKept && live.id === id) live.notice = archive.problem;
}
