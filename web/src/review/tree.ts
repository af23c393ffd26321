/**
 * Lays out the move tree for reading: rows of the main line, with comments and variations between
 * them.
 */

import type { StudyView } from "../core/types";
import { numbered } from "./format";

/** A row of two plies of the main line; one is `null` after an interruption. */
export interface Row {
  kind: "row";
  key: string;
  number: number;
  white: number | null;
  black: number | null;
}

/** A comment, or a variation. */
export interface Aside {
  kind: "aside";
  key: string;
  /** First node of a variation; `null` for a comment. */
  head: number | null;
  pieces: Piece[];
}

export type Piece =
  | { kind: "move"; node: number; number: string }
  | { kind: "words"; text: string }
  | { kind: "bracket"; text: "(" | ")" };

export function readable(view: StudyView): (Row | Aside)[] {
  const made: (Row | Aside)[] = [];
  const start = view.moves[0];
  if (start?.comment) made.push(words("0", start.comment));
  let row: Row | null = null;
  for (let at = 0; ; ) {
    const siblings = view.moves[at]?.next ?? [];
    const [node] = siblings;
    const move = node === undefined ? undefined : view.moves[node];
    if (node === undefined || !move) return made;
    if (move.is_white || !row) {
      row = { kind: "row", key: `r${node}`, number: move.number, white: move.is_white ? node : null, black: move.is_white ? null : node };
      made.push(row);
      if (!move.is_white) row = null;
    } else {
      row.black = node;
      row = null;
    }
    const asides = [
      ...(move.comment ? [words(`c${node}`, move.comment)] : []),
      ...siblings.slice(1).map((head): Aside => ({ kind: "aside", key: `v${head}`, head, pieces: variation(view, head) })),
    ];
    if (asides.length) row = null;
    made.push(...asides);
    at = node;
  }
}

const words = (key: string, text: string): Aside => ({ kind: "aside", key, head: null, pieces: [{ kind: "words", text }] });

/** Returns a node and the main moves that follow it. */
export function lineFrom(view: StudyView | null, from: number): number[] {
  const line = [from];
  for (let at = view?.moves[from]?.next[0]; at !== undefined; at = view?.moves[at]?.next[0]) line.push(at);
  return view ? line : [];
}

/** Lays out a variation from its first move; nested variations are in brackets. */
function variation(view: StudyView, head: number): Piece[] {
  const pieces: Piece[] = [];
  let needsNumber = true;
  for (let at: number | undefined = head; at !== undefined; ) {
    const move: StudyView["moves"][number] | undefined = view.moves[at];
    if (!move) break;
    if (move.before) pieces.push({ kind: "words", text: move.before });
    pieces.push({ kind: "move", node: at, number: move.is_white || needsNumber ? numbered(move) : "" });
    needsNumber = move.comment !== "";
    if (move.comment) pieces.push({ kind: "words", text: move.comment });
    // Alternatives to the first move are separate variations, not part of this one.
    const others: number[] = at === head ? [] : (view.moves[move.parent ?? 0]?.next.slice(1) ?? []);
    for (const other of others) {
      pieces.push({ kind: "bracket", text: "(" });
      for (const piece of variation(view, other)) pieces.push(piece);
      pieces.push({ kind: "bracket", text: ")" });
      needsNumber = true;
    }
    at = move.next[0];
  }
  return pieces;
}
