//! Games that are played elsewhere, as their players' server tells of them.
//!
//! Owns: how a start and its moves become the view that the page has of its own games. Leaves
//! clocks, offers and the end to the page, which knows them from the server. Nothing stays open:
//! every question carries the whole game.

use core::time::Duration;

use castellan_game::{Actor, Command, End, Event, Moment, Settings, TimeControl};
use castellan_rules::{Color, UciMove};
use serde::Deserialize;

use crate::desk::{Answer, Failure, told};
use crate::games::{OpenGame, Program, id, seen};
use crate::scoresheet::{self, Export};

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

/// A game as a server tells it, to be written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sheet {
    record: Record,
    export: Export,
    #[serde(default)]
    program: Option<Program>,
    #[serde(default)]
    end: Option<End>,
    /// When the game began.
    began: u64,
}

pub(crate) fn follow(record: Record) -> Answer {
    let time_control = record.settings.time_control;
    let mut view = seen(0, &replay(record, Moment::from_millis(0))?, Moment::from_millis(0));
    view["settings"]["time_control"] = told(time_control)?;
    Ok(view)
}

/// Writes a game without its clocks, which only the server has.
pub(crate) fn write(sheet: Sheet) -> Answer {
    let began = Moment::from_millis(sheet.began);
    let mut open = replay(sheet.record, began)?;
    open.program = sheet.program;
    if let Some(end) = sheet.end.filter(|_| open.game.is_running()) {
        open.happen(vec![Event::Ended(end)], began)?;
    }
    scoresheet::write(&open, &sheet.export)
}

fn replay(record: Record, now: Moment) -> Result<OpenGame, Failure> {
    let Record { settings, white, black, moves, touched } = record;
    // Time passes on the server alone: here no clock may end the game.
    let timeless = Settings { time_control: TimeControl::Unlimited {}, ..settings };
    let mut open = OpenGame::new(timeless, now);
    open.seat(Color::White, &white, now)?;
    open.seat(Color::Black, &black, now)?;
    for text in moves.split_ascii_whitespace() {
        let mv = UciMove::parse(text).map_err(|error| Failure::new("bad_move", error))?;
        let ply = open.game.ply();
        obey(&mut open, &Command::Move { ply, mv, lag: Duration::ZERO }, now)?;
    }
    for text in &touched {
        let square = text.parse().map_err(|error| Failure::new("bad_square", error))?;
        let ply = open.game.ply();
        obey(&mut open, &Command::Touch { ply, square }, now)?;
    }
    Ok(open)
}

/// Lets whoever is to move do it.
fn obey(open: &mut OpenGame, command: &Command, now: Moment) -> Result<(), Failure> {
    let is_white = open.game.line().turn() == Color::White;
    open.obey(Actor::Player(id(is_white)), command, now)
}
