/**
 * The game combined with its analysis: verdicts on the main line, and the current position.
 *
 * Everything here is derived from the study and the analysis. Each review page has its own
 * instance.
 */

import type { Arrow } from "../board/marks";
import type { Color, Judgment, NodeView, Quality, SearchLine, Verdict } from "../core/types";
import { judge } from "../core/review";
import { analysis } from "./analysis.svelte";
import { study } from "./study.svelte";

export type Counts = Record<Exclude<Verdict, "fine">, number>;

/** The best line instead of a mistake: its first move in SAN, and all moves in UCI. */
export interface Better {
  san: string;
  moves: string[];
}

const NOTHING: Judgment = { chances: [], verdicts: [], white: null, black: null, phases: [], moments: [] };
const GLYPHS: Record<Exclude<Verdict, "fine">, number> = { inaccuracy: 6, mistake: 2, blunder: 4 };
/** Number of plies of a better line that are added to the game. */
const WRITTEN_PLIES = 5;

export class Judged {
  readonly main = $derived(study.main);
  readonly #judgement = $derived(study.view ? analysis.judge(study.view, this.main) : NOTHING);
  readonly worths = $derived.by(() => {
    const view = study.view;
    return view ? this.main.map((node) => analysis.worthAt(view, node)) : [];
  });
  readonly verdicts: ReadonlyMap<number, Verdict> = $derived(
    new Map(this.main.slice(1).flatMap((node, at): [number, Verdict][] => {
      const found = this.#judgement.verdicts[at];
      return found ? [[node, found.verdict]] : [];
    })),
  );
  readonly isWhole = $derived(this.main.length > 1 && this.verdicts.size === this.main.length - 1);
  readonly #faulty = $derived(this.main.filter((node) => (this.verdicts.get(node) ?? "fine") !== "fine"));
  readonly progress = $derived(analysis.isRunning && analysis.total > 0 ? analysis.done / analysis.total : null);

  /** Current ply in the main line; in a variation, the ply where it branches off. */
  readonly ply = $derived.by(() => {
    const path = new Set([0, ...(study.place?.path ?? [])]);
    return this.main.findLastIndex((node) => path.has(node));
  });
  readonly evaluation = $derived((study.place && analysis.known.get(study.place.position.fen)) ?? null);
  /** The engine's lines in the current position, found so far. */
  readonly lines = $derived.by((): readonly SearchLine[] => {
    const fen = study.place?.position.fen;
    return analysis.live?.fen === fen && analysis.live?.lines.length ? analysis.live.lines : (this.evaluation?.lines ?? []);
  });
  readonly worth = $derived(study.view ? analysis.worthAt(study.view, study.node) : null);
  /** Latest evaluation of the current position; a verdict does not depend on it. */
  readonly latest = $derived(study.view ? analysis.latestAt(study.view, study.node) : null);
  /** Evaluation of the position before the current move. */
  readonly before = $derived.by(() => {
    const parent = study.move?.parent ?? null;
    return study.view && parent !== null ? analysis.worthAt(study.view, parent) : null;
  });
  readonly chance = $derived.by(() => {
    if (!study.view || !this.latest) return null;
    return judge([this.latest], [], [], study.view.starts_white).chances[0] ?? null;
  });
  readonly verdict: Verdict = $derived(this.verdicts.get(study.node) ?? "fine");
  /** The better alternative to the move on the board. */
  readonly better = $derived.by((): Better | null => {
    if (!study.view || this.verdict === "fine") return null;
    const before = study.view.moves[study.move?.parent ?? 0];
    const line = before && analysis.known.get(before.fen)?.best;
    const [san] = line?.line ?? [];
    return line && san ? { san, moves: line.moves } : null;
  });

  /** The moves that decided the game; empty until the whole game is analyzed. */
  readonly moments: readonly number[] = $derived(this.isWhole ? this.#judgement.moments.flatMap((at) => this.main[at + 1] ?? []) : []);
  /** How well the players played in each phase; empty until the whole game is analyzed. */
  readonly phases: Judgment["phases"] = $derived(this.isWhole ? this.#judgement.phases : []);

  /** Returns the mistakes of a player for which a better move is known. */
  faults(color: Color): number[] {
    const moves = study.view?.moves ?? [];
    return this.#faulty.filter((node) => {
      const before = moves[moves[node]?.parent ?? 0];
      return moves[node]?.is_white === (color === "white") && before !== undefined && (analysis.known.get(before.fen)?.best?.moves.length ?? 0) > 0;
    });
  }

  /** White's winning chances at each node of the main line. */
  get chances(): Judgment["chances"] {
    return this.#judgement.chances;
  }

  get hasMistakes(): boolean {
    return this.#faulty.length > 0;
  }

  /** The next mistake after the current move, wrapping around to the first. */
  get nextMistake(): number | undefined {
    return this.#faulty.find((node) => this.main.indexOf(node) > this.ply) ?? this.#faulty[0];
  }

  /** Counts a player's mistakes; `null` until the whole game is analyzed. */
  counts(color: Color): Counts | null {
    if (!this.isWhole) return null;
    const made: Counts = { inaccuracy: 0, mistake: 0, blunder: 0 };
    for (const [node, found] of this.verdicts) {
      if (found !== "fine" && study.view?.moves[node]?.is_white === (color === "white")) made[found]++;
    }
    return made;
  }

  /** Returns how well a player played; `null` until the whole game is analyzed. */
  quality(color: Color): Quality | null {
    return this.isWhole ? this.#judgement[color] : null;
  }

  /** Adds the mistakes and better lines to the game. */
  annotate(): boolean {
    const moves = study.view?.moves ?? [];
    const mistakes = [...this.verdicts].flatMap(([node, found]) => {
      const before = moves[moves[node]?.parent ?? 0];
      const better = (before && analysis.known.get(before.fen)?.best?.moves.slice(0, WRITTEN_PLIES)) ?? [];
      return found === "fine" ? [] : [{ node, glyph: GLYPHS[found], better }];
    });
    return study.annotate(mistakes);
  }
}

/**
 * Returns the arrows for a position: those of the game, then the missed better move or the best
 * moves.
 */
export function arrowsOver(place: NodeView | null, better: Better | null, lines: readonly SearchLine[]): Arrow[] {
  const arrow = (uci: string | undefined, kind: Arrow["kind"]) => (uci ? [{ from: uci.slice(0, 2), to: uci.slice(2, 4), kind }] : []);
  const noted = (place?.arrows ?? []).map(([from, to, paint]): Arrow => ({ from, to, kind: "drawn", paint }));
  const found = better ? arrow(better.moves[0], "better") : lines.flatMap((line) => arrow(line.moves[0], line.rank === 1 ? "hint" : "line"));
  const all = [...noted, ...found];
  return all.filter((one, at) => all.findIndex(({ from, to }) => from === one.from && to === one.to) === at);
}
