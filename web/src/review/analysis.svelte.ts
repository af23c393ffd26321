/**
 * Engine analysis of the game under review.
 *
 * Responsible for the order of the searches: first the position on the board, with several lines,
 * then the main line from its start. There is one search at a time, so that the board stays
 * responsive, and results are kept by position. The engine can be changed; results of different
 * engines are never mixed, because their evaluations are not comparable.
 */

import { OwnAnalyst, type Analyst } from "../core/analyst";
import { LocalRefusal, type OtherEngine } from "../core/local";
import { OtherAnalyst } from "../core/other-analyst";
import { judge } from "../core/review";
import type { Judgment, StudyView, ThoughtLine, Worth } from "../core/types";
import { lineFrom } from "./study.svelte";
import { worthOf } from "./words";

const BOARD_LINES = 3;
/** Maximum number of positions kept for each engine. */
const MAX_KNOWN = 20_000;

export interface Evaluation {
  /** First result, by which moves are judged, so that later searches do not change a verdict. */
  worth: Worth;
  best: ThoughtLine | null;
  /** Latest result, with as many lines as were requested. */
  lines: ThoughtLine[];
  wanted: number;
}

interface Task {
  fen: string;
  start: string;
  moves: string[];
  is_chess960: boolean;
}

interface Job {
  task: Task;
  isOnBoard: boolean;
}

const NOTHING: Judgment = { chances: [], verdicts: [] };

class Analysis {
  /** Results of the current engine, by FEN. */
  known = $state.raw<ReadonlyMap<string, Evaluation>>(new Map());
  /** The engine on this machine that analyzes; `null` for the built-in one. */
  engine = $state.raw<OtherEngine | null>(null);
  isRunning = $state(false);
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
    this.#queue = tasks.filter(({ fen }) => !this.known.has(fen));
    this.done = this.total - this.#queue.length;
    this.isRunning = this.#queue.length > 0;
    this.failure = "";
    void this.#work();
  }

  /** Analyzes the position on the board, ahead of everything else. */
  look(view: StudyView, node: number): void {
    const task = taskAt(view, node);
    const last = this.#now;
    if (this.#analyst.isNimble && last?.isOnBoard && last.task.fen !== task?.fen) this.#analyst.stop();
    this.#board = task && (this.known.get(task.fen)?.wanted ?? 0) < BOARD_LINES ? task : null;
    void this.#work();
  }

  /** Stops the analysis. The results so far are kept. */
  stop(): void {
    this.#queue = [];
    this.#board = null;
    this.isRunning = false;
    this.#analyst.stop();
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

  async #do({ task: { fen, ...task }, isOnBoard }: Job): Promise<void> {
    const analyst = this.#analyst;
    const lines = isOnBoard ? BOARD_LINES : 1;
    try {
      const seen = await analyst.think({ ...task, lines, isOnBoard });
      if (analyst !== this.#analyst) return;
      if (seen) {
        this.#learn(fen, { worth: worthOf(seen.score), best: seen.lines[0] ?? null, lines: seen.lines, wanted: lines });
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
    if (board) return { task: board, isOnBoard: true };
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) {
      if (!this.known.has(task.fen)) return { task, isOnBoard: false };
      this.done++;
    }
    return null;
  }

  #learn(fen: string, evaluation: Evaluation): void {
    const known = new Map(this.known);
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value ?? "");
    const { worth, best } = known.get(fen) ?? evaluation;
    known.set(fen, { ...evaluation, worth, best });
    this.known = known;
  }

  /** Returns the evaluation of a node, or `null` if it is not known yet. */
  worthAt(view: StudyView, node: number): Worth | null {
    const move = view.moves[node];
    if (!move) return null;
    return move.ended === null ? (this.known.get(move.fen)?.worth ?? null) : { over: move.ended };
  }

  /** Judges the moves of a line. */
  judge(view: StudyView, line: readonly number[]): Judgment {
    if (line.length === 0) return NOTHING;
    const moves = line.flatMap((node) => view.moves[node] ?? []);
    const scores = line.map((node) => this.worthAt(view, node));
    const best = moves.slice(0, -1).map(({ fen }) => this.known.get(fen)?.best?.moves[0] ?? null);
    return judge(scores, moves.slice(1).map(({ uci }) => uci), best, view.starts_white);
  }
}

/** Returns the search task for a node, with the moves since the start or the last null move. */
function taskAt(view: StudyView, node: number): Task | null {
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
