/**
 * What an engine thinks of the game that is being studied.
 *
 * Owns the order in which positions are looked at: first the one on the board, with several lines,
 * then the main line from its start. One search at a time, so that the board stays quick; whatever
 * was found stays known by its position. Who analyses can change; what one analyst has found is
 * never mixed with what another has, since no two engines mean the same by a pawn.
 */

import { OwnAnalyst, type Analyst } from "../core/analyst";
import { LocalRefusal, type OtherEngine } from "../core/local";
import { OtherAnalyst } from "../core/other-analyst";
import { judge, type Judgement, type StudyView, type Worth } from "../core/review";
import type { ThoughtLine } from "../core/types";
import { lineFrom } from "./study.svelte";
import { worthOf } from "./words";

const BOARD_LINES = 3;
/** How many positions are remembered of each analyst. */
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
  is_chess960: boolean;
}

interface Job {
  task: Task;
  isOnBoard: boolean;
}

const NOTHING: Judgement = { chances: [], verdicts: [] };

class Analysis {
  /** What the analyst of now has found. */
  known = $state.raw<ReadonlyMap<string, Evaluation>>(new Map());
  /** The engine of this machine that analyses; nothing if it is ours. */
  engine = $state.raw<OtherEngine | null>(null);
  isRunning = $state(false);
  /** Why it does not go on: a code; nothing while it does. */
  failure = $state("");
  done = $state(0);
  total = $state(0);
  /** What the other analysts have found, by the paths of their programs; ours has none. */
  #memories = new Map<string, ReadonlyMap<string, Evaluation>>();
  #queue: Task[] = [];
  #board: Task | null = null;
  #now: Job | null = null;
  #analyst: Analyst = new OwnAnalyst();
  #isBusy = false;

  /** Lets another engine analyse from now on, or ours. */
  use(engine: OtherEngine | null): void {
    if (this.engine?.id === engine?.id && this.engine?.path === engine?.path) return;
    this.stop();
    this.#memories.set(this.engine?.path ?? "", this.known);
    this.known = this.#memories.get(engine?.path ?? "") ?? new Map();
    this.engine = engine;
    this.#analyst = engine ? new OtherAnalyst(engine.id) : new OwnAnalyst();
    this.failure = "";
  }

  /** Looks at every position of the main line. */
  review(view: StudyView): void {
    const tasks = lineFrom(view, 0).flatMap((node) => taskAt(view, node) ?? []);
    this.total = tasks.length;
    this.#queue = tasks.filter(({ fen }) => !this.known.has(fen));
    this.done = this.total - this.#queue.length;
    this.isRunning = this.#queue.length > 0;
    this.failure = "";
    void this.#work();
  }

  /** Looks at the position on the board, before everything else. */
  look(view: StudyView, node: number): void {
    const task = taskAt(view, node);
    const last = this.#now;
    if (this.#analyst.isNimble && last?.isOnBoard && last.task.fen !== task?.fen) this.#analyst.stop();
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

/** What the engine is asked about a place: the moves since the start, or since the turn was passed. */
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
