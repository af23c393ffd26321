// What server and page say to each other. Written by the tests of castellan-protocol: change the
// types there, then run CASTELLAN_WRITE_TYPES=1 cargo nextest run -p castellan-protocol types
// in the workspace. docs/PROTOCOL.md explains the messages.

/** The newest version of the protocol. */
export const PROTOCOL_VERSION = 1;

/** Twelve letters and digits. */
export type GameId = string;

/** White or Black. */
export type Color = "white" | "black";

/** A square such as `e4`. */
export type Square = string;

/** A move as in UCI: `e2e4`, `e7e8q`, `e1g1`; in Chess960 castling is `e1h1`. */
export type UciMove = string;

/**
 * Something that takes two to do.
 */
export type Proposal = "draw" | "takeback" | "rematch";

/**
 * How much time the players have.
 */
export type TimeControl = { "type": "unlimited", } | { "type": "count_up", } | { "type": "increment",
/**
 * What there is at the beginning.
 */
initial_ms: number,
/**
 * What is added after a move.
 */
increment_ms: number, } | { "type": "delay",
/**
 * What there is at the beginning.
 */
initial_ms: number,
/**
 * How long the clock waits each turn.
 */
delay_ms: number, };

/**
 * When the first clock begins to run.
 */
export type ClockStart = "game" | "first_move";

/**
 * What is agreed before a game and does not change in it.
 */
export type Settings = {
/**
 * Where it begins, as a FEN.
 */
start: string,
/**
 * Whether castling is spelled as in Chess960, the king takes the rook.
 */
is_chess960: boolean,
/**
 * How much time there is.
 */
time_control: TimeControl,
/**
 * When the first clock begins to run.
 */
clock_start: ClockStart,
/**
 * Whether the result changes ratings.
 */
is_rated: boolean,
/**
 * Whether a touched piece must be moved or captured.
 */
is_touch_move: boolean,
/**
 * Whether moves may be taken back if the opponent agrees.
 */
allows_takeback: boolean, };

/**
 * A player as seated.
 */
export type Player = {
/**
 * The server's number for the player.
 */
id: number,
/**
 * The name.
 */
name: string,
/**
 * The rating when the player sat down; guests have none.
 */
rating?: number, };

/**
 * Why a game is over.
 */
export type EndReason = "checkmate" | "stalemate" | "dead_position" | "fivefold_repetition" | "seventy_five_moves" | "threefold_repetition" | "fifty_moves" | "resignation" | "agreement" | "timeout" | "timeout_against_no_mate" | "abandoned" | "ply_limit" | "aborted";

/**
 * The end of a game: why, and who won.
 */
export type End = {
/**
 * Why.
 */
reason: EndReason,
/**
 * Who won, if anybody.
 */
winner?: Color, };

/**
 * Something that has happened in a game.
 */
export type GameHappening = { "type": "seated",
/**
 * The seat.
 */
color: Color,
/**
 * The player.
 */
player: Player, } | { "type": "started", } | { "type": "moved",
/**
 * How many plies there were before it.
 */
ply: number,
/**
 * The move.
 */
mv: UciMove,
/**
 * The time it took, compensation already subtracted.
 */
spent_ms: number,
/**
 * What was forgiven for the time on the wire.
 */
compensated_ms: number,
/**
 * What the mover's clock shows after it, if it counts down.
 */
remaining_ms?: number, } | { "type": "touched",
/**
 * The piece's square.
 */
square: Square, } | { "type": "offered",
/**
 * By whom.
 */
by: Color,
/**
 * What.
 */
what: Proposal, } | { "type": "declined",
/**
 * By whom.
 */
by: Color,
/**
 * What.
 */
what: Proposal, } | { "type": "taken_back",
/**
 * How many plies are left.
 */
ply: number, } | { "type": "time_added",
/**
 * Who received it.
 */
to: Color,
/**
 * How much.
 */
added_ms: number, } | { "type": "resumed",
/**
 * How much of the absence the running clock had seen.
 */
credited_ms: number, } | { "type": "ended" } & End | { "type": "rematch_agreed", };

/**
 * The data of a message that says everything by its type.
 */
export type Nothing = Record<string, never>;

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
 *     "character 2 (U+202E) cannot be part of a name");
 * # Ok::<(), castellan_protocol::ParseNameError>(())
 * ```
 */
export type Name = string;

/**
 * A line of chat: 1 to 200 characters, none of them a control character, invisible, or one
 * that changes the direction of text.
 *
 * Spaces at the ends are dropped. The two joiners, which emoji and some scripts need, may stand
 * between other characters.
 *
 * ```
 * use castellan_protocol::ChatText;
 * assert_eq!(" good game ".parse::<ChatText>()?.as_str(), "good game");
 * assert_eq!("two\nlines".parse::<ChatText>().unwrap_err().to_string(),
 *     "character 4 (U+000A) cannot be sent");
 * # Ok::<(), castellan_protocol::ParseChatError>(())
 * ```
 */
export type ChatText = string;

/**
 * Names an invitation; whoever has it may accept, so it is as good as a key.
 */
export type InvitationId = string;

/**
 * Shows who is coming back. It is a secret, so it is not shown when debugging.
 */
export type SessionToken = string;

/**
 * The name of a feature: up to 24 small letters, with single spaces between words. One that is
 * not known is ignored.
 */
export type Feature = string;

/**
 * At most 16 features.
 */
export type Features = string[];

/**
 * The strength of an engine opponent: about that of a player with so many Elo points, 400 to
 * 3000, or all it can. In JSON a number or `"full"`.
 */
export type Level = number | "full";

/**
 * A code as it is sent: small letters, digits and `_`.
 */
export type Code = string;

/**
 * What a client wants to play.
 */
export type Terms = {
/**
 * How much time there is.
 */
time_control: TimeControl,
/**
 * Where the game begins; the usual start if it is left out.
 */
fen?: string,
/**
 * Whether castling is spelled as in Chess960, the king takes the rook.
 */
is_chess960?: boolean,
/**
 * Whether the result changes ratings, which needs two accounts.
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
 * Whose moves somebody makes.
 */
export type Seat = "white" | "black" | "both";

/**
 * Moves as in UCI with spaces between them, castling as the settings spell it.
 */
export type MoveText = string;

/**
 * What one clock shows.
 */
export type ClockView = {
/**
 * The time left, if it counts down.
 */
remaining_ms?: number,
/**
 * The time used so far.
 */
used_ms: number, };

/**
 * What both clocks show.
 */
export type ClocksView = {
/**
 * White's.
 */
white: ClockView,
/**
 * Black's.
 */
black: ClockView,
/**
 * Whose is running.
 */
running?: Color,
/**
 * When they showed this, in milliseconds of the server's clock since 1970.
 */
at: number, };

/**
 * A proposal that waits for an answer.
 */
export type OfferView = {
/**
 * Who made it.
 */
by: Color,
/**
 * What it is.
 */
what: Proposal, };

/**
 * Who is at a game at the moment.
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
 * How many others look on.
 */
watchers: number,
/**
 * When an absent player will have left for good.
 */
abandoned_at?: number, };

/**
 * A whole game.
 */
export type Snapshot = {
/**
 * Which game.
 */
game: GameId,
/**
 * The version of the last event that is part of it.
 */
version: number,
/**
 * What was agreed.
 */
settings: Settings,
/**
 * Who plays White.
 */
white?: Player,
/**
 * Who plays Black.
 */
black?: Player,
/**
 * The seat of whoever receives this; watchers have none.
 */
you?: Seat,
/**
 * When the game began, in milliseconds of the server's clock since 1970: both were seated.
 */
started_at?: number,
/**
 * When it ended.
 */
ended_at?: number,
/**
 * All moves.
 */
moves: MoveText,
/**
 * The clocks.
 */
clocks: ClocksView,
/**
 * What waits for an answer.
 */
offers: Array<OfferView>,
/**
 * The pieces touched this turn, in order.
 */
touched: Square[],
/**
 * How it ended, if it has.
 */
end?: End,
/**
 * Who is there.
 */
presence: PresenceView,
/**
 * How strong the engine is, if one plays.
 */
level?: Level,
/**
 * The game this one is the rematch of.
 */
rematch_of?: GameId,
/**
 * The rematch of this game.
 */
rematch?: GameId, };

/**
 * The first message.
 */
export type Hello = {
/**
 * The newest version of the protocol the client speaks.
 */
version: number,
/**
 * How a guest wants to be called. A session already has a name, which then counts.
 */
name?: Name,
/**
 * The session to go on with, for clients that keep no cookies.
 */
session?: SessionToken,
/**
 * What the client can do beyond the version.
 */
features?: Features, };

/**
 * What kind of game is sought.
 */
export type Seek = {
/**
 * The time control; only players with the same one are paired.
 */
time_control: TimeControl,
/**
 * Whether the game counts for the ratings, which needs an account.
 */
is_rated?: boolean, };

/**
 * On what terms somebody is invited.
 */
export type CreateInvitation = {
/**
 * The terms of the game.
 */
terms: Terms,
/**
 * The color of whoever invites; drawn at random if it is left out.
 */
color?: Color, };

/**
 * One invitation.
 */
export type InvitationRef = {
/**
 * Which.
 */
invitation: InvitationId, };

/**
 * A game against the engine.
 */
export type PlayEngine = {
/**
 * How strong it shall be.
 */
level: Level,
/**
 * The terms of the game.
 */
terms: Terms,
/**
 * The color of the person; drawn at random if it is left out.
 */
color?: Color, };

/**
 * One game.
 */
export type GameRef = {
/**
 * Which.
 */
game: GameId, };

/**
 * What a client has seen of a game.
 */
export type Resync = {
/**
 * Which game.
 */
game: GameId,
/**
 * The version of the last event the client has; 0 for none.
 */
version: number, };

/**
 * A move for a certain ply, so that sending it again is harmless.
 */
export type MakeMove = {
/**
 * Which game.
 */
game: GameId,
/**
 * How many moves were made before this one.
 */
ply: number,
/**
 * The move, as in UCI: `e2e4`, `e7e8q`, `e1g1`.
 */
mv: UciMove, };

/**
 * A piece that was touched (FIDE 4.3).
 */
export type Touch = {
/**
 * Which game.
 */
game: GameId,
/**
 * How many moves were made before.
 */
ply: number,
/**
 * Where the piece stands.
 */
square: Square, };

/**
 * One kind of offer in one game.
 */
export type ProposalRef = {
/**
 * Which game.
 */
game: GameId,
/**
 * What is proposed.
 */
what: Proposal, };

/**
 * A claim (FIDE 9.2, 9.3).
 */
export type Claim = {
/**
 * Which game.
 */
game: GameId,
/**
 * How many moves were made before.
 */
ply: number,
/**
 * The move that will bring the position about, if it is not on the board yet.
 */
announced?: UciMove, };

/**
 * Something said at a game.
 */
export type Chat = {
/**
 * Which game.
 */
game: GameId,
/**
 * What is said.
 */
text: ChatText, };

/**
 * Whom not to hear.
 */
export type Mute = {
/**
 * The other player.
 */
name: Name,
/**
 * True to mute, false to hear again.
 */
is_muted: boolean, };

/**
 * A number that comes back.
 */
export type Ping = {
/**
 * Any number; the answer carries the same.
 */
id: number, };

/**
 * What a client says on `/ws`.
 */
export type ClientMessage = { "type": "hello", "data": Hello } | { "type": "seek", "data": Seek } | { "type": "cancel seek", "data": Nothing } | { "type": "create invitation", "data": CreateInvitation } | { "type": "show invitation", "data": InvitationRef } | { "type": "accept invitation", "data": InvitationRef } | { "type": "cancel invitation", "data": InvitationRef } | { "type": "play engine", "data": PlayEngine } | { "type": "watch", "data": GameRef } | { "type": "leave", "data": GameRef } | { "type": "resync", "data": Resync } | { "type": "make move", "data": MakeMove } | { "type": "touch", "data": Touch } | { "type": "resign", "data": GameRef } | { "type": "offer", "data": ProposalRef } | { "type": "accept", "data": ProposalRef } | { "type": "decline", "data": ProposalRef } | { "type": "claim", "data": Claim } | { "type": "abort", "data": GameRef } | { "type": "add time", "data": GameRef } | { "type": "chat", "data": Chat } | { "type": "mute", "data": Mute } | { "type": "ping", "data": Ping };

/**
 * The type of a client's message, as it is written.
 */
export type RequestKind = ClientMessage["type"];

/**
 * Whom the server takes a client for.
 */
export type You = {
/**
 * The name others see.
 */
name: string,
/**
 * Whether the name is protected by an account.
 */
is_guest: boolean,
/**
 * The rating of an account that has played rated games.
 */
rating?: number, };

/**
 * What a client needs to know first.
 */
export type Welcome = {
/**
 * The version that is spoken from here on.
 */
version: number,
/**
 * What the server can do beyond it.
 */
features?: Features,
/**
 * Whom the server takes the client for.
 */
you: You,
/**
 * The secret to come back with, for a client that keeps no cookies.
 */
session?: SessionToken,
/**
 * The client's games that are not over.
 */
games: GameId[],
/**
 * The server's clock, in milliseconds since 1970.
 */
at: number, };

/**
 * Waiting for an opponent.
 */
export type Queued = {
/**
 * What is sought.
 */
time_control: TimeControl,
/**
 * Whether it will be rated.
 */
is_rated: boolean,
/**
 * How many wait in the same queue, the client included.
 */
waiting: number, };

/**
 * An open invitation.
 */
export type Invitation = {
/**
 * Its secret name; a link contains it.
 */
invitation: InvitationId,
/**
 * Who invites.
 */
by: string,
/**
 * To what.
 */
terms: Terms,
/**
 * The color of whoever invites; drawn at random if it is left out.
 */
color?: Color,
/**
 * When it will be forgotten, in milliseconds of the server's clock since 1970.
 */
until: number, };

/**
 * Something that has happened in a game.
 */
export type GameEvent = {
/**
 * Which game.
 */
game: GameId,
/**
 * One more than that of the event before.
 */
version: number,
/**
 * When, in milliseconds of the server's clock since 1970.
 */
at: number,
/**
 * What.
 */
event: GameHappening,
/**
 * The clocks after it. Left out where several events are sent again after another: only the
 * last of them then has clocks.
 */
clocks?: ClocksView, };

/**
 * Who is at a game.
 */
export type Presence = {
/**
 * Which game.
 */
game: GameId,
/**
 * Who is there.
 */
presence: PresenceView, };

/**
 * Something that was said.
 */
export type ChatLine = {
/**
 * At which game.
 */
game: GameId,
/**
 * Who said it.
 */
name: string,
/**
 * What that player plays; watchers have no color.
 */
color?: Color,
/**
 * What was said. It is text of somebody unknown, never markup.
 */
text: string,
/**
 * When, in milliseconds of the server's clock since 1970.
 */
at: number, };

/**
 * What was said last at a game.
 */
export type ChatHistory = {
/**
 * At which game.
 */
game: GameId,
/**
 * In order. They take the place of all that the client knows.
 */
lines: Array<ChatLine>, };

/**
 * One rating before and after a game.
 */
export type RatingChange = {
/**
 * What it was.
 */
before: number,
/**
 * What it is.
 */
after: number, };

/**
 * How ratings have changed after a game.
 */
export type Ratings = {
/**
 * Which game.
 */
game: GameId,
/**
 * White's.
 */
white: RatingChange,
/**
 * Black's.
 */
black: RatingChange, };

/**
 * A request that was not followed.
 */
export type Refused = {
/**
 * The type of the request.
 */
of: RequestKind,
/**
 * The game it was about.
 */
game?: GameId,
/**
 * Why, for programs.
 */
code: Code,
/**
 * Why, in words.
 */
words: string, };

/**
 * What is wrong with a message or with the conversation.
 */
export type ErrorReport = {
/**
 * What, for programs.
 */
code: Code,
/**
 * What, in words.
 */
words: string,
/**
 * At which byte of the message.
 */
at?: number, };

/**
 * The answer to a ping.
 */
export type Pong = {
/**
 * The number of the ping.
 */
id: number,
/**
 * The server's clock, in milliseconds since 1970.
 */
at: number, };

/**
 * The end of this server's day.
 */
export type ShuttingDown = {
/**
 * For about how many seconds it will be away.
 */
about_s: number, };

/**
 * What the server says on `/ws`.
 */
export type ServerMessage = { "type": "welcome", "data": Welcome } | { "type": "queued", "data": Queued } | { "type": "seek ended", "data": Nothing } | { "type": "invitation", "data": Invitation } | { "type": "invitation gone", "data": InvitationRef } | { "type": "game", "data": Snapshot } | { "type": "event", "data": GameEvent } | { "type": "presence", "data": Presence } | { "type": "chat line", "data": ChatLine } | { "type": "chat history", "data": ChatHistory } | { "type": "ratings", "data": Ratings } | { "type": "refused", "data": Refused } | { "type": "error", "data": ErrorReport } | { "type": "pong", "data": Pong } | { "type": "shutting down", "data": ShuttingDown };
