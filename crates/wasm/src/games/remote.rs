//! Games that are played on a server.
//!
//! A remote game is opened from a snapshot and stays open: each event of the server is applied to
//! it, and only what the event changes is returned. The user's own move is shown before the server
//! has acknowledged it. The page passes the time of the server's clock in.

use castellan_game::{Conduct, Game, Moment};
use castellan_protocol::{GameEvent, Level, Snapshot};
use castellan_rules::{Color, UciMove};
use serde::{Deserialize, Serialize};

use super::open_game::{OpenGame, Source};
use super::view::{GameChange, GameView, PendingMove, Program};
use super::{GameQuery, Games, unknown};
use crate::error::{ApiError, ErrorCode};
use crate::position::parse_move;

/// A request to open a game that is played on a server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct FollowGame {
    snapshot: Box<Snapshot>,
    /// Number of the game if it is open already. Its move that waits for the server stays if the
    /// snapshot allows it.
    game: Option<u32>,
    now: u64,
}

/// An event of a game that is played on a server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct FollowEvent {
    game: u32,
    event: GameEvent,
    now: u64,
}

/// What an event of the server led to.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) enum EventReply {
    /// The event was new.
    Applied(GameChange),
    /// The event was the last one again, with the current clocks.
    Current(GameChange),
    /// The event is older than the game.
    Old {},
    /// Events before this one are missing.
    Missing {},
}

/// A request to show the user's move before the server has acknowledged it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ShowMove {
    game: u32,
    uci: String,
    now: u64,
}

impl Games {
    pub(crate) fn follow_game(&mut self, request: FollowGame) -> Result<GameView, ApiError> {
        let FollowGame { snapshot, game: number, now } = request;
        let now = Moment::from_millis(now);
        let open = open(*snapshot)?;
        let Some(number) = number else { return self.insert(open, now) };
        let slot = self.remote_mut(number)?;
        let pending = slot.pending().cloned();
        *slot = open;
        slot.set_pending(pending);
        Ok(GameView::new(number, slot, now))
    }

    pub(crate) fn follow_event(&mut self, request: FollowEvent) -> Result<EventReply, ApiError> {
        let FollowEvent { game: number, event, now } = request;
        let now = Moment::from_millis(now);
        let open = self.remote_mut(number)?;
        let kept = open.game.line().moves().len();
        let clocks = event.clocks.map(|shown| (shown.clocks(), shown.at));
        if event.version <= open.game.version() {
            return Ok(match clocks {
                Some((clocks, at)) if event.version == open.game.version() => {
                    open.game.set_clocks(clocks, at);
                    EventReply::Current(GameChange::new(open, kept, now))
                }
                _ => EventReply::Old {},
            });
        }
        if event.version > open.game.version() + 1 {
            return Ok(EventReply::Missing {});
        }
        let applied = open.game.follow(&event.recorded(), clocks);
        applied.map_err(|error| ApiError::new(ErrorCode::BadEvent, error))?;
        open.set_pending(open.pending().cloned());
        open.since = open.game.started_at();
        let kept = kept.min(open.game.line().moves().len());
        Ok(EventReply::Applied(GameChange::new(open, kept, now)))
    }

    pub(crate) fn show_move(&mut self, request: &ShowMove) -> Result<GameChange, ApiError> {
        let now = Moment::from_millis(request.now);
        let open = self.remote_mut(request.game)?;
        let game = &open.game;
        let kept = game.line().moves().len();
        let mv = parse_move(game.line().position(), &request.uci)?;
        if !game.allowed_moves().contains(&mv) {
            return Err(ApiError::new(
                ErrorCode::IllegalMove,
                "the game does not allow this move now",
            ));
        }
        let uci = UciMove::from_move(mv, game.settings().castling()).to_string();
        let pending = PendingMove { ply: game.ply(), uci, mv, at: now };
        open.source = Source::Remote { pending: Some(pending) };
        Ok(GameChange::new(open, kept, now))
    }

    /// Takes back the move that waits for the server, which has refused it.
    pub(crate) fn hide_move(&mut self, query: GameQuery) -> Result<GameChange, ApiError> {
        let open = self.remote_mut(query.game)?;
        open.source = Source::Remote { pending: None };
        Ok(GameChange::new(open, open.game.line().moves().len(), query.now()))
    }

    fn remote_mut(&mut self, number: u32) -> Result<&mut OpenGame, ApiError> {
        self.open.get_mut(&number).filter(|open| open.is_remote()).ok_or_else(|| unknown(number))
    }
}

impl OpenGame {
    /// Sets the move that waits for the server, unless it has been answered: its ply has been
    /// played or taken back, or the game is over.
    fn set_pending(&mut self, pending: Option<PendingMove>) {
        let game = &self.game;
        let pending = pending.filter(|pending| {
            game.is_running()
                && pending.ply == game.ply()
                && game.allowed_moves().contains(&pending.mv)
        });
        self.source = Source::Remote { pending };
    }
}

fn open(snapshot: Snapshot) -> Result<OpenGame, ApiError> {
    let read_at = snapshot.clocks.at;
    let game = Game::restore(snapshot.checkpoint());
    let game = game.map_err(|error| ApiError::new(ErrorCode::BadSnapshot, error))?;
    let level = |color| {
        let player = game.seats().get(color)?;
        Some(Program { is_white: color == Color::White, level: Level::of_player(player.id)?.elo() })
    };
    Ok(OpenGame {
        program: Color::ALL.into_iter().find_map(level),
        source: Source::Remote { pending: None },
        created: game.started_at().unwrap_or(read_at),
        earlier_ms: 0,
        since: game.started_at(),
        game,
        conduct: Conduct::default(),
    })
}
