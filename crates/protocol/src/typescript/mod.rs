//! The messages as TypeScript types, for the page.
//!
//! This module generates the text of `web/src/net/protocol.ts`; a test compares the file with it.
//! The types of other crates, which do not use TypeScript, are described in [`mirror`].

pub mod mirror;

use castellan_game::Refusal;
use ts_rs::TS;

use crate::{
    Announcement, Chat, ChatHistory, ChatLine, ChatText, Claim, ClientMessage, ClockView,
    ClocksView, Code, CreateInvitation, ErrorReport, Feature, Features, GameEvent, GameRef, Hello,
    Invitation, InvitationId, InvitationRef, Level, MakeMove, MoveText, Mute, Name, Nothing,
    OfferView, PROTOCOL_VERSION, Ping, PlayEngine, Pong, Presence, PresenceView, ProposalRef,
    Queued, RatingChange, Ratings, Refused, RequestKind, Resync, Seat, Seek, ServerCode,
    ServerMessage, SessionToken, ShuttingDown, Snapshot, Terms, Touch, Welcome, You,
};
use mirror::{ClockStart, End, EndReason, GameHappening, Player, Proposal, Settings, TimeControl};

const HEAD: &str = "\
// What server and page say to each other. Written by the tests of castellan-protocol: change the
// types there, then run CASTELLAN_WRITE_TYPES=1 cargo nextest run -p castellan-protocol types
// in the workspace. docs/PROTOCOL.md explains the messages.
";

/// String types whose form TypeScript cannot express.
const TEXTS: &str = "
/** Twelve letters and digits. */
export type GameId = string;

/** White or Black. */
export type Color = \"white\" | \"black\";

/** A square such as `e4`. */
export type Square = string;

/** A move as in UCI: `e2e4`, `e7e8q`, `e1g1`; in Chess960 castling is `e1h1`. */
export type UciMove = string;
";

/// Returns the whole file.
pub fn file() -> String {
    let version = format!(
        "\n/** The newest version of the protocol. */\n\
         export const PROTOCOL_VERSION = {PROTOCOL_VERSION};\n"
    );
    let text = [
        HEAD.to_owned(),
        version,
        TEXTS.to_owned(),
        codes(),
        of_games(),
        of_both(),
        of_client(),
        of_server(),
    ]
    .concat();
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// Returns the codes of refused requests.
fn codes() -> String {
    let union = |codes: &[&str]| {
        let quoted: Vec<String> = codes.iter().map(|code| format!("{code:?}")).collect();
        quoted.join(" | ")
    };
    let server: Vec<&str> = ServerCode::ALL.iter().copied().map(ServerCode::code).collect();
    let server = union(&server);
    let refusals = union(&Refusal::CODES);
    format!(
        "\n/** Why the server refuses a request. */\nexport type ServerCode = {server};\n\
         \n/** Why a game refuses an action. */\nexport type RefusalCode = {refusals};\n"
    )
}

/// Returns one declaration with its comment.
fn of<T: TS>() -> String {
    let comment = T::docs().unwrap_or_default();
    format!("\n{}\nexport {}\n", comment.trim_end(), T::decl())
}

fn of_games() -> String {
    [
        of::<Proposal>(),
        of::<TimeControl>(),
        of::<ClockStart>(),
        of::<Settings>(),
        of::<Player>(),
        of::<EndReason>(),
        of::<End>(),
        of::<GameHappening>(),
    ]
    .concat()
}

fn of_both() -> String {
    [
        of::<Nothing>(),
        of::<Name>(),
        of::<ChatText>(),
        of::<InvitationId>(),
        of::<SessionToken>(),
        of::<Feature>(),
        of::<Features>(),
        of::<Level>(),
        of::<Code>(),
        of::<Terms>(),
        of::<Seat>(),
        of::<MoveText>(),
        of::<ClockView>(),
        of::<ClocksView>(),
        of::<OfferView>(),
        of::<PresenceView>(),
        of::<Snapshot>(),
    ]
    .concat()
}

fn of_client() -> String {
    [
        of::<Hello>(),
        of::<Seek>(),
        of::<CreateInvitation>(),
        of::<InvitationRef>(),
        of::<PlayEngine>(),
        of::<GameRef>(),
        of::<Resync>(),
        of::<MakeMove>(),
        of::<Touch>(),
        of::<ProposalRef>(),
        of::<Claim>(),
        of::<Chat>(),
        of::<Mute>(),
        of::<Ping>(),
        of::<ClientMessage>(),
        of::<RequestKind>(),
    ]
    .concat()
}

fn of_server() -> String {
    [
        of::<You>(),
        of::<Welcome>(),
        of::<Queued>(),
        of::<Invitation>(),
        of::<GameEvent>(),
        of::<Presence>(),
        of::<ChatLine>(),
        of::<ChatHistory>(),
        of::<RatingChange>(),
        of::<Ratings>(),
        of::<Refused>(),
        of::<ErrorReport>(),
        of::<Pong>(),
        of::<ShuttingDown>(),
        of::<Announcement>(),
        of::<ServerMessage>(),
    ]
    .concat()
}
