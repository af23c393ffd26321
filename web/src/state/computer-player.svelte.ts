/**
 * The computer as a player of the game on this device: it searches for moves, takes its time, offers
 * draws and answers offers, and resigns.
 *
 * When it does so is decided by the same rules as on a server, which are in the module of the table;
 * here is its conversation with the engines. The game belongs to `match`, which performs what the
 * computer decides.
 */

import { considerDraw, search, stopThinking } from "../core/engine";
import { stopElsewhere, searchElsewhere } from "../core/other-engine";
import { replyTo } from "../core/table";
import type { Action, GameView } from "../core/types";
import type { Computer } from "./computer";
import { settings } from "./settings.svelte";

/** Time for a move at full strength in a game without a clock. */
const FULL_STRENGTH_MS = 2000;
/** Shortest time for a move, so that the user can follow it. */
const MIN_REPLY_MS = 350;
/** Time for a hint. */
const HINT_MS = 700;
/** How often a pause checks whether the game has changed. */
const PAUSE_STEP_MS = 200;

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** What the computer does on its turn. */
export interface Reply {
  /** A move, or its resignation. */
  action: Action;
  /** Whether it offers a draw with the move. */
  offersDraw: boolean;
}

export class ComputerPlayer {
  /** Whether the computer is thinking about its move. */
  isThinking = $state(false);

  /** Stops thinking about a move. */
  stop(): void {
    stopThinking();
    stopElsewhere();
    this.isThinking = false;
  }

  /**
   * Decides what to do on the computer's turn, as soon as a person would have decided or `isCurrent`
   * says that the game has changed. `null` if the engine has no move.
   */
  async decide(view: GameView, computer: Computer, isCurrent: () => boolean): Promise<Reply | null> {
    const began = performance.now();
    const isOther = typeof computer.engine === "number";
    const isFull = computer.level === null || isOther;
    const { move, score } = await searchFor(view, computer, isFull);
    const reply = move && isCurrent() ? replyTo(view.game, move, score, computer.level, Math.random()) : null;
    // Our engine at full strength, like other engines, has already used its clock.
    const wait = !reply || isFull || settings.quickReplies ? MIN_REPLY_MS : reply.time_ms;
    const offersDraw = !isOther && reply?.considers_draw === true && (await this.acceptsDraw(view, computer));
    await pause(wait - (performance.now() - began), isCurrent);
    if (!move || !reply) return null;
    return { action: reply.resigns && !isOther ? { type: "resign" } : { type: "move", uci: move }, offersDraw };
  }

  /** Returns whether the computer accepts a draw. */
  acceptsDraw(view: GameView, { color, level }: Computer): Promise<boolean> {
    const { start, moves } = engineInput(view);
    return considerDraw({ start, moves, is_white: color === "white", level }).catch(() => false);
  }
}

/** Searches for a move that the user might play. */
export const searchHint = (view: GameView) => search({ ...engineInput(view), move_time_ms: HINT_MS });

function searchFor(view: GameView, computer: Computer, isFull: boolean) {
  const left = view.clocks[computer.color].remaining_ms;
  const control = view.settings.time_control;
  const increment_ms = control.type === "increment" ? control.increment_ms : 0;
  const task = {
    ...engineInput(view),
    // With a clock, the engine divides its time as a player does.
    move_time_ms: isFull && left === null ? FULL_STRENGTH_MS : null,
    clock: isFull && left !== null ? { remaining_ms: left, increment_ms } : null,
  };
  return typeof computer.engine === "number"
    ? searchElsewhere(computer.engine, { ...task, level: computer.elo ?? null })
    : search({ ...task, level: computer.level, seed: computer.seed });
}

/** Waits for some milliseconds, but no longer than the game stays as it is. */
async function pause(ms: number, isCurrent: () => boolean): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until && isCurrent()) await sleep(Math.min(PAUSE_STEP_MS, until - performance.now()));
}

/** Returns what an engine needs to know about a game. */
const engineInput = ({ settings, plies }: GameView) => ({
  start: settings.start,
  moves: plies.map((ply) => ply.uci),
  is_chess960: settings.is_chess960,
});
