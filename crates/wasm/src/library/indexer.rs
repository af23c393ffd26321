//! Turns the games of a block into rows of the index.

use castellan_pgn::{
    Block, CheckedGame, Classifier, Severity, Watcher, line_and_column, tag_value,
};
use castellan_rules::Position;

use super::fold::clean;
use super::index::{Date, Index, Row};

/// Maximum number of plies for which openings are looked up.
const NAMED_PLIES: usize = 40;

/// Adds the games of one block to the index.
pub(super) struct Indexer<'a> {
    index: &'a mut Index,
    block: &'a Block,
    lines: Lines<'a>,
    draft: Draft,
}

/// The data of the game being read.
#[derive(Default)]
struct Draft {
    white: String,
    black: String,
    date: Date,
    eco: String,
    opening: String,
    positions: usize,
    classifier: Classifier,
}

impl<'a> Indexer<'a> {
    pub(super) fn new(index: &'a mut Index, block: &'a Block) -> Indexer<'a> {
        let lines = Lines { bytes: &block.bytes, at: 0, line: block.line };
        Indexer { index, block, lines, draft: Draft::default() }
    }

    /// Returns the opening of the game: from its tags, or else from its positions.
    fn opening(draft: &Draft) -> String {
        let found = draft.classifier.opening();
        let said = |text: &str, found: Option<&'static str>| {
            if text.is_empty() { found.unwrap_or_default().to_owned() } else { text.to_owned() }
        };
        let eco = said(&draft.eco, found.map(|it| it.eco));
        let name = said(&draft.opening, found.map(|it| it.name));
        format!("{eco} {name}").trim().to_owned()
    }
}

impl Watcher for Indexer<'_> {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let draft = &mut self.draft;
        match name {
            b"White" => draft.white = clean(value),
            b"Black" => draft.black = clean(value),
            b"Date" => draft.date = Date::read(&tag_value(value)),
            b"UTCDate" if draft.date.year() == 0 => draft.date = Date::read(&tag_value(value)),
            b"ECO" => draft.eco = clean(value),
            b"Opening" => draft.opening = clean(value),
            _ => {}
        }
    }

    fn position(&mut self, position: &Position) {
        if self.draft.positions <= NAMED_PLIES && self.draft.opening.is_empty() {
            self.draft.classifier.follow(position);
        }
        self.draft.positions += 1;
    }

    fn game(&mut self, game: &CheckedGame<'_>) {
        let draft = std::mem::take(&mut self.draft);
        if self.index.is_full() || is_nothing(&draft, game) {
            return;
        }
        let mut broken = game.problems.iter();
        if let Some(problem) = broken.find(|problem| problem.kind.severity() == Severity::Broken) {
            let (line, column) = self.lines.place(problem.at);
            self.index.push_fault(line, column, &problem.token);
        }
        let row = Row {
            offset: self.block.offset + game.range.start as u64,
            length: u32::try_from(game.range.len()).unwrap_or(u32::MAX),
            white: self.index.players.id(&draft.white),
            black: self.index.players.id(&draft.black),
            opening: self.index.openings.id(&Indexer::opening(&draft)),
            date: draft.date,
            plies: u16::try_from(game.plies).unwrap_or(u16::MAX),
            result: game.result,
            is_broken: game.is_broken,
        };
        self.index.push(row);
    }
}

/// Returns `true` if there is nothing to list, as for a stray result or a comment.
fn is_nothing(draft: &Draft, game: &CheckedGame<'_>) -> bool {
    game.plies == 0 && draft.white.is_empty() && draft.black.is_empty() && !game.is_broken
}

/// Counts lines incrementally, so that a file in which every game is broken is not counted over
/// and over.
struct Lines<'a> {
    bytes: &'a [u8],
    /// Where the line `line` begins.
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// Returns the line and column of an offset in the block. Problems come in order, except for
    /// some that are noticed late; those are reported at the beginning of the last line counted,
    /// at the earliest.
    fn place(&mut self, at: usize) -> (u64, u64) {
        let at = at.clamp(self.at, self.bytes.len());
        let between = &self.bytes[self.at..at];
        if let Some(last) = between.iter().rposition(|&byte| byte == b'\n') {
            self.line += between[..=last].iter().filter(|&&byte| byte == b'\n').count() as u64;
            self.at += last + 1;
        }
        (self.line, line_and_column(&self.bytes[self.at..], at - self.at).1)
    }
}
