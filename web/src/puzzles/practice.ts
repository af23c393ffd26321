/** Makes exercises from the mistakes of a reviewed game, and lets the user go through them. */

import { linkStudy } from "../core/review";
import type { StudyView, Verdict } from "../core/types";
import { analysis } from "../review/analysis.svelte";
import { lineFrom } from "../review/tree";
import type { Exercise } from "./exercise";
import { puzzles } from "./puzzles.svelte";
import { NEW } from "./schedule";

/** Plies of the better line that are kept. */
const LINE_PLIES = 7;

/** Adds the mistakes as exercises and begins a round with them. Returns whether there are any. */
export async function practice(view: StudyView, nodes: readonly number[], verdicts: ReadonlyMap<number, Verdict>): Promise<boolean> {
  const link = linkStudy(view.study, true);
  const main = lineFrom(view, 0);
  const made = nodes.flatMap((node) => exerciseAt(view, node, main.indexOf(node), link, verdicts.get(node) ?? "fine") ?? []);
  await puzzles.load();
  // The game itself has not been searched for puzzles, so it is not stored as done.
  await puzzles.add(`review:${link}`, made);
  puzzles.round = made.map(({ id }) => id);
  return made.length > 0;
}

function exerciseAt(view: StudyView, node: number, ply: number, link: string, verdict: Verdict): Exercise | null {
  const move = view.moves[node];
  const before = view.moves[move?.parent ?? -1];
  const known = before && analysis.known.get(before.fen);
  if (!move || !before || !known?.best || verdict === "fine") return null;
  const earlier = view.moves[before.parent ?? -1];
  const tag = (name: string) => view.tags.findLast(([it]) => it === name)?.[1].replace(/^\?$/, "") ?? "";
  return {
    ...NEW,
    id: `m${before.fen} ${move.uci ?? ""}`,
    kind: "mistake",
    before: earlier?.fen ?? before.fen,
    last: (earlier && before.uci) ?? "",
    fen: before.fen,
    is_chess960: view.is_chess960,
    moves: known.best.moves.slice(0, LINE_PLIES),
    line: known.best.line.slice(0, LINE_PLIES),
    themes: [],
    estimate: 0,
    rating: null,
    played: { san: move.san, verdict, worth: known.worth },
    game: link,
    ply: Math.max(0, ply - 1),
    white: tag("White"),
    black: tag("Black"),
    added: Date.now(),
  };
}
