/**
 * Solving one exercise on the board.
 *
 * Responsible for what the board shows and for whether an answer is right. The moves are a study in
 * the review module, so this code knows no rules of chess: wrong answers and their refutations are
 * variations of it, and the user can step through everything.
 */

import type { Arrow } from "../board/marks";
import { OwnAnalyst, type Seen } from "../core/analyst";
import { closeStudy, editStudy, judge, openStudy, studyAt } from "../core/review";
import type { MoveView, NodeView, Score, StudyView, TreeMove } from "../core/types";
import { play as sound } from "../sound";
import { announcer } from "../state/announce.svelte";
import { spokenSan, t } from "../state/i18n.svelte";
import { askedMoves, isWhite, type Exercise } from "./exercise";

/**
 * What the solver sees: the opponent's move, the question, an answer that is being checked, a wrong
 * answer with its refutation, the solved exercise, or its solution.
 */
export type SolveState = "coming" | "asking" | "checking" | "wrong" | "solved" | "shown";

export interface Refutation {
  /** The wrong answer and the best reply to it with what follows, in SAN. */
  answer: string;
  line: string[];
  score: Score;
}

/** Time that the opponent's move and the moves of a solution take. */
const STEP_MS = 450;
/** Plies of a refutation that are shown. */
const REFUTATION_PLIES = 6;

export class Solver {
  exercise = $state.raw<Exercise | null>(null);
  state = $state<SolveState>("coming");
  view = $state.raw<StudyView | null>(null);
  node = $state(0);
  place = $state.raw<NodeView | null>(null);
  isFlipped = $state(false);
  /** 1 if the piece to move is shown, 2 if the move is. */
  hints = $state(0);
  refutation = $state.raw<Refutation | null>(null);
  /** Whether another move than the solution was accepted, because it is as good. */
  isOther = $state(false);
  /** The node at which a move is asked for. */
  #asked = 0;
  /** Number of moves of the solution that have been played. */
  #found = 0;
  #isRecorded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #analyst = new OwnAnalyst();
  /** Number of the current exercise; answers to older questions are dropped. */
  #turn = 0;
  readonly #onend: (exercise: Exercise, isSolved: boolean) => void;

  /** `onend` is called once for each exercise: when it is solved, or at the first failure. */
  constructor(onend: (exercise: Exercise, isSolved: boolean) => void) {
    this.#onend = onend;
  }

  get orientation(): "white" | "black" {
    return (this.exercise && isWhite(this.exercise)) === this.isFlipped ? "black" : "white";
  }

  /** The moves that the board accepts: none while the user looks at another position. */
  get moves(): readonly MoveView[] {
    return this.state === "asking" && this.node === this.#asked ? (this.place?.position.moves ?? []) : [];
  }

  get move(): TreeMove | null {
    return this.view?.moves[this.node] ?? null;
  }

  get isDone(): boolean {
    return this.state === "solved" || this.state === "shown";
  }

  get canGoBack(): boolean {
    return this.node !== 0;
  }

  get canGoOn(): boolean {
    return (this.move?.next.length ?? 0) > 0;
  }

  get arrows(): Arrow[] {
    const uci = this.exercise?.moves[this.#found];
    if (this.state === "asking" && this.node === this.#asked && uci && this.hints > 0) {
      const from = uci.slice(0, 2);
      return [{ from, to: this.hints > 1 ? uci.slice(2, 4) : from, kind: "hint" }];
    }
    // The first move of a refutation points at what the answer overlooks.
    const reply = this.state === "wrong" && this.move?.next[0] !== undefined ? this.view?.moves[this.move.next[0]]?.uci : null;
    return reply ? [{ from: reply.slice(0, 2), to: reply.slice(2, 4), kind: "line" }] : [];
  }

  /** Opens an exercise at the position before the opponent's last move, which is then played. */
  open(exercise: Exercise): void {
    this.close();
    const { before, last, fen, is_chess960 } = exercise;
    const variant = is_chess960 ? '[Variant "Chess960"]\n' : "";
    this.exercise = exercise;
    Object.assign(this, { state: "coming", hints: 0, refutation: null, isOther: false, isFlipped: false });
    [this.#found, this.#isRecorded, this.#asked] = [0, false, 0];
    this.view = openStudy(`[Event "?"]\n${variant}[SetUp "1"]\n[FEN "${last ? before : fen}"]\n\n*\n`, 0);
    this.go(0);
    if (last) this.#later(() => this.#play([last]), () => this.#ask());
    else this.#ask();
  }

  /** Stops everything that is under way. */
  close(): void {
    this.#turn++;
    clearTimeout(this.#timer);
    this.#analyst.stop();
    if (this.view) closeStudy(this.view.study);
    [this.view, this.place, this.exercise] = [null, null, null];
  }

  #ask(): void {
    this.#asked = this.node;
    this.state = "asking";
    this.hints = 0;
    announcer.say(t(this.place?.position.turn === "white" ? "puzzle.whiteToMove" : "puzzle.blackToMove"));
  }

  /** Takes an answer. */
  answer(move: MoveView): void {
    const { exercise } = this;
    if (!exercise || this.state !== "asking") return;
    // A mate is right, whichever piece gives it.
    const isRight = move.uci === exercise.moves[this.#found] || move.san.endsWith("#");
    this.#play([move.uci]);
    if (isRight) this.#goOn(move.san.endsWith("#"));
    else void this.#check(move);
  }

  #goOn(isMate: boolean): void {
    const { exercise } = this;
    if (!exercise) return;
    this.#found++;
    const reply = exercise.moves[this.#found];
    if (isMate || this.#found >= askedMoves(exercise) || reply === undefined) {
      this.#end("solved", this.hints === 0);
      return;
    }
    this.state = "coming";
    this.#found++;
    this.#later(() => this.#play([reply]), () => this.#ask());
  }

  /** Lets the engine look at an answer that is not the expected one. */
  async #check(move: MoveView): Promise<void> {
    const turn = this.#turn;
    this.state = "checking";
    const node = this.node;
    const seen = await this.#look(node).catch(() => null);
    if (turn !== this.#turn || !this.exercise) return;
    if (seen && this.#isAsGood(move, seen)) {
      this.isOther = true;
      this.#end("solved", this.hints === 0);
      return;
    }
    const [best] = seen?.lines ?? [];
    if (best && this.view) {
      this.view = editStudy(this.view.study, node, { type: "play", moves: best.moves.slice(0, REFUTATION_PLIES) });
      this.refutation = { answer: move.san, line: best.line.slice(0, REFUTATION_PLIES), score: best.score };
    } else {
      this.refutation = null;
    }
    this.go(node);
    this.state = "wrong";
    this.#record(false);
    const line = this.refutation?.line.map(spokenSan).join(", ") ?? "";
    announcer.say(`${t("puzzle.wrong", { move: spokenSan(move.san) })} ${line}`);
  }

  async #look(node: number): Promise<Seen | null> {
    const view = this.view;
    const root = view?.moves[0];
    if (!view || !root || view.moves[node]?.ended !== null) return null;
    const path = studyAt(view.study, node).path;
    const moves = path.flatMap((at) => view.moves[at]?.uci ?? []);
    return this.#analyst.think({ start: root.fen, moves, is_chess960: view.is_chess960, lines: 1, isOnBoard: false });
  }

  /** A mistake of a game may have several better moves: each that is no mistake itself is right. */
  #isAsGood(move: MoveView, { score }: Seen): boolean {
    const { exercise } = this;
    const worth = exercise?.played?.worth;
    if (!exercise || !worth) return false;
    const [found] = judge([worth, score], [move.uci], [exercise.moves[0] ?? null], isWhite(exercise)).verdicts;
    return found?.verdict === "fine";
  }

  /** Goes back to the question after a wrong answer. */
  retry(): void {
    if (this.state !== "wrong") return;
    this.go(this.#asked);
    this.state = "asking";
  }

  hint(): void {
    if (this.state !== "asking") return;
    this.go(this.#asked);
    this.hints = Math.min(2, this.hints + 1);
    this.#record(false);
    const uci = this.exercise?.moves[this.#found] ?? "";
    announcer.say(this.hints === 1 ? t("puzzle.hintPiece", { square: uci.slice(0, 2) }) : spokenSan(this.exercise?.line[this.#found] ?? ""));
  }

  /** Gives up and plays the rest of the solution. */
  show(): void {
    const { exercise } = this;
    if (!exercise || !["asking", "wrong"].includes(this.state)) return;
    this.#end("shown", false);
    this.go(this.#asked);
    const rest = exercise.moves.slice(this.#found);
    this.#playOut(rest);
  }

  #playOut([first, ...rest]: string[]): void {
    if (first === undefined) return;
    this.#later(() => this.#play([first]), () => this.#playOut(rest));
  }

  #end(state: "solved" | "shown", isSolved: boolean): void {
    const { exercise } = this;
    if (!exercise) return;
    this.state = state;
    this.#record(isSolved);
    announcer.say(state === "solved" ? t("puzzle.solved") : exercise.line.map(spokenSan).join(", "));
    // The rest of a longer line can be stepped through.
    const rest = exercise.moves.slice(this.#found);
    if (state === "solved" && !this.isOther && rest.length > 0 && this.view && !this.move?.san.endsWith("#")) {
      this.view = editStudy(this.view.study, this.node, { type: "play", moves: rest });
    }
  }

  #record(isSolved: boolean): void {
    if (this.#isRecorded || !this.exercise) return;
    this.#isRecorded = true;
    this.#onend(this.exercise, isSolved);
  }

  #later(...steps: (() => void)[]): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const step of steps) step();
    }, STEP_MS);
  }

  #play(moves: string[]): void {
    if (!this.view) return;
    this.view = editStudy(this.view.study, this.node, { type: "play", moves });
    this.go(this.view.node);
    const san = this.move?.san ?? "";
    sound(this.place?.position.check ? "check" : san.includes("x") ? "capture" : "move");
    announcer.say(spokenSan(san));
  }

  go(node: number): void {
    const { view } = this;
    if (!view?.moves[node]) return;
    this.node = node;
    this.place = studyAt(view.study, node);
  }

  /** Steps through the moves on the board. */
  step(by: 1 | -1): void {
    if (this.state === "coming" || this.state === "checking") return;
    const next = by < 0 ? this.move?.parent : this.#forward();
    if (next !== null && next !== undefined) this.go(next);
  }

  /**
   * Returns the node that a step forward leads to: toward the question while it is open, and along
   * the solution afterward, which was played after all wrong answers.
   */
  #forward(): number | undefined {
    const next = this.move?.next ?? [];
    const { view } = this;
    if (!view || this.isDone) return next.at(-1);
    const path = studyAt(view.study, this.state === "wrong" ? this.node : this.#asked).path;
    return next.find((node) => path.includes(node)) ?? (this.state === "wrong" ? next[0] : undefined);
  }

  toStart(): void {
    if (this.state !== "coming" && this.state !== "checking") this.go(0);
  }

  toEnd(): void {
    if (this.state === "asking") this.go(this.#asked);
    else if (this.isDone) for (let next = this.#forward(); next !== undefined; next = this.#forward()) this.go(next);
  }
}
