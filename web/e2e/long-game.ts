/**
 * Measures what the moves of a long game cost in the rules module, early and late in the game.
 *
 * The module runs in this process, without a browser, so that nothing else is measured: a request
 * as JSON in, the response as JSON out, as the page does it.
 */

import type { GameView, Recorded } from "../src/core/types";
import { LocalModule } from "./local-module";

const PLIES = 600;
/** Moves from which the cost is taken, at the beginning and at the end. */
const SAMPLE = 40;
/** Plies between two pawn moves, so that no rule about moves without progress ends the game. */
const PAWN_EVERY = 60;

/** Returns one of the moves: the same ones on every run, with few captures and enough pawn moves. */
function choose({ position, plies }: GameView): string {
  const isPawn = (from: string) => "Pp".includes(position.board["abcdefgh".indexOf(from[0] ?? "") + 8 * (Number(from[1]) - 1)] ?? ".");
  const quiet = position.moves.filter(({ is_capture }) => !is_capture);
  const wanted = quiet.filter(({ from }) => isPawn(from) === (plies.length % PAWN_EVERY === 0));
  const among = wanted.length ? wanted : quiet.length ? quiet : position.moves;
  return among[(plies.length * 7919 + 104_729) % among.length]?.uci ?? "";
}

export interface Cost {
  /** Median time of a move in microseconds, and bytes of its responses: the first moves and the last. */
  early: { us: number; bytes: number };
  late: { us: number; bytes: number };
}

const median = (all: number[]) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;

function cost(times: number[], bytes: number[]): Cost {
  const of = (from: number, to?: number) => ({ us: 1000 * median(times.slice(from, to)), bytes: median(bytes.slice(from, to)) });
  return { early: of(0, SAMPLE), late: of(-SAMPLE) };
}

/** Plays a game on this device, then follows the same game as if a server played it. */
export function playLong(path: string): { plies: number; local: Cost; remote: Cost } {
  const module = new LocalModule(path);
  const settings = {
    start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    is_chess960: false,
    time_control: { type: "unlimited" },
    clock_start: "first_move",
    is_rated: false,
    is_touch_move: false,
    allows_takeback: true,
  } as const;
  let view = module.ask("new_game", { settings, white: "Anna", black: "Boris", now: 0 });
  const played: Recorded[] = [];
  const [times, bytes]: [number[], number[]] = [[], []];
  while (view.is_running && view.plies.length < PLIES) {
    const began = performance.now();
    const action = { type: "move", uci: choose(view) } as const;
    const { change, recorded } = module.ask("act", { game: view.game, is_white: view.turn === "white", action, now: 0 });
    times.push(performance.now() - began);
    bytes.push(module.bytes);
    played.push(...recorded);
    view = { ...view, ...change.state, plies: [...view.plies.slice(0, change.kept), ...change.added] };
  }
  const clocks = { white: { used_ms: 0 }, black: { used_ms: 0 }, at: 0 };
  const game = "k3ZfQ81xWpLm";
  const snapshot = {
    ...{ game, version: 3, settings, started_at: 0, moves: "", clocks, offers: [], touched: [] },
    ...{ can_abort: true, presence: { white: true, black: true, watchers: 0 } },
  };
  const followed = module.ask("follow_game", { snapshot, game: null, now: 0 });
  const [followTimes, followBytes]: [number[], number[]] = [[], []];
  for (const recorded of played) {
    const began = performance.now();
    module.ask("follow_event", { game: followed.game, event: { game, ...recorded, clocks }, now: 0 });
    followTimes.push(performance.now() - began);
    followBytes.push(module.bytes);
  }
  return { plies: view.plies.length, local: cost(times, bytes), remote: cost(followTimes, followBytes) };
}
