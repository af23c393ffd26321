/**
 * The game played or viewed on this device.
 *
 * Responsible for the players (people or the computer) and for restoring the game after a reload.
 * The game itself is a state machine in the WebAssembly module: every action goes through `act`,
 * which returns what changes.
 */

import { other } from "../board/geometry";
import { considerDraw, search, stopThinking, warmUp } from "../core/engine";
import { engineLoad } from "../core/engine-load.svelte";
import { Refused } from "../core/module";
import { stopElsewhere, searchElsewhere } from "../core/other-engine";
import * as table from "../core/table";
import type { Action, Color, GameView, MoveView, Recorded, Settings } from "../core/types";
import { play } from "../sound";
import { announcer } from "./announce.svelte";
import { archive, newGameId, type ArchivedGame } from "./archive.svelte";
import { computerOf, newSeed, programOf, type Computer } from "./computer";
import { refusalText } from "./ending";
import { spokenSan, t } from "./i18n.svelte";
import { COMPUTER } from "./level";
import { engineTrouble } from "./local.svelte";
import { decisionOf, halfmoveClockOf, MIN_REPLY_MS, replyTime, resigns, thinksOfDraw, worthFor } from "./opponent";
import { settings as choices } from "./settings.svelte";
import { Sitting, type Beside } from "./sitting.svelte";
import { GameJournal, has, readKept, type KeptGame } from "./stored-game";

export { controlText, endText } from "./ending";
export { COMPUTER } from "./level";

/** Time for a move at full strength in a game without a clock. */
const FULL_STRENGTH_MS = 2000;

/** How often a pause checks whether the game has changed. */
const PAUSE_STEP_MS = 200;
/** Number of plies between two draw offers of the computer. */
const OFFER_PLIES = 30;

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

class Match extends Sitting {
  computer = $state.raw<Computer | null>(null);
  isThinking = $state(false);
  isHinting = $state(false);
  /** Id of the game in the archive. */
  id = "";
  /** Whether a move was made since the game was started or opened. */
  #hasMoved = false;
  readonly #journal = new GameJournal();
  /** The computer's scores for its own side, by the ply before which it thought. */
  #worths = new Map<number, number>();
  /** Ply of the computer's last draw offer. */
  #offeredAt = -Infinity;
  #timer: ReturnType<typeof setInterval> | undefined;

  override get canMove(): boolean {
    return this.isLive && this.view?.is_running === true && this.view.turn !== this.computer?.color;
  }

  override get isOwnTurn(): boolean {
    return this.computer !== null && this.view?.is_running === true && this.view.turn !== this.computer.color;
  }

  override get waitsAs(): Color | null {
    const isWaiting = this.isLive && this.view?.is_running === true && this.view.turn === this.computer?.color;
    return isWaiting && this.computer ? other(this.computer.color) : null;
  }

  override beside(color: Color): Beside {
    if (this.computer?.color !== color) return { rank: "", state: "" };
    const { level, engine, elo } = this.computer;
    const own = level === null ? t("level.full") : String(level);
    const rank = typeof engine === "number" ? String(elo ?? "") : own;
    if (!this.isThinking) return { rank, state: "" };
    const isLoading = typeof engine !== "number" && engineLoad.isLoading;
    return { rank, state: isLoading ? t("engine.loading", { percent: engineLoad.percent }) : t("computer.thinking") };
  }

  override nameOf(color: Color): string {
    const name = this.view?.[color] ?? "";
    if (this.computer?.color === color) return name === COMPUTER ? t("name.computer") : name;
    return name || t(this.computer ? "name.you" : `color.${color}`);
  }

  /** The side that the user acts for; between two people, the side to move. */
  get speaker(): Color {
    return this.computer ? other(this.computer.color) : (this.view?.turn ?? "white");
  }

  start(settings: Omit<Settings, "is_rated" | "allows_takeback" | "clock_start">, white: string, black: string, computer: Computer | null): void {
    const full: Settings = { ...settings, is_rated: false, allows_takeback: !settings.is_touch_move, clock_start: "first_move" };
    this.#open(table.newGame(full, white, black, programOf(computer)), computer);
  }

  /** Opens the first game of a PGN, to view or continue it. */
  openSheet(text: string, how: table.Continuation = {}, id?: string): void {
    const view = table.openPgn(text, 0, how);
    this.#open(view, computerOf(view), id);
    if (this.view?.end) this.shownPly = 0;
  }

  /** Restores the game of the last visit, if there is one. */
  resume(): boolean {
    if (this.view) return true;
    const kept = readKept();
    if (!kept) return false;
    try {
      this.#open(restore(kept), kept.computer, kept.id, kept.hasMoved ?? true);
      return true;
    } catch {
      return false;
    }
  }

  /** Whether a game with moves is in progress, which would be lost if it were replaced. */
  get isUnfinished(): boolean {
    if (this.view) return this.view.is_running && this.view.plies.length > 0 && this.#hasMoved;
    const kept = readKept();
    return kept !== undefined && kept.hasMoved !== false && !has(kept, "ended") && has(kept, "moved");
  }

  /** Archive id of the game on the board, opened or still stored. */
  get archiveId(): string {
    return this.view ? this.id : (readKept()?.id ?? "");
  }

  /** Saves the game on the board in the archive as it is. Returns whether that worked. */
  async archive(): Promise<boolean> {
    const kept = this.view ? null : readKept();
    try {
      const view = this.view ?? (kept ? restore(kept) : null);
      if (!view) return true;
      const game = archived(view, this.view ? this.id : (kept?.id ?? ""));
      if (!this.view) table.closeGame(view.game);
      return await archive.keep(game);
    } catch (error) {
      // The game stored in the browser may be damaged; then there is nothing to archive.
      if (error instanceof Refused) return true;
      throw error;
    }
  }

  /** Restarts the game with the same players and colors. */
  restart(): void {
    const view = this.view;
    if (!view) return;
    const computer = this.computer ? { ...this.computer, seed: newSeed() } : null;
    const { start, is_chess960, time_control, is_touch_move } = view.settings;
    this.start({ start, is_chess960, time_control, is_touch_move }, view.white, view.black, computer);
  }

  /** Starts another game with the same players and reversed colors. */
  rematch(): void {
    const view = this.view;
    if (!view) return;
    const computer = this.computer ? { ...this.computer, color: other(this.computer.color), seed: newSeed() } : null;
    const { start, is_chess960, time_control, is_touch_move } = view.settings;
    this.start({ start, is_chess960, time_control, is_touch_move }, view.black, view.white, computer);
  }

  #open(view: GameView, computer: Computer | null, id = newGameId(), hasMoved = false): void {
    stopThinking();
    stopElsewhere();
    if (this.view) table.closeGame(this.view.game);
    this.clear();
    this.id = id;
    this.#hasMoved = hasMoved;
    this.#worths.clear();
    this.#offeredAt = -Infinity;
    [this.isThinking, this.isHinting] = [false, false];
    this.computer = computer;
    this.orientation = computer ? other(computer.color) : "white";
    this.#show(view);
    this.#journal.begin(this.#kept(view));
    if (computer) warmUp();
    this.#replyIfComputerToMove();
  }

  #show(view: GameView): void {
    this.view = view;
    this.clocks = view.clocks;
    clearInterval(this.#timer);
    if (view.clocks.running) this.#timer = setInterval(() => this.#tick(), 100);
  }

  #tick(): void {
    const view = this.view;
    if (!view) return;
    const clocks = table.clocks(view.game);
    this.clocks = clocks;
    if (clocks.is_up) this.act(view.turn, { type: "flag" });
    else this.warn(clocks);
  }

  /** Stores new events of the game in this browser, and that the user is still here. */
  keep(recorded: Recorded[] = []): void {
    const view = this.view;
    if (!view) return;
    const left = { leftAt: Date.now(), hasMoved: this.#hasMoved, duration_ms: view.duration_ms };
    this.#journal.add(recorded, left, () => this.#kept(view));
  }

  #kept({ game }: GameView): KeptGame {
    const computer = $state.snapshot(this.computer);
    return { stored: table.record(game), computer, leftAt: Date.now(), id: this.id, hasMoved: this.#hasMoved };
  }

  /** Performs an action in the game. If it is refused, shows the reason and changes nothing. */
  act(by: Color, what: Action): boolean {
    const before = this.view;
    if (!before) return false;
    try {
      this.notice = "";
      const { change, recorded } = table.act(before.game, by, what);
      const view = table.changed(before, change);
      if (view.plies.length !== before.plies.length || what.type === "move") {
        this.hint = null;
        this.shownPly = null;
        this.#hasMoved = true;
      }
      this.#show(view);
      this.keep(recorded);
      if (view.end && !before.end) void this.#archiveEnded();
      this.tell(before, view);
      this.#replyIfComputerToMove();
      this.settle();
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.notice = refusalText(error.code);
      announcer.say(this.notice);
      play("refuse");
      return false;
    }
  }

  /** Archives a game that is over, unless it has no moves. */
  async #archiveEnded(): Promise<void> {
    if (!this.view?.plies.length) return;
    if (!(await this.archive())) this.notice = archive.problem;
  }

  override move(move: Pick<MoveView, "uci">): boolean {
    return this.view ? this.act(this.view.turn, { type: "move", uci: move.uci }) : false;
  }

  override touch(square: string): void {
    const view = this.view;
    if (view?.settings.is_touch_move) this.act(view.turn, { type: "touch", square });
  }

  #replyIfComputerToMove(): void {
    const { view, computer } = this;
    if (view?.is_running && computer && view.turn === computer.color && !this.isThinking) {
      void this.#reply(view, computer);
    }
  }

  async #reply(view: GameView, computer: Computer): Promise<void> {
    this.isThinking = true;
    const began = performance.now();
    try {
      const left = view.clocks[computer.color].remaining_ms;
      const control = view.settings.time_control;
      const increment_ms = control.type === "increment" ? control.increment_ms : 0;
      const isOther = typeof computer.engine === "number";
      const isFull = computer.level === null || isOther;
      const task = {
        ...engineInput(view),
        // With a clock, the engine divides its time as a player does.
        move_time_ms: isFull && left === null ? FULL_STRENGTH_MS : null,
        clock: isFull && left !== null ? { remaining_ms: left, increment_ms } : null,
      };
      const result = isOther
        ? await searchElsewhere(computer.engine ?? 0, { ...task, level: computer.elo ?? null })
        : await search({ ...task, level: computer.level, seed: computer.seed });
      const ply = view.plies.length;
      const { score } = result;
      const worths = score ? this.#learn(ply, worthFor(score, computer.color)) : [];
      const surprise = (worths.at(-1) ?? 0) - (worths.at(-2) ?? worths.at(-1) ?? 0);
      // Our engine at full strength, like other engines, has already used its clock.
      const isHuman = !isFull && !choices.quickReplies && result.move !== null;
      const wait = isHuman ? replyTime(decisionOf(view, result.move ?? "", surprise, Math.random())) : MIN_REPLY_MS;
      const wantsDraw = !isOther && (await this.#wantsDraw(view, computer, worths));
      await this.#pause(view, wait - (performance.now() - began));
      const isCurrent = this.view?.game === view.game && this.view.version === view.version;
      // A draw is offered before the move (FIDE 9.1.2.1), while the computer still counts as thinking.
      if (isCurrent && result.move && wantsDraw) this.act(computer.color, { type: "offer", what: "draw" });
      this.isThinking = false;
      if (isCurrent && result.move) {
        const mateIn = score && "mate" in score ? Math.abs(score.mate) : null;
        const isLost = !isOther && resigns(worths, computer.level, ply, mateIn);
        this.act(computer.color, isLost ? { type: "resign" } : { type: "move", uci: result.move });
      } else {
        this.#replyIfComputerToMove();
      }
    } catch (error) {
      this.isThinking = false;
      this.notice = t(engineTrouble(error, "computer.failed"));
    }
  }

  /** Remembers a score and returns those before the computer's last moves in a row, the newest last. */
  #learn(ply: number, worth: number): number[] {
    this.#worths.set(ply, worth);
    const worths: number[] = [];
    for (let at = ply; this.#worths.has(at); at -= 2) worths.unshift(this.#worths.get(at) ?? 0);
    return worths;
  }

  /** Waits for some milliseconds, but no longer than the game stays as it is. */
  async #pause({ game, version }: GameView, ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (performance.now() < until && this.view?.game === game && this.view.version === version) {
      await sleep(Math.min(PAUSE_STEP_MS, until - performance.now()));
    }
  }

  /** Returns whether the computer offers a draw with its move, because the game is going nowhere. */
  async #wantsDraw(view: GameView, computer: Computer, worths: readonly number[]): Promise<boolean> {
    const ply = view.plies.length;
    if (view.offers.draw || ply - this.#offeredAt < OFFER_PLIES) return false;
    if (!thinksOfDraw(worths, computer.level, ply, halfmoveClockOf(view.position.fen))) return false;
    this.#offeredAt = ply;
    const { start, moves } = engineInput(view);
    return considerDraw({ start, moves, is_white: computer.color === "white", level: computer.level }).catch(() => false);
  }

  async askHint(): Promise<void> {
    const view = this.view;
    if (!view || this.isHinting || !this.canMove) return;
    this.isHinting = true;
    try {
      const result = await search({ ...engineInput(view), move_time_ms: 700 });
      if (this.view?.version === view.version && result.move) {
        this.hint = { from: result.move.slice(0, 2), to: result.move.slice(2, 4), kind: "hint" };
        announcer.say(t("say.hint", { move: spokenSan(result.san ?? "") }));
      }
    } catch {
      this.notice = t("computer.failed");
    } finally {
      this.isHinting = false;
    }
  }

  /**
   * Takes back moves until the user is to move again. Two people at one board agree by doing it.
   */
  takeBack(): void {
    const view = this.view;
    if (!view) return;
    const by = this.computer ? this.speaker : other(view.turn);
    if (this.isThinking) {
      stopElsewhere();
      stopThinking();
      this.isThinking = false;
    }
    if (this.act(by, { type: "offer", what: "takeback" })) {
      this.act(other(by), { type: "accept", what: "takeback" });
    }
  }

  get canTakeBack(): boolean {
    const view = this.view;
    return view?.can_take_back[this.computer ? this.speaker : other(view.turn)] ?? false;
  }

  async offerDraw(): Promise<void> {
    const view = this.view;
    if (!view || !this.act(this.speaker, { type: "offer", what: "draw" })) return;
    const computer = this.computer;
    if (!computer) return;
    const { start, moves } = engineInput(view);
    const isWelcome = await considerDraw({ start, moves, is_white: computer.color === "white", level: computer.level }).catch(() => false);
    if (this.view?.offers.draw !== other(computer.color)) return;
    this.act(computer.color, { type: isWelcome ? "accept" : "decline", what: "draw" });
    if (!isWelcome) {
      this.notice = t("computer.declines");
      announcer.say(this.notice);
    }
  }
}

/** Returns what an engine needs to know about a game. */
const engineInput = ({ settings, plies }: GameView) => ({
  start: settings.start,
  moves: plies.map((ply) => ply.uci),
  is_chess960: settings.is_chess960,
});

/** Opens a stored game as it was left; the time since then counts for neither player. */
function restore(kept: KeptGame): GameView {
  const view = table.loadGame(kept.stored);
  if (!view.clocks.running) return view;
  const away_ms = Math.max(0, Math.round(Date.now() - kept.leftAt));
  return table.changed(view, table.act(view.game, view.turn, { type: "resume", away_ms }).change);
}

function archived(view: GameView, id: string): ArchivedGame {
  const { created, duration_ms } = table.record(view.game);
  return {
    id: id || newGameId(),
    pgn: table.writePgn(view.game),
    white: view.white,
    black: view.black,
    computer: view.program ? (view.program.is_white ? "white" : "black") : null,
    result: view.end?.score ?? "*",
    plies: view.plies.length,
    began: created,
    saved: Date.now(),
    duration_ms: view.end ? view.duration_ms : (duration_ms ?? 0),
  };
}

export const match = new Match();
