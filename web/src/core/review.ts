/** Games to review: move trees, openings, links. Loaded when a game is first reviewed. */

import reviewUrl from "../wasm/review.wasm?url";
import type { Paint } from "../board/marks";
import { Module } from "./module";
import type { PositionView } from "./types";

let loaded: Module | undefined;
let loading: Promise<Module> | undefined;

/** Loads the module. Must be called before the functions below. */
export async function loadReview(): Promise<void> {
  loading ??= Module.load(reviewUrl);
  loaded = await loading;
}

function ask<T>(question: object): T {
  if (!loaded) throw new Error("the review is not loaded yet");
  return loaded.ask(question) as T;
}

/** A node of the move tree, identified by its index in the list; node 0 is the start position. */
export interface TreeMove {
  parent: number | null;
  /** Nodes that follow, the main move first. */
  next: number[];
  san: string;
  uci: string | null;
  number: number;
  is_white: boolean;
  glyphs: number[];
  before: string;
  comment: string;
  fen: string;
  /**
   * Result of a line that ends in checkmate or stalemate: 1 if White wins, -1 if Black wins, 0 for
   * a draw.
   */
  ended: number | null;
}

export interface StudyView {
  study: number;
  node: number;
  tags: [string, string][];
  result: string;
  /** Whether castling moves are written as king to rook square. */
  is_chess960: boolean;
  starts_white: boolean;
  moves: TreeMove[];
  problems: { line: number; column: number; token: string; text: string }[];
}

export interface StudyPlace {
  position: PositionView;
  path: number[];
  /** Arrows from the comments; equal squares mean a circle. */
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

/** Evaluation from White's point of view: centipawns, mate in moves, or the final result. */
export type Worth = { cp: number } | { mate: number } | { over: number };
export type Verdict = "fine" | "inaccuracy" | "mistake" | "blunder";

export interface Judgement {
  /** White's winning chances in thousandths. */
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

/** Returns the ECO code and name of the opening of a PGN, or an empty string if it has none. */
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
