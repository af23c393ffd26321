//! Message templates with placeholders for values.
//!
//! | in a template | becomes |
//! |---|---|
//! | `{0}` | the first value |
//! | `{0:piece\|pieces}` | the plural form for the first value, a number or a set of squares; with as many forms as the language has |
//! | `{0?White\|Black}` | the first form for White, the second for Black |
//! | `{0#first\|second}` | the form whose position, counted from 1, is the first value, a number |
//! | `{0@p\|n\|b\|r\|q\|k}` | the form for the role of the first value, a piece |
//! | `{0*some\|none}` | the first form if there is a first value that is not empty or zero, otherwise the second, which may be omitted |
//! | `{0&}` | the first value, a set of squares, with the word for "and" before the last |
//! | `{0/}` | the first value, a set of squares, with the word for "or" before the last |
//! | `{0!}` | the first value, moves, with the piece letters of the language |
//!
//! A form may be empty and may contain placeholders of its own. Every template produces some
//! text: a placeholder whose value is missing becomes `?`, and one that cannot be parsed is kept
//! as written. Tests verify that neither happens in the message files.

use castellan_rules::{Bitboard, Color, Role};

use super::{Language, catalog};
use crate::Value;

/// A part of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part<'a> {
    /// Literal text.
    Text(&'a str),
    /// A value as it is.
    Plain(usize),
    /// The plural form for a number.
    Counted(usize, Vec<&'a str>),
    /// The form for a color.
    Colored(usize, Vec<&'a str>),
    /// The form at a position, counted from 1.
    Numbered(usize, Vec<&'a str>),
    /// The form for the role of a piece.
    ByRole(usize, Vec<&'a str>),
    /// One form for a value that is present, another for one that is not.
    Present(usize, Vec<&'a str>),
    /// A list of squares joined with "and".
    Joined(usize),
    /// A list of squares joined with "or".
    Either(usize),
    /// Moves with the piece letters of the language.
    Moves(usize),
}

/// Fills a template with values.
pub(super) fn fill(template: &str, values: &[Value], language: Language) -> String {
    let mut text = String::with_capacity(template.len() + 16);
    for part in parts(template) {
        let of = |index: usize| values.get(index);
        let filled = match part {
            Part::Text(plain) => plain.into(),
            Part::Plain(index) => show(of(index), language),
            Part::Moves(index) => language.notation(&show(of(index), language)),
            Part::Joined(index) => joined(&show(of(index), language), "and", language),
            Part::Either(index) => joined(&show(of(index), language), "or", language),
            Part::Counted(index, forms) => {
                let form = number(of(index)).map(|number| language.plural(number));
                fill(choose(&forms, form), values, language)
            }
            Part::Colored(index, forms) => {
                fill(choose(&forms, color(of(index)).map(Color::index)), values, language)
            }
            Part::Numbered(index, forms) => {
                let number = number(of(index)).and_then(|one| one.checked_sub(1));
                let form = number.and_then(|form| usize::try_from(form).ok());
                fill(choose(&forms, form), values, language)
            }
            Part::ByRole(index, forms) => {
                fill(choose(&forms, role(of(index)).map(Role::index)), values, language)
            }
            Part::Present(index, forms) => {
                let form = usize::from(!is_present(of(index)));
                fill(forms.get(form).copied().unwrap_or(""), values, language)
            }
        };
        text.push_str(&filled);
    }
    text
}

/// Parses a template into its parts.
pub(super) fn parts(template: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let place = closing(&rest[open..]).map(|length| &rest[open + 1..open + length]);
        let part = place.and_then(place_part);
        let end = match (&part, place) {
            (Some(_), Some(place)) => open + place.len() + 2,
            _ => open + 1,
        };
        let text_end = if part.is_some() { open } else { end };
        parts.push(Part::Text(&rest[..text_end]));
        parts.extend(part);
        rest = &rest[end..];
    }
    parts.push(Part::Text(rest));
    parts.retain(|part| *part != Part::Text(""));
    parts
}

/// Returns the offset of the brace that closes the one at the start of a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// Splits forms at those bars that are not inside nested braces.
fn forms(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_bar = |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '|' && depth == 0
    };
    text.split(is_bar).collect()
}

/// Parses the text between the braces of a placeholder.
fn place_part(place: &str) -> Option<Part<'_>> {
    let digits = place.find(|c: char| !c.is_ascii_digit()).unwrap_or(place.len());
    let index = place[..digits].parse().ok()?;
    let forms = || forms(&place[digits + 1..]);
    match place[digits..].chars().next() {
        None => Some(Part::Plain(index)),
        Some(':') => Some(Part::Counted(index, forms())),
        Some('?') => Some(Part::Colored(index, forms())),
        Some('#') => Some(Part::Numbered(index, forms())),
        Some('@') => Some(Part::ByRole(index, forms())),
        Some('*') => Some(Part::Present(index, forms())),
        Some('&') if digits + 1 == place.len() => Some(Part::Joined(index)),
        Some('/') if digits + 1 == place.len() => Some(Part::Either(index)),
        Some('!') if digits + 1 == place.len() => Some(Part::Moves(index)),
        Some(_) => None,
    }
}

fn choose<'a>(forms: &[&'a str], form: Option<usize>) -> &'a str {
    form.and_then(|form| forms.get(form)).or(forms.last()).copied().unwrap_or("?")
}

fn number(value: Option<&Value>) -> Option<u64> {
    match value? {
        Value::Number(number) => Some(*number),
        Value::Square(_) | Value::Piece(..) => Some(1),
        Value::Squares(squares) => u64::try_from(squares.count()).ok(),
        _ => None,
    }
}

fn color(value: Option<&Value>) -> Option<Color> {
    match value? {
        Value::Color(color) => Some(*color),
        _ => None,
    }
}

fn role(value: Option<&Value>) -> Option<Role> {
    match value? {
        Value::Piece(role, _) => Some(*role),
        _ => None,
    }
}

fn is_present(value: Option<&Value>) -> bool {
    value.is_some_and(|value| match value {
        Value::Number(number) => *number > 0,
        Value::Squares(squares) => squares.any(),
        Value::Text(text) => !text.is_empty(),
        Value::Square(_) | Value::Color(_) | Value::Piece(..) | Value::Reason(_) => true,
    })
}

fn show(value: Option<&Value>, language: Language) -> String {
    match value {
        None => "?".into(),
        Some(Value::Number(number)) => grouped(*number, language.digit_separator()),
        Some(Value::Square(square) | Value::Piece(_, square)) => square.to_string(),
        Some(Value::Reason(finding)) => super::sentence(finding, language),
        Some(Value::Squares(squares)) => listed(*squares),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Color(color)) => {
            catalog::template(color.fold("white", "black"), language).into()
        }
    }
}

/// Formats squares as `a1, b2`.
fn listed(squares: Bitboard) -> String {
    let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    names.join(", ")
}

/// Turns `a1, b2, c3` into `a1, b2 and c3`, with a word from the catalog.
fn joined(list: &str, word: &'static str, language: Language) -> String {
    match list.rsplit_once(", ") {
        Some((before, last)) => {
            format!("{before} {} {last}", catalog::template(word, language))
        }
        None => list.into(),
    }
}

/// Formats a number with its digits in groups of three from 10,000 on, as all five languages do.
fn grouped(number: u64, separator: char) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use castellan_rules::Square;

    use super::*;

    #[track_caller]
    fn check(template: &str, values: &[Value], language: Language, expected: &str) {
        assert_eq!(fill(template, values, language), expected);
    }

    #[test]
    fn values_go_into_their_places() {
        let values = [
            Value::Text("{1}".into()),
            Value::Square(Square::E4),
            Value::Squares(Bitboard::of(Square::A1).with(Square::H8)),
            Value::Number(1_234_567),
        ];
        check("{1}: “{0}”", &values, Language::English, "e4: “{1}”");
        check("{2}!", &values, Language::English, "a1, h8!");
        check("{2&}, {1&}", &values, Language::Finnish, "a1 ja h8, e4");
        check("{3} {3}", &values, Language::English, "1,234,567 1,234,567");
        check("{3}", &values, Language::Czech, "1\u{a0}234\u{a0}567");
        check("{0}", &[Value::Number(9999)], Language::Polish, "9999");
    }

    #[test]
    fn a_form_is_chosen_by_number_color_or_how_many_squares() {
        let template = "{0} {0:pešiak|pešiaci|pešiakov}";
        check(template, &[Value::Number(1)], Language::Slovak, "1 pešiak");
        check(template, &[Value::Number(3)], Language::Slovak, "3 pešiaci");
        check(template, &[Value::Number(9)], Language::Slovak, "9 pešiakov");
        let squares = Bitboard::of(Square::A2).with(Square::A3);
        check("pawn{0:|s} {0}", &[Value::Squares(squares)], Language::English, "pawns a2, a3");
        check("{0?biely|čierny}", &[Value::Color(Color::Black)], Language::Slovak, "čierny");
    }

    #[test]
    fn a_form_is_counted_to() {
        let template = "{0#placement|turn|castling}";
        for (number, expected) in [(1, "placement"), (3, "castling"), (0, "castling")] {
            check(template, &[Value::Number(number)], Language::English, expected);
        }
    }

    #[test]
    fn moves_are_in_the_letters_of_the_language() {
        let moves = [Value::Text("Ng1-f3".into())];
        check("{0!} {0}", &moves, Language::Czech, "Jg1-f3 Ng1-f3");
    }

    #[test]
    fn a_form_is_chosen_by_role() {
        let template = "{0@P|N|B|R|Q|K} on {0}";
        check(template, &[Value::Piece(Role::Rook, Square::A1)], Language::English, "R on a1");
    }

    #[test]
    fn a_form_may_have_places_of_its_own() {
        let template = "x{0*, {0&} {0:is|are} here|, nobody{1*, but {1}}}";
        let squares = |squares: Bitboard| Value::Squares(squares);
        let some = squares(Bitboard::of(Square::A1).with(Square::B1));
        check(template, &[some], Language::English, "x, a1 and b1 are here");
        let none = squares(Bitboard::EMPTY);
        check(template, std::slice::from_ref(&none), Language::English, "x, nobody");
        check(template, &[none, Value::Number(3)], Language::English, "x, nobody, but 3");
        let some = squares(Bitboard::of(Square::A1).with(Square::B1));
        check("{0/}", &[some], Language::English, "a1 or b1");
    }

    #[test]
    fn a_bad_template_is_still_shown() {
        check("{0} {1:a|b} {2?c|d}", &[], Language::English, "? b d");
        check("{ {} {x} {0;a} {0!a} {0", &[], Language::English, "{ {} {x} {0;a} {0!a} {0");
        check("}{", &[], Language::English, "}{");
    }
}
