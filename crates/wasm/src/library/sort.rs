//! The order of the list.
//!
//! Names are ranked once, and rows are then sorted by numbers: 64 bits for each row, the key in the
//! upper half and the number of the row in the lower half, which makes the order stable. Rows whose
//! value is not known come last in either direction.

use serde::Deserialize;

use super::fold::fold;
use super::index::{Index, Row};
use super::names::{NameId, Names};

/// The order of the list: by the values of a column.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(super) struct Sort {
    column: Column,
    is_descending: bool,
}

/// A column of the list.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(super) enum Column {
    Number,
    White,
    Black,
    WhiteElo,
    BlackElo,
    Result,
    Date,
    Event,
    Site,
    Round,
    Opening,
    Moves,
}

/// The key of rows whose value is not known, and one more than the largest other key.
const UNKNOWN: u32 = u32::MAX;

impl Sort {
    /// Sorts rows, given by their numbers.
    pub(super) fn apply(self, rows: &mut [u32], index: &Index) {
        let ranks = self.ranks(index);
        let mut keys: Vec<u64> = rows
            .iter()
            .map(|&at| {
                let key = index.row(at as usize).map_or(UNKNOWN, |row| self.key(row, at, &ranks));
                let is_reversed = self.is_descending && key != UNKNOWN;
                let key = if is_reversed { UNKNOWN - 1 - key } else { key };
                u64::from(key) << 32 | u64::from(at)
            })
            .collect();
        keys.sort_unstable();
        for (row, key) in rows.iter_mut().zip(keys) {
            *row = key as u32;
        }
    }

    /// Returns the rank of each name, if the column has names.
    fn ranks(self, index: &Index) -> Vec<u32> {
        match self.column {
            Column::White | Column::Black => ranks(&index.players, ""),
            Column::Opening => ranks(&index.openings, ""),
            Column::Event => ranks(&index.tags, "Event "),
            Column::Site => ranks(&index.tags, "Site "),
            Column::Round => ranks(&index.tags, "Round "),
            Column::Number
            | Column::WhiteElo
            | Column::BlackElo
            | Column::Result
            | Column::Date
            | Column::Moves => Vec::new(),
        }
    }

    fn key(self, row: &Row, at: u32, ranks: &[u32]) -> u32 {
        let rank = |name: NameId| ranks.get(name.index()).copied().unwrap_or(UNKNOWN);
        let known = |number: u32| if number == 0 { UNKNOWN } else { number };
        match self.column {
            Column::Number => at,
            Column::White => rank(row.white),
            Column::Black => rank(row.black),
            Column::WhiteElo => known(row.elos[0].into()),
            Column::BlackElo => known(row.elos[1].into()),
            Column::Result => match row.result.as_str() {
                "1-0" => 0,
                "1/2-1/2" => 1,
                "0-1" => 2,
                _ => UNKNOWN,
            },
            Column::Date => known(row.date.number()),
            Column::Event => rank(row.event),
            Column::Site => rank(row.site),
            Column::Round => rank(row.round),
            Column::Opening => rank(row.opening),
            Column::Moves => row.plies.into(),
        }
    }
}

/// Returns the rank of each name that begins with `prefix`; empty and other names are unknown.
fn ranks(names: &Names, prefix: &str) -> Vec<u32> {
    let own = |(at, text): (usize, &str)| {
        let text = text.strip_prefix(prefix).filter(|text| !text.is_empty())?;
        Some((natural_key(text), at))
    };
    let mut sorted: Vec<(String, usize)> = names.since(0).enumerate().filter_map(own).collect();
    sorted.sort_unstable();
    let mut ranks = vec![UNKNOWN; names.since(0).count()];
    let mut rank = 0;
    for (index, (text, at)) in sorted.iter().enumerate() {
        // Names that differ only in case and accents are equal.
        rank += u32::from(index > 0 && sorted[index - 1].0 != *text);
        ranks[*at] = rank;
    }
    ranks
}

/// Returns a text that sorts names in the order that people expect: without case and accents, and
/// with round 9 before round 10.
fn natural_key(text: &str) -> String {
    const DIGITS: usize = 9;
    let mut key = String::with_capacity(text.len() + DIGITS);
    let mut digits = String::new();
    let flush = |key: &mut String, digits: &mut String| {
        if !digits.is_empty() {
            key.extend(std::iter::repeat_n('0', DIGITS.saturating_sub(digits.len())));
            key.push_str(digits);
            digits.clear();
        }
    };
    for letter in fold(text).chars() {
        if letter.is_ascii_digit() {
            digits.push(letter);
        } else {
            flush(&mut key, &mut digits);
            key.push(letter);
        }
    }
    flush(&mut key, &mut digits);
    key
}
