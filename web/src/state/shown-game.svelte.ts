/**
 * A game as a user sees it: what is shown, and which moves are waiting to be played.
 *
 * Responsible for the ply that is shown, the orientation of the board, premoves, moves that wait
 * for confirmation, and announcements. Where the game lives, on this device or on a server, is left
 * to the subclasses.
 */

import { other } from "../board/geometry";
import type { Arrow } from "../board/marks";
import * as table from "../core/table";
import type { BoardText, ClocksView, Color, GameView, MoveView, PremoveBoard } from "../core/types";
import { play } from "../sound";
import { announcer } from "./announce.svelte";
import { endText } from "./ending";
import { spokenSan, t } from "./i18n.svelte";
import { settings } from "./settings.svelte";

const LOW_TIME_MS = 20_000;
/** Most moves that can wait for their turn. */
const MAX_PREMOVES = 12;

/** Text next to a player's name. */
export interface PlayerLabel {
  /** Rating or level. */
  rank: string;
  /** What the player is doing, such as thinking or being away; empty otherwise. */
  state: string;
}

export abstract class ShownGame {
  view = $state.raw<GameView | null>(null);
  clocks = $state.raw<ClocksView | null>(null);
  /** Number of plies shown; `null` for all of them. */
  shownPly = $state<number | null>(null);
  orientation = $state<Color>("white");
  hint = $state.raw<Arrow | null>(null);
  notice = $state("");
  /** Moves to be played as soon as it is the user's turn, one on each turn. */
  queue = $state.raw<readonly MoveView[]>([]);
  /** Move that is shown and waits for confirmation. */
  pending = $state.raw<MoveView | null>(null);
  #saidLow = new Set<Color>();

  /** Number of plies shown. */
  get ply(): number {
    const count = this.view?.plies.length ?? 0;
    return Math.min(this.shownPly ?? count, count);
  }

  get isLive(): boolean {
    return this.view !== null && this.ply === this.view.plies.length;
  }

  /** Whether the user can move now. */
  abstract get canMove(): boolean;
  /** The color for which the user can set a premove now, if any. */
  abstract get waitsAs(): Color | null;
  abstract labelOf(color: Color): PlayerLabel;
  /** Whether the user is to move against an opponent, whatever position is shown. */
  abstract get isOwnTurn(): boolean;

  /** Returns the name of a player as shown, in the language of the page. */
  nameOf(color: Color): string {
    return this.view?.[color] || t(`color.${color}`);
  }

  /** Plays a move. Returns whether it was possible. */
  abstract move(move: Pick<MoveView, "uci">): boolean;
  abstract touch(square: string): void;

  /** The board after the premoves, and the possible next ones, while the opponent is to move. */
  readonly #premoveBoard: PremoveBoard | null = $derived.by(() => {
    const [view, color] = [this.view, this.waitsAs];
    if (!view || !color || !settings.premove) return null;
    return table.premoves(view.position.fen, color, view.settings.is_chess960, this.queue.map(({ uci }) => uci));
  });

  /** Possible premoves while the opponent is to move. */
  get premoves(): readonly MoveView[] {
    return this.queue.length < MAX_PREMOVES ? (this.#premoveBoard?.moves ?? []) : [];
  }

  /** The board after the premoves; `null` if there are none. */
  get premoveBoard(): BoardText | null {
    return this.queue.length > 0 ? (this.#premoveBoard?.board ?? null) : null;
  }

  /** The board after the move that waits for confirmation. */
  readonly trial = $derived.by(() => {
    const [view, move] = [this.view, this.pending];
    return view && move ? table.tryMove(view.position.fen, move.uci, view.settings.is_chess960) : null;
  });

  /**
   * Handles a move entered by the user: plays it, shows it for confirmation, or adds it to the
   * premoves.
   */
  choose(move: MoveView): void {
    if (this.canMove) {
      this.queue = [];
      if (settings.confirm) this.pending = move;
      else this.move(move);
    } else if (this.waitsAs && this.queue.length < MAX_PREMOVES) {
      this.queue = [...this.queue, move];
      announcer.say(t("premove.set", { from: move.from, to: move.to }));
    }
  }

  confirm(): void {
    const move = this.pending;
    this.pending = null;
    if (move) this.move(move);
  }

  /** Cancels all premoves and an unconfirmed move. */
  cancel(): void {
    if (this.queue.length > 0) announcer.say(t("premove.gone"));
    this.queue = [];
    this.pending = null;
  }

  /** Handles a new position: plays the first premove, or drops all if it is no longer legal. */
  protected settle(): void {
    const [move, ...rest] = this.queue;
    const fits = (it: MoveView) => it.uci === (this.pending ?? move)?.uci;
    if (this.view?.end) this.cancel();
    if (this.pending && !this.view?.position.moves.some(fits)) this.pending = null;
    if (!move || !this.canMove) return;
    const fitting = this.view?.position.moves.find(fits);
    // Playing it may already bring the next position, so the others have to be there before.
    this.queue = fitting ? rest : [];
    if (fitting && this.move(fitting)) return;
    this.queue = [];
    this.notice = t("premove.dropped", { from: move.from, to: move.to });
    announcer.say(this.notice);
  }

  show(ply: number): void {
    const count = this.view?.plies.length ?? 0;
    const next = Math.max(0, Math.min(ply, count));
    this.shownPly = next === count ? null : next;
  }

  flip(): void {
    this.orientation = other(this.orientation);
  }

  /** Resets what belongs to the previous game. */
  protected clear(): void {
    this.#saidLow.clear();
    this.hint = null;
    this.notice = "";
    this.shownPly = null;
    this.queue = [];
    this.pending = null;
  }

  protected warn(clocks: ClocksView): void {
    const color = clocks.running;
    const left = color ? clocks[color].remaining_ms : null;
    if (!color || left === null || left > LOW_TIME_MS || this.#saidLow.has(color)) return;
    this.#saidLow.add(color);
    play("low");
    announcer.say(t("say.lowTime", { color: t(`color.${color}`) }));
  }

  /** Announces what has happened and plays its sound. */
  protected tell(before: GameView, view: GameView): void {
    const said: string[] = [];
    const last = view.plies.at(-1);
    if (view.plies.length > before.plies.length && last) {
      said.push(`${t(`color.${other(last.turn)}`)}: ${spokenSan(last.san)}`);
      play(view.end ? "end" : last.check ? "check" : last.captured ? "capture" : "move");
    } else if (view.end && !before.end) {
      play("end");
    }
    if (view.plies.length < before.plies.length) said.push(t("say.takenBack"));
    if (view.offers.draw && !before.offers.draw) said.push(t("offer.draw", { color: t(`color.${view.offers.draw}`) }));
    if (view.end && !before.end) said.push(endText(view));
    if (said.length) announcer.say(said.join(". "));
  }
}
