//! The `info` line: how a search goes.

use core::time::Duration;
use std::fmt;

use castellan_rules::UciMove;

use crate::words::{Moves, OneLine, Words, read_move};
use crate::{Expected, ParseUciError};

/// `info` with all it can say; the default says nothing.
///
/// Times are whole milliseconds when they are written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// How many plies deep.
    pub depth: Option<u32>,
    /// How deep the deepest line goes.
    pub selective_depth: Option<u32>,
    /// Which of several lines this is, counted from 1.
    pub multi_pv: Option<u32>,
    /// How good it is for whoever is to move.
    pub score: Option<Score>,
    /// How often the game is expected to be won, drawn and lost.
    pub outlook: Option<Outlook>,
    /// How many nodes.
    pub nodes: Option<u64>,
    /// How many nodes in a second.
    pub nodes_per_second: Option<u64>,
    /// How full the table is, in thousandths.
    pub hash_full: Option<u32>,
    /// How often the endgame tables were asked.
    pub table_hits: Option<u64>,
    /// How often the endgame tables of Shredder were asked.
    pub shredder_hits: Option<u64>,
    /// How busy the processor is, in thousandths.
    pub cpu_load: Option<u32>,
    /// How long it has taken.
    pub time: Option<Duration>,
    /// The move now looked at.
    pub current_move: Option<UciMove>,
    /// Which one that is, counted from 1.
    pub current_move_number: Option<u32>,
    /// A move and the line that refutes it.
    pub refutation: Vec<UciMove>,
    /// The line now looked at.
    pub current_line: Option<CurrentLine>,
    /// The best line. Written last but for the text, as everybody does.
    pub pv: Vec<UciMove>,
    /// Something for people to read.
    pub text: Option<String>,
}

/// The line that one processor looks at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CurrentLine {
    /// Which processor, counted from 1; left out where there is one.
    pub cpu: Option<u32>,
    /// Its line.
    pub moves: Vec<UciMove>,
}

/// How often a game is won, drawn and lost, in thousandths: `wdl 300 500 200`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outlook {
    /// Won by whoever is to move.
    pub win: u16,
    /// Drawn.
    pub draw: u16,
    /// Lost.
    pub loss: u16,
}

/// How good a position is for whoever is to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Score {
    /// The number.
    pub value: ScoreValue,
    /// Whether the truth may lie on one side of it.
    pub bound: Bound,
}

/// A score as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreValue {
    /// In hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative if whoever is to move is mated.
    Mate(i32),
}

/// How a score stands to the truth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bound {
    /// It is what the search found.
    #[default]
    Exact,
    /// It is at least this: `lowerbound`.
    Lower,
    /// It is at most this: `upperbound`.
    Upper,
}

impl Score {
    /// Hundredths of a pawn.
    pub fn centipawns(value: i32) -> Score {
        Score { value: ScoreValue::Centipawns(value), bound: Bound::Exact }
    }

    /// Mate in so many moves.
    pub fn mate(moves: i32) -> Score {
        Score { value: ScoreValue::Mate(moves), bound: Bound::Exact }
    }

    /// At least this much.
    pub fn lower(self) -> Score {
        Score { bound: Bound::Lower, ..self }
    }

    /// At most this much.
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
    /// A report that is only a text.
    pub fn of_text(text: impl Into<String>) -> Report {
        Report { text: Some(text.into()), ..Report::default() }
    }

    /// Reads what stands after `info`.
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
                "wdl" => report.outlook = Some(Outlook::parse(words)?),
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
        // A null move looks like a number, but no processor has the number 0000.
        let is_move = words.peek().is_some_and(|word| read_move(word.text).is_some());
        let cpu = if is_move { None } else { words.amount().ok() };
        CurrentLine { cpu, moves: words.moves() }
    }
}

impl Outlook {
    fn parse(words: &mut Words<'_>) -> Result<Outlook, ParseUciError> {
        Ok(Outlook { win: words.amount()?, draw: words.amount()?, loss: words.amount()? })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        number(f, "depth", self.depth)?;
        number(f, "seldepth", self.selective_depth)?;
        number(f, "multipv", self.multi_pv)?;
        number(f, "score", self.score)?;
        number(f, "wdl", self.outlook)?;
        number(f, "nodes", self.nodes)?;
        number(f, "nps", self.nodes_per_second)?;
        number(f, "hashfull", self.hash_full)?;
        number(f, "tbhits", self.table_hits)?;
        number(f, "sbhits", self.shredder_hits)?;
        number(f, "cpuload", self.cpu_load)?;
        number(f, "time", self.time.map(|time| time.as_millis()))?;
        number(f, "currmove", self.current_move)?;
        number(f, "currmovenumber", self.current_move_number)?;
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

impl fmt::Display for Outlook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.win, self.draw, self.loss)
    }
}

fn number(f: &mut fmt::Formatter<'_>, key: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {key} {value}"))
}

fn moves(f: &mut fmt::Formatter<'_>, key: &str, moves: &[UciMove]) -> fmt::Result {
    if moves.is_empty() { Ok(()) } else { write!(f, " {key}{}", Moves(moves)) }
}
