//! A visitor for tests that records every call as a line of text.

use std::ops::Range;

use crate::{Flow, GameResult, Problem, Visitor, read, text};

/// Reads a source and returns one line for each call of the visitor.
pub(crate) fn record(source: &[u8]) -> Vec<String> {
    let mut recorder = Recorder::default();
    read(source, &mut recorder);
    recorder.lines
}

/// Records every call. The reply to a call can be set by the beginning of its line.
#[derive(Default)]
pub(crate) struct Recorder {
    /// The recorded lines.
    pub(crate) lines: Vec<String>,
    /// Replies to calls whose line begins with the given text.
    pub(crate) answers: Vec<(&'static str, Flow)>,
    /// The offset to add to the positions; `None` to leave the positions out.
    pub(crate) offset: Option<u64>,
}

impl Recorder {
    fn write(&mut self, at: usize, line: String) -> Flow {
        let answer = self.answers.iter().find(|(start, _)| line.starts_with(start));
        let flow = answer.map_or(Flow::Continue, |&(_, flow)| flow);
        self.lines.push(match self.offset {
            Some(offset) => format!("{} {line}", offset + at as u64),
            None => line,
        });
        flow
    }
}

impl Visitor for Recorder {
    fn begin_game(&mut self, at: usize) -> Flow {
        self.write(at, "game".to_owned())
    }

    fn tag(&mut self, name: &[u8], value: &[u8], at: usize) -> Flow {
        self.write(at, format!("tag {}={}", text(name), text(value)))
    }

    fn begin_moves(&mut self, at: usize) -> Flow {
        self.write(at, "moves".to_owned())
    }

    fn move_number(&mut self, number: u32, at: usize) {
        self.write(at, format!("number {number}"));
    }

    fn mv(&mut self, mv: &[u8], at: usize) -> Flow {
        self.write(at, format!("mv {}", text(mv)))
    }

    fn nag(&mut self, nag: u8, at: usize) {
        self.write(at, format!("nag {nag}"));
    }

    fn comment(&mut self, comment: &[u8], at: usize) {
        self.write(at, format!("comment {}", text(comment)));
    }

    fn begin_variation(&mut self, at: usize) -> Flow {
        self.write(at, "(".to_owned())
    }

    fn end_variation(&mut self, at: usize) {
        self.write(at, ")".to_owned());
    }

    fn result(&mut self, result: GameResult, at: usize) {
        self.write(at, format!("result {result}"));
    }

    fn problem(&mut self, problem: Problem) {
        self.write(problem.at, format!("! {:?} {}", problem.kind, problem.token));
    }

    fn end_game(&mut self, range: Range<usize>) -> Flow {
        self.write(range.start, format!("end {}", range.len()))
    }
}
