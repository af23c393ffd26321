/** Typed client of the rules module: every question about chess that the page asks. */

import tableUrl from "../wasm/table.wasm?url";
import { Module } from "./module";
import type {
  Act,
  ClocksView,
  Color,
  End,
  FollowedGame,
  GameSettings,
  GameView,
  LanguageView,
  MoveView,
  Players,
  Ply,
  PositionView,
  Program,
  SheetSummary,
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

function ask<T>(question: object): T {
  if (!loaded) throw new Error("the rules are not loaded yet");
  return loaded.ask(question) as T;
}

const now = (): number => Date.now();

export const languages = (): LanguageView[] => ask({ do: "languages" });

export const position = (fen: string): PositionView => ask({ do: "position", fen });

/** Returns a Chess960 start position by its number, from 0 to 959. */
export const chess960 = (number: number): PositionView => ask({ do: "chess960", number });

export const readMove = (fen: string, text: string, language: string): MoveView =>
  ask({ do: "read_move", fen, text, language });

/** Returns the board after a move, without playing it. */
export const tryMove = (fen: string, uci: string, is_chess960: boolean): Ply =>
  ask({ do: "try_move", fen, uci, is_chess960 });

/** Returns the possible premoves of a color while its opponent is to move. */
export const premoves = (fen: string, color: Color, is_chess960: boolean): MoveView[] =>
  ask({ do: "premoves", fen, is_white: color === "white", is_chess960 });

/** Returns a view of a game that is played elsewhere, without clocks. */
export const followGame = (record: FollowedGame): GameView => ask({ do: "follow", ...record });

/** Starts a game. Unknown player names are empty. */
export const newGame = (settings: GameSettings, white: string, black: string, program: Program | null = null): GameView =>
  ask({ do: "new_game", settings, white, black, program, now: now() });

export const loadGame = (stored: StoredGame): GameView =>
  ask({ do: "load_game", ...stored, now: now() });

export const act = (game: number, by: Color, what: Act): GameView =>
  ask({ do: "act", game, is_white: by === "white", act: what, now: now() });

export const clocks = (game: number): ClocksView => ask({ do: "clocks", game, now: now() });

export const record = (game: number): StoredGame => {
  const { now: _, ...stored } = ask<StoredGame & { now: number }>({ do: "record", game, now: now() });
  return stored;
};

export const closeGame = (game: number): boolean => ask({ do: "close", game });

const offset_minutes = (): number => -new Date().getTimezoneOffset();

export const writePgn = (game: number, event: string | null = null): string =>
  ask({ do: "write_pgn", game, event, offset_minutes: offset_minutes(), now: now() });

/** Writes a game that is played elsewhere as PGN, without clocks. */
export const writeFollowed = (record: FollowedGame, program: Program | null, end: End | null, began: number): string =>
  ask({
    do: "write_followed",
    record,
    export: { game: 0, event: "Online game", offset_minutes: offset_minutes(), now: now() },
    program,
    end: end && { reason: end.reason, winner: end.winner },
    began,
  });

export const readPgn = (text: string): SheetSummary[] => ask({ do: "read_pgn", text });

/**
 * Where and by whom a saved game is continued. By default: at its end, by the players in its tags.
 */
export interface Continuation {
  /** Moves from the start to the position, in UCI. */
  line?: string[];
  players?: Players;
}

export const openPgn = (text: string, index: number, how: Continuation = {}): GameView =>
  ask({ do: "open_pgn", text, index, ...how, now: now() });

/** Writes a playable position as a PGN without moves. */
export const setupPgn = (start: string, event: string): string => {
  const settings: GameSettings = {
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
