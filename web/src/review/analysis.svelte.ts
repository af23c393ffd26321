/**
 * What the engine thinks of the game that is being studied.
 *
 * Owns the order in which positions are looked at: first the one on the board, with several lines,
 * then the main line from its start. One search at a time, in a worker, so
 * that the board stays quick; whatever was found stays known by its position.
 */

import { Analyst } from "../core/analyst";
import { judge, type Judgement, type StudyView, type Worth } from "../core/review";
import type { Score, ThoughtLine } from "../core/types";
import { lineFrom } from "./study.svelte";

/** Positions that a search looks at: for each of the game, and for the one on the board. */
const GAME_NODES = 120_000;
const BOARD_NODES = 300_000;
const BOARD_LINES = 3;
/** How many positions are remembered. */
const MAX_KNOWN = 20_000;

export interface Evaluation {
  /** What was found first, by which moves are judged: a verdict does not change by being looked at. */
  worth: Worth;
  best: ThoughtLine | null;
  /** What was found last, with as many lines as were asked for. */
  lines: ThoughtLine[];
  wanted: number;
}

interface Task {
  fen: string;
  start: string;
  moves: string[];
}

const NOTHING: Judgement = { chances: [], verdicts: [] };

class Analysis {
  known = $state.raw<ReadonlyMap<string, Evaluation>>(new Map());
  isRunning = $state(false);
  hasFailed = $state(false);
  done = $state(0);
  total = $state(0);
  #queue: Task[] = [];
  #board: Task | null = null;
  #analyst = new Analyst();
  #isBusy = false;

  /** Looks at every position of the main line. */
  review(view: StudyView): void {
    const tasks = lineFrom(view, 0).flatMap((node) => taskAt(view, node) ?? []);
    this.total = tasks.length;
    this.#queue = tasks.filter(({ fen }) => !this.known.has(fen));
    this.done = this.total - this.#queue.length;
    this.isRunning = this.#queue.length > 0;
    this.hasFailed = false;
    void this.#work();
  }

  /** Looks at the position on the board, before everything else. */
  look(view: StudyView, node: number): void {
    const task = taskAt(view, node);
    this.#board = task && (this.known.get(task.fen)?.wanted ?? 0) < BOARD_LINES ? task : null;
    void this.#work();
  }

  /** Stops; what was found stays. */
  stop(): void {
    this.#queue = [];
    this.#board = null;
    this.isRunning = false;
    this.#analyst.stop();
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let job = this.#take(); job; job = this.#take()) {
        const { task, nodes, lines } = job;
        const { start, moves } = task;
        const thought = await this.#analyst.think({ start, moves, level: null, seed: 0, move_time_ms: null, clock: null, nodes, lines });
        if (!thought) continue;
        // The last full line is what is shown; a search that ran out of positions may end on less.
        const [first] = thought.lines;
        const score = first?.score ?? thought.score;
        this.#learn(task.fen, { worth: worthOf(score), best: first ?? null, lines: thought.lines, wanted: lines });
        if (lines === 1) this.done++;
      }
    } catch {
      this.hasFailed = true;
      this.stop();
    } finally {
      this.#isBusy = false;
      this.isRunning = this.#queue.length > 0;
    }
  }

  #take(): { task: Task; nodes: number; lines: number } | null {
    const board = this.#board;
    this.#board = null;
    if (board) return { task: board, nodes: BOARD_NODES, lines: BOARD_LINES };
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) {
      if (!this.known.has(task.fen)) return { task, nodes: GAME_NODES, lines: 1 };
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

  /** What a place is worth, if it is known. */
  worthAt(view: StudyView, node: number): Worth | null {
    const move = view.moves[node];
    if (!move) return null;
    return move.ended === null ? (this.known.get(move.fen)?.worth ?? null) : { over: move.ended };
  }

  /** What the moves of a line were worth. */
  judge(view: StudyView, line: readonly number[]): Judgement {
    if (line.length === 0) return NOTHING;
    const moves = line.flatMap((node) => view.moves[node] ?? []);
    const scores = line.map((node) => this.worthAt(view, node));
    const best = moves.slice(0, -1).map(({ fen }) => this.known.get(fen)?.best?.moves[0] ?? null);
    return judge(scores, moves.slice(1).map(({ uci }) => uci), best, view.starts_white);
  }
}

export const worthOf = (score: Score): Worth => (score.mate === undefined ? { cp: score.cp ?? 0 } : { mate: score.mate });

/** What the engine is asked about a place: the moves since the start, or since the turn was passed. */
function taskAt(view: StudyView, node: number): Task | null {
  const here = view.moves[node];
  if (!here || here.ended !== null) return null;
  const moves: string[] = [];
  for (let at = here; ; ) {
    const parent = at.parent === null ? undefined : view.moves[at.parent];
    if (!parent || at.uci === null) return { fen: here.fen, start: at.fen, moves: moves.reverse() };
    moves.push(at.uci);
    at = parent;
  }
}

export const analysis = new Analysis();
