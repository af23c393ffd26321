/** Responses of the WebAssembly modules. The types mirror those in `crates/wasm`. */

export type Color = "white" | "black";
/** The 64 squares from a1 to h8: a piece letter, or a dot for an empty square. */
export type BoardText = string;

export interface MoveView {
  from: string;
  to: string;
  uci: string;
  san: string;
  promotion: "q" | "r" | "b" | "n" | null;
  is_capture: boolean;
  /** Square of the rook when castling; clicking it is the same as clicking `to`. */
  rook: string | null;
}

export interface PositionView {
  fen: string;
  board: BoardText;
  turn: Color;
  check: string | null;
  moves: MoveView[];
  difference: number;
}

export interface Ply {
  from: string;
  to: string;
  uci: string;
  san: string;
  captured: string | null;
  fen: string;
  board: BoardText;
  turn: Color;
  check: string | null;
  difference: number;
  spent_ms: number;
  remaining_ms: number | null;
}

export interface ClockFace {
  remaining_ms: number | null;
  used_ms: number;
}

export interface ClocksView {
  white: ClockFace;
  black: ClockFace;
  running: Color | null;
  is_up: boolean;
}

export type TimeControl =
  | { type: "unlimited" }
  | { type: "count_up" }
  | { type: "increment"; initial_ms: number; increment_ms: number }
  | { type: "delay"; initial_ms: number; delay_ms: number };

export interface GameSettings {
  start: string;
  is_chess960: boolean;
  time_control: TimeControl;
  clock_start: "game" | "first_move";
  is_rated: boolean;
  is_touch_move: boolean;
  allows_takeback: boolean;
}

export type EndReason =
  | "checkmate"
  | "stalemate"
  | "dead_position"
  | "fivefold_repetition"
  | "seventy_five_moves"
  | "threefold_repetition"
  | "fifty_moves"
  | "resignation"
  | "agreement"
  | "timeout"
  | "timeout_against_no_mate"
  | "abandoned"
  | "ply_limit"
  | "aborted";

export interface End {
  reason: EndReason;
  winner: Color | null;
  score: string;
}

export type Proposal = "draw" | "takeback";

/** The engine that plays one side of a game. */
export interface Program {
  is_white: boolean;
  /** Strength limit; `null` for full strength. */
  level: number | null;
}

/** Players who continue a saved game. */
export type Players = { type: "people" } | { type: "program"; program: Program };

export interface GameView {
  game: number;
  version: number;
  /** Empty if unknown. */
  white: string;
  black: string;
  program: Program | null;
  settings: GameSettings;
  is_running: boolean;
  can_abort: boolean;
  turn: Color;
  end: End | null;
  /** Draw claims that are possible now, and the moves that would allow one if announced. */
  claims: { repetition: boolean; fifty: boolean; moves: string[] };
  offers: { draw: Color | null; takeback: Color | null };
  start: PositionView;
  position: PositionView;
  plies: Ply[];
  touched: string[];
  /**
   * What the touch-move rule demands: to move `from`, to capture `victim`, to castle with `rook`.
   */
  obligation: { from?: string; victim?: string; rook?: string } | null;
  clocks: ClocksView;
  /** Time spent on the game so far. */
  duration_ms: number;
}

/** A game as the server sends it: moves in UCI, separated by spaces. */
export interface FollowedGame {
  settings: GameSettings;
  white: string;
  black: string;
  moves: string;
  touched: string[];
}

export interface StoredGame {
  settings: GameSettings;
  created: number;
  record: unknown[];
  program?: Program;
  /** The PGN that the game was opened from. */
  sheet?: string;
  sheet_version?: number;
  duration_ms?: number;
}

export type Act =
  | { type: "move"; uci: string }
  | { type: "touch"; square: string }
  | { type: "resign" }
  | { type: "offer"; what: Proposal }
  | { type: "accept"; what: Proposal }
  | { type: "decline"; what: Proposal }
  | { type: "claim"; announced: string | null }
  | { type: "abort" }
  | { type: "flag" }
  | { type: "resume"; away_ms: number };

export interface Finding {
  code: string;
  severity: "error" | "warning" | "note";
  /** Whether a game cannot start from a position with this finding. */
  prevents_play: boolean;
  squares: string[];
  column: number;
  text: string;
}

export interface Count {
  piece: string;
  count: number;
  light: number;
  dark: number;
}

export interface Setup {
  is_white_to_move: boolean;
  castling: string;
  en_passant: string | null;
  halfmove_clock: number;
  fullmove_number: number;
}

export interface Diagnosis {
  fen: string;
  verdict: "malformed" | "illegal" | "legal" | "unknown";
  verdict_word: string;
  verdict_reason: string;
  is_playable: boolean;
  /** Whether the castling rights were read as Chess960 rights. */
  is_chess960: boolean;
  /** Squares of kings in check. */
  checked: string[];
  board: BoardText | null;
  setup: Setup | null;
  counts: Count[];
  findings: Finding[];
  repairs: { fen: string; findings: number[] }[];
  rows: { label: string; text: string }[];
  game: string | null;
}

export interface LanguageView {
  code: string;
  name: string;
  /** Piece letters in this language: pawn, knight, bishop, rook, queen, king. */
  letters: string;
}

export interface SheetSummary {
  white: string;
  black: string;
  event: string;
  date: string;
  result: string;
  plies: number;
  program: Program | null;
  problems: { line: number; column: number; token: string; text: string }[];
}

export interface Score {
  cp?: number;
  mate?: number;
}

export interface ThoughtLine {
  depth: number;
  rank: number;
  score: Score;
  moves: string[];
  line: string[];
}

export interface Thought {
  move: string | null;
  san: string | null;
  score: Score;
  nodes: number;
  line: string[];
  lines: ThoughtLine[];
}

/** A draw offer to the computer. */
export interface DrawOffer {
  start: string;
  moves: string[];
  /** Whether the computer plays White. */
  is_white: boolean;
  level: number | null;
}

export interface ThinkTask {
  start: string;
  moves: string[];
  /** Whether castling moves are written as in Chess960. */
  is_chess960?: boolean;
  level: number | null;
  seed: number;
  move_time_ms: number | null;
  clock: { remaining_ms: number; increment_ms: number } | null;
  /** Node limit, and the number of best lines to report. */
  nodes?: number;
  lines?: number;
}
