/** Typed client of the rules module: every question about chess that the page asks. */

import tableUrl from "../wasm/table.wasm?url";
import type { GameEvent, Snapshot } from "../net/protocol";
import { Module } from "./module";
import type {
  Action,
  ActionReply,
  Api,
  ClocksView,
  Color,
  EventReply,
  GameChange,
  GameView,
  MoveView,
  PgnSummary,
  Players,
  PlyView,
  PositionView,
  PremoveBoard,
  Program,
  Reply,
  Score,
  Settings,
  StoredGame,
} from "./types";

export const START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

let loaded: Module | undefined;
let loading: Promise<Module> | undefined;

/** Loads the rules. Must be called before the functions below. */
export async function loadTable(): Promise<void> {
  loading ??= Module.load(tableUrl);
  loaded = await loading;
}

function ask<Name extends keyof Api>(name: Name, request: Api[Name]["request"]): Api[Name]["response"] {
  if (!loaded) throw new Error("the rules are not loaded yet");
  return loaded.ask(name, request);
}

const now = (): number => Date.now();

export const position = (fen: string): PositionView => ask("position", { fen });

/** Returns a Chess960 start position by its number, from 0 to 959. */
export const chess960 = (number: number): PositionView => ask("chess960", { number });

export const readMove = (fen: string, text: string, language: string): MoveView => ask("read_move", { fen, text, language });

/** Returns the board after a move, without playing it. */
export const tryMove = (fen: string, uci: string, is_chess960: boolean): PlyView => ask("try_move", { fen, uci, is_chess960 });

/**
 * Returns the board after premoves of a color while its opponent is to move, and the possible next
 * ones.
 */
export const premoves = (fen: string, color: Color, is_chess960: boolean, waiting: string[]): PremoveBoard =>
  ask("premoves", { fen, is_white: color === "white", is_chess960, waiting });

/** Returns a view with a change applied: everything that changes in a game except its plies is the state. */
export const changed = (view: GameView, { kept, added, state }: GameChange): GameView => ({
  ...view,
  ...state,
  plies: [...view.plies.slice(0, kept), ...added],
});

// Games on this device.

/** Starts a game. Unknown player names are empty. */
export const newGame = (settings: Settings, white: string, black: string, program: Program | null = null): GameView =>
  ask("new_game", { settings, white, black, program, now: now() });

export const loadGame = (stored: StoredGame): GameView => ask("load_game", { stored, now: now() });

export const act = (game: number, by: Color, action: Action): ActionReply =>
  ask("act", { game, is_white: by === "white", action, now: now() });

/** Returns the clocks at a time: of this device, or of the server for a game that is played there. */
export const clocks = (game: number, at = now()): ClocksView => ask("clocks", { game, now: Math.round(at) });

/** Returns how a person of this level would answer with a move: after which time, and whether with it at all. */
export const replyTo = (game: number, uci: string, score: Score | null, level: number | null, chance: number): Reply =>
  ask("reply", { game, uci, score, level, chance_permille: Math.round(chance * 1000), now: now() });

export const record = (game: number): StoredGame => ask("record", { game, now: now() });

export const closeGame = (game: number): boolean => ask("close", { game });

// Games on a server. Times are those of the server's clock.

/** Opens a game from a snapshot, or replaces the state of the open `game`. */
export const followGame = (snapshot: Snapshot, game: number | null, at: number): GameView =>
  ask("follow_game", { snapshot, game, now: Math.round(at) });

/** Applies an event of the server. */
export const followEvent = (game: number, event: GameEvent, at: number): EventReply =>
  ask("follow_event", { game, event, now: Math.round(at) });

/** Shows the user's move before the server has acknowledged it. */
export const showMove = (game: number, uci: string, at: number): GameChange =>
  ask("show_move", { game, uci, now: Math.round(at) });

/** Takes back the move that the server has refused. */
export const hideMove = (game: number, at: number): GameChange => ask("hide_move", { game, now: Math.round(at) });

// Games as PGN.

const offset_minutes = (): number => -new Date().getTimezoneOffset();

export const writePgn = (game: number, event: string | null = null, at = now()): string =>
  ask("write_pgn", { game, event, offset_minutes: offset_minutes(), now: Math.round(at) });

export const readPgn = (text: string): PgnSummary[] => ask("read_pgn", { text });

/**
 * Where and by whom a saved game is continued. By default: at its end, by the players in its tags.
 */
export interface Continuation {
  /** Moves from the start to the position, in UCI. */
  line?: string[];
  players?: Players;
}

export const openPgn = (text: string, index: number, how: Continuation = {}): GameView =>
  ask("open_pgn", { text, index, ...how, now: now() });

/** Writes a playable position as a PGN without moves. */
export const setupPgn = (start: string, event: string): string => {
  const settings: Settings = {
    start,
    is_chess960: false,
    time_control: { type: "unlimited" },
    clock_start: "first_move",
    is_rated: false,
    is_touch_move: false,
    allows_takeback: false,
  };
  const { game } = newGame(settings, "?", "?");
  const pgn = writePgn(game, event);
  closeGame(game);
  return pgn;
};
