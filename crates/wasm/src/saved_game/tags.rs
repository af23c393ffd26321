//! The meaning of the tags in a saved game, for reading and for writing.
//!
//! This module defines the tags that only the page writes, which store what is needed to continue a
//! game. The tags that every game has are written by `castellan_game::Game::to_pgn`, because the
//! server writes them, too. `docs/PAGE.md` lists all of them.

use castellan_game::Settings;
use castellan_pgn::{ClockTime, Game as Pgn, Tags};
use castellan_rules::Color;

use crate::games::Program;

/// `1` if a touched piece must be moved.
const TOUCH_MOVE: &str = "TouchMove";
/// The squares touched this turn, separated by spaces.
const TOUCHED: &str = "Touched";
/// The color whose draw offer is still unanswered.
const DRAW_OFFER: &str = "DrawOffer";
/// Total time spent on the game.
const DURATION: &str = "GameDuration";

/// The name of the engine in files, in every language of the page.
pub(super) const COMPUTER: &str = "Computer";
const UNKNOWN: &str = "?";
/// Maximum length of a name that is shown.
const MAX_NAME_CHARS: usize = 40;

/// Returns the player's name; empty if it is unknown.
pub(super) fn name(pgn: &Pgn, color: Color) -> String {
    let value = pgn.tags.get(color.fold("White", "Black")).unwrap_or_default();
    let value = if value == UNKNOWN { "" } else { value };
    value.chars().filter(|letter| !letter.is_control()).take(MAX_NAME_CHARS).collect()
}

/// Sets a player's name unless the PGN already has it.
pub(super) fn set_name(pgn: &mut Pgn, color: Color, new: &str) {
    if name(pgn, color) != new || pgn.tags.get(color.fold("White", "Black")).is_none() {
        let value = if new.is_empty() { UNKNOWN } else { new };
        pgn.tags.set(color.fold("White", "Black"), value);
    }
}

/// Returns the engine that plays one side against a person; `None` for a game between two
/// engines.
pub(super) fn program(pgn: &Pgn) -> Option<Program> {
    let is_program =
        |color: Color| pgn.tags.get(color.fold("WhiteType", "BlackType")) == Some("program");
    let color = match (is_program(Color::White), is_program(Color::Black)) {
        (true, false) => Color::White,
        (false, true) => Color::Black,
        _ => return None,
    };
    let level = pgn.tags.get(color.fold("WhiteElo", "BlackElo")).and_then(|it| it.parse().ok());
    Some(Program { is_white: color == Color::White, level })
}

/// Sets which side the engine plays, and its level as the rating.
pub(super) fn set_program(pgn: &mut Pgn, new: Option<Program>) {
    let old = program(pgn);
    if old == new {
        return;
    }
    if let Some(old) = old {
        pgn.tags.remove(if old.is_white { "WhiteElo" } else { "BlackElo" });
    }
    for color in Color::ALL {
        let is_program = new.is_some_and(|it| it.is_white == (color == Color::White));
        let kind = if is_program { "program" } else { "human" };
        pgn.tags.set(color.fold("WhiteType", "BlackType"), kind);
    }
    if let Some(Program { is_white, level }) = new {
        let tag = if is_white { "WhiteElo" } else { "BlackElo" };
        match level {
            Some(level) => pgn.tags.set(tag, &level.to_string()),
            None => pgn.tags.remove(tag),
        }
    }
}

/// Returns `true` if the game is played with touch-move.
pub(super) fn is_touch_move(pgn: &Pgn) -> bool {
    pgn.tags.get(TOUCH_MOVE) == Some("1")
}

pub(super) fn set_touch_move(pgn: &mut Pgn, settings: &Settings) {
    if settings.is_touch_move {
        pgn.tags.set(TOUCH_MOVE, "1");
    }
}

/// Returns the squares touched this turn.
pub(super) fn touched(pgn: &Pgn) -> Vec<&str> {
    pgn.tags.get(TOUCHED).unwrap_or_default().split_ascii_whitespace().take(64).collect()
}

pub(super) fn set_touched(tags: &mut Tags, squares: &[castellan_rules::Square]) {
    let squares: Vec<String> = squares.iter().map(ToString::to_string).collect();
    if squares.is_empty() {
        tags.remove(TOUCHED);
    } else {
        tags.set(TOUCHED, &squares.join(" "));
    }
}

/// Returns the color whose draw offer is unanswered.
pub(super) fn draw_offer(pgn: &Pgn) -> Option<Color> {
    match pgn.tags.get(DRAW_OFFER)? {
        "White" => Some(Color::White),
        "Black" => Some(Color::Black),
        _ => None,
    }
}

pub(super) fn set_draw_offer(tags: &mut Tags, by: Option<Color>) {
    match by {
        Some(by) => tags.set(DRAW_OFFER, by.fold("White", "Black")),
        None => tags.remove(DRAW_OFFER),
    }
}

/// Returns the time spent on the game, if the tags give it.
pub(super) fn duration_ms(pgn: &Pgn) -> Option<u64> {
    let value = pgn.tags.get(DURATION)?;
    ClockTime::parse(value.trim()).map(ClockTime::milliseconds)
}

pub(super) fn set_duration_ms(tags: &mut Tags, ms: u64) {
    tags.set(DURATION, &ClockTime::from_milliseconds(ms).to_string());
}
