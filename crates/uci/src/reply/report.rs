//! The `info` line: the progress of a search.

use core::time::Duration;
use std::fmt;

use castellan_rules::UciMove;

use crate::words::{Moves, OneLine, Words, read_move};
use crate::{Expected, ParseUciError};

/// `info` with all its fields; by default none is set.
///
/// Times are written in whole milliseconds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Search depth, in plies.
    pub depth: Option<u32>,
    /// Selective search depth, in plies: the length of the longest line searched.
    pub selective_depth: Option<u32>,
    /// The rank of this line among several, from 1.
    pub multi_pv: Option<u32>,
    /// The score from the point of view of the side to move.
    pub score: Option<Score>,
    /// The expected frequencies of a win, a draw and a loss.
    pub win_draw_loss: Option<WinDrawLoss>,
    /// Number of nodes searched.
    pub nodes: Option<u64>,
    /// Nodes searched per second.
    pub nodes_per_second: Option<u64>,
    /// How full the transposition table is, in permille.
    pub hash_full: Option<u32>,
    /// Number of positions found in endgame tablebases.
    pub table_hits: Option<u64>,
    /// Number of positions found in Shredder endgame databases.
    pub shredder_hits: Option<u64>,
    /// CPU usage, in permille.
    pub cpu_load: Option<u32>,
    /// Time spent on the search.
    pub time: Option<Duration>,
    /// The move being searched.
    pub current_move: Option<UciMove>,
    /// The number of that move, from 1.
    pub current_move_number: Option<u32>,
    /// A move and the line that refutes it.
    pub refutation: Vec<UciMove>,
    /// The line being searched.
    pub current_line: Option<CurrentLine>,
    /// The principal variation. It is written last, except for the text, as is customary.
    pub pv: Vec<UciMove>,
    /// A message for the user.
    pub text: Option<String>,
}

/// The line that a CPU is searching.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CurrentLine {
    /// The number of the CPU, from 1; `None` if there is only one.
    pub cpu: Option<u32>,
    /// The moves of the line.
    pub moves: Vec<UciMove>,
}

/// The expected frequencies of a win, a draw and a loss, in permille: `wdl 300 500 200`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WinDrawLoss {
    /// Wins for the side to move.
    pub win: u16,
    /// Draws.
    pub draw: u16,
    /// Losses for the side to move.
    pub loss: u16,
}

/// A score from the point of view of the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Score {
    /// The value in centipawns or moves to mate.
    pub value: ScoreValue,
    /// Whether the value is exact or a bound.
    pub bound: Bound,
}

/// The value of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreValue {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in this many moves; negative if the side to move is mated.
    Mate(i32),
}

/// How a value relates to the true score.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bound {
    /// The true score.
    #[default]
    Exact,
    /// A lower bound: `lowerbound`.
    Lower,
    /// An upper bound: `upperbound`.
    Upper,
}

impl Score {
    /// Creates an exact score in hundredths of a pawn.
    pub fn centipawns(value: i32) -> Score {
        Score { value: ScoreValue::Centipawns(value), bound: Bound::Exact }
    }

    /// Creates an exact score for a mate in this many moves.
    pub fn mate(moves: i32) -> Score {
        Score { value: ScoreValue::Mate(moves), bound: Bound::Exact }
    }

    /// Turns the score into a lower bound.
    pub fn lower(self) -> Score {
        Score { bound: Bound::Lower, ..self }
    }

    /// Turns the score into an upper bound.
    pub fn upper(self) -> Score {
        Score { bound: Bound::Upper, ..self }
    }

    fn parse(words: &mut Words<'_>) -> Result<Score, ParseUciError> {
        let kind = words.value(Expected::Score, |word| match word {
            "cp" => Some(ScoreValue::Centipawns as fn(i32) -> ScoreValue),
            "mate" => Some(ScoreValue::Mate as fn(i32) -> ScoreValue),
            _ => None,
        })?;
        Ok(Score { value: kind(words.number()?), bound: Bound::Exact })
    }
}

impl Report {
    /// Creates a report that contains only a text.
    pub fn of_text(text: impl Into<String>) -> Report {
        Report { text: Some(text.into()), ..Report::default() }
    }

    /// Parses the words after `info`.
    pub(super) fn parse(words: &mut Words<'_>) -> Result<Report, ParseUciError> {
        let mut report = Report::default();
        while let Some(word) = words.next() {
            match word.text {
                "depth" => report.depth = Some(words.amount()?),
                "seldepth" => report.selective_depth = Some(words.amount()?),
                "multipv" => report.multi_pv = Some(words.amount()?),
                "score" => report.score = Some(Score::parse(words)?),
                "lowerbound" => report.score = report.score.map(Score::lower),
                "upperbound" => report.score = report.score.map(Score::upper),
                "wdl" => report.win_draw_loss = Some(WinDrawLoss::parse(words)?),
                "nodes" => report.nodes = Some(words.amount()?),
                "nps" => report.nodes_per_second = Some(words.amount()?),
                "hashfull" => report.hash_full = Some(words.amount()?),
                "tbhits" => report.table_hits = Some(words.amount()?),
                "sbhits" => report.shredder_hits = Some(words.amount()?),
                "cpuload" => report.cpu_load = Some(words.amount()?),
                "time" => report.time = Some(words.milliseconds()?),
                "currmove" => report.current_move = Some(words.mv()?),
                "currmovenumber" => report.current_move_number = Some(words.amount()?),
                "refutation" => report.refutation = words.moves(),
                "currline" => report.current_line = Some(CurrentLine::parse(words)),
                "pv" => report.pv = words.moves(),
                "string" => report.text = Some(words.rest()),
                _ => {}
            }
        }
        Ok(report)
    }
}

impl CurrentLine {
    fn parse(words: &mut Words<'_>) -> CurrentLine {
        // A null move looks like a number, but no CPU has the number 0000.
        let is_move = words.peek().is_some_and(|word| read_move(word.text).is_some());
        let cpu = if is_move { None } else { words.amount().ok() };
        CurrentLine { cpu, moves: words.moves() }
    }
}

impl WinDrawLoss {
    fn parse(words: &mut Words<'_>) -> Result<WinDrawLoss, ParseUciError> {
        Ok(WinDrawLoss { win: words.amount()?, draw: words.amount()?, loss: words.amount()? })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        field(f, "depth", self.depth)?;
        field(f, "seldepth", self.selective_depth)?;
        field(f, "multipv", self.multi_pv)?;
        field(f, "score", self.score)?;
        field(f, "wdl", self.win_draw_loss)?;
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nodes_per_second)?;
        field(f, "hashfull", self.hash_full)?;
        field(f, "tbhits", self.table_hits)?;
        field(f, "sbhits", self.shredder_hits)?;
        field(f, "cpuload", self.cpu_load)?;
        field(f, "time", self.time.map(|time| time.as_millis()))?;
        field(f, "currmove", self.current_move)?;
        field(f, "currmovenumber", self.current_move_number)?;
        moves(f, "refutation", &self.refutation)?;
        if let Some(line) = &self.current_line {
            f.write_str(" currline")?;
            line.cpu.map_or(Ok(()), |cpu| write!(f, " {cpu}"))?;
            write!(f, "{}", Moves(&line.moves))?;
        }
        moves(f, "pv", &self.pv)?;
        match self.text.as_deref() {
            None => Ok(()),
            Some("") => f.write_str(" string"),
            Some(text) => write!(f, " string {}", OneLine(text)),
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            ScoreValue::Centipawns(value) => write!(f, "cp {value}")?,
            ScoreValue::Mate(moves) => write!(f, "mate {moves}")?,
        }
        f.write_str(match self.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        })
    }
}

impl fmt::Display for WinDrawLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.win, self.draw, self.loss)
    }
}

fn field(f: &mut fmt::Formatter<'_>, key: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {key} {value}"))
}

fn moves(f: &mut fmt::Formatter<'_>, key: &str, moves: &[UciMove]) -> fmt::Result {
    if moves.is_empty() { Ok(()) } else { write!(f, " {key}{}", Moves(moves)) }
}
