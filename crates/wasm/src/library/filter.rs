//! The filter of the library, and the order of its list.
//!
//! Every name is compared once with every word, however many games it occurs in. Games that
//! arrive later are filtered as they arrive.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;

use super::fold::{fold, words};
use super::index::{Index, Row};
use super::names::{NameId, Names};
use super::search::{MaterialSearch, PositionSearch, fingerprint};
use super::sort::Sort;
use crate::error::ApiError;

/// Maximum number of words; each is one bit.
const MAX_WORDS: usize = 8;

/// A filter. All of its conditions must hold.
#[derive(Clone, Deserialize, Default)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Filter {
    /// Words that must each occur in the name of one of the players.
    player: String,
    /// Words that must each occur in the code or name of the opening.
    opening: String,
    /// Words that must each occur in the name or value of any other tag.
    tag: String,
    /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
    result: Option<String>,
    /// The first and the last year.
    years: Option<(u32, u32)>,
    /// Whether to show only games that could not be read to their end.
    is_broken: bool,
    /// Whether to leave out games that are in the file before, with the same players, date and moves.
    #[serde(default)]
    is_unique: bool,
    /// The position that a game must reach, as FEN.
    position: Option<String>,
    /// The material balance that a game must have, such as `KRP-KR`, with either color.
    material: Option<String>,
    /// The order of the list; `None` for that of the file.
    sort: Option<Sort>,
}

impl Filter {
    /// Returns `true` if the filter has no condition, so that every game passes.
    fn is_empty(&self) -> bool {
        let has_words = |text: &str| !words(text).is_empty();
        let is_narrow = self.result.is_some()
            || self.years.is_some()
            || self.is_broken
            || self.is_unique
            || self.position.is_some()
            || self.material.is_some();
        let texts = [&self.player, &self.opening, &self.tag];
        !is_narrow && !texts.into_iter().any(|text| has_words(text))
    }
}

/// The words of a filter, and which of them occur in each name.
struct Comparison {
    words: Vec<String>,
    /// For each name, one bit for each word that occurs in it.
    found: Vec<u8>,
}

impl Comparison {
    fn new(text: &str) -> Comparison {
        let mut words = words(text);
        words.truncate(MAX_WORDS);
        Comparison { words, found: Vec::new() }
    }

    /// Compares the names that have been added since the last call.
    fn catch_up(&mut self, names: &Names) {
        if self.words.is_empty() {
            return;
        }
        for name in names.since(self.found.len()) {
            let name = fold(name);
            let bit = |(at, word): (usize, &String)| u8::from(name.contains(word.as_str())) << at;
            self.found.push(self.words.iter().enumerate().map(bit).sum());
        }
    }

    /// Returns `true` if every word occurs in one of the names.
    fn fits(&self, names: &[NameId]) -> bool {
        let wanted = ((1_u16 << self.words.len()) - 1) as u8;
        let found = names.iter().filter_map(|name| self.found.get(name.index()));
        found.fold(0, |sum, bits| sum | bits) & wanted == wanted
    }
}

/// The result of applying a filter.
pub(super) struct FilteredList {
    filter: Filter,
    players: Comparison,
    openings: Comparison,
    tags: Comparison,
    position: Option<PositionSearch>,
    material: Option<MaterialSearch>,
    /// Numbers of the games so far, if copies are left out.
    games: HashSet<u64>,
    /// The rows that match, in the order of the list; `None` if the filter and the order are empty
    /// and every row matches.
    passed: Option<Vec<u32>>,
    /// The number of rows that have been filtered.
    seen: usize,
}

impl Default for FilteredList {
    fn default() -> FilteredList {
        FilteredList::with(Filter::default(), None, None)
    }
}

impl FilteredList {
    pub(super) fn new(filter: Filter) -> Result<FilteredList, ApiError> {
        let position = filter.position.as_deref().map(PositionSearch::parse).transpose()?;
        let material = filter.material.as_deref().map(MaterialSearch::parse).transpose()?;
        Ok(FilteredList::with(filter, position, material))
    }

    fn with(
        filter: Filter,
        position: Option<PositionSearch>,
        material: Option<MaterialSearch>,
    ) -> FilteredList {
        FilteredList {
            players: Comparison::new(&filter.player),
            openings: Comparison::new(&filter.opening),
            tags: Comparison::new(&filter.tag),
            position,
            material,
            games: HashSet::new(),
            passed: (!filter.is_empty() || filter.sort.is_some()).then(Vec::new),
            seen: 0,
            filter,
        }
    }

    /// Filters the rows that have been added since the last call.
    pub(super) fn catch_up(&mut self, index: &Index) {
        let Some(mut passed) = self.passed.take() else { return };
        self.players.catch_up(&index.players);
        self.openings.catch_up(&index.openings);
        self.tags.catch_up(&index.tags);
        for at in self.seen..index.len() {
            if let (true, Ok(at)) = (self.is_wanted(at, index), u32::try_from(at)) {
                passed.push(at);
            }
        }
        self.seen = index.len();
        self.passed = Some(passed);
    }

    /// Puts the rows in order. Rows that arrive later come after them until this is called again.
    pub(super) fn sort(&mut self, index: &Index) {
        if let (Some(sort), Some(passed)) = (self.filter.sort, &mut self.passed) {
            sort.apply(passed, index);
        }
    }

    /// Returns `true` if a game matches. The conditions on its moves are checked last, because they
    /// take longest.
    fn is_wanted(&mut self, at: usize, index: &Index) -> bool {
        let Some(row) = index.row(at) else { return false };
        self.fits(row, index.tags_of(at))
            && (!self.filter.is_unique || self.is_new(row, at, index))
            && self.material.as_ref().is_none_or(|material| {
                index.moves_of(at).is_some_and(|moves| material.occurs(moves))
            })
            && self.position.as_mut().is_none_or(|position| position.visit(at, index.moves_of(at)))
    }

    /// Returns `true` if there was no copy of a game before. A game whose moves are not kept has
    /// none.
    fn is_new(&mut self, row: &Row, at: usize, index: &Index) -> bool {
        let moves = index.moves_of(at).map(fingerprint);
        let key = (row.white.index(), row.black.index(), row.date.number(), moves);
        moves.is_none() || self.games.insert(hash_of(&key))
    }

    /// Returns the position that is searched for.
    pub(super) fn position(&self) -> Option<&PositionSearch> {
        self.position.as_ref()
    }

    fn fits(&self, row: &Row, tags: &[NameId]) -> bool {
        let Filter { result, years, is_broken, .. } = &self.filter;
        let year = row.date.year();
        result.as_deref().is_none_or(|result| result == row.result.as_str())
            && years.is_none_or(|(first, last)| (first..=last).contains(&year))
            && (!is_broken || row.is_broken)
            && self.players.fits(&[row.white, row.black])
            && self.openings.fits(&[row.opening])
            && self.tags.fits(tags)
    }

    /// Returns the number of rows that match.
    pub(super) fn len(&self, index: &Index) -> usize {
        self.passed.as_ref().map_or(index.len(), Vec::len)
    }

    /// Returns the row at a position of the filtered list.
    pub(super) fn row(&self, at: usize, index: &Index) -> Option<usize> {
        match &self.passed {
            Some(passed) => passed.get(at).map(|&row| row as usize),
            None => (at < index.len()).then_some(at),
        }
    }
}

fn hash_of(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
