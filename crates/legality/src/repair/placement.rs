//! Repairs of the placement field.

use std::collections::BTreeSet;

use super::RepairContext;
use super::edit::Edit;
use crate::reading::{RankText, Span, byte_of_column, figurine, rank_texts};
use crate::{Field, Finding};

/// How far the number of ranks may be off. More is not a typo any more, and trying all candidates
/// would take long.
const MAX_RANKS_OFF: usize = 2;

/// Returns the rank that a finding points into, and where it begins in the text.
fn row_of<'a>(context: &RepairContext<'a>, finding: &Finding) -> Option<(RankText<'a>, usize)> {
    let start = context.fields.span(Field::Placement)?.start;
    let at = byte_of_column(context.text, finding.column).checked_sub(start)?;
    let rank_text = rank_texts(context.fields.get(Field::Placement))
        .find(|rank_text| at <= rank_text.at + rank_text.text.len())?;
    Some((rank_text, start + rank_text.at))
}

/// Creates a candidate that replaces the text of a rank.
fn reading(rank_text: RankText<'_>, at: usize, text: impl Into<String>) -> Vec<Edit> {
    vec![Edit::replace(Span { start: at, end: at + rank_text.text.len() }, text)]
}

/// Removes characters without a meaning if the rank is complete without them, and replaces
/// figurines by letters.
pub(super) fn without_bad_letters(
    context: &RepairContext<'_>,
    finding: &Finding,
) -> Vec<Vec<Edit>> {
    let Some((rank_text, at)) = row_of(context, finding) else { return Vec::new() };
    if rank_text.is_digits() {
        return vec![reading(rank_text, at, "8")];
    }
    let start = byte_of_column(context.text, finding.column).saturating_sub(at);
    let Some((before, from)) = rank_text.text.split_at_checked(start) else { return Vec::new() };
    let is_bad =
        |c: char| castellan_rules::Piece::from_letter(c).is_none() && !matches!(c, '1'..='8');
    let after = from.trim_start_matches(is_bad);
    let bad = &from[..from.len() - after.len()];
    let letters: String =
        bad.chars().filter_map(figurine).map(castellan_rules::Piece::letter).collect();
    let mut candidates = vec![reading(rank_text, at, format!("{before}{letters}{after}"))];
    // Without a figurine, it is unknown which piece an unknown character stands for.
    candidates
        .retain(|_| letters.chars().count() == bad.chars().count() || rank_text.width(0) == 8);
    candidates
}

/// Replaces consecutive digits by their sum.
pub(super) fn with_one_digit(context: &RepairContext<'_>, finding: &Finding) -> Vec<Vec<Edit>> {
    let Some((rank_text, at)) = row_of(context, finding) else { return Vec::new() };
    let second = byte_of_column(context.text, finding.column).saturating_sub(at);
    let is_digit = |c: char| c.is_ascii_digit();
    let Some((before, from)) = rank_text.text.split_at_checked(second.saturating_sub(1)) else {
        return Vec::new();
    };
    let after = from.trim_start_matches(is_digit);
    let sum: u32 = from[..from.len() - after.len()].chars().filter_map(|c| c.to_digit(10)).sum();
    if sum > 8 {
        return Vec::new();
    }
    vec![reading(rank_text, at, format!("{before}{sum}{after}"))]
}

/// Makes a rank eight squares long if there is one obvious way: a rank without pieces becomes
/// empty, a single digit is corrected, and a rank without digits that is too short gets the digit
/// that was forgotten at its end.
pub(super) fn with_eight_squares(context: &RepairContext<'_>, finding: &Finding) -> Vec<Vec<Edit>> {
    let Some((rank_text, at)) = row_of(context, finding) else { return Vec::new() };
    let width = rank_text.width(1);
    if rank_text.is_digits() || rank_text.text.is_empty() {
        return vec![reading(rank_text, at, "8")];
    }
    let mut digits = rank_text.text.char_indices().filter(|(_, c)| c.is_ascii_digit());
    let changed = match (digits.next(), digits.next()) {
        (None, _) if width < 8 => Some(format!("{}{}", rank_text.text, 8 - width)),
        (Some((place, digit)), None) => {
            let empty = digit.to_digit(10).unwrap_or(0) as usize;
            // Corrects the number of empty squares by what is missing or too much.
            let right = (empty + 8).checked_sub(width);
            let shown =
                right.map(|right| if right == 0 { String::new() } else { right.to_string() });
            shown.map(|digit| {
                format!("{}{digit}{}", &rank_text.text[..place], &rank_text.text[place + 1..])
            })
        }
        _ => None,
    };
    changed.map(|text| reading(rank_text, at, text)).into_iter().collect()
}

/// Inserts or removes empty ranks until there are eight.
pub(super) fn with_eight_ranks(context: &RepairContext<'_>) -> Vec<Vec<Edit>> {
    let Some(span) = context.fields.span(Field::Placement) else { return Vec::new() };
    let ranks: Vec<&str> =
        rank_texts(span.of(context.text)).map(|rank_text| rank_text.text).collect();
    if ranks.len().abs_diff(8) > MAX_RANKS_OFF {
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
