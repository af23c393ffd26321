/** Games to be studied: trees of moves, openings, links. Loaded when somebody reviews a game. */

import reviewUrl from "../wasm/review.wasm?url";
import type { Paint } from "../board/marks";
import { Module } from "./module";
import type { PositionView } from "./types";

let loaded: Module | undefined;
let loading: Promise<Module> | undefined;

/** Loads the module; the questions below need it. */
export async function loadReview(): Promise<void> {
  loading ??= Module.load(reviewUrl);
  loaded = await loading;
}

function ask<T>(question: object): T {
  if (!loaded) throw new Error("the review is not loaded yet");
  return loaded.ask(question) as T;
}

/** A place of the tree; its number is its place in the list, and 0 is before the first move. */
export interface TreeMove {
  parent: number | null;
  /** What follows, the main move first. */
  next: number[];
  san: string;
  uci: string | null;
  number: number;
  is_white: boolean;
  glyphs: number[];
  before: string;
  comment: string;
  fen: string;
  /** Who has the point where nobody can move. */
  ended: number | null;
}

export interface StudyView {
  study: number;
  node: number;
  tags: [string, string][];
  result: string;
  /** Whether castling is named by the king and his rook. */
  is_chess960: boolean;
  starts_white: boolean;
  moves: TreeMove[];
  problems: { line: number; column: number; token: string; text: string }[];
}

export interface StudyPlace {
  position: PositionView;
  path: number[];
  /** What the comments draw; from a square to itself is a circle. */
  arrows: [from: string, to: string, paint: Paint][];
  opening: { eco: string; name: string } | null;
  clocks_ms: { white: number | null; black: number | null };
}

export type Change =
  | { type: "play"; moves: string[] }
  | { type: "comment"; text: string }
  | { type: "glyphs"; glyphs: number[] }
  | { type: "draw"; from: string; to: string }
  | { type: "promote" }
  | { type: "delete" };

/** What a position is worth to White, or who has the point. */
export type Worth = { cp: number } | { mate: number } | { over: number };
export type Verdict = "fine" | "inaccuracy" | "mistake" | "blunder";

export interface Judgement {
  /** White's chances in thousandths. */
  chances: (number | null)[];
  verdicts: ({ loss: number; verdict: Verdict } | null)[];
}

export const openStudy = (text: string, index: number): StudyView => ask({ do: "open_study", text, index });

export const openLink = (link: string): StudyView => ask({ do: "open_link", link });

export const studyAt = (study: number, node: number): StudyPlace => ask({ do: "study_at", study, node });

export const editStudy = (study: number, node: number, change: Change): StudyView =>
  ask({ do: "edit_study", study, node, change });

export const writeStudy = (study: number): string => ask({ do: "write_study", study });

export const linkStudy = (study: number, is_bare: boolean): string => ask({ do: "link_study", study, is_bare });

export const closeStudy = (study: number): boolean => ask({ do: "close_study", study });

/** The code and name of the opening of a PGN; empty if it has none. */
export function nameOpening(pgn: string): string {
  const view = openStudy(pgn, 0);
  let last = 0;
  for (let next = view.moves[0]?.next[0]; next !== undefined; next = view.moves[next]?.next[0]) last = next;
  const { opening } = studyAt(view.study, last);
  closeStudy(view.study);
  return opening ? `${opening.eco} ${opening.name}` : "";
}

export const judge = (
  scores: (Worth | null)[],
  played: (string | null)[],
  best: (string | null)[],
  starts_white: boolean,
): Judgement => ask({ do: "judge", scores, played, best, starts_white });
