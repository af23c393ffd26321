//! Writes a game as PGN.
//!
//! A game that was opened from a PGN keeps everything in it: unknown tags, comments, glyphs and
//! variations. The moves of the game become its main line; moves of the file that were taken back
//! and replaced stay as variations.

use castellan_game::{Game, Moment, TimeControl};
use castellan_pgn::{ClockTime, Command, Game as Sheet, NodeId, PlayError, pgn_date};
use castellan_rules::{Color, Line};

use super::{Export, told};
use crate::desk::{Answer, told as answer};
use crate::games::OpenGame;

/// Value of the tag `Event` for games started here, in every language of the page.
const EVENT: &str = "Casual game";

pub(crate) fn write(open: &OpenGame, export: &Export) -> Answer {
    answer(sheet(open, export).to_string())
}

fn sheet(open: &OpenGame, export: &Export) -> Sheet {
    let game = &open.game;
    let now = Moment::from_millis(export.now);
    let mut sheet = match &open.sheet {
        // Nothing has changed, and the PGN may have moves after the end on the board.
        Some(opened) if open.is_unchanged() && game.end().is_some() => return opened.clone(),
        Some(opened) => merged(opened, game.line()).unwrap_or_else(|_| bare(opened, game.line())),
        None => begun_here(open, export),
    };
    let is_same_control = told::control(&sheet) == game.settings().time_control;
    if open.sheet.is_none() || !is_same_control {
        told::set_control(&mut sheet.tags, game.settings().time_control);
    }
    for color in Color::ALL {
        let name = game.seats().get(color).map_or("", |player| player.name.as_str());
        told::set_name(&mut sheet, color, name);
    }
    told::set_program(&mut sheet, open.program);
    told::set_rules(&mut sheet, game.settings());
    told::set_touched(&mut sheet.tags, game.touched());
    told::set_draw_offer(&mut sheet.tags, game.offer(castellan_game::Proposal::Draw));
    told::set_duration_ms(&mut sheet.tags, open.duration_ms(now));
    told::set_end(&mut sheet, game.end());
    add_clocks(&mut sheet, game, now);
    sheet
}

/// Creates a new PGN for a game that was started here.
fn begun_here(open: &OpenGame, export: &Export) -> Sheet {
    let mut sheet = Sheet::from_line(open.game.line());
    let offset_ms = export.offset_minutes.clamp(-1440, 1440) * 60_000;
    let began_ms = open.created().as_millis().saturating_add_signed(offset_ms);
    for (tag, value) in [
        ("Event", export.event.as_deref().unwrap_or(EVENT)),
        ("Site", "?"),
        ("Date", &pgn_date(began_ms / 1000)),
        ("Round", "-"),
    ] {
        sheet.tags.set(tag, value);
    }
    sheet
}

/// Returns the PGN with the moves of the line as its main line.
fn merged(opened: &Sheet, line: &Line) -> Result<Sheet, PlayError> {
    let mut sheet = opened.clone();
    let mut at = NodeId::ROOT;
    for &mv in line.moves() {
        at = sheet.play(at, mv)?;
    }
    sheet.make_main(at)?;
    // The moves after the line have been taken back.
    while let Some(next) = sheet.tree().next(at) {
        at = sheet.delete(next);
    }
    Ok(sheet)
}

/// Returns the line with the tags of the PGN, for when the tree cannot hold both.
fn bare(opened: &Sheet, line: &Line) -> Sheet {
    let mut sheet = Sheet::from_line(line);
    sheet.tags = opened.tags.clone();
    sheet.result = opened.result;
    sheet
}

/// Writes the clock time after each move and at the end. Comments with the right time are
/// unchanged.
fn add_clocks(sheet: &mut Sheet, game: &Game, now: Moment) {
    let control = game.settings().time_control;
    if control == (TimeControl::Unlimited {}) {
        return;
    }
    let mut used_ms = [0; 2];
    let mut turn = game.line().start().turn();
    let nodes: Vec<_> = sheet.main_line().collect();
    for (at, played) in nodes.into_iter().zip(game.played()) {
        used_ms[turn.index()] += played.spent_ms;
        let shown_ms = played.remaining_ms.unwrap_or(used_ms[turn.index()]);
        let told_ms = sheet.clock(at).map(ClockTime::milliseconds);
        if told_ms != Some(shown_ms) {
            sheet.set_clock(at, ClockTime::from_milliseconds(shown_ms));
        }
        if matches!(control, TimeControl::Delay { .. }) {
            // The time left does not tell how much of the delay was used.
            let spent = ClockTime::from_milliseconds(played.spent_ms);
            sheet.set_command(at, Command::Elapsed(spent));
        }
        turn = !turn;
    }
    let shown = game.clocks(now);
    for color in Color::ALL {
        let clock = shown.of(color);
        let shown_ms = clock.remaining_ms.unwrap_or(clock.used_ms);
        sheet.set_final_clock(color, ClockTime::from_milliseconds(shown_ms));
    }
}
