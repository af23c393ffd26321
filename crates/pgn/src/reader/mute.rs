//! A visitor that wants everything and does nothing with it.

use std::ops::Range;

use crate::{Flow, GameResult, Problem, Visitor};

/// Lets the reader find the end of a game that the caller skips.
pub(super) struct Mute;

impl Visitor for Mute {
    fn begin_game(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }

    fn tag(&mut self, _name: &[u8], _value: &[u8], _at: usize) -> Flow {
        Flow::Continue
    }

    fn begin_moves(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }

    fn move_number(&mut self, _number: u32, _at: usize) {}

    fn mv(&mut self, _text: &[u8], _at: usize) -> Flow {
        Flow::Continue
    }

    fn nag(&mut self, _nag: u8, _at: usize) {}

    fn comment(&mut self, _text: &[u8], _at: usize) {}

    fn begin_variation(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }

    fn end_variation(&mut self, _at: usize) {}

    fn result(&mut self, _result: GameResult, _at: usize) {}

    fn problem(&mut self, _problem: Problem) {}

    fn end_game(&mut self, _range: Range<usize>) -> Flow {
        Flow::Continue
    }
}
