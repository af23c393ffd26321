//! Turns the games of a block into rows of the index.

use castellan_pgn::{
    Block, CheckedGame, Classifier, LineIndex, Played, Severity, Watcher, tag_value,
};
use castellan_rules::Position;

use super::fold::{clean, without_path};
use super::index::{Date, Index, Row};
use super::moves::MovesAt;
use super::names::NameId;
use super::replay::{PackedMove, Replay};

/// Maximum number of plies for which openings are looked up.
const NAMED_PLIES: usize = 40;

/// Adds the games of one block to the index.
pub(super) struct Indexer<'a> {
    index: &'a mut Index,
    block: &'a Block,
    lines: LineIndex<'a>,
    draft: Draft,
    /// The moves of the game being read. The vector is kept for the next game.
    moves: Vec<PackedMove>,
}

/// The data of the game being read.
#[derive(Default)]
struct Draft {
    white: String,
    black: String,
    date: Date,
    eco: String,
    opening: String,
    tags: Vec<NameId>,
    event: Option<NameId>,
    site: Option<NameId>,
    round: Option<NameId>,
    elos: [u16; 2],
    positions: usize,
    /// Whether the game says where it starts.
    has_start: bool,
    /// The board at the start, if it is not the usual one.
    start: Option<Replay>,
    classifier: Classifier,
}

impl<'a> Indexer<'a> {
    pub(super) fn new(index: &'a mut Index, block: &'a Block) -> Indexer<'a> {
        let lines = LineIndex::new(block);
        Indexer { index, block, lines, draft: Draft::default(), moves: Vec::new() }
    }

    /// Keeps a tag that has no filter of its own.
    fn other_tag(&mut self, name: &[u8], value: &[u8]) {
        let (name, value) = (clean(name), clean(value));
        if value.is_empty() {
            return;
        }
        let tag = self.index.tags.id(&format!("{name} {}", without_path(&value)));
        let draft = &mut self.draft;
        draft.tags.push(tag);
        match name.as_str() {
            "Event" => draft.event = Some(tag),
            // Studies name their chapters.
            "ChapterName" => draft.event = draft.event.or(Some(tag)),
            "Site" => draft.site = Some(tag),
            "Round" => draft.round = Some(tag),
            "WhiteElo" => draft.elos[0] = value.parse().unwrap_or(0),
            "BlackElo" => draft.elos[1] = value.parse().unwrap_or(0),
            _ => {}
        }
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
            b"FEN" => draft.has_start = true,
            b"Result" | b"SetUp" => {}
            _ => self.other_tag(name, value),
        }
    }

    fn position(&mut self, position: &Position) {
        if self.draft.positions <= NAMED_PLIES && self.draft.opening.is_empty() {
            self.draft.classifier.follow(position);
        }
        if self.draft.positions == 0 && self.draft.has_start {
            self.draft.start = Some(Replay::new(position));
        }
        self.draft.positions += 1;
    }

    fn played(&mut self, played: Played, after: &Position) {
        self.moves.push(PackedMove::new(played, after));
    }

    fn game(&mut self, game: &CheckedGame<'_>) {
        let draft = std::mem::take(&mut self.draft);
        let moves = std::mem::take(&mut self.moves);
        self.add(game, &draft, &moves);
        self.moves = moves;
        self.moves.clear();
    }
}

impl Indexer<'_> {
    /// Adds the game that has been read to the index.
    fn add(&mut self, game: &CheckedGame<'_>, draft: &Draft, moves: &[PackedMove]) {
        if self.index.is_full() || is_nothing(draft, game) {
            return;
        }
        let mut broken = game.problems.iter();
        if let Some(problem) = broken.find(|problem| problem.kind.severity() == Severity::Broken) {
            let (line, column) = self.lines.find(problem.at);
            self.index.push_fault(line, column, &problem.token);
        }
        let none = self.index.tags.id("");
        let row = Row {
            offset: self.block.offset + game.range.start as u64,
            length: u32::try_from(game.range.len()).unwrap_or(u32::MAX),
            white: self.index.players.id(&draft.white),
            black: self.index.players.id(&draft.black),
            opening: self.index.openings.id(&Indexer::opening(draft)),
            event: draft.event.unwrap_or(none),
            site: draft.site.unwrap_or(none),
            round: draft.round.unwrap_or(none),
            tags_at: 0,
            moves_at: MovesAt::NOWHERE,
            elos: draft.elos,
            date: draft.date,
            plies: u16::try_from(game.plies).unwrap_or(u16::MAX),
            result: game.result,
            is_broken: game.is_broken,
        };
        self.index.push(row, &draft.tags, draft.start.as_ref(), moves);
    }
}

/// Returns `true` if there is nothing to list, as for a stray result or a comment.
fn is_nothing(draft: &Draft, game: &CheckedGame<'_>) -> bool {
    let is_nameless = draft.white.is_empty() && draft.black.is_empty() && draft.event.is_none();
    game.plies == 0 && is_nameless && !game.is_broken
}
