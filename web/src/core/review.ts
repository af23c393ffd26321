/** Games to review: move trees, openings, links. Loaded when a game is first reviewed. */

import reviewUrl from "../wasm/review.wasm?url";
import { Module } from "./module";
import type { Api, Attempt, AttemptRatings, Change, Judgment, NodeEval, NodeView, Phase, StudyView, PositionScore } from "./types";

let loaded: Module | undefined;
let loading: Promise<Module> | undefined;

/** Loads the module. Must be called before the functions below. */
export async function loadReview(): Promise<void> {
  loading ??= Module.load(reviewUrl);
  loaded = await loading;
}

function ask<Name extends keyof Api>(name: Name, request: Api[Name]["request"]): Api[Name]["response"] {
  if (!loaded) throw new Error("the review is not loaded yet");
  return loaded.ask(name, request);
}

export const openStudy = (text: string, index: number): StudyView => ask("open_study", { text, index });

export const openLink = (link: string): StudyView => ask("open_link", { link });

export const studyAt = (study: number, node: number): NodeView => ask("study_at", { study, node });

/** Changes a study. A joined change is undone together with the one before it. */
export const editStudy = (study: number, node: number, change: Change, is_joined = false): StudyView =>
  ask("edit_study", { study, node, change, is_joined });

export const undoStudy = (study: number): StudyView => ask("undo_study", { study });

export const redoStudy = (study: number): StudyView => ask("redo_study", { study });

/** Writes a study as PGN, with evaluations if there are any. */
export const writeStudy = (study: number, evals: NodeEval[] = []): string => ask("write_study", { study, evals });

export const linkStudy = (study: number, is_bare: boolean): string => ask("link_study", { study, is_bare });

export const closeStudy = (study: number): boolean => ask("close_study", { study });

/** Returns the ECO code and name of the opening of a PGN, or an empty string if it has none. */
export function nameOpening(pgn: string): string {
  const view = openStudy(pgn, 0);
  let last = 0;
  for (let next = view.moves[0]?.next[0]; next !== undefined; next = view.moves[next]?.next[0]) last = next;
  const { opening } = studyAt(view.study, last);
  closeStudy(view.study);
  return opening ? `${opening.eco} ${opening.name}` : "";
}

/** Returns the opening of a game in progress; `null` if it has no name. */
export const openingOf = (start: string, moves: string[]): Api["opening"]["response"] => ask("opening", { start, moves });

export const judge = (
  scores: (PositionScore | null)[],
  played: (string | null)[],
  best: (string | null)[],
  starts_white: boolean,
  phases: Phase[] = [],
): Judgment => ask("judge", { scores, played, best, starts_white, phases });

/** Returns both ratings after the first attempt at a puzzle. */
export const rateAttempt = (attempt: Attempt): AttemptRatings => ask("rate_attempt", attempt);
