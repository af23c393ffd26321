//! The filter of the library.
//!
//! Every name is compared once with every word, however many games it occurs in. Games that
//! arrive later are filtered as they arrive.

use serde::Deserialize;

use super::fold::{fold, words};
use super::index::{Index, Row};
use super::names::Names;

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
    /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
    result: Option<String>,
    /// The first and the last year.
    years: Option<(u32, u32)>,
    /// Whether to show only games that could not be read to their end.
    is_broken: bool,
}

impl Filter {
    /// Returns `true` if the filter has no condition, so that every game passes.
    fn is_empty(&self) -> bool {
        let has_words = |text: &str| !words(text).is_empty();
        let is_narrow = self.result.is_some() || self.years.is_some() || self.is_broken;
        !is_narrow && !has_words(&self.player) && !has_words(&self.opening)
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
    fn fits(&self, names: &[usize]) -> bool {
        let wanted = ((1_u16 << self.words.len()) - 1) as u8;
        let found = names.iter().filter_map(|&name| self.found.get(name));
        found.fold(0, |sum, bits| sum | bits) & wanted == wanted
    }
}

/// The result of applying a filter.
pub(super) struct FilteredList {
    filter: Filter,
    players: Comparison,
    openings: Comparison,
    /// The rows that match; `None` if the filter is empty and every row does.
    passed: Option<Vec<u32>>,
    /// The number of rows that have been filtered.
    seen: usize,
}

impl Default for FilteredList {
    fn default() -> FilteredList {
        FilteredList::new(Filter::default())
    }
}

impl FilteredList {
    pub(super) fn new(filter: Filter) -> FilteredList {
        FilteredList {
            players: Comparison::new(&filter.player),
            openings: Comparison::new(&filter.opening),
            passed: (!filter.is_empty()).then(Vec::new),
            seen: 0,
            filter,
        }
    }

    /// Filters the rows that have been added since the last call.
    pub(super) fn catch_up(&mut self, index: &Index) {
        let Some(mut passed) = self.passed.take() else { return };
        self.players.catch_up(&index.players);
        self.openings.catch_up(&index.openings);
        let new =
            (self.seen..index.len()).filter(|&at| index.row(at).is_some_and(|it| self.fits(it)));
        passed.extend(new.filter_map(|at| u32::try_from(at).ok()));
        self.seen = index.len();
        self.passed = Some(passed);
    }

    fn fits(&self, row: &Row) -> bool {
        let Filter { result, years, is_broken, .. } = &self.filter;
        let year = row.date.year();
        result.as_deref().is_none_or(|result| result == row.result.as_str())
            && years.is_none_or(|(first, last)| (first..=last).contains(&year))
            && (!is_broken || row.is_broken)
            && self.players.fits(&[row.white.index(), row.black.index()])
            && self.openings.fits(&[row.opening.index()])
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
