//! Repairs of the placement field.

use std::collections::BTreeSet;

use super::Patient;
use super::edit::Edit;
use crate::reading::{Row, Span, byte_of_column, figurine, rows};
use crate::{Field, Finding};

/// How far the number of ranks may be off. More is not a typo any more, and trying all ways would
/// take long.
const MOST_RANKS_OFF: usize = 2;

/// Returns the rank that a finding points into, and where it begins in the text.
fn row_of<'a>(patient: &Patient<'a>, finding: &Finding) -> Option<(Row<'a>, usize)> {
    let start = patient.fields.span(Field::Placement)?.start;
    let at = byte_of_column(patient.text, finding.column).checked_sub(start)?;
    let row =
        rows(patient.fields.get(Field::Placement)).find(|row| at <= row.at + row.text.len())?;
    Some((row, start + row.at))
}

/// Creates a candidate that replaces the text of a rank.
fn reading(row: Row<'_>, at: usize, text: impl Into<String>) -> Vec<Edit> {
    vec![Edit::replace(Span { start: at, end: at + row.text.len() }, text)]
}

/// Removes characters without a meaning if the rank is complete without them, and replaces
/// figurines by letters.
pub(super) fn without_bad_letters(patient: &Patient<'_>, finding: &Finding) -> Vec<Vec<Edit>> {
    let Some((row, at)) = row_of(patient, finding) else { return Vec::new() };
    if row.is_digits() {
        return vec![reading(row, at, "8")];
    }
    let start = byte_of_column(patient.text, finding.column).saturating_sub(at);
    let Some((before, from)) = row.text.split_at_checked(start) else { return Vec::new() };
    let is_bad =
        |c: char| castellan_rules::Piece::from_letter(c).is_none() && !matches!(c, '1'..='8');
    let after = from.trim_start_matches(is_bad);
    let bad = &from[..from.len() - after.len()];
    let letters: String =
        bad.chars().filter_map(figurine).map(castellan_rules::Piece::letter).collect();
    let mut ways = vec![reading(row, at, format!("{before}{letters}{after}"))];
    // Without a figurine, it is unknown which piece an unknown character stands for.
    ways.retain(|_| letters.chars().count() == bad.chars().count() || row.width(0) == 8);
    ways
}

/// Replaces consecutive digits by their sum.
pub(super) fn with_one_digit(patient: &Patient<'_>, finding: &Finding) -> Vec<Vec<Edit>> {
    let Some((row, at)) = row_of(patient, finding) else { return Vec::new() };
    let second = byte_of_column(patient.text, finding.column).saturating_sub(at);
    let is_digit = |c: char| c.is_ascii_digit();
    let Some((before, from)) = row.text.split_at_checked(second.saturating_sub(1)) else {
        return Vec::new();
    };
    let after = from.trim_start_matches(is_digit);
    let sum: u32 = from[..from.len() - after.len()].chars().filter_map(|c| c.to_digit(10)).sum();
    if sum > 8 {
        return Vec::new();
    }
    vec![reading(row, at, format!("{before}{sum}{after}"))]
}

/// Makes a rank eight squares long if there is one obvious way: a rank without pieces becomes
/// empty, a single digit is corrected, and a rank without digits that is too short gets the digit
/// that was forgotten at its end.
pub(super) fn with_eight_squares(patient: &Patient<'_>, finding: &Finding) -> Vec<Vec<Edit>> {
    let Some((row, at)) = row_of(patient, finding) else { return Vec::new() };
    let width = row.width(1);
    if row.is_digits() || row.text.is_empty() {
        return vec![reading(row, at, "8")];
    }
    let mut digits = row.text.char_indices().filter(|(_, c)| c.is_ascii_digit());
    let changed = match (digits.next(), digits.next()) {
        (None, _) if width < 8 => Some(format!("{}{}", row.text, 8 - width)),
        (Some((place, digit)), None) => {
            let empty = digit.to_digit(10).unwrap_or(0) as usize;
            // Corrects the number of empty squares by what is missing or too much.
            let right = (empty + 8).checked_sub(width);
            let shown =
                right.map(|right| if right == 0 { String::new() } else { right.to_string() });
            shown.map(|digit| format!("{}{digit}{}", &row.text[..place], &row.text[place + 1..]))
        }
        _ => None,
    };
    changed.map(|text| reading(row, at, text)).into_iter().collect()
}

/// Inserts or removes empty ranks until there are eight.
pub(super) fn with_eight_ranks(patient: &Patient<'_>) -> Vec<Vec<Edit>> {
    let Some(span) = patient.fields.span(Field::Placement) else { return Vec::new() };
    let ranks: Vec<&str> = rows(span.of(patient.text)).map(|row| row.text).collect();
    if ranks.len().abs_diff(8) > MOST_RANKS_OFF {
        return Vec::new();
    }
    let mut boards = BTreeSet::from([ranks]);
    while boards.iter().any(|ranks| ranks.len() != 8) {
        boards = boards.iter().flat_map(|ranks| one_nearer(ranks)).collect();
    }
    let way = |ranks: &Vec<&str>| vec![Edit::replace(span, ranks.join("/"))];
    boards.iter().map(way).collect()
}

/// Returns the boards with one rank more or fewer, whichever is closer to eight.
fn one_nearer<'a>(ranks: &[&'a str]) -> Vec<Vec<&'a str>> {
    let without = |index: usize| {
        let mut fewer = ranks.to_vec();
        fewer.remove(index);
        fewer
    };
    if ranks.len() < 8 {
        let with = |index: usize| [&ranks[..index], &["8"], &ranks[index..]].concat();
        return (0..=ranks.len()).map(with).collect();
    }
    // An extra slash leaves an empty string.
    let wanted = if ranks.contains(&"") { "" } else { "8" };
    (0..ranks.len()).filter(|&index| ranks[index] == wanted).map(without).collect()
}
