//! Games that are played elsewhere, as their players' server tells of them.
//!
//! Owns: how a start and its moves become the view that the page has of its own games. Leaves
//! clocks, offers and the end to the page, which knows them from the server. Nothing stays open:
//! every question carries the whole game.

use core::time::Duration;

use castellan_game::{Actor, Command, Moment, Settings, TimeControl};
use castellan_rules::{Color, UciMove};
use serde::Deserialize;

use crate::desk::{Answer, Failure, told};
use crate::games::{OpenGame, id, seen};

/// A game as a server tells it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    settings: Settings,
    white: String,
    black: String,
    /// In UCI, with spaces between them.
    moves: String,
    /// The squares touched since the last move.
    touched: Vec<String>,
}

pub(crate) fn follow(record: Record) -> Answer {
    let Record { settings, white, black, moves, touched } = record;
    let (now, time_control) = (Moment::from_millis(0), settings.time_control);
    // Time passes on the server alone: here no clock may end the game.
    let timeless = Settings { time_control: TimeControl::Unlimited {}, ..settings };
    let mut open = OpenGame::new(timeless, now);
    open.seat(Color::White, &white, now)?;
    open.seat(Color::Black, &black, now)?;
    for text in moves.split_ascii_whitespace() {
        let mv = UciMove::parse(text).map_err(|error| Failure::new("bad_move", error))?;
        let ply = open.game.ply();
        obey(&mut open, &Command::Move { ply, mv, lag: Duration::ZERO })?;
    }
    for text in &touched {
        let square = text.parse().map_err(|error| Failure::new("bad_square", error))?;
        let ply = open.game.ply();
        obey(&mut open, &Command::Touch { ply, square })?;
    }
    let mut view = seen(0, &open, now);
    view["settings"]["time_control"] = told(time_control)?;
    Ok(view)
}

/// Lets whoever is to move do it.
fn obey(open: &mut OpenGame, command: &Command) -> Result<(), Failure> {
    let is_white = open.game.line().turn() == Color::White;
    open.obey(Actor::Player(id(is_white)), command, Moment::from_millis(0))
}
