//! Games that are played on a server.
//!
//! This module turns a starting position and its moves into the same view that the page has of
//! local games. Clocks, offers and the end are left to the page, which gets them from the server.
//! No state is kept: every request carries the whole game.

use core::time::Duration;

use castellan_game::{Actor, Command, End, Event, Moment, Settings, TimeControl};
use castellan_rules::{Color, UciMove};
use serde::Deserialize;

use crate::desk::{Answer, Failure, told};
use crate::games::{OpenGame, Program, id, seen};
use crate::scoresheet::{self, Export};

/// A game as the server describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    settings: Settings,
    white: String,
    black: String,
    /// In UCI notation, separated by spaces.
    moves: String,
    /// The squares touched since the last move.
    touched: Vec<String>,
}

/// A request to write a game that is played on a server.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sheet {
    record: Record,
    export: Export,
    #[serde(default)]
    program: Option<Program>,
    #[serde(default)]
    end: Option<End>,
    /// When the game started, in milliseconds since 1970.
    began: u64,
}

pub(crate) fn follow(record: Record) -> Answer {
    let time_control = record.settings.time_control;
    let mut view = seen(0, &replay(record, Moment::from_millis(0))?, Moment::from_millis(0));
    view["settings"]["time_control"] = told(time_control)?;
    Ok(view)
}

/// Writes a game without its clock times, which only the server has.
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
    // Only the server keeps time: no clock may end the game here.
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

/// Carries out a command of the player to move.
fn obey(open: &mut OpenGame, command: &Command, now: Moment) -> Result<(), Failure> {
    let is_white = open.game.line().turn() == Color::White;
    open.obey(Actor::Player(id(is_white)), command, now)
}
