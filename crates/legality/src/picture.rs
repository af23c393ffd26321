//! The board as an SVG picture.
//!
//! Owns: how a board looks outside a terminal, and the words for those who cannot see it.
//! The picture is complete in itself: no fonts, scripts, styles or files from elsewhere, and
//! whatever text goes in is escaped.

mod men;

use std::fmt::Write;

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Setup, Square};

use crate::Value;
use crate::message::{Language, Phrase, phrase};

/// The squares that are not like the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks {
    /// Kings in check.
    pub checked: Bitboard,
    /// Squares with something wrong.
    pub wrong: Bitboard,
    /// The squares of the last move.
    pub last_move: Bitboard,
}

/// How a board is to be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// The side that sits at the lower edge.
    pub bottom: Color,
    /// The language of the words that go with the picture.
    pub language: Language,
    /// What else there is to say about the position, one sentence each.
    pub remarks: &'a [String],
}

impl Default for View<'_> {
    fn default() -> Self {
        View { bottom: Color::White, language: Language::English, remarks: &[] }
    }
}

/// The kings of either side that are in check, in any setup whatever. Two kings side by side give
/// no check: that is wrong in another way.
pub fn checked_kings(setup: &Setup) -> Bitboard {
    let pieces = &setup.pieces;
    let others = !pieces.role(Role::King);
    let is_attacked = |color: Color, king: Square| {
        (pieces.attackers(!color, king, pieces.occupied()) & others).any()
    };
    let kings = |color| pieces.piece(Piece { color, role: Role::King }).into_iter();
    Color::ALL
        .into_iter()
        .flat_map(|color| kings(color).filter(move |&king| is_attacked(color, king)))
        .collect()
}

/// The side of a square, and what the frame around the board takes, in the picture's own units.
const SQUARE: usize = 100;
const FRAME: usize = 40;

const FRAME_COLOR: &str = "#3d464b";
const COORDINATE_COLOR: &str = "#dfe3e0";
const LIGHT: &str = "#ebe6da";
const DARK: &str = "#93a5ad";
const LAST_MOVE: &str = "#c9b458";
const WRONG: &str = "#d95f02";
const CHECK: &str = "#d8342a";
const WHITE_MAN: &str = "fill=\"#fffdf6\" stroke=\"#2c2a2b\" color=\"#2c2a2b\"";
const BLACK_MAN: &str = "fill=\"#4b4a50\" stroke=\"#17161a\" color=\"#f3efe4\"";

/// The board, pieces and marks as a complete SVG document.
///
/// ```
/// use castellan_legality::picture::{Marks, View, svg};
/// use castellan_rules::Position;
///
/// let setup = Position::start().to_setup();
/// let text = svg(&setup, &Marks::default(), &View::default());
/// assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
/// ```
pub fn svg(setup: &Setup, marks: &Marks, view: &View<'_>) -> String {
    let mut text = String::with_capacity(8 * 1024);
    let side = 8 * SQUARE + 2 * FRAME;
    let code = view.language.code();
    push(
        &mut text,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" width=\"{side}\" \
         height=\"{side}\" role=\"img\" lang=\"{code}\" xml:lang=\"{code}\">\n"
        ),
    );
    text.push_str(&words(setup, marks, view));
    text.push_str(&definitions());
    push(
        &mut text,
        format_args!(
            "<rect width=\"{side}\" height=\"{side}\" rx=\"14\" fill=\"{FRAME_COLOR}\"/>\n"
        ),
    );
    text.push_str(&coordinates(view.bottom));
    text.push_str(&turn_marker(setup.turn, view.bottom));
    push(&mut text, format_args!("<g transform=\"translate({FRAME} {FRAME})\">\n"));
    text.push_str(&squares());
    text.push_str(&marked(setup, marks, view.bottom));
    text.push_str(&men(setup, view.bottom));
    text.push_str("</g>\n</svg>\n");
    text
}

/// Formatting into a string cannot fail.
fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(arguments);
}

/// Title and description, for screen readers and for hovering.
fn words(setup: &Setup, marks: &Marks, view: &View<'_>) -> String {
    let say = |what, values: &[Value]| phrase(what, values, view.language);
    let mut sentences: Vec<String> = Color::ALL.map(|color| men_list(setup, color, view)).into();
    let named = [(Phrase::PictureChecked, marks.checked), (Phrase::PictureWrong, marks.wrong)];
    for (what, squares) in named.into_iter().filter(|(_, squares)| squares.any()) {
        sentences.push(say(what, &[Value::Squares(squares)]));
    }
    sentences.extend(view.remarks.iter().cloned());
    let title = say(Phrase::PictureTitle, &[Value::Color(setup.turn)]);
    let description = sentences.join(". ");
    format!("<title>{}</title>\n<desc>{}.</desc>\n", escaped(&title), escaped(&description))
}

/// `White: Ke1, Qd1, a2`, the king first.
fn men_list(setup: &Setup, color: Color, view: &View<'_>) -> String {
    let mut names = Vec::new();
    for role in Role::ALL.into_iter().rev() {
        let letter = (role != Role::Pawn).then(|| view.language.letter(role));
        for square in setup.pieces.piece(Piece { color, role }) {
            names.push(letter.map_or_else(|| square.to_string(), |l| format!("{l}{square}")));
        }
    }
    let list = if names.is_empty() { "–".into() } else { names.join(", ") };
    phrase(Phrase::Side, &[Value::Color(color), Value::Text(list)], view.language)
}

/// Text that may stand in XML. Control characters, which may not, are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                escaped.push(char::REPLACEMENT_CHARACTER);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// The six shapes, once each, and the glow under a king in check. Their names are long because
/// the picture may stand inside a page that has names of its own.
fn definitions() -> String {
    let mut text = String::from("<defs>\n");
    for role in Role::ALL {
        push(
            &mut text,
            format_args!("<g id=\"castellan-{}\">{}</g>\n", role.name(), men::shape(role)),
        );
    }
    push(
        &mut text,
        format_args!(
            "<radialGradient id=\"castellan-check\"><stop offset=\".35\" stop-color=\"{CHECK}\"/>\
         <stop offset=\".75\" stop-color=\"{CHECK}\" stop-opacity=\".6\"/>\
         <stop offset=\"1\" stop-color=\"{CHECK}\" stop-opacity=\".2\"/></radialGradient>\n\
         </defs>\n"
        ),
    );
    text
}

/// Letters below, digits on the left.
fn coordinates(bottom: Color) -> String {
    let mut text = format!(
        "<g fill=\"{COORDINATE_COLOR}\" font-family=\"system-ui, sans-serif\" font-size=\"22\" \
         text-anchor=\"middle\" aria-hidden=\"true\">"
    );
    let first = SQUARE / 2 + FRAME;
    for index in 0..8 {
        let at = first + index * SQUARE;
        let seat = bottom.fold(index, 7 - index);
        let (file, rank) = (File::ALL[seat].letter(), Rank::ALL[7 - seat].digit());
        let below = 8 * SQUARE + FRAME + FRAME / 2 + 8;
        push(&mut text, format_args!("<text x=\"{at}\" y=\"{below}\">{file}</text>"));
        push(&mut text, format_args!("<text x=\"{}\" y=\"{}\">{rank}</text>", FRAME / 2, at + 8));
    }
    text.push_str("</g>\n");
    text
}

/// A disc in the color of the side to move, beside its home rank.
fn turn_marker(turn: Color, bottom: Color) -> String {
    let rank = if turn == bottom { 7 } else { 0 };
    let (x, y) = (8 * SQUARE + FRAME + FRAME / 2, FRAME + rank * SQUARE + SQUARE / 2);
    let fill = turn.fold("#fffdf6", "#17161a");
    format!(
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"10\" fill=\"{fill}\" stroke=\"#fffdf6\" \
         stroke-width=\"2.5\"/>\n"
    )
}

/// All dark squares in one path, on a light ground.
fn squares() -> String {
    let side = 8 * SQUARE;
    let mut path = String::new();
    for square in Square::ALL.into_iter().filter(|square| !square.is_light()) {
        let (x, y) = corner(square, Color::White);
        push(&mut path, format_args!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z"));
    }
    format!(
        "<rect width=\"{side}\" height=\"{side}\" fill=\"{LIGHT}\"/>\n\
         <path d=\"{path}\" fill=\"{DARK}\"/>\n"
    )
}

/// What lies between the squares and the men: the last move, wrong squares with a frame of
/// their own so that color is not needed to see them, a glow under a king in check, and a ring
/// on the en passant square.
fn marked(setup: &Setup, marks: &Marks, bottom: Color) -> String {
    let mut text = String::new();
    for square in marks.last_move {
        let (x, y) = corner(square, bottom);
        push(
            &mut text,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" \
             fill=\"{LAST_MOVE}\" fill-opacity=\".6\"/>\n"
            ),
        );
    }
    for square in marks.checked {
        let (x, y) = corner(square, bottom);
        push(
            &mut text,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" \
             fill=\"url(#castellan-check)\"/>\n"
            ),
        );
    }
    for square in marks.wrong {
        let (x, y) = corner(square, bottom);
        let inner = SQUARE - 8;
        push(
            &mut text,
            format_args!(
                "<rect x=\"{}\" y=\"{}\" width=\"{inner}\" height=\"{inner}\" rx=\"6\" \
             fill=\"{WRONG}\" fill-opacity=\".28\" stroke=\"{WRONG}\" stroke-width=\"8\"/>\n",
                x + 4,
                y + 4,
            ),
        );
    }
    if let Some(square) = setup.en_passant {
        let (x, y) = corner(square, bottom);
        push(
            &mut text,
            format_args!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"16\" fill=\"none\" stroke=\"{FRAME_COLOR}\" \
             stroke-width=\"4\" stroke-dasharray=\"7 5.6\"/>\n",
                x + SQUARE / 2,
                y + SQUARE / 2,
            ),
        );
    }
    text
}

/// The men, those of a color together.
fn men(setup: &Setup, bottom: Color) -> String {
    let mut text = String::new();
    for color in Color::ALL {
        push(
            &mut text,
            format_args!(
                "<g {} stroke-width=\"3.2\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n",
                color.fold(WHITE_MAN, BLACK_MAN),
            ),
        );
        for (square, piece) in setup.pieces.iter().filter(|(_, piece)| piece.color == color) {
            let (x, y) = corner(square, bottom);
            let name = piece.role.name();
            push(
                &mut text,
                format_args!("<use href=\"#castellan-{name}\" x=\"{x}\" y=\"{y}\"/>\n"),
            );
        }
        text.push_str("</g>\n");
    }
    text
}

/// The upper left corner of a square on the board.
fn corner(square: Square, bottom: Color) -> (usize, usize) {
    let (file, rank) = (square.file().index(), square.rank().index());
    let (column, row) = bottom.fold((file, 7 - rank), (7 - file, rank));
    (column * SQUARE, row * SQUARE)
}

#[cfg(test)]
mod tests;
