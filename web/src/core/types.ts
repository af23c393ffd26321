// Requests to the WebAssembly modules, and their responses. Written by the tests of castellan-wasm:
// change the types there, then run CASTELLAN_WRITE_TYPES=1 cargo nextest run -p castellan-wasm types
// in the workspace.

import type {
  EndReason,
  GameEvent,
  GameHappening,
  Proposal,
  RefusalCode,
  Settings,
  Snapshot,
  TimeControl,
} from "../net/protocol";

export type { EndReason, Proposal, RefusalCode, Settings, TimeControl };

/** The 64 squares from a1 to h8: a piece letter, or a dot for an empty square. */
export type BoardText = string;

/** An event with its place in the record of a game. */
export type Recorded = { version: number; at: number; event: GameHappening };

/**
 * The reasons that are not refusals of a game.
 */
export type ErrorCode = "bad_board" | "bad_event" | "bad_fen" | "bad_language" | "bad_level" | "bad_link" | "bad_material" | "bad_move" | "bad_number" | "bad_record" | "bad_request" | "bad_scores" | "bad_snapshot" | "bad_square" | "illegal_move" | "internal" | "no_game" | "no_node" | "no_study" | "not_local" | "not_there" | "null_move" | "too_long" | "too_many_games" | "too_many_glyphs" | "too_many_marks" | "too_many_moves" | "too_many_studies" | "unreadable";

/** Why a request failed: a code for the page, a text for developers. */
export type ApiError = { code: ErrorCode | RefusalCode; text: string };

/**
 * An action of a player.
 */
export type Action = { "type": "move", uci: string, } | { "type": "touch", square: string, } | { "type": "resign", } | { "type": "offer", what: Proposal, } | { "type": "accept", what: Proposal, } | { "type": "decline", what: Proposal, } | { "type": "claim", announced: string | null, } | { "type": "abort", } | { "type": "flag", } | { "type": "resume", away_ms: number, };

/**
 * What an action in a local game led to.
 */
export type ActionReply = { change: GameChange,
/**
 * The new events, for storage.
 */
recorded: Recorded[], };

/**
 * A request to carry out an action.
 */
export type ActionRequest = { game: number, is_white: boolean, action: Action, now: number, };

/**
 * The first attempt at a puzzle.
 */
export type Attempt = {
/**
 * The rating of the solver; `null` for a new one.
 */
solver: RatingView | null,
/**
 * The rating of the puzzle; `null` if only the estimate is known.
 */
puzzle: RatingView | null, estimate: number, is_solved: boolean,
/**
 * Days since the solver's last attempt.
 */
idle_days: number, };

/**
 * Both ratings after an attempt.
 */
export type AttemptRatings = { solver: RatingView, puzzle: RatingView, };

/**
 * Whether a player has a move that the rules of this game allow to take back.
 */
export type CanTakeBack = { white: boolean, black: boolean, };

/**
 * A change to a node.
 */
export type Change = { "type": "play", moves: Array<string>, } | { "type": "comment", text: string, } | { "type": "glyphs", glyphs: Array<number>, } | { "type": "draw", from: string, to: string,
/**
 * Letter of the color.
 */
paint: "G" | "R" | "Y" | "B", } | { "type": "promote", } | { "type": "delete", };

/**
 * The draws that the player to move can claim.
 */
export type ClaimsView = { repetition: boolean, fifty: boolean,
/**
 * Moves that would allow a claim if they were announced, in UCI.
 */
moves: Array<string>, };

/**
 * The times that one clock shows, in milliseconds.
 */
export type ClockFace = {
/**
 * Time left; `null` if the clock does not count down.
 */
remaining_ms: number | null, used_ms: number, };

/**
 * The clock of the side to move.
 */
export type ClockLeft = { remaining_ms: number, increment_ms: number, };

/**
 * The last clock times on the path to a node, in milliseconds; `null` if there is none.
 */
export type ClockTimes = { white: number | null, black: number | null, };

/**
 * The times that both clocks show.
 */
export type ClocksView = { white: ClockFace, black: ClockFace, running: Color | null,
/**
 * Whether the player to move has run out of time. Always false for a game on a server, which
 * decides that itself.
 */
is_up: boolean, };

/**
 * A game to close.
 */
export type CloseGame = { game: number, };

/**
 * White or Black.
 */
export type Color = "white" | "black";

/**
 * A column of the list.
 */
export type Column = "number" | "white" | "black" | "white_elo" | "black_elo" | "result" | "date" | "event" | "site" | "round" | "opening" | "moves";

/**
 * The contents of an editor's board.
 */
export type Composition = {
/**
 * 64 letters, a1 first; a dot is an empty square.
 */
board: string, is_white_to_move: boolean,
/**
 * Any of the letters `KQkq`.
 */
castling: string, en_passant: string | null, halfmove_clock: number, fullmove_number: number, };

/**
 * The number of pieces of one kind, also by the color of their squares.
 */
export type Count = { piece: string, count: number, light: number, dark: number, };

/**
 * Everything that the doctor says about a FEN.
 */
export type Diagnosis = { fen: string, verdict: VerdictCode, verdict_word: string, verdict_reason: string,
/**
 * Whether a game can be started from the position, even if no game can reach it.
 */
is_playable: boolean,
/**
 * Whether the castling rights were read as those of Chess960.
 */
is_chess960: boolean, board: BoardText | null,
/**
 * The squares of kings in check.
 */
checked: Array<string>, setup: SetupView | null, counts: Array<Count>, findings: Array<FindingView>, repairs: Array<RepairView>, rows: Array<RowView>, game: string | null, };

/**
 * A draw offered to the computer.
 */
export type DrawOffer = { start: string, moves: Array<string>,
/**
 * Whether the computer plays White.
 */
is_white: boolean,
/**
 * Level from 400 to 2800; `None` for full strength.
 */
level: number | null, };

/**
 * A request to change a node.
 */
export type Edit = { study: number, node: number, change: Change,
/**
 * Whether this change is undone together with the one before it.
 */
is_joined?: boolean, };

/**
 * The parameters of a request that has none.
 */
export type Empty = Record<string, never>;

/**
 * How a game ended.
 */
export type EndView = { reason: EndReason, winner: Color | null,
/**
 * The result in PGN notation; `*` if the game was aborted.
 */
score: string, };

/**
 * What an event of the server led to.
 */
export type EventReply = { "type": "applied" } & GameChange | { "type": "current" } & GameChange | { "type": "old", } | { "type": "missing", };

/**
 * A request to examine a FEN.
 */
export type Examination = { fen: string, language: string,
/**
 * Whether only quick checks are wanted, as after every change of an editor's board.
 */
is_quick: boolean,
/**
 * Whether the FEN is a Chess960 position, where `KQkq` denote the outermost rooks.
 */
is_chess960?: boolean, };

/**
 * The moves that were played in the position of the filter.
 */
export type Exploration = {
/**
 * The games that reach the position, also those that end there.
 */
all: ResultCounts,
/**
 * The moves, most frequent first.
 */
moves: Array<ExploredMove>, };

/**
 * A move with the games in which it was played.
 */
export type ExploredMove = { san: string, uci: string, score: ResultCounts, };

/**
 * A part of the file, in bytes.
 */
export type FileRange = { begin: number, end: number, };

/**
 * A filter. All of its conditions must hold.
 */
export type Filter = {
/**
 * Words that must each occur in the name of one of the players.
 */
player: string,
/**
 * Words that must each occur in the code or name of the opening.
 */
opening: string,
/**
 * Words that must each occur in the name or value of any other tag.
 */
tag: string,
/**
 * The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
 */
result: string | null,
/**
 * The first and the last year.
 */
years: [number, number] | null,
/**
 * Whether to show only games that could not be read to their end.
 */
is_broken: boolean,
/**
 * Whether to leave out games that are in the file before, with the same players, date and moves.
 */
is_unique: boolean,
/**
 * The position that a game must reach, as FEN.
 */
position: string | null,
/**
 * The material balance that a game must have, such as `KRP-KR`, with either color.
 */
material: string | null,
/**
 * The order of the list; `None` for that of the file.
 */
sort: Sort | null, };

/**
 * A finding of the doctor.
 */
export type FindingView = { code: string, severity: SeverityCode,
/**
 * Whether no game can be started from a position with this finding; otherwise it means at
 * most that no game can reach the position.
 */
prevents_play: boolean, squares: Array<string>, column: number, text: string, };

/**
 * An event of a game that is played on a server.
 */
export type FollowEvent = { game: number, event: GameEvent, now: number, };

/**
 * A request to open a game that is played on a server.
 */
export type FollowGame = { snapshot: Snapshot,
/**
 * Number of the game if it is open already. Its move that waits for the server stays if the
 * snapshot allows it.
 */
game: number | null, now: number, };

/**
 * What a command or an event changes.
 */
export type GameChange = {
/**
 * Number of plies that stay; the others are gone.
 */
kept: number,
/**
 * The plies that follow them.
 */
added: Array<PlyView>, state: GameState, };

/**
 * A game in progress, whose opening is to be named.
 */
export type GameMoves = { start: string,
/**
 * The moves in UCI.
 */
moves: Array<string>, };

/**
 * A request about a game at a given time.
 */
export type GameQuery = { game: number, now: number, };

/**
 * A game of the file, for the list of the page.
 */
export type GameRow = {
/**
 * Number of the game in the file, from 1.
 */
number: number, offset: number, length: number, white: string, black: string,
/**
 * ECO code and name of the opening.
 */
opening: string, event: string, site: string, round: string,
/**
 * Ratings; 0 if they are not known.
 */
white_elo: number, black_elo: number,
/**
 * Date as one number, such as 20261115; unknown parts are zero.
 */
date: number, plies: number, result: string, is_broken: boolean, problem: RowProblem | null,
/**
 * The ply at which the position of the filter is reached first.
 */
ply: number | null, };

/**
 * Everything that can change in a game, except its plies.
 */
export type GameState = {
/**
 * Number of events so far.
 */
version: number,
/**
 * The ply to be played next. A move that waits for the server is not counted.
 */
ply: number,
/**
 * Names of the players; empty if unknown.
 */
white: string, black: string, ratings: Ratings,
/**
 * When the game started, in milliseconds since 1970; `null` if it has not.
 */
started_at: number | null, is_running: boolean, can_abort: boolean, can_take_back: CanTakeBack, turn: Color, end: EndView | null, claims: ClaimsView, offers: OffersView, position: PositionView,
/**
 * Squares of the pieces touched this turn.
 */
touched: Array<string>, obligation: ObligationView | null, clocks: ClocksView,
/**
 * Time spent on the game so far.
 */
duration_ms: number,
/**
 * The user's move that is shown although the server has not acknowledged it.
 */
pending: PendingMove | null, };

/**
 * A game with all its plies.
 */
export type GameView = {
/**
 * Number of the game while it is open.
 */
game: number, program: Program | null, settings: Settings, start: PositionView,
/**
 * Number of the first move, as in FEN.
 */
first_number: number, plies: Array<PlyView>,
/**
 * Number of events so far.
 */
version: number,
/**
 * The ply to be played next. A move that waits for the server is not counted.
 */
ply: number,
/**
 * Names of the players; empty if unknown.
 */
white: string, black: string, ratings: Ratings,
/**
 * When the game started, in milliseconds since 1970; `null` if it has not.
 */
started_at: number | null, is_running: boolean, can_abort: boolean, can_take_back: CanTakeBack, turn: Color, end: EndView | null, claims: ClaimsView, offers: OffersView, position: PositionView,
/**
 * Squares of the pieces touched this turn.
 */
touched: Array<string>, obligation: ObligationView | null, clocks: ClocksView,
/**
 * Time spent on the game so far.
 */
duration_ms: number,
/**
 * The user's move that is shown although the server has not acknowledged it.
 */
pending: PendingMove | null, };

/**
 * The ratings of the moves of a line; `null` where scores are missing.
 */
export type Judgment = {
/**
 * White's winning chances in thousandths, for each position.
 */
chances: Array<number | null>, verdicts: Array<MoveJudgment | null>,
/**
 * How well each player played; `null` until all of the player's moves are rated.
 */
white: Quality | null, black: Quality | null,
/**
 * The same for each phase that the game has.
 */
phases: Array<PhaseQuality>,
/**
 * Indices of the moves that decided the game, in its order: the three that lost the most
 * winning chances, if they are mistakes or blunders.
 */
moments: Array<number>, };

/**
 * A request to write a study as a link.
 */
export type LinkRequest = { study: number,
/**
 * Whether to include only the main line, without comments.
 */
is_bare: boolean, };

/**
 * A request to open a stored game.
 */
export type LoadGame = { stored: StoredGame, now: number, };

/**
 * The rating of a move, and the winning chances it lost, in thousandths.
 */
export type MoveJudgment = { loss: number, verdict: Verdict, };

/**
 * A move typed by the user.
 */
export type MoveText = { fen: string, text: string, language: string, };

/**
 * A legal move.
 */
export type MoveView = { from: string, to: string, uci: string, san: string, promotion: "q" | "r" | "b" | "n" | null, is_capture: boolean,
/**
 * The rook to castle with; the user may select it instead of the king's target square.
 */
rook: string | null, };

/**
 * A request to start a game.
 */
export type NewGame = { settings: Settings,
/**
 * Names of the players; empty if unknown.
 */
white: string, black: string, program?: Program | null, now: number, };

/**
 * The evaluation of the position after a move.
 */
export type NodeEval = { node: number, score: Worth,
/**
 * Search depth in plies; `null` if it is not known.
 */
depth: number | null, };

/**
 * A node of a study.
 */
export type NodeRef = { study: number, node: number, };

/**
 * One node of a study: its board, the path to it, and the opening.
 */
export type NodeView = { position: PositionView, path: Array<number>,
/**
 * Arrows from the comments: both squares and the letter of the color. Equal squares mean a
 * circle.
 */
arrows: [from: string, to: string, paint: "G" | "R" | "Y" | "B"][], opening: OpeningView | null, clocks_ms: ClockTimes, };

/**
 * What touched pieces demand: to move the player's own piece on `from`, to capture the opponent's
 * piece on `victim`, or to castle with `rook`.
 */
export type ObligationView = { from?: string, victim?: string, rook?: string, };

/**
 * For each proposal, the player who has made it and is waiting for a reply.
 */
export type OffersView = { draw: Color | null, takeback: Color | null, rematch: Color | null, };

/**
 * A request to open a game of a text.
 */
export type OpenPgn = { text: string, index: number,
/**
 * The moves in UCI that lead to the position to continue from; `None` for the end of the
 * main line.
 */
line?: Array<string>,
/**
 * The players from now on; `None` if the tags decide.
 */
players?: Players, now: number, };

/**
 * The name of an opening.
 */
export type OpeningView = { eco: string, name: string, };

/**
 * A move that waits for the server.
 */
export type PendingMove = { ply: number, uci: string, };

/**
 * A place where a PGN text could not be read.
 */
export type PgnProblem = { line: number, column: number, token: string, text: string, };

/**
 * A game of a text, for a list.
 */
export type PgnSummary = {
/**
 * The tags of these names; `?` if they are missing.
 */
white: string, black: string, event: string, date: string, result: string, plies: number, program: Program | null, problems: Array<PgnProblem>, };

/**
 * A phase of a game.
 */
export type Phase = "opening" | "middlegame" | "endgame";

/**
 * How well the players played in a phase; `null` for a player without a move in it.
 */
export type PhaseQuality = { phase: Phase, white: Quality | null, black: Quality | null, };

/**
 * The players of a game.
 */
export type Players = { "type": "people", } | { "type": "program", program: Program, };

/**
 * A move, with the board after it.
 */
export type PlyView = { from: string, to: string, uci: string, san: string,
/**
 * Letter of the captured piece.
 */
captured: string | null, fen: string, board: BoardText, turn: Color,
/**
 * Square of the king if it is in check.
 */
check: string | null,
/**
 * White's material advantage in pawns.
 */
difference: number, };

/**
 * A request about a position.
 */
export type PositionRequest = { fen: string, };

/**
 * A position with its legal moves.
 */
export type PositionView = { fen: string, board: BoardText, turn: Color,
/**
 * Square of the king if it is in check.
 */
check: string | null, moves: Array<MoveView>,
/**
 * White's material advantage in pawns.
 */
difference: number, };

/**
 * The board after the premoves that wait, and the possible next ones.
 */
export type PremoveBoard = { board: BoardText, moves: Array<MoveView>, };

/**
 * A position in which a player is waiting for the opponent's move.
 */
export type PremoveRequest = { fen: string, is_white: boolean, is_chess960: boolean,
/**
 * The premoves that wait already, in UCI.
 */
waiting: Array<string>, };

/**
 * The engine that plays one side.
 */
export type Program = { is_white: boolean,
/**
 * Level of the engine; `null` for full strength.
 */
level: number | null, };

/**
 * How much of a game has been searched for puzzles.
 */
export type PuzzleProgress = { plies: number, };

/**
 * A game to make puzzles from.
 */
export type PuzzleTask = { start: string, moves: Array<string>,
/**
 * Whether castling is written in Chess960 notation.
 */
is_chess960: boolean,
/**
 * Positions to search for the first check of a move; `null` for the usual number.
 */
nodes: number | null, };

/**
 * A puzzle of a game.
 */
export type PuzzleView = {
/**
 * The same for puzzles with the same position.
 */
key: string,
/**
 * The position before the mistake, and the mistake in UCI.
 */
before: string, mistake: string,
/**
 * The position to solve.
 */
fen: string,
/**
 * The number of moves of the game up to the position.
 */
ply: number,
/**
 * The solution in UCI and in SAN.
 */
moves: Array<string>, line: Array<string>, themes: Array<ThemeName>,
/**
 * An estimate of the strength that solves it every second time.
 */
rating: number, };

/**
 * How well a player played.
 */
export type Quality = {
/**
 * Average accuracy of the moves in percent: 100 for a move that loses nothing, half of that for
 * one that loses 10 percentage points of winning chances, a quarter for 20, and so on.
 */
accuracy: number,
/**
 * Average loss in centipawns; an advantage of more than ten pawns counts as ten.
 */
loss_cp: number, };

/**
 * A rating by the Glicko-2 system.
 */
export type RatingView = { points: number, deviation: number, volatility: number, };

/**
 * Ratings of the players when they took their seats; `null` if they had none.
 */
export type Ratings = { white: number | null, black: number | null, };

/**
 * A request to list the games of a text.
 */
export type ReadPgn = { text: string, };

/**
 * A FEN that repairs findings, which are given by their index.
 */
export type RepairView = { fen: string, findings: Array<number>,
/**
 * Whether neither an error nor a warning remains after the repair.
 */
is_sound: boolean, };

/**
 * How games ended, and when and by whom they were played.
 */
export type ResultCounts = { games: number, white: number, draws: number, black: number,
/**
 * Average rating of the players who were to move; 0 if none is known.
 */
elo: number,
/**
 * First and last year; 0 if none is known.
 */
first_year: number, last_year: number, };

/**
 * Where a game could not be read.
 */
export type RowProblem = { line: number, column: number, token: string, };

/**
 * A line of the description of a position.
 */
export type RowView = { label: string, text: string, };

/**
 * A score from White's point of view: centipawns, or mate in so many moves.
 */
export type Score = { "cp": number } | { "mate": number };

/**
 * The scores of consecutive positions, and the moves between them.
 */
export type Scores = {
/**
 * One more than there are moves; `None` where the score is not known yet.
 */
scores: Array<Worth | null>,
/**
 * The moves that were played, in UCI.
 */
played: Array<string | null>,
/**
 * The best moves, where they are known.
 */
best: Array<string | null>, starts_white: boolean,
/**
 * The phase in which each move was played; empty if that does not matter.
 */
phases?: Array<Phase>, };

/**
 * The fields of a FEN besides the board.
 */
export type SetupView = { is_white_to_move: boolean, castling: string, en_passant: string | null, halfmove_clock: number, fullmove_number: number, };

/**
 * How serious a finding is.
 */
export type SeverityCode = "error" | "warning" | "note";

/**
 * A request to show the user's move before the server has acknowledged it.
 */
export type ShowMove = { game: number, uci: string, now: number, };

/**
 * The order of the list: by the values of a column.
 */
export type Sort = { column: Column, is_descending: boolean, };

/**
 * A range of the games that match the filter.
 */
export type Span = { from: number, count: number, };

/**
 * A request for a Chess960 starting position by its number.
 */
export type StartNumber = { number: number, };

/**
 * A game in its stored form.
 */
export type StoredGame = { settings: Settings, created: number, record: Recorded[], program?: Program,
/**
 * The PGN that the game was opened from.
 */
sheet?: string,
/**
 * Number of events when the PGN was opened.
 */
sheet_version?: number,
/**
 * Time spent on the game.
 */
duration_ms?: number, };

/**
 * A request to open a game from a link.
 */
export type StudyLink = { link: string, };

/**
 * A request about a study.
 */
export type StudyRef = { study: number, };

/**
 * A request to open a game of a PGN text as a study.
 */
export type StudyText = { text: string, index: number, };

/**
 * A whole study, with the current node.
 */
export type StudyView = { study: number, node: number,
/**
 * Names and values of the tags.
 */
tags: Array<[string, string]>, result: string,
/**
 * How the game ended; `null` if it is not over.
 */
end: EndView | null,
/**
 * Whether castling moves are written as king to rook square.
 */
is_chess960: boolean, starts_white: boolean,
/**
 * All nodes by number, the root first.
 */
moves: Array<TreeMove>, problems: Array<PgnProblem>,
/**
 * Whether there is a change to undo, and one to redo.
 */
can_undo: boolean, can_redo: boolean, };

/**
 * How many games there are so far.
 */
export type Tally = { games: number, broken: number,
/**
 * Number of games that match the filter.
 */
matches: number,
/**
 * Number of games whose moves are not kept and cannot be searched, because there are too many.
 */
unsearched: number,
/**
 * Whether the list has reached its size limit.
 */
is_full: boolean, };

/**
 * The name of a theme.
 */
export type ThemeName = "mate_in_1" | "mate_in_2" | "mate_in_3" | "long_mate" | "back_rank_mate" | "smothered_mate" | "double_check" | "discovered_check" | "discovered_attack" | "fork" | "pin" | "skewer" | "hanging_piece" | "trapped_piece" | "deflection" | "removed_defender" | "sacrifice" | "quiet_move" | "promotion" | "underpromotion" | "en_passant" | "castling" | "defense";

/**
 * A request to search a position.
 */
export type ThinkTask = { start: string, moves: Array<string>,
/**
 * Whether castling is written in Chess960 notation.
 */
is_chess960?: boolean,
/**
 * Level from 400 to 2800; `None` for full strength.
 */
level: number | null, seed: number, move_time_ms?: number | null,
/**
 * Maximum number of positions to search.
 */
nodes?: number | null, clock: ClockLeft | null, lines?: number,
/**
 * Whether to report each line as it is found.
 */
is_telling?: boolean, };

/**
 * The result of a search.
 */
export type Thought = {
/**
 * The best move, in UCI; `null` if there is none.
 */
move: string | null, san: string | null, score: Score, nodes: number,
/**
 * The best line, in SAN.
 */
line: Array<string>, lines: Array<ThoughtLine>, };

/**
 * A line that the engine found.
 */
export type ThoughtLine = { depth: number,
/**
 * 1 for the best line.
 */
rank: number, score: Score,
/**
 * The moves in UCI, and in SAN.
 */
moves: Array<string>, line: Array<string>, };

/**
 * A line found by a search that is still running.
 */
export type ThoughtReport = {
/**
 * Positions searched so far, and the time that took.
 */
nodes: number, time_ms: number, depth: number,
/**
 * 1 for the best line.
 */
rank: number, score: Score,
/**
 * The moves in UCI, and in SAN.
 */
moves: Array<string>, line: Array<string>, };

/**
 * A node of a study.
 */
export type TreeMove = { parent: number | null,
/**
 * Nodes that follow, the main move first.
 */
next: Array<number>,
/**
 * Empty for the root.
 */
san: string,
/**
 * `null` for the root and for a null move.
 */
uci: string | null, number: number, is_white: boolean, glyphs: Array<number>,
/**
 * Text of the comments before and after the move.
 */
before: string, comment: string, fen: string,
/**
 * Evaluation of the position that the game has in its comments.
 */
eval: Worth | null,
/**
 * Result of a line that ends in checkmate or stalemate: 1 if White wins, -1 if Black wins, 0
 * for a draw.
 */
ended: number | null,
/**
 * Phase of the game in which the move was played.
 */
phase: Phase, };

/**
 * A request to try a move.
 */
export type TryMoveRequest = { fen: string, uci: string, is_chess960: boolean, };

/**
 * The rating of a move.
 */
export type Verdict = "fine" | "inaccuracy" | "mistake" | "blunder";

/**
 * Whether a game can reach a position.
 */
export type VerdictCode = "malformed" | "illegal" | "legal" | "unknown";

/**
 * The score of a position from White's point of view.
 */
export type Worth = { "cp": number } | { "mate": number } | { "over": number };

/**
 * A request to write a game.
 */
export type WritePgn = { game: number,
/**
 * Value of the tag `Event` for a game that was not opened from a file.
 */
event: string | null,
/**
 * Minutes that local time is ahead of UTC, for the tag `Date`.
 */
offset_minutes: number, now: number, };

/**
 * A request to write a study as PGN, with the evaluations of an engine.
 */
export type WriteStudy = { study: number, evals: Array<NodeEval>, };

/** All requests by name. */
export interface Api {
  /** Returns the legal moves of a position. */
  position: { request: PositionRequest; response: PositionView };
  /** Returns a Chess960 starting position. */
  chess960: { request: StartNumber; response: PositionView };
  /** Builds a FEN from the contents of an editor's board. */
  compose: { request: Composition; response: string };
  /** Finds the move that a text denotes. */
  read_move: { request: MoveText; response: MoveView };
  /** Diagnoses a FEN. */
  examine: { request: Examination; response: Diagnosis };
  /** Starts a game. */
  new_game: { request: NewGame; response: GameView };
  /** Opens a game from its record. */
  load_game: { request: LoadGame; response: GameView };
  /** Carries out an action in a local game and returns what it changes. */
  act: { request: ActionRequest; response: ActionReply };
  /** Returns the clocks of a game. */
  clocks: { request: GameQuery; response: ClocksView };
  /** Returns the record of a local game, for storage. */
  record: { request: GameQuery; response: StoredGame };
  /** Closes a game. */
  close: { request: CloseGame; response: boolean };
  /** Opens a game that is played on a server, or replaces its state. */
  follow_game: { request: FollowGame; response: GameView };
  /** Applies an event of the server and returns what it changes. */
  follow_event: { request: FollowEvent; response: EventReply };
  /** Shows the user's move in a game on a server, before it is acknowledged. */
  show_move: { request: ShowMove; response: GameChange };
  /** Takes back the move that waits for the server, which has refused it. */
  hide_move: { request: GameQuery; response: GameChange };
  /** Returns the board after a move that has not been made yet. */
  try_move: { request: TryMoveRequest; response: PlyView };
  /** Returns the possible premoves while the opponent is thinking. */
  premoves: { request: PremoveRequest; response: PremoveBoard };
  /** Writes a game as PGN. */
  write_pgn: { request: WritePgn; response: string };
  /** Lists the games in a PGN text. */
  read_pgn: { request: ReadPgn; response: Array<PgnSummary> };
  /** Opens one game of a PGN text, with its clocks. */
  open_pgn: { request: OpenPgn; response: GameView };
  /** Finds the best move, at a level or at full strength. */
  think: { request: ThinkTask; response: Thought };
  /** Decides whether the computer accepts a draw. */
  consider_draw: { request: DrawOffer; response: boolean };
  /** Finds the puzzles of a game. */
  find_puzzles: { request: PuzzleTask; response: Array<PuzzleView> };
  /** Opens a game of a PGN text as a study. */
  open_study: { request: StudyText; response: StudyView };
  /** Opens a game from a link as a study. */
  open_link: { request: StudyLink; response: StudyView };
  /** Returns one node of a study. */
  study_at: { request: NodeRef; response: NodeView };
  /** Changes a study. */
  edit_study: { request: Edit; response: StudyView };
  /** Undoes the last change to a study. */
  undo_study: { request: StudyRef; response: StudyView };
  /** Makes the change again that was undone last. */
  redo_study: { request: StudyRef; response: StudyView };
  /** Writes a study as PGN. */
  write_study: { request: WriteStudy; response: string };
  /** Writes a study as a link. */
  link_study: { request: LinkRequest; response: string };
  /** Closes a study. */
  close_study: { request: StudyRef; response: boolean };
  /** Names the opening of a game in progress. */
  opening: { request: GameMoves; response: OpeningView | null };
  /** Rates the moves of a line. */
  judge: { request: Scores; response: Judgment };
  /** Rates the first attempt at a puzzle. */
  rate_attempt: { request: Attempt; response: AttemptRatings };
  /** Reports that the library file has been read to its end. */
  finish_library: { request: Empty; response: Tally };
  /** Filters the games of the library. */
  filter_library: { request: Filter; response: Tally };
  /** Returns the moves that were played in the position of the filter. */
  explore_library: { request: Empty; response: Exploration };
  /** Returns where the games that match the filter are in the file. */
  library_ranges: { request: Empty; response: Array<FileRange> };
  /** Returns some of the games that match the filter. */
  list_library: { request: Span; response: Array<GameRow> };
}
