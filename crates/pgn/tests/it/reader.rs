//! Runs the reader on whole files and checks the order of its calls.

use std::ops::Range;

use castellan_pgn::{Flow, GameResult, Problem, ProblemKind, Visitor, read};
use proptest::prelude::*;

/// Records the ranges of games and asserts that the calls come in a valid order.
#[derive(Default)]
struct Games {
    ranges: Vec<Range<usize>>,
    problems: Vec<Problem>,
    skip: bool,
    depth: usize,
    is_in_game: bool,
}

impl Visitor for Games {
    fn begin_game(&mut self, _at: usize) -> Flow {
        assert!(!self.is_in_game);
        self.is_in_game = true;
        if self.skip { Flow::Skip } else { Flow::Continue }
    }

    fn tag(&mut self, _name: &[u8], _value: &[u8], _at: usize) -> Flow {
        assert!(self.is_in_game && self.depth == 0);
        Flow::Continue
    }

    fn begin_moves(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }

    fn move_number(&mut self, _number: u32, _at: usize) {}

    fn mv(&mut self, text: &[u8], _at: usize) -> Flow {
        assert!(!text.is_empty());
        Flow::Continue
    }

    fn nag(&mut self, _nag: u8, _at: usize) {}

    fn comment(&mut self, _text: &[u8], _at: usize) {}

    fn begin_variation(&mut self, _at: usize) -> Flow {
        self.depth += 1;
        Flow::Continue
    }

    fn end_variation(&mut self, _at: usize) {
        self.depth = self.depth.checked_sub(1).expect("it was begun");
    }

    fn result(&mut self, _result: GameResult, _at: usize) {
        assert_eq!(self.depth, 0);
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn end_game(&mut self, range: Range<usize>) -> Flow {
        assert!(self.is_in_game && self.depth == 0);
        self.is_in_game = false;
        self.ranges.push(range);
        Flow::Continue
    }
}

fn games(source: &[u8], skip: bool) -> Games {
    let mut games = Games { skip, ..Games::default() };
    read(source, &mut games);
    games
}

#[test]
fn a_broken_game_does_not_spoil_the_next() {
    let source = b"[Event \"a\"]\n\n1. e4 ((( {\n\n[Event \"b\"]\n\n1. d4 *\n";
    let games = games(source, false);
    assert_eq!(games.ranges.len(), 2);
    assert_eq!(games.ranges[1], 26..source.len() - 1);
    let kinds: Vec<&ProblemKind> = games.problems.iter().map(|problem| &problem.kind).collect();
    assert!(kinds.contains(&&ProblemKind::VariationWithoutMove), "{kinds:?}");
    assert!(kinds.contains(&&ProblemKind::UnfinishedVariation), "{kinds:?}");
}

proptest! {
    /// For any input, calls are balanced, ranges are in order, and skipping finds the same games.
    #[test]
    fn any_text_is_read(parts in prop::collection::vec(prop::sample::select(PARTS), 0..60)) {
        let source = parts.concat();
        let read_all = games(source.as_bytes(), false);
        let mut end = 0;
        for range in &read_all.ranges {
            prop_assert!(end <= range.start && range.start < range.end);
            end = range.end;
        }
        prop_assert!(end <= source.len());
        let skipped = games(source.as_bytes(), true);
        prop_assert_eq!(skipped.ranges, read_all.ranges, "{}", source);
    }

    #[test]
    fn any_bytes_are_read(source in prop::collection::vec(any::<u8>(), 0..200)) {
        let read_all = games(&source, false);
        prop_assert_eq!(games(&source, true).ranges, read_all.ranges);
    }
}

const PARTS: &[&str] = &[
    "[Event \"a\"]",
    "[Site \"b",
    "[x]",
    "[",
    "]",
    "\n",
    "\n",
    "\n",
    "\r\n",
    " ",
    " ",
    "\t",
    "% x",
    "{",
    "}",
    "(",
    ")",
    ";",
    "1.",
    "2.",
    "12...",
    "1",
    "e4",
    "Nf3",
    "O-O",
    "0-0",
    "e8(Q)",
    "1-0",
    "0-1",
    "1/2",
    "1/2-1/2",
    "*",
    "1:0",
    "½-½",
    "$1",
    "!?",
    "N",
    "=",
    "--",
    "e.p.",
    "♘f3",
    "\u{feff}",
    "…",
    "x",
    "-",
    "\"",
];
