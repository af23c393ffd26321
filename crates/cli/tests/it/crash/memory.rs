//! What players remember of a game, to be compared with what a server says later.

use std::collections::BTreeMap;
use std::time::Duration;

use castellan_game::Event;
use castellan_protocol::GameEvent;
use castellan_rules::{CastlingSpelling, Line, Move, UciMove};

/// Everything that was announced to a player, or to both players of a game.
#[derive(Default)]
pub(crate) struct Memory {
    /// Every event that was received, by version.
    pub(crate) events: BTreeMap<u32, GameEvent>,
    /// Offers up to this version have been answered or have lapsed.
    pub(crate) answered_up_to: u32,
    /// The moves that were announced.
    pub(crate) line: Line,
    /// A move that was sent and not announced yet.
    pub(crate) unannounced: Option<Move>,
    /// How long the server has been down since the last event.
    pub(crate) downtime: Duration,
}

impl Memory {
    /// Records an event. It may arrive more than once, and must be the same each time.
    pub(crate) fn record(&mut self, event: GameEvent) {
        let version = event.version;
        if let Some(known) = self.events.get(&version) {
            // Only the clocks may be missing in one of them.
            assert_eq!((known.at, &known.event), (event.at, &event.event), "version {version}");
            return;
        }
        if let Event::Moved { ply, mv, .. } = &event.event {
            self.record_move(*ply as usize, *mv);
        }
        self.downtime = Duration::ZERO;
        self.events.insert(version, event);
    }

    /// Records a move, which a snapshot may already have contained.
    pub(crate) fn record_move(&mut self, ply: usize, mv: UciMove) {
        let position = self.line.positions().get(ply).expect("no move is left out");
        let mv = mv.resolve(position).expect("an announced move is legal");
        match self.line.moves().get(ply) {
            Some(known) => assert_eq!(*known, mv, "ply {ply} has changed"),
            None => {
                self.line.play(mv).expect("it was resolved there");
                self.unannounced = None;
            }
        }
    }

    /// Returns the version of the last event.
    pub(crate) fn version(&self) -> u32 {
        self.events.last_key_value().map_or(0, |(version, _)| *version)
    }

    pub(crate) fn knows_move_at(&self, ply: usize) -> bool {
        self.line.moves().len() > ply
    }
}

/// Converts a move to the notation of these games.
pub(crate) fn spelled(mv: Move) -> UciMove {
    UciMove::from_move(mv, CastlingSpelling::KingTwoSquares)
}
