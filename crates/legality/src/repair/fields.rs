//! Repairs of the fields after the placement, and of the fields as a whole.

use castellan_rules::{Color, File, Rank, Square};

use super::edit::Edit;
use super::{Candidates, RepairContext};
use crate::reading::{Span, byte_of_column, is_in_usual_order, is_no_letter, rook_of_letter};
use crate::{Code, Field, Finding, Value};

/// How many values of a clock are tried in search of one that fits.
const MAX_TRIES: u32 = 200;

/// Returns the candidate changes for everything but the placement.
pub(super) fn candidates(context: &RepairContext<'_>, finding: &Finding) -> Candidates {
    match finding.code {
        Code::ExtraSpace => Candidates::First(with_one_space(context, finding)),
        Code::MissingField => Candidates::Best(with_all_fields(context)),
        Code::TrailingText => Candidates::First(without_rest(context)),
        Code::BadTurn => Candidates::Best(with_good_turn(context)),
        Code::OpponentInCheck | Code::BlackAtMoveOne | Code::Parity => {
            Candidates::First(with_other_turn(context))
        }
        _ => match finding.code.field() {
            Field::Castling => Candidates::First(castling_ways(context, finding)),
            Field::EnPassant => Candidates::First(en_passant_ways(context)),
            Field::HalfmoveClock | Field::FullmoveNumber => number_ways(context, finding),
            Field::Placement | Field::Turn => Candidates::First(Vec::new()),
        },
    }
}

/// Creates a candidate that replaces the text of a field.
fn saying(context: &RepairContext<'_>, field: Field, word: impl Into<String>) -> Vec<Edit> {
    context.fields.span(field).map(|span| Edit::replace(span, word)).into_iter().collect()
}

fn with_one_space(context: &RepairContext<'_>, finding: &Finding) -> Vec<Vec<Edit>> {
    let at = byte_of_column(context.text, finding.column);
    let gap = context.fields.odd_gaps().find(|(gap, _)| gap.start == at);
    gap.map(|(gap, wanted)| vec![Edit::replace(gap, wanted)]).into_iter().collect()
}

/// Inserts default values for the missing fields. Both sides to move are tried, since the board
/// may decide.
fn with_all_fields(context: &RepairContext<'_>) -> Vec<Vec<Edit>> {
    let edits = |turn: &str| {
        let edit = |field| {
            let word = match field {
                Field::Turn => turn,
                Field::HalfmoveClock => "0",
                Field::FullmoveNumber => "1",
                _ => "-",
            };
            let at = context.fields.place_of_missing(field);
            let is_last = at == context.fields.end();
            Edit::insert(at, if is_last { format!(" {word}") } else { format!("{word} ") })
        };
        context.fields.missing().map(edit).collect()
    };
    vec![edits("w"), edits("b")]
}

fn without_rest(context: &RepairContext<'_>) -> Vec<Vec<Edit>> {
    let start = context.fields.end();
    let edit = |rest: Span| vec![Edit::delete(Span { start, end: rest.end })];
    context.fields.rest.map(edit).into_iter().collect()
}

/// Follows the first letter of the field if it is w or b; otherwise tries both.
fn with_good_turn(context: &RepairContext<'_>) -> Vec<Vec<Edit>> {
    let word = context.fields.get(Field::Turn);
    let turns: &[&str] = match word.chars().next().map(|c| c.to_ascii_lowercase()) {
        Some('w') => &["w"],
        Some('b') => &["b"],
        _ => &["w", "b"],
    };
    turns.iter().map(|turn| saying(context, Field::Turn, *turn)).collect()
}

fn with_other_turn(context: &RepairContext<'_>) -> Vec<Vec<Edit>> {
    let turn = context.setup.map(|setup| setup.turn.fold("b", "w"));
    turn.map(|turn| saying(context, Field::Turn, turn)).into_iter().collect()
}

fn en_passant_ways(context: &RepairContext<'_>) -> Vec<Vec<Edit>> {
    let word = context.fields.get(Field::EnPassant).to_ascii_lowercase();
    [word.as_str(), "-"].map(|word| saying(context, Field::EnPassant, word)).into()
}

fn castling_ways(context: &RepairContext<'_>, finding: &Finding) -> Vec<Vec<Edit>> {
    let word = context.fields.get(Field::Castling);
    let Some(span) = context.fields.span(Field::Castling) else { return Vec::new() };
    let at = byte_of_column(context.text, finding.column).saturating_sub(span.start);
    let words = match finding.code {
        Code::CastlingOrder => vec![in_usual_order(word)],
        Code::CastlingLostEarly => with_rights(context, finding, word),
        Code::BadCastling => vec![without_bytes(word, at, |c| c != '-' && is_no_letter(c))],
        Code::RepeatedCastling | Code::CastlingDash => {
            let mut is_first = true;
            vec![without_bytes(word, at, |_| std::mem::take(&mut is_first))]
        }
        Code::CastlingDifferentFiles => without_unusual(context, word),
        Code::CastlingWithoutKing | Code::CastlingKingElsewhere | Code::CastlingKingInCorner => {
            vec![without_side(finding, word), String::new()]
        }
        _ => vec![without_rooks(context, finding, word), String::new()],
    };
    let some = |word: String| if word.is_empty() { "-".into() } else { word };
    words.into_iter().map(|word| saying(context, Field::Castling, some(word))).collect()
}

/// Returns the word with the run of characters that `is_to_go` accepts removed, starting at a
/// byte offset.
fn without_bytes(word: &str, at: usize, is_to_go: impl FnMut(char) -> bool) -> String {
    let (before, after) = word.split_at_checked(at).unwrap_or((word, ""));
    let kept = after.trim_start_matches(is_to_go);
    format!("{before}{kept}")
}

/// Returns the word without the letters that mean one of the squares of a finding.
fn without_rooks(context: &RepairContext<'_>, finding: &Finding, word: &str) -> String {
    let is_meant = |c: char| {
        let rook =
            context.setup.and_then(|setup| rook_of_letter(&setup.pieces, c, context.letters));
        rook.is_some_and(|rook| finding.squares.contains(rook))
    };
    word.chars().filter(|&c| !is_meant(c)).collect()
}

/// Returns the word without the letters of the side that a finding is about.
fn without_side(finding: &Finding, word: &str) -> String {
    let is_meant = |c: char| match finding.values.first() {
        Some(Value::Color(color)) => color.fold(c.is_ascii_uppercase(), c.is_ascii_lowercase()),
        _ => false,
    };
    word.chars().filter(|&c| !is_meant(c)).collect()
}

/// Returns the word without the rights of the side whose king is not on the e-file. Returns
/// nothing if that holds for neither side or for both.
fn without_unusual(context: &RepairContext<'_>, word: &str) -> Vec<String> {
    let is_usual = |color: Color| {
        let king = Square::new(File::E, Rank::First.relative_to(color));
        let kings = context.setup.map(|setup| setup.pieces.role(castellan_rules::Role::King));
        kings.is_some_and(|kings| kings.contains(king))
    };
    let of = |is_white: bool| word.chars().filter(|c| c.is_ascii_uppercase() == is_white).collect();
    match Color::ALL.map(is_usual) {
        [true, false] => vec![of(true)],
        [false, true] => vec![of(false)],
        _ => Vec::new(),
    }
}

/// Returns the word with castling rights added for the rooks of a finding.
fn with_rights(context: &RepairContext<'_>, finding: &Finding, word: &str) -> Vec<String> {
    let Some(setup) = context.setup else { return Vec::new() };
    let is_meant = |c: &char| {
        let rook = rook_of_letter(&setup.pieces, *c, context.letters);
        rook.is_some_and(|rook| finding.squares.contains(rook))
    };
    let added = "KQkq".chars().filter(|c| is_meant(c) && !word.contains(*c));
    let letters: String = word.chars().filter(|&c| c != '-').chain(added).collect();
    vec![in_usual_order(&letters)]
}

/// Returns the letters in the usual order.
fn in_usual_order(word: &str) -> String {
    if is_in_usual_order(word) {
        return word.into();
    }
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_by_key(|c| match c {
        'K' => 0,
        'A'..='H' => 1,
        'Q' => 2,
        'k' => 3,
        'a'..='h' => 4,
        _ => 5,
    });
    letters.into_iter().collect()
}

fn number_ways(context: &RepairContext<'_>, finding: &Finding) -> Candidates {
    let (half, full) = (Field::HalfmoveClock, Field::FullmoveNumber);
    let starts_at = |field| {
        let at = byte_of_column(context.text, finding.column);
        context.fields.span(field).is_some_and(|span| span.start == at)
    };
    let say = |field, word: &str| Candidates::First(vec![saying(context, field, word)]);
    match finding.code {
        Code::BadFullmoveNumber | Code::MoveNumberZero => say(full, "1"),
        Code::NumberTooLarge if starts_at(full) => say(full, "1"),
        Code::BadHalfmoveClock
        | Code::NumberTooLarge
        | Code::ClockAfterStep
        | Code::ClockNotZero
        | Code::AlreadyDead => say(half, "0"),
        Code::ClockZero => say(half, "1"),
        Code::ClockNotWhole => match finding.values.first() {
            Some(Value::Number(plies)) => say(half, &plies.to_string()),
            _ => Candidates::First(Vec::new()),
        },
        Code::ClockBeyondGame | Code::ClockLeavesTooFew => {
            Candidates::First(with_less_clock(context))
        }
        Code::TooFewWhiteMoves | Code::TooFewBlackMoves | Code::NotSoEarly => {
            Candidates::First(with_more_moves(context))
        }
        _ => Candidates::First(Vec::new()),
    }
}

/// Lowers the half-move clock, trying the smallest change first.
fn with_less_clock(context: &RepairContext<'_>) -> Vec<Vec<Edit>> {
    let Some(clocks) = context.setup.and_then(|setup| setup.clocks) else { return Vec::new() };
    let moves = u64::from(clocks.fullmove_number.max(1) - 1) * 2 + 1;
    let highest =
        u32::from(clocks.halfmove_clock).min(u32::try_from(moves).unwrap_or(u32::MAX) + 1);
    let lower = (0..highest).rev().take(MAX_TRIES as usize);
    lower.map(|clock| saying(context, Field::HalfmoveClock, clock.to_string())).collect()
}

/// Raises the move number, trying the smallest change first.
fn with_more_moves(context: &RepairContext<'_>) -> Vec<Vec<Edit>> {
    let Some(clocks) = context.setup.and_then(|setup| setup.clocks) else { return Vec::new() };
    let higher = (1..MAX_TRIES).map(|more| clocks.fullmove_number.saturating_add(more));
    higher.map(|number| saying(context, Field::FullmoveNumber, number.to_string())).collect()
}
