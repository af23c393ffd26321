/**
 * A game as one person sits at it: what is shown of it, and what waits to be played.
 *
 * Owns the ply that is shown, the side the board is seen from, moves that are made ready or wait
 * to be confirmed, and what is said aloud. Leaves to those who build on it where the game lives,
 * here or on a server.
 */

import { other } from "../board/geometry";
import type { Arrow } from "../board/marks";
import * as table from "../core/table";
import type { ClocksView, Color, GameView, MoveView } from "../core/types";
import { play } from "../sound";
import { announcer } from "./announce.svelte";
import { endText } from "./ending";
import { spokenSan, t } from "./i18n.svelte";
import { settings } from "./settings.svelte";

const LOW_TIME_MS = 20_000;

/** What stands beside a name. */
export interface Beside {
  /** A rating or a level. */
  rank: string;
  /** What the player is doing, where that is worth a word. */
  state: string;
}

export abstract class Sitting {
  view = $state.raw<GameView | null>(null);
  clocks = $state.raw<ClocksView | null>(null);
  /** How many plies are shown; all of them if there is none. */
  shownPly = $state<number | null>(null);
  orientation = $state<Color>("white");
  hint = $state.raw<Arrow | null>(null);
  notice = $state("");
  /** A move that is played as soon as it can be. */
  premove = $state.raw<MoveView | null>(null);
  /** A move that is shown and not yet played. */
  pending = $state.raw<MoveView | null>(null);
  #saidLow = new Set<Color>();

  /** The ply that is shown. */
  get ply(): number {
    const count = this.view?.plies.length ?? 0;
    return Math.min(this.shownPly ?? count, count);
  }

  get isLive(): boolean {
    return this.view !== null && this.ply === this.view.plies.length;
  }

  /** Whether the person at this screen may move. */
  abstract get canMove(): boolean;
  /** The color for which a move can be made ready now, if any. */
  abstract get waitsAs(): Color | null;
  abstract beside(color: Color): Beside;

  /** The name of a player as it is shown, in the language of the page. */
  nameOf(color: Color): string {
    return this.view?.[color] || t(`color.${color}`);
  }

  /** Plays a move; says whether it could be. */
  abstract move(move: Pick<MoveView, "uci">): boolean;
  abstract touch(square: string): void;

  /** What can be made ready while the opponent thinks. */
  readonly premoves: readonly MoveView[] = $derived.by(() => {
    const [view, color] = [this.view, this.waitsAs];
    if (!view || !color || !settings.premove) return [];
    return table.premoves(view.position.fen, color, view.settings.is_chess960);
  });

  /** The board after the move that waits to be confirmed. */
  readonly trial = $derived.by(() => {
    const [view, move] = [this.view, this.pending];
    return view && move ? table.tryMove(view.position.fen, move.uci, view.settings.is_chess960) : null;
  });

  /** Takes a move that was put in: it is played, shown for confirmation, or made ready. */
  choose(move: MoveView): void {
    if (this.canMove) {
      this.premove = null;
      if (settings.confirm) this.pending = move;
      else this.move(move);
    } else if (this.waitsAs) {
      this.premove = move;
      announcer.say(t("premove.set", { from: move.from, to: move.to }));
    }
  }

  confirm(): void {
    const move = this.pending;
    this.pending = null;
    if (move) this.move(move);
  }

  /** Takes back what is not played yet. */
  cancel(): void {
    if (this.premove) announcer.say(t("premove.gone"));
    this.premove = null;
    this.pending = null;
  }

  /** A new position is there: what was made ready is played, or dropped if it no longer fits. */
  protected settle(): void {
    const move = this.premove;
    const fits = (it: MoveView) => it.uci === (this.pending ?? move)?.uci;
    if (this.view?.end) this.cancel();
    if (this.pending && !this.view?.position.moves.some(fits)) this.pending = null;
    if (!move || !this.canMove) return;
    this.premove = null;
    const fitting = this.view?.position.moves.find(fits);
    if (fitting && this.move(fitting)) return;
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

  /** Forgets what belongs to the game before. */
  protected clear(): void {
    this.#saidLow.clear();
    this.hint = null;
    this.notice = "";
    this.shownPly = null;
    this.premove = null;
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

  /** Says and sounds what has happened. */
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
