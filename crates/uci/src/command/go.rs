//! The `go` command.

use core::time::Duration;
use std::fmt;

use castellan_rules::{Color, UciMove};

use crate::ParseUciError;
use crate::words::{Moves, Words};

/// `go` with all its parameters; by default none is set.
///
/// Times are written in whole milliseconds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Go {
    /// Restricts the search to these moves; empty for all moves.
    pub search_moves: Vec<UciMove>,
    /// Whether to think on the opponent's time.
    pub is_ponder: bool,
    /// The time left on White's clock.
    pub white_time: Option<Duration>,
    /// The time left on Black's clock.
    pub black_time: Option<Duration>,
    /// White's increment per move.
    pub white_increment: Option<Duration>,
    /// Black's increment per move.
    pub black_increment: Option<Duration>,
    /// The number of moves until the next time control.
    pub moves_to_go: Option<u32>,
    /// Maximum depth, in plies.
    pub depth: Option<u32>,
    /// Maximum number of nodes.
    pub nodes: Option<u64>,
    /// Search for a mate in this many moves.
    pub mate: Option<u32>,
    /// The exact time to think.
    pub move_time: Option<Duration>,
    /// Whether to search until `stop`.
    pub is_infinite: bool,
}

impl Go {
    /// Returns the time left on a color's clock.
    pub fn time(&self, color: Color) -> Option<Duration> {
        color.fold(self.white_time, self.black_time)
    }

    /// Returns a color's increment per move.
    pub fn increment(&self, color: Color) -> Option<Duration> {
        color.fold(self.white_increment, self.black_increment)
    }

    /// Parses the words after `go`.
    pub(super) fn parse(
        words: &mut Words<'_>,
        skipped: &mut dyn FnMut(usize, &str),
    ) -> Result<Go, ParseUciError> {
        let mut go = Go::default();
        while let Some(word) = words.next() {
            match word.text {
                "searchmoves" => {
                    go.search_moves.push(words.mv()?);
                    go.search_moves.append(&mut words.moves());
                }
                "ponder" => go.is_ponder = true,
                "wtime" => go.white_time = Some(words.milliseconds()?),
                "btime" => go.black_time = Some(words.milliseconds()?),
                "winc" => go.white_increment = Some(words.milliseconds()?),
                "binc" => go.black_increment = Some(words.milliseconds()?),
                "movestogo" => go.moves_to_go = Some(words.amount()?),
                "depth" => go.depth = Some(words.amount()?),
                "nodes" => go.nodes = Some(words.amount()?),
                "mate" => go.mate = Some(words.amount()?),
                "movetime" => go.move_time = Some(words.milliseconds()?),
                "infinite" => go.is_infinite = true,
                unknown => skipped(word.at, unknown),
            }
        }
        Ok(go)
    }
}

impl fmt::Display for Go {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("go")?;
        if self.is_ponder {
            f.write_str(" ponder")?;
        }
        time(f, "wtime", self.white_time)?;
        time(f, "btime", self.black_time)?;
        time(f, "winc", self.white_increment)?;
        time(f, "binc", self.black_increment)?;
        number(f, "movestogo", self.moves_to_go)?;
        number(f, "depth", self.depth)?;
        number(f, "nodes", self.nodes)?;
        number(f, "mate", self.mate)?;
        time(f, "movetime", self.move_time)?;
        if self.is_infinite {
            f.write_str(" infinite")?;
        }
        // The moves come last, because old engines take everything after `searchmoves` for moves.
        if self.search_moves.is_empty() {
            return Ok(());
        }
        write!(f, " searchmoves{}", Moves(&self.search_moves))
    }
}

fn time(f: &mut fmt::Formatter<'_>, key: &str, time: Option<Duration>) -> fmt::Result {
    number(f, key, time.map(|time| time.as_millis()))
}

fn number(f: &mut fmt::Formatter<'_>, key: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {key} {value}"))
}
