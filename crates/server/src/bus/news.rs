//! What nodes tell each other.
//!
//! Owns: the words and their limits. Invariant: news is a hint and never the truth. Whoever hears
//! it looks at the store, so that what is lost, late, repeated or invented changes no game.

use castellan_game::{GameId, Moment, PlayerId, TimeControl};
use castellan_protocol::Ratings;
use serde::{Deserialize, Serialize};

/// The largest message that is sent or read.
pub(crate) const MAX_BYTES: usize = 16_384;
/// How many games or seeks one message tells of.
pub(crate) const PER_MESSAGE: usize = 32;

/// A node among those that serve together, drawn at random when it starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct NodeId(pub(crate) u64);

/// Something that somebody wants to know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum News {
    /// A node starts and asks who is there.
    Hello {},
    /// A node is there: the answer, and said again at every beat.
    Here {},
    /// A node goes away in order.
    Bye {},
    /// Who is at which game of a node, and how far the game is.
    Games { games: Vec<Attendance> },
    /// A game has events up to a version.
    Kept { game: GameId, version: u32 },
    /// What a game did to ratings.
    Rated { ratings: Ratings },
    /// A line of chat is stored.
    Said { game: GameId },
    /// A game has begun.
    Begun(Begun),
    /// Players at a node wait for opponents.
    Seeks { seeks: Vec<Seek> },
    /// Somebody waits no longer.
    SeekOver { seek: SeekId },
    /// A session has been ended: its digest in hexadecimal.
    SessionOver { session: String },
    /// Who has a socket of this player?
    WhereIs { player: PlayerId },
    /// The sender has.
    IsHere { player: PlayerId },
}

/// Who is at a game at one node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Attendance {
    pub(crate) game: GameId,
    pub(crate) version: u32,
    /// Those of its players who have a socket there.
    pub(crate) players: Vec<PlayerId>,
    pub(crate) watchers: u32,
    /// The mark of the last line of chat.
    pub(crate) said: Option<u64>,
    /// The rematch, if it has begun.
    pub(crate) rematch: Option<GameId>,
}

/// A game that has just begun.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Begun {
    pub(crate) game: GameId,
    pub(crate) players: Vec<PlayerId>,
    /// The seeks that it answers, if it came of seeking.
    pub(crate) seeks: Vec<SeekId>,
    pub(crate) rematch_of: Option<GameId>,
}

/// The name of one wish to play, which one game at most can claim.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct SeekId(pub(crate) String);

/// Somebody who waits for an opponent.
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

/// News and who tells it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Letter {
    pub(crate) from: NodeId,
    pub(crate) news: News,
}

impl Letter {
    /// As it travels, unless it is too long.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let bytes = serde_json::to_vec(self).ok()?;
        (bytes.len() <= MAX_BYTES).then_some(bytes)
    }

    /// What came, if this version of the program understands it.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Letter> {
        if bytes.len() > MAX_BYTES {
            return None;
        }
        serde_json::from_slice(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(news: News) -> Letter {
        Letter { from: NodeId(u64::MAX), news }
    }

    #[test]
    fn what_is_written_reads_back() {
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
        let begun = Begun {
            game,
            players: vec![PlayerId(1), PlayerId(2)],
            seeks: vec![seek.id.clone()],
            rematch_of: Some(game),
        };
        let attendance = Attendance {
            game,
            version: 3,
            players: vec![PlayerId(1)],
            watchers: 2,
            said: Some(1),
            rematch: Some(game),
        };
        for news in [
            News::Hello {},
            News::Kept { game, version: 9 },
            News::Games { games: vec![attendance] },
            News::Begun(begun),
            News::Seeks { seeks: vec![seek] },
        ] {
            let letter = letter(news);
            assert_eq!(Letter::decode(&letter.encode().unwrap()), Some(letter));
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
        assert!(letter(News::Seeks { seeks: vec![seek.clone(); PER_MESSAGE] }).encode().is_some());
        assert!(letter(News::Seeks { seeks: vec![seek; 1000] }).encode().is_none());
        let huge = vec![b' '; MAX_BYTES + 1];
        for bytes in [&b""[..], b"{", br#"{"from":1,"news":{"type":"of_later"}}"#, &huge] {
            assert_eq!(Letter::decode(bytes), None);
        }
    }
}
