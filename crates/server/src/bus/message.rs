//! The messages that nodes send each other.
//!
//! This module defines the messages and their limits. Invariant: a message is a hint and never
//! the source of truth. Its receiver reads the state of games from the store, so a lost, late,
//! repeated, or forged message changes no game.

use castellan_game::{GameId, Moment, PlayerId, TimeControl};
use castellan_protocol::Ratings;
use serde::{Deserialize, Serialize};

/// Maximum size of a message.
pub(crate) const MAX_BYTES: usize = 16_384;
/// Maximum number of games or seeks in one message.
pub(crate) const PER_MESSAGE: usize = 32;

/// ID of a node in a cluster, chosen at random at startup.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct NodeId(pub(crate) u64);

/// A message to the other nodes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum BusMessage {
    /// A node has started and asks which others are running.
    Hello {},
    /// A node is running: the response to `Hello`, and the heartbeat.
    /// It carries the time on the node's clock.
    Alive { at: Moment },
    /// A node is shutting down.
    Bye {},
    /// The users that follow each game at a node, and the versions of these games.
    Games { games: Vec<GamePresence> },
    /// A game has events up to this version.
    NewVersion { game: GameId, version: u32 },
    /// The store has lost events of a game, so that it has to be read as a whole.
    LostEvents { game: GameId },
    /// The rating changes of a game.
    Rated { ratings: Ratings },
    /// A chat line has been stored.
    NewChat { game: GameId },
    /// A game has started.
    GameStarted(GameStarted),
    /// Players at a node are waiting for opponents.
    Seeks { seeks: Vec<Seek> },
    /// A player has stopped waiting.
    SeekOver { seek: SeekId },
    /// A player who is waiting for an opponent has a running game.
    Playing { player: PlayerId, game: GameId },
    /// A session has ended. Contains its digest in hexadecimal.
    SessionOver { session: String },
    /// Bans or the mode of registration have changed.
    PolicyChanged {},
    /// Lines of a game's chat were deleted.
    ChatDeleted { game: GameId },
    /// A game was deleted.
    GameDeleted { game: GameId },
    /// A message from the operator to all clients.
    Announcement { text: String },
    /// Asks which node a player is connected to.
    WhereIs { player: PlayerId },
    /// The player is connected to the sender.
    IsHere { player: PlayerId },
    /// Asks to which node a player of a game was connected last, and whether that node is alive.
    WhereWas { game: GameId, player: PlayerId },
    /// The last connection of a player of a game, as far as the sender knows.
    WasAt { game: GameId, player: PlayerId, last: LastConnection },
}

/// The newest connection of a player of a game to another node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct LastConnection {
    pub(crate) node: NodeId,
    /// When it was opened.
    pub(crate) opened: Moment,
    /// When the node is last known to have been alive.
    pub(crate) alive_at: Moment,
}

/// The users that follow a game at one node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct GamePresence {
    pub(crate) game: GameId,
    /// Number of the report, which grows with each report of the node, because a late report must
    /// not replace a newer one.
    #[serde(default)]
    pub(crate) number: u64,
    pub(crate) version: u32,
    /// The players of the game who are connected to the node.
    pub(crate) players: Vec<PlayerId>,
    /// When the newest connection of each of them was opened.
    #[serde(default)]
    pub(crate) connected: Vec<Moment>,
    /// The players who were connected to the node and have left it, each with the moment at which their
    /// newest connection was opened.
    #[serde(default)]
    pub(crate) former: Vec<(PlayerId, Moment)>,
    pub(crate) watchers: u32,
    /// Hash of the last chat line.
    pub(crate) chat_hash: Option<u64>,
    /// The rematch, if it has started.
    pub(crate) rematch: Option<GameId>,
    /// Version of the event that began the current turn.
    #[serde(default)]
    pub(crate) turn: u32,
    /// Time that the store has credited to the player to move in this turn, as far as the node
    /// knows.
    #[serde(default)]
    pub(crate) credited_ms: u64,
    /// Time that the node owes the player in addition and that the store does not have yet.
    #[serde(default)]
    pub(crate) owed_ms: u64,
}

/// A game that has just started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct GameStarted {
    pub(crate) game: GameId,
    pub(crate) players: Vec<PlayerId>,
    /// The seeks that led to the game, if any.
    pub(crate) seeks: Vec<SeekId>,
    pub(crate) rematch_of: Option<GameId>,
}

/// ID of a seek. At most one game can claim it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct SeekId(pub(crate) String);

/// A player who is waiting for an opponent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Seek {
    pub(crate) id: SeekId,
    pub(crate) player: PlayerId,
    pub(crate) name: String,
    pub(crate) is_account: bool,
    pub(crate) time_control: TimeControl,
    pub(crate) is_rated: bool,
    pub(crate) since: Moment,
}

/// A message and its sender.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) from: NodeId,
    /// When the message was sent, on the sender's clock. `None` from older versions.
    #[serde(default)]
    pub(crate) at: Option<Moment>,
    pub(crate) message: BusMessage,
}

impl Envelope {
    /// Encodes the message, or returns `None` if it is too long.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let bytes = serde_json::to_vec(self).ok()?;
        (bytes.len() <= MAX_BYTES).then_some(bytes)
    }

    /// Decodes a message, or returns `None` if this version of the program does not know it.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Envelope> {
        if bytes.len() > MAX_BYTES {
            return None;
        }
        serde_json::from_slice(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(message: BusMessage) -> Envelope {
        Envelope { from: NodeId(u64::MAX), at: Some(Moment::from_millis(5)), message }
    }

    #[test]
    fn written_values_read_back() {
        let game = GameId::from_random([3; 16]);
        let seek = Seek {
            id: SeekId("ab".to_owned()),
            player: PlayerId(u64::MAX),
            name: "Ján \"x\"".to_owned(),
            is_account: true,
            time_control: TimeControl::Unlimited {},
            is_rated: false,
            since: Moment::from_millis(7),
        };
        let started = GameStarted {
            game,
            players: vec![PlayerId(1), PlayerId(2)],
            seeks: vec![seek.id.clone()],
            rematch_of: Some(game),
        };
        let presence = GamePresence {
            game,
            number: 8,
            version: 3,
            players: vec![PlayerId(1)],
            connected: vec![Moment::from_millis(7)],
            former: vec![(PlayerId(2), Moment::from_millis(6))],
            watchers: 2,
            chat_hash: Some(1),
            rematch: Some(game),
            turn: 3,
            credited_ms: 40,
            owed_ms: 1_500,
        };
        let last = LastConnection { node: NodeId(7), opened: seek.since, alive_at: seek.since };
        for message in [
            BusMessage::WhereWas { game, player: PlayerId(1) },
            BusMessage::WasAt { game, player: PlayerId(1), last },
            BusMessage::Hello {},
            BusMessage::NewVersion { game, version: 9 },
            BusMessage::LostEvents { game },
            BusMessage::GameDeleted { game },
            BusMessage::Games { games: vec![presence] },
            BusMessage::GameStarted(started),
            BusMessage::Seeks { seeks: vec![seek] },
        ] {
            let envelope = envelope(message);
            assert_eq!(Envelope::decode(&envelope.encode().unwrap()), Some(envelope));
        }
    }

    #[test]
    fn a_full_message_fits_and_anything_else_is_left_alone() {
        let seek = Seek {
            id: SeekId("f".repeat(32)),
            player: PlayerId(u64::MAX),
            name: "\u{10FFFF}".repeat(20),
            is_account: false,
            time_control: TimeControl::Increment { initial_ms: u32::MAX, increment_ms: u32::MAX },
            is_rated: false,
            since: Moment::from_millis(u64::MAX),
        };
        assert!(
            envelope(BusMessage::Seeks { seeks: vec![seek.clone(); PER_MESSAGE] })
                .encode()
                .is_some()
        );
        assert!(envelope(BusMessage::Seeks { seeks: vec![seek; 1000] }).encode().is_none());
        let huge = vec![b' '; MAX_BYTES + 1];
        for bytes in [&b""[..], b"{", br#"{"from":1,"message":{"type":"of_later"}}"#, &huge] {
            assert_eq!(Envelope::decode(bytes), None);
        }
    }
}
