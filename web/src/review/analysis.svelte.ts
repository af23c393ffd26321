/**
 * Engine analysis of the game under review.
 *
 * Responsible for the order of the searches: first the position on the board, with several lines,
 * then the main line from its start, and then the position on the board again for as long as the
 * user wants. There is one search at a time, so that the board stays responsive, and results are
 * kept by position; those that a game brings in its comments count as well. The engine can be changed; results of different
 * engines are never mixed, because their evaluations are not comparable.
 */

import { OwnAnalyst, type Analyst, type Progress } from "../core/analyst";
import { LocalRefusal, type OtherEngine } from "../core/local";
import { OtherAnalyst } from "../core/other-analyst";
import { judge } from "../core/review";
import type { Judgment, NodeEval, StudyView, SearchLine, PositionScore } from "../core/types";
import { settings } from "../state/settings.svelte";
import { lineFrom } from "./tree";

/** Maximum number of positions kept for each engine. */
const MAX_KNOWN = 20_000;

export interface Evaluation {
  /** First result, by which moves are judged, so that later searches do not change a verdict. */
  worth: PositionScore;
  best: SearchLine | null;
  /** Latest result, with as many lines as were requested. */
  lines: SearchLine[];
  wanted: number;
}

/** A position to search, with the moves that lead to it. */
export interface Task {
  fen: string;
  start: string;
  moves: string[];
  is_chess960: boolean;
}

interface Job {
  task: Task;
  /** A position of the game, the one on the board, or that one without end. */
  kind: "game" | "board" | "endless";
}

/** An evaluation as it is stored with a review. */
export type KeptEval = [fen: string, worth: PositionScore, best: SearchLine | null];

const NOTHING: Judgment = { chances: [], verdicts: [], white: null, black: null, phases: [], moments: [] };

class Analysis {
  /** Results of the current engine, by FEN. */
  known = $state.raw<ReadonlyMap<string, Evaluation>>(new Map());
  /** The engine on this machine that analyzes; `null` for the built-in one. */
  engine = $state.raw<OtherEngine | null>(null);
  isRunning = $state(false);
  /** Whether the position on the board is searched until it changes. */
  isEndless = $state(false);
  /** What the search of the position on the board has found so far. */
  live = $state.raw<(Progress & { fen: string }) | null>(null);
  /** Error code of a stopped analysis; empty if there is none. */
  failure = $state("");
  done = $state(0);
  total = $state(0);
  /**
   * Results of the other engines by the path of their program; the built-in engine has an empty
   * path.
   */
  #memories = new Map<string, ReadonlyMap<string, Evaluation>>();
  #queue: Task[] = [];
  #board: Task | null = null;
  #endless: Task | null = null;
  #now: Job | null = null;
  #analyst: Analyst = new OwnAnalyst();
  #isBusy = false;

  /** Switches to another engine, or to the built-in one. */
  use(engine: OtherEngine | null): void {
    if (this.engine?.id === engine?.id && this.engine?.path === engine?.path) return;
    this.stop();
    this.#memories.set(this.engine?.path ?? "", this.known);
    this.known = this.#memories.get(engine?.path ?? "") ?? new Map();
    this.engine = engine;
    this.#analyst = engine ? new OtherAnalyst(engine.id) : new OwnAnalyst();
    this.failure = "";
  }

  /** Analyzes every position of the main line. */
  review(view: StudyView): void {
    const tasks = lineFrom(view, 0).flatMap((node) => taskAt(view, node) ?? []);
    this.total = tasks.length;
    const unsolved = this.#unsolved(view);
    this.#queue = tasks.filter(({ fen }) => !this.known.has(fen) || unsolved.has(fen));
    this.done = this.total - this.#queue.length;
    this.isRunning = this.#queue.length > 0;
    this.failure = "";
    this.#interrupt();
    void this.#work();
  }

  /** Analyzes the position on the board, ahead of everything else. */
  look(view: StudyView, node: number): void {
    const task = taskAt(view, node);
    const last = this.#now;
    const isOther = last !== null && last.kind !== "game" && last.task.fen !== task?.fen;
    this.#board = task && (this.known.get(task.fen)?.wanted ?? 0) < settings.lines ? task : null;
    this.#endless = this.isEndless ? task : null;
    if (last?.kind === "endless" && (isOther || !this.#endless || this.#board)) this.#analyst.stop();
    else if (isOther && this.#analyst.isNimble) this.#analyst.stop();
    else if (last?.kind === "endless") this.#endless = null;
    void this.#work();
  }

  /** Searches the position on the board anew, because the engine has become faster or slower. */
  again(view: StudyView, node: number): void {
    this.#board = this.#endless = taskAt(view, node);
    if (!this.isEndless) this.#endless = null;
    if (this.#now && this.#now.kind !== "game") this.#analyst.stop();
    void this.#work();
  }

  /** Ends a search without end, because its lines are not shown any more. */
  rest(): void {
    this.#endless = null;
    if (this.#now?.kind === "endless") this.#analyst.stop();
  }

  /** Lets other searches go ahead of one without end, which continues afterward. */
  #interrupt(): void {
    if (this.#now?.kind !== "endless" || this.#queue.length === 0) return;
    this.#endless = this.#now.task;
    this.#analyst.stop();
  }

  /** Mistakes of the main line for which no better move is known; those before them are searched. */
  #unsolved(view: StudyView): Set<string> {
    const main = lineFrom(view, 0);
    const { verdicts } = this.judge(view, main);
    const before = verdicts.flatMap((found, at) => (found && found.verdict !== "fine" ? (view.moves[main[at] ?? 0]?.fen ?? []) : []));
    return new Set(before.filter((fen) => this.known.get(fen)?.best === null));
  }

  /** Stops the analysis. The results so far are kept. */
  stop(): void {
    this.#queue = [];
    this.#board = null;
    this.#endless = null;
    this.isRunning = false;
    this.#analyst.stop();
  }

  /**
   * Adds the evaluations in the comments of a game, and those stored with it. What an engine has
   * found here already counts more.
   */
  recall(view: StudyView, kept: readonly KeptEval[] = []): void {
    const annotated = view.moves.flatMap(({ fen, eval: worth }): KeptEval[] => (worth ? [[fen, worth, null]] : []));
    const known = new Map(this.known);
    for (const [fen, worth, best] of [...kept, ...annotated]) {
      const old = known.get(fen);
      if (!old || (!old.best && best)) known.set(fen, { worth, best, lines: best ? [best] : [], wanted: best ? 1 : 0 });
    }
    this.known = known;
  }

  /** Returns the evaluations of a game's positions, to be stored with it. */
  kept(view: StudyView): KeptEval[] {
    const fens = new Set(view.moves.map(({ fen }) => fen));
    return [...fens].flatMap((fen): KeptEval[] => {
      const found = this.known.get(fen);
      return found ? [[fen, found.worth, found.best]] : [];
    });
  }

  /** Returns the evaluations after the moves of a game, to be written into its comments. */
  evals(view: StudyView): NodeEval[] {
    return view.moves.flatMap(({ fen, parent, ended }, node): NodeEval[] => {
      const found = parent === null || ended !== null ? undefined : this.known.get(fen);
      return found ? [{ node, score: found.worth, depth: found.best?.depth ?? null }] : [];
    });
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let job = this.#take(); job; job = this.#take()) {
      this.#now = job;
      await this.#do(job);
    }
    this.#now = null;
    this.#isBusy = false;
    this.isRunning = false;
  }

  async #do({ task: { fen, ...task }, kind }: Job): Promise<void> {
    const analyst = this.#analyst;
    const isOnBoard = kind !== "game";
    const lines = isOnBoard ? settings.lines : 1;
    const onProgress = (progress: Progress) => {
      if (isOnBoard && analyst === this.#analyst) this.live = { ...progress, fen };
    };
    try {
      const seen = await analyst.think({ ...task, lines, isOnBoard, isEndless: kind === "endless" }, onProgress);
      if (analyst !== this.#analyst) return;
      // A search without end is always stopped; what it has found counts.
      const [best] = this.live?.fen === fen && kind === "endless" ? this.live.lines : [];
      const found = seen ?? (best && this.live ? { score: best.score, lines: this.live.lines } : null);
      if (found) {
        this.#learn(fen, { worth: found.score, best: found.lines[0] ?? null, lines: found.lines, wanted: lines });
        this.failure = "";
      }
      if (!isOnBoard) this.done++;
    } catch (error) {
      if (analyst !== this.#analyst) return;
      this.failure = error instanceof LocalRefusal ? error.code : "engine_failed";
      this.stop();
    }
  }

  #take(): Job | null {
    const board = this.#board;
    this.#board = null;
    if (board) return { task: board, kind: "board" };
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) {
      if (!this.known.get(task.fen)?.best) return { task, kind: "game" };
      this.done++;
    }
    this.isRunning = false;
    const endless = this.#endless;
    this.#endless = null;
    return endless && { task: endless, kind: "endless" };
  }

  #learn(fen: string, evaluation: Evaluation): void {
    const known = new Map(this.known);
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value ?? "");
    const { worth, best } = known.get(fen) ?? evaluation;
    known.set(fen, { ...evaluation, worth, best: best ?? evaluation.best });
    this.known = known;
  }

  /** Returns the evaluation of a node, or `null` if it is not known yet. */
  worthAt(view: StudyView, node: number): PositionScore | null {
    const move = view.moves[node];
    if (!move) return null;
    return move.ended === null ? (this.known.get(move.fen)?.worth ?? null) : { over: move.ended };
  }

  /** Returns the latest evaluation of a node, which is better than the one that judges its move. */
  latestAt(view: StudyView, node: number): PositionScore | null {
    const move = view.moves[node];
    if (!move || move.ended !== null) return this.worthAt(view, node);
    const lines = this.live?.fen === move.fen ? this.live.lines : this.known.get(move.fen)?.lines;
    return lines?.[0]?.score ?? this.worthAt(view, node);
  }

  /** Judges the moves of a line. */
  judge(view: StudyView, line: readonly number[]): Judgment {
    if (line.length === 0) return NOTHING;
    const moves = line.flatMap((node) => view.moves[node] ?? []);
    const scores = line.map((node) => this.worthAt(view, node));
    const best = moves.slice(0, -1).map(({ fen }) => this.known.get(fen)?.best?.moves[0] ?? null);
    const played = moves.slice(1);
    return judge(scores, played.map(({ uci }) => uci), best, view.starts_white, played.map(({ phase }) => phase));
  }
}

/**
 * Returns the search task for a node, with the moves since the start or the last null move; `null` if
 * the game ends there.
 */
export function taskAt(view: StudyView, node: number): Task | null {
  const here = view.moves[node];
  if (!here || here.ended !== null) return null;
  const moves: string[] = [];
  for (let at = here; ; ) {
    const parent = at.parent === null ? undefined : view.moves[at.parent];
    if (!parent || at.uci === null) return { fen: here.fen, start: at.fen, moves: moves.reverse(), is_chess960: view.is_chess960 };
    moves.push(at.uci);
    at = parent;
  }
}

export const analysis = new Analysis();
