//! Writes a game as PGN.
//!
//! A game that was opened from a PGN keeps everything in it: unknown tags, comments, glyphs and
//! variations. The moves of the game become its main line; moves of the file that were taken back
//! and replaced stay as variations.

use castellan_game::{Moment, Proposal};
use castellan_pgn::{Game as Pgn, NodeId, PlayError, pgn_date};
use castellan_rules::{Color, Line};

use super::{WritePgn, tags};
use crate::games::OpenGame;

/// Value of the tag `Event` for games started here, in every language of the page.
const EVENT: &str = "Casual game";

pub(crate) fn write(open: &OpenGame, request: &WritePgn) -> String {
    pgn(open, request).to_string()
}

fn pgn(open: &OpenGame, request: &WritePgn) -> Pgn {
    let game = &open.game;
    let now = Moment::from_millis(request.now);
    // Only the server knows the times of all moves of its games.
    let clocks_at = Some(now).filter(|_| !open.is_remote());
    let mut pgn = match open.pgn() {
        // Nothing has changed, and the PGN may have moves after the end on the board.
        Some(opened) if open.is_unchanged() && game.end().is_some() => return opened.clone(),
        Some(opened) => {
            let mut pgn = merged(opened, game.line()).unwrap_or_else(|_| bare(opened, game.line()));
            game.update_pgn(&mut pgn, clocks_at);
            pgn
        }
        None => begun_here(open, request, game.to_pgn(clocks_at)),
    };
    for color in Color::ALL {
        let name = game.seats().get(color).map_or("", |player| player.name.as_str());
        let is_engine = open.is_remote() && open.program.is_some_and(|it| it.color() == color);
        tags::set_name(&mut pgn, color, if is_engine { tags::COMPUTER } else { name });
    }
    tags::set_program(&mut pgn, open.program);
    tags::set_touch_move(&mut pgn, game.settings());
    tags::set_touched(&mut pgn.tags, game.touched());
    tags::set_draw_offer(&mut pgn.tags, game.offer(Proposal::Draw));
    tags::set_duration_ms(&mut pgn.tags, open.duration_ms(now));
    pgn
}

/// Sets the tags of a game that was started here and not opened from a PGN.
fn begun_here(open: &OpenGame, request: &WritePgn, mut pgn: Pgn) -> Pgn {
    let offset_ms = request.offset_minutes.clamp(-1440, 1440) * 60_000;
    let began_ms = open.created().as_millis().saturating_add_signed(offset_ms);
    for (tag, value) in [
        ("Event", request.event.as_deref().unwrap_or(EVENT)),
        ("Site", "?"),
        ("Date", &pgn_date(began_ms / 1000)),
        ("Round", "-"),
    ] {
        pgn.tags.set(tag, value);
    }
    pgn
}

/// Returns the PGN with the moves of the line as its main line.
fn merged(opened: &Pgn, line: &Line) -> Result<Pgn, PlayError> {
    let mut pgn = opened.clone();
    let mut at = NodeId::ROOT;
    for &mv in line.moves() {
        at = pgn.play(at, mv)?;
    }
    pgn.make_main(at)?;
    // The moves after the line have been taken back.
    while let Some(next) = pgn.tree().next(at) {
        at = pgn.delete(next);
    }
    Ok(pgn)
}

/// Returns the line with the tags of the PGN, for when the tree cannot hold both.
fn bare(opened: &Pgn, line: &Line) -> Pgn {
    let mut pgn = Pgn::from_line(line);
    pgn.tags = opened.tags.clone();
    pgn.result = opened.result;
    pgn
}
