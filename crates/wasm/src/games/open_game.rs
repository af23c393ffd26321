//! An open game: the state machine that the server runs, too, and the data needed to store it.
//!
//! Both players of a local game are here: White is player 1, Black is player 2. A remote game is
//! played on a server, which decides; this module only follows it.

use castellan_game::{
    Actor, Command, Conduct, Event, Game, Moment, Player, PlayerId, Recorded, Settings,
};
use castellan_pgn::Game as Pgn;
use castellan_rules::Color;

use super::view::{PendingMove, Program};
use crate::error::{ApiError, ErrorCode};

/// Maximum length of a player's name.
const MAX_NAME_CHARS: usize = 40;

/// An open game.
pub(crate) struct OpenGame {
    pub(crate) game: Game,
    pub(crate) program: Option<Program>,
    pub(super) source: Source,
    pub(super) created: Moment,
    /// Time spent on the game before it was opened this time.
    pub(super) earlier_ms: u64,
    /// When it was opened, or when it started on the server; `None` if the game was already over.
    pub(super) since: Option<Moment>,
    /// What the computer remembers of the game, if it plays.
    pub(super) conduct: Conduct,
}

/// Where the events of a game come from.
pub(super) enum Source {
    Local {
        record: Vec<Recorded>,
        pgn: Option<Box<OpenedPgn>>,
    },
    Remote {
        /// The user's move that the server has not acknowledged.
        pending: Option<PendingMove>,
    },
}

/// The PGN that a game was opened from, including everything that `Game` cannot represent.
pub(super) struct OpenedPgn {
    pub(super) pgn: Pgn,
    /// Number of events when it was opened.
    pub(super) version: u32,
}

impl OpenGame {
    pub(crate) fn new(mut settings: Settings, created: Moment) -> OpenGame {
        // Where standard castling notation would be ambiguous, Chess960 notation is used.
        settings.is_chess960 |= settings.start.is_chess960();
        OpenGame {
            game: Game::new(settings, created),
            program: None,
            source: Source::Local { record: Vec::new(), pgn: None },
            created,
            earlier_ms: 0,
            since: Some(created),
            conduct: Conduct::default(),
        }
    }

    /// Returns when the game was started or opened.
    pub(crate) fn created(&self) -> Moment {
        self.created
    }

    pub(crate) fn is_remote(&self) -> bool {
        matches!(self.source, Source::Remote { .. })
    }

    /// Returns the move that waits for the server.
    pub(super) fn pending(&self) -> Option<&PendingMove> {
        match &self.source {
            Source::Local { .. } => None,
            Source::Remote { pending } => pending.as_ref(),
        }
    }

    /// Returns the PGN that the game was opened from.
    pub(crate) fn pgn(&self) -> Option<&Pgn> {
        match &self.source {
            Source::Local { pgn, .. } => pgn.as_ref().map(|opened| &opened.pgn),
            Source::Remote { .. } => None,
        }
    }

    /// Returns the time spent on the game up to now, or up to its end.
    pub(crate) fn duration_ms(&self, now: Moment) -> u64 {
        let until = self.game.ended_at().unwrap_or(now);
        self.earlier_ms + self.since.map_or(0, |since| until.since_ms(since))
    }

    /// Starts counting the time spent on the game, in addition to the time spent before.
    pub(crate) fn continue_at(&mut self, now: Moment, earlier_ms: u64) {
        self.earlier_ms = earlier_ms;
        self.since = self.game.end().is_none().then_some(now);
    }

    /// Keeps the PGN that the game was opened from.
    pub(crate) fn set_pgn(&mut self, opened: Pgn) {
        let version = self.game.version();
        if let Source::Local { pgn, .. } = &mut self.source {
            *pgn = Some(Box::new(OpenedPgn { pgn: opened, version }));
        }
    }

    /// Returns `true` if nothing has happened since the game was opened from a PGN.
    pub(crate) fn is_unchanged(&self) -> bool {
        match &self.source {
            Source::Local { pgn: Some(opened), .. } => opened.version == self.game.version(),
            Source::Local { pgn: None, .. } | Source::Remote { .. } => false,
        }
    }

    pub(crate) fn seat(&mut self, color: Color, name: &str, now: Moment) -> Result<(), ApiError> {
        let letters = name.chars().filter(|letter| !letter.is_control());
        let name = letters.take(MAX_NAME_CHARS).collect();
        let player = Player { id: player_id(color), name, rating: None };
        self.execute(Actor::Server, &Command::Seat { color, player }, now).map(|_| ())
    }

    /// Carries out a command. Returns the number of plies that it left as they were.
    pub(crate) fn execute(
        &mut self,
        by: Actor,
        command: &Command,
        now: Moment,
    ) -> Result<usize, ApiError> {
        let decided = self.game.decide(by, command, now);
        let events = decided.map_err(ApiError::from)?;
        self.record(events, now)
    }

    /// Records events of a local game. Returns the number of plies that they left as they were.
    pub(crate) fn record(&mut self, events: Vec<Event>, now: Moment) -> Result<usize, ApiError> {
        let mut kept = self.game.line().moves().len();
        for recorded in self.game.record(events, now) {
            let applied = self.game.evolve(&recorded);
            applied.map_err(|error| ApiError::new(ErrorCode::BadRecord, error))?;
            kept = kept.min(self.game.line().moves().len());
            if let Source::Local { record, .. } = &mut self.source {
                record.push(recorded);
            }
        }
        Ok(kept)
    }
}

/// Returns the number of the player of a color in a local game.
pub(crate) fn player_id(color: Color) -> PlayerId {
    PlayerId(color.fold(1, 2))
}
