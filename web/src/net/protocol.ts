// What server and page say to each other. Written by the tests of castellan-protocol: change the
// types there, then run CASTELLAN_WRITE_TYPES=1 cargo nextest run -p castellan-protocol types
// in the workspace. docs/PROTOCOL.md explains the messages.

/** The newest version of the protocol. */
export const PROTOCOL_VERSION = 1;

/** White or Black. */
export type Color = "white" | "black";

/** A square such as `e4`. */
export type Square = string;

/** A move as in UCI: `e2e4`, `e7e8q`, `e1g1`; in Chess960 castling is `e1h1`. */
export type UciMove = string;

/** Why a game refuses an action. */
export type RefusalCode = "not_seated" | "not_you" | "seat_taken" | "same_player" | "server_only" | "not_started" | "over" | "not_over" | "not_your_turn" | "stale" | "ahead" | "illegal_move" | "touched_piece" | "touch_move_off" | "empty_square" | "nothing_to_claim" | "touched_before_claim" | "takeback_off" | "nothing_to_take_back" | "takebacks_spent" | "nothing_offered" | "already_offered" | "answer_first" | "offered_too_often" | "cannot_withdraw" | "too_late_to_abort" | "no_clock" | "time_not_up" | "gifts_spent" | "rematch_agreed";

/**
 * A message of the operator.
 */
export type Announcement = {
/**
 * The exact text. Clients must escape it before they display it.
 */
text: string, };

/**
 * A chat line to send.
 */
export type Chat = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * Text of the chat line.
 */
text: ChatText, };

/**
 * The latest chat lines of a game.
 */
export type ChatHistory = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * The lines in order. They replace all lines that the client has.
 */
lines: Array<ChatLine>, };

/**
 * A chat line that was sent.
 */
export type ChatLine = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * Name of the author.
 */
name: string,
/**
 * Color of the author; omitted for watchers.
 */
color?: Color,
/**
 * Text of the chat line. It comes from another user and must never be treated as markup.
 */
text: string,
/**
 * When it was sent, in milliseconds since 1970 on the server's clock.
 */
at: Moment, };

/**
 * A chat line: 1 to 200 characters, none of them a control character, invisible, or one that
 * changes the direction of text.
 *
 * Spaces at the ends are removed. The two joiners, which emoji and some scripts need, may appear
 * between other characters.
 *
 * ```
 * use castellan_protocol::ChatText;
 * assert_eq!(" good game ".parse::<ChatText>()?.as_str(), "good game");
 * assert_eq!("two\nlines".parse::<ChatText>().unwrap_err().to_string(),
 *     "character 4 (U+000A) is not allowed");
 * # Ok::<(), castellan_protocol::ParseChatError>(())
 * ```
 */
export type ChatText = string;

/**
 * A draw claim (FIDE 9.2, 9.3).
 */
export type Claim = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * Number of moves made so far.
 */
ply: number,
/**
 * Move that will produce the claimed position; omitted to claim the current one.
 */
announced?: UciMove, };

/**
 * The messages of a client on `/ws`.
 */
export type ClientMessage = { "type": "hello", "data": Hello } | { "type": "seek", "data": Seek } | { "type": "cancel seek", "data": Nothing } | { "type": "create invitation", "data": CreateInvitation } | { "type": "show invitation", "data": InvitationRef } | { "type": "accept invitation", "data": InvitationRef } | { "type": "cancel invitation", "data": InvitationRef } | { "type": "play engine", "data": PlayEngine } | { "type": "watch", "data": GameRef } | { "type": "leave", "data": GameRef } | { "type": "resync", "data": Resync } | { "type": "make move", "data": MakeMove } | { "type": "touch", "data": Touch } | { "type": "resign", "data": GameRef } | { "type": "offer", "data": ProposalRef } | { "type": "accept", "data": ProposalRef } | { "type": "decline", "data": ProposalRef } | { "type": "claim", "data": Claim } | { "type": "abort", "data": GameRef } | { "type": "add time", "data": GameRef } | { "type": "chat", "data": Chat } | { "type": "mute", "data": Mute } | { "type": "ping", "data": Ping };

/**
 * When the first clock starts.
 */
export type ClockStart = "game" | "first_move";

/**
 * The times that one clock shows.
 */
export type ClockView = {
/**
 * Time left, in milliseconds; omitted if the clock does not count down.
 */
remaining_ms?: number,
/**
 * Thinking time used so far, in milliseconds.
 */
used_ms: number, };

/**
 * The times that both clocks show.
 */
export type ClocksView = {
/**
 * White's clock.
 */
white: ClockView,
/**
 * Black's clock.
 */
black: ClockView,
/**
 * The side whose clock is running; omitted if both are stopped.
 */
running?: Color,
/**
 * When the clocks showed these times, in milliseconds since 1970 on the server's clock.
 */
at: Moment, };

/**
 * A code as it is sent: lowercase letters, digits and `_`.
 */
export type Code = ServerCode | RefusalCode;

/**
 * A request for an invitation.
 */
export type CreateInvitation = {
/**
 * The terms of the game.
 */
terms: Terms,
/**
 * Color of the player who invites; chosen at random if omitted.
 */
color?: Color, };

/**
 * The end of a game: the reason and the winner.
 */
export type End = {
/**
 * Why the game ended.
 */
reason: EndReason,
/**
 * The winner; `None` for a draw or an aborted game.
 */
winner?: Color, };

/**
 * Why a game is over.
 */
export type EndReason = "checkmate" | "stalemate" | "dead_position" | "fivefold_repetition" | "seventy_five_moves" | "threefold_repetition" | "fifty_moves" | "resignation" | "agreement" | "timeout" | "timeout_against_no_mate" | "abandoned" | "ply_limit" | "aborted" | "unstated";

/**
 * An error in a message or in the conversation.
 */
export type ErrorReport = {
/**
 * The error, as a code for programs.
 */
code: Code,
/**
 * The error, as an English message.
 */
words: string,
/**
 * Offset of the error in the client's message, in bytes.
 */
at?: number, };

/**
 * A list of at most 16 features.
 */
export type Features = string[];

/**
 * An event of a game.
 */
export type GameEvent = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * Sequence number, one more than that of the previous event.
 */
version: number,
/**
 * When it happened, in milliseconds since 1970 on the server's clock.
 */
at: Moment,
/**
 * What happened.
 */
event: GameEventKind,
/**
 * The clocks after the event. When several events are sent again in a row, only the last one
 * has clocks.
 */
clocks?: ClocksView, };

/**
 * A fact about a game: something that has happened in it.
 */
export type GameEventKind = { "type": "seated",
/**
 * The seat that was taken.
 */
color: Color,
/**
 * The player who took it.
 */
player: Player, } | { "type": "started", } | { "type": "moved",
/**
 * Number of plies played before this move.
 */
ply: number,
/**
 * The move. Castling is written as the settings specify.
 */
mv: UciMove,
/**
 * Time charged for the move, in milliseconds; lag compensation is already subtracted.
 */
spent_ms: number,
/**
 * Lag compensation granted, in milliseconds.
 */
compensated_ms: number,
/**
 * Time left on the mover's clock after the move; `None` if it does not count down.
 */
remaining_ms?: number, } | { "type": "touched",
/**
 * Square of the touched piece.
 */
square: Square, } | { "type": "offered",
/**
 * The player who made it.
 */
by: Color,
/**
 * What was proposed.
 */
what: Proposal, } | { "type": "declined",
/**
 * The player who declined or withdrew it.
 */
by: Color,
/**
 * What had been proposed.
 */
what: Proposal, } | { "type": "taken_back",
/**
 * Number of plies that remain.
 */
ply: number, } | { "type": "time_added",
/**
 * The player who received it.
 */
to: Color,
/**
 * Time added, in milliseconds.
 */
added_ms: number, } | { "type": "resumed",
/**
 * Part of the outage during which the clock was running, in milliseconds.
 */
credited_ms: number, } | { "type": "ended" } & End | { "type": "rematch_agreed", };

/**
 * The identifier of a game: twelve letters and digits, about 71 bits.
 *
 * ```
 * use castellan_game::GameId;
 * let id = GameId::from_random([7; 16]);
 * assert_eq!(id.to_string().len(), 12);
 * assert_eq!(id.to_string().parse(), Ok(id));
 * ```
 */
export type GameId = string;

/**
 * A reference to a game.
 */
export type GameRef = {
/**
 * Identifier of the game.
 */
game: GameId, };

/**
 * The first message of a client.
 */
export type Hello = {
/**
 * Newest protocol version that the client supports.
 */
version: number,
/**
 * Name that a guest wants to use. Ignored if the session already has a name.
 */
name?: Name,
/**
 * Session to continue, for clients without cookies.
 */
session?: SessionToken,
/**
 * Optional features that the client supports.
 */
features?: Features, };

/**
 * An open invitation.
 */
export type Invitation = {
/**
 * Secret identifier, which is part of the link.
 */
invitation: InvitationId,
/**
 * Name of the player who invites.
 */
by: string,
/**
 * Terms of the game.
 */
terms: Terms,
/**
 * Color of the player who invites; chosen at random if omitted.
 */
color?: Color,
/**
 * When the invitation expires, in milliseconds since 1970 on the server's clock.
 */
until: Moment, };

/**
 * The secret identifier of an invitation; anyone who has it can accept the invitation.
 */
export type InvitationId = string;

/**
 * A reference to an invitation.
 */
export type InvitationRef = {
/**
 * Secret identifier of the invitation.
 */
invitation: InvitationId, };

/**
 * The strength of an engine opponent, in Elo points from 400 to 2800, or full strength. In JSON
 * it is a number or `"full"`.
 */
export type Level = number | "full";

/**
 * A move for a specific ply, so that sending it again is harmless.
 */
export type MakeMove = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * Number of moves made before this one.
 */
ply: number,
/**
 * The move in UCI notation: `e2e4`, `e7e8q`, `e1g1`.
 */
mv: UciMove, };

/**
 * A point on the server's wall clock, in milliseconds since 1970.
 */
export type Moment = number;

/**
 * Moves in UCI notation, separated by spaces. Castling is written as the settings specify.
 */
export type MoveText = string;

/**
 * A request to mute or unmute a player.
 */
export type Mute = {
/**
 * Name of the other player.
 */
name: Name,
/**
 * `true` to mute, `false` to unmute.
 */
is_muted: boolean, };

/**
 * A player's name: 2 to 20 letters and digits of any script, with single `-`, `_`, `.`, `'` or
 * spaces between them, and a space after a dot.
 *
 * Nothing in it is invisible or changes the direction of text, and Latin, Greek and Cyrillic
 * letters, which look alike, are not mixed.
 *
 * ```
 * use castellan_protocol::Name;
 * let name: Name = "Ana María".parse()?;
 * assert_eq!(name.as_str(), "Ana María");
 * assert_eq!("x\u{202E}y".parse::<Name>().unwrap_err().to_string(),
 *     "character 2 (U+202E) is not allowed in a name");
 * # Ok::<(), castellan_protocol::ParseNameError>(())
 * ```
 */
export type Name = string;

/**
 * The data of a message that has none.
 */
export type Nothing = Record<string, never>;

/**
 * A proposal that is waiting for a reply.
 */
export type OfferView = {
/**
 * The player who made it.
 */
by: Color,
/**
 * What is proposed.
 */
what: Proposal, };

/**
 * A ping.
 */
export type Ping = {
/**
 * Any number; the reply carries the same number.
 */
id: number, };

/**
 * A request for a game against the engine.
 */
export type PlayEngine = {
/**
 * Strength of the engine.
 */
level: Level,
/**
 * The terms of the game.
 */
terms: Terms,
/**
 * Color of the human player; chosen at random if omitted.
 */
color?: Color, };

/**
 * A player as they were when they took the seat; later changes to the account do not affect it.
 */
export type Player = {
/**
 * The number the server assigned to the player.
 */
id: PlayerId,
/**
 * Display name, already checked by the server.
 */
name: string,
/**
 * Rating when the player took the seat; `None` for guests.
 */
rating?: number, };

/**
 * The number of a player, who may be a guest, an account or an engine. The server assigns it.
 */
export type PlayerId = number;

/**
 * The reply to a ping.
 */
export type Pong = {
/**
 * The number from the ping.
 */
id: number,
/**
 * Current time of the server, in milliseconds since 1970.
 */
at: Moment, };

/**
 * The players and watchers connected to a game.
 */
export type Presence = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * The players and watchers that are connected.
 */
presence: PresenceView, };

/**
 * The players and watchers connected to a game.
 */
export type PresenceView = {
/**
 * Whether White is connected.
 */
white: boolean,
/**
 * Whether Black is connected.
 */
black: boolean,
/**
 * Number of watchers.
 */
watchers: number,
/**
 * When an absent player will be considered to have left for good.
 */
abandoned_at?: Moment, };

/**
 * A proposal that takes effect only if the opponent accepts it.
 */
export type Proposal = "draw" | "takeback" | "rematch";

/**
 * A proposal in a game.
 */
export type ProposalRef = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * What is proposed.
 */
what: Proposal, };

/**
 * A client's place in the queue.
 */
export type Queued = {
/**
 * Time control of the requested game.
 */
time_control: TimeControl,
/**
 * Whether the game will be rated.
 */
is_rated: boolean,
/**
 * Number of players waiting in the same queue, including the client.
 */
waiting: number, };

/**
 * A rating before and after a game.
 */
export type RatingChange = {
/**
 * Rating before the game.
 */
before: number,
/**
 * Rating after the game.
 */
after: number, };

/**
 * The rating changes after a game.
 */
export type Ratings = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * White's rating change.
 */
white: RatingChange,
/**
 * Black's rating change.
 */
black: RatingChange, };

/**
 * A request that was refused.
 */
export type Refused = {
/**
 * Type of the request.
 */
of: RequestKind,
/**
 * The game that the request was about, if any.
 */
game?: GameId,
/**
 * Reason, as a code for programs.
 */
code: Code,
/**
 * Reason, as an English message for users.
 */
words: string, };

/**
 * The type of a client message, as it is written.
 */
export type RequestKind = ClientMessage["type"];

/**
 * A request for the events that the client has missed.
 */
export type Resync = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * Version of the last event that the client has; 0 if it has none.
 */
version: number, };

/**
 * The side or sides that a client plays.
 */
export type Seat = "white" | "black" | "both";

/**
 * A request to be paired with an opponent.
 */
export type Seek = {
/**
 * Time control; only players with the same one are paired.
 */
time_control: TimeControl,
/**
 * Whether the game is rated, which requires an account.
 */
is_rated?: boolean, };

/**
 * Why the server itself refuses a request, over a socket or over HTTP.
 */
export type ServerCode = "malformed" | "hello_first" | "unsupported_version" | "needs_name" | "bad_name" | "name_taken" | "bad_password" | "bad_email" | "wrong_credentials" | "not_signed_in" | "signed_in" | "needs_account" | "session_over" | "banned" | "registration_closed" | "bad_code" | "needs_code" | "unknown_session" | "unknown_game" | "damaged_game" | "unknown_player" | "unknown_invitation" | "own_invitation" | "bad_terms" | "rate_limited" | "too_many" | "busy" | "not_stored" | "store_unavailable" | "uncertain" | "disk_full" | "shutting_down" | "internal" | "bad_body" | "not_json" | "bad_query" | "too_large" | "address_too_long" | "timeout" | "foreign_origin" | "forbidden" | "admin_refused" | "not_found" | "method_not_allowed" | "sockets_only" | "engine_not_absolute" | "engine_no_file" | "engine_not_executable" | "engine_bad_arguments" | "engine_not_uci" | "engine_too_many" | "engine_known" | "engine_unknown" | "engine_position" | "engine_not_kept" | "engine_busy" | "engine_no_chess960" | "engine_failed";

/**
 * The messages of the server on `/ws`.
 */
export type ServerMessage = { "type": "welcome", "data": Welcome } | { "type": "queued", "data": Queued } | { "type": "seek ended", "data": Nothing } | { "type": "invitation", "data": Invitation } | { "type": "invitation gone", "data": InvitationRef } | { "type": "game", "data": Snapshot } | { "type": "event", "data": GameEvent } | { "type": "presence", "data": Presence } | { "type": "chat line", "data": ChatLine } | { "type": "chat history", "data": ChatHistory } | { "type": "ratings", "data": Ratings } | { "type": "refused", "data": Refused } | { "type": "error", "data": ErrorReport } | { "type": "pong", "data": Pong } | { "type": "shutting down", "data": ShuttingDown } | { "type": "announcement", "data": Announcement };

/**
 * A secret that identifies a returning client. It is never printed in debug output.
 */
export type SessionToken = string;

/**
 * The settings of a game.
 */
export type Settings = {
/**
 * Starting position, as a FEN in JSON.
 */
start: string,
/**
 * Whether castling is written in Chess960 style, as the king taking its own rook.
 */
is_chess960: boolean,
/**
 * Time available to the players.
 */
time_control: TimeControl,
/**
 * When the first clock starts.
 */
clock_start: ClockStart,
/**
 * Whether the result changes ratings.
 */
is_rated: boolean,
/**
 * Whether a touched piece must be moved or captured (FIDE 4.3).
 */
is_touch_move: boolean,
/**
 * Whether moves may be taken back if the opponent agrees.
 */
allows_takeback: boolean, };

/**
 * The announcement of a shutdown.
 */
export type ShuttingDown = {
/**
 * Approximate length of the downtime, in seconds.
 */
about_s: number, };

/**
 * A snapshot of a game.
 */
export type Snapshot = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * Version of the last event that is included.
 */
version: number,
/**
 * Settings of the game.
 */
settings: Settings,
/**
 * The player with the white pieces.
 */
white?: Player,
/**
 * The player with the black pieces.
 */
black?: Player,
/**
 * Seat of the client that receives the snapshot; omitted for watchers.
 */
you?: Seat,
/**
 * When both players were seated and the game started, in milliseconds since 1970 on the
 * server's clock.
 */
started_at?: Moment,
/**
 * When the game ended, in milliseconds since 1970 on the server's clock.
 */
ended_at?: Moment,
/**
 * All moves so far.
 */
moves: MoveText,
/**
 * The clocks at the time of the snapshot.
 */
clocks: ClocksView,
/**
 * Proposals that are waiting for a reply.
 */
offers: Array<OfferView>,
/**
 * Squares of the pieces touched this turn, in order.
 */
touched: Square[],
/**
 * How the game ended, if it has.
 */
end?: End,
/**
 * Whether the game can still be aborted; omitted if not.
 */
can_abort?: boolean,
/**
 * The players and watchers that are connected.
 */
presence: PresenceView,
/**
 * Strength of the engine, if one is playing.
 */
level?: Level,
/**
 * The game that this one is a rematch of.
 */
rematch_of?: GameId,
/**
 * The rematch of this game.
 */
rematch?: GameId, };

/**
 * The terms on which a client wants to play.
 */
export type Terms = {
/**
 * Time available to the players.
 */
time_control: TimeControl,
/**
 * Starting position as a FEN; the standard one if omitted.
 */
fen?: string,
/**
 * Whether castling is written in Chess960 style, as the king taking its own rook.
 */
is_chess960?: boolean,
/**
 * Whether the game is rated, which requires two accounts.
 */
is_rated?: boolean,
/**
 * Whether a touched piece must be moved or captured (FIDE 4.3).
 */
is_touch_move?: boolean,
/**
 * Whether moves may be taken back if the opponent agrees.
 */
allows_takeback?: boolean, };

/**
 * How much time the players have.
 */
export type TimeControl = { "type": "unlimited", } | { "type": "count_up", } | { "type": "increment",
/**
 * Time at the start, in milliseconds.
 */
initial_ms: number,
/**
 * Time added after each move, in milliseconds.
 */
increment_ms: number, } | { "type": "delay",
/**
 * Time at the start, in milliseconds.
 */
initial_ms: number,
/**
 * How long the clock waits on each turn, in milliseconds.
 */
delay_ms: number, };

/**
 * A touched piece (FIDE 4.3).
 */
export type Touch = {
/**
 * Identifier of the game.
 */
game: GameId,
/**
 * Number of moves made so far.
 */
ply: number,
/**
 * Square of the touched piece.
 */
square: Square, };

/**
 * The first message of the server.
 */
export type Welcome = {
/**
 * Protocol version used from now on.
 */
version: number,
/**
 * Optional features that the server supports.
 */
features?: Features,
/**
 * The identity of the client.
 */
you: You,
/**
 * Secret for reconnecting, for clients without cookies.
 */
session?: SessionToken,
/**
 * The client's games that are not over.
 */
games: Array<GameId>,
/**
 * Current time of the server, in milliseconds since 1970.
 */
at: Moment, };

/**
 * The identity of a client.
 */
export type You = {
/**
 * Name that other players see.
 */
name: string,
/**
 * Whether the client is a guest, so that no account protects the name.
 */
is_guest: boolean,
/**
 * Rating of an account that has played rated games.
 */
rating?: number, };
