/**
 * The game played or viewed on this device.
 *
 * Responsible for who plays, and for restoring the game after a reload. What the computer does on its
 * turn is decided in `computer-player`. The game itself is a state machine in the WebAssembly module:
 * every action goes through `act`, which returns what changes.
 */

import { other } from "../board/geometry";
import { warmUp } from "../core/engine";
import { engineLoad } from "../core/engine-load.svelte";
import { Refused } from "../core/module";
import * as table from "../core/table";
import type { Action, Color, GameView, MoveView, Recorded, Settings } from "../core/types";
import { play } from "../sound";
import { announcer } from "./announce.svelte";
import { archive, newGameId, type ArchivedGame } from "./archive.svelte";
import { computerOf, newSeed, programOf, type Computer } from "./computer";
import { ComputerPlayer, searchHint } from "./computer-player.svelte";
import { refusalText } from "./ending";
import { spokenSan, t } from "./i18n.svelte";
import { COMPUTER } from "./level";
import { engineErrorKey } from "./local.svelte";
import { ShownGame, type PlayerLabel } from "./shown-game.svelte";
import { GameJournal, has, readKept, type KeptGame } from "./stored-game";

export { controlText, endText } from "./ending";
export { COMPUTER } from "./level";

class Match extends ShownGame {
  computer = $state.raw<Computer | null>(null);
  readonly #player = new ComputerPlayer();
  isHinting = $state(false);
  /** Id of the game in the archive. */
  id = "";
  /** Whether a move was made since the game was started or opened. */
  #hasMoved = false;
  readonly #journal = new GameJournal();
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

  override labelOf(color: Color): PlayerLabel {
    if (this.computer?.color !== color) return { rank: "", state: "" };
    const { level, engine, elo } = this.computer;
    const own = level === null ? t("level.full") : String(level);
    const rank = typeof engine === "number" ? String(elo ?? "") : own;
    if (!this.#player.isThinking) return { rank, state: "" };
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
    this.#player.stop();
    if (this.view) table.closeGame(this.view.game);
    this.clear();
    this.id = id;
    this.#hasMoved = hasMoved;
    this.isHinting = false;
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
    if (view?.is_running && computer && view.turn === computer.color && !this.#player.isThinking) {
      void this.#reply(view, computer);
    }
  }

  async #reply(view: GameView, computer: Computer): Promise<void> {
    const player = this.#player;
    const isCurrent = () => this.view?.game === view.game && this.view.version === view.version;
    player.isThinking = true;
    try {
      const reply = await player.decide(view, computer, isCurrent);
      const isWanted = isCurrent() && reply !== null;
      // A draw is offered before the move (FIDE 9.1.2.1), while the computer still counts as thinking.
      if (isWanted && reply.offersDraw) this.act(computer.color, { type: "offer", what: "draw" });
      player.isThinking = false;
      if (isWanted) this.act(computer.color, reply.action);
      else this.#replyIfComputerToMove();
    } catch (error) {
      player.isThinking = false;
      this.notice = t(engineErrorKey(error, "computer.failed"));
    }
  }

  async askHint(): Promise<void> {
    const view = this.view;
    if (!view || this.isHinting || !this.canMove) return;
    this.isHinting = true;
    try {
      const result = await searchHint(view);
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
    if (this.#player.isThinking) this.#player.stop();
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
    const isWelcome = await this.#player.acceptsDraw(view, computer);
    if (this.view?.offers.draw !== other(computer.color)) return;
    this.act(computer.color, { type: isWelcome ? "accept" : "decline", what: "draw" });
    if (!isWelcome) {
      this.notice = t("computer.declines");
      announcer.say(this.notice);
    }
  }
}

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
