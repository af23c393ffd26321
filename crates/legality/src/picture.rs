//! Draws a board as an SVG picture.
//!
//! This module decides how a board looks outside a terminal, and writes the text for people who
//! cannot see it. The picture is self-contained: it needs no fonts, scripts, styles or external
//! files, and all inserted text is escaped.

mod shapes;

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Setup, Square};

use crate::Value;
use crate::message::{Language, Phrase, phrase};

/// The squares to highlight.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Highlights {
    /// Kings in check.
    pub checked: Bitboard,
    /// Squares that a finding is about.
    pub wrong: Bitboard,
    /// The squares of the last move.
    pub last_move: Bitboard,
}

/// Options for drawing a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View<'a> {
    /// The side at the bottom of the picture.
    pub bottom: Color,
    /// The language of the title and the description.
    pub language: Language,
    /// Additional sentences for the description.
    pub remarks: &'a [String],
}

impl Default for View<'_> {
    fn default() -> Self {
        View { bottom: Color::White, language: Language::English, remarks: &[] }
    }
}

/// Returns the kings of both sides that are in check, for any setup. Adjacent kings do not count
/// as a check; that is another kind of error.
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

/// The side of a square and the width of the frame around the board, in user units of the SVG.
const SQUARE: usize = 100;
const FRAME: usize = 40;

const FRAME_COLOR: &str = "#3d464b";
const COORDINATE_COLOR: &str = "#dfe3e0";
const LIGHT: &str = "#ebe6da";
const DARK: &str = "#93a5ad";
const LAST_MOVE: &str = "#c9b458";
const WRONG: &str = "#d95f02";
const CHECK: &str = "#d8342a";
const WHITE_PIECE: &str = "fill=\"#fffdf6\" stroke=\"#2c2a2b\" color=\"#2c2a2b\"";
const BLACK_PIECE: &str = "fill=\"#4b4a50\" stroke=\"#17161a\" color=\"#f3efe4\"";

/// Draws the board, the pieces and the highlights as a complete SVG document.
///
/// ```
/// use castellan_legality::picture::{Highlights, View, svg};
/// use castellan_rules::Position;
///
/// let setup = Position::start().to_setup();
/// let text = svg(&setup, &Highlights::default(), &View::default());
/// assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
/// ```
pub fn svg(setup: &Setup, highlights: &Highlights, view: &View<'_>) -> String {
    let mut text = String::with_capacity(8 * 1024);
    let side = 8 * SQUARE + 2 * FRAME;
    let code = view.language.code();
    text += &format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" width=\"{side}\" \
         height=\"{side}\" role=\"img\" lang=\"{code}\" xml:lang=\"{code}\">\n"
    );
    text.push_str(&description(setup, highlights, view));
    text.push_str(&definitions());
    text +=
        &format!("<rect width=\"{side}\" height=\"{side}\" rx=\"14\" fill=\"{FRAME_COLOR}\"/>\n");
    text.push_str(&coordinates(view.bottom));
    text.push_str(&turn_marker(setup.turn, view.bottom));
    text += &format!("<g transform=\"translate({FRAME} {FRAME})\">\n");
    text.push_str(&squares());
    text.push_str(&marked(setup, highlights, view.bottom));
    text.push_str(&draw_pieces(setup, view.bottom));
    text.push_str("</g>\n</svg>\n");
    text
}

/// Returns the title and the description, for screen readers and tooltips.
fn description(setup: &Setup, highlights: &Highlights, view: &View<'_>) -> String {
    let say = |what, values: &[Value]| phrase(what, values, view.language);
    let mut sentences: Vec<String> = Color::ALL.map(|color| piece_list(setup, color, view)).into();
    let named =
        [(Phrase::PictureChecked, highlights.checked), (Phrase::PictureWrong, highlights.wrong)];
    for (what, squares) in named.into_iter().filter(|(_, squares)| squares.any()) {
        sentences.push(say(what, &[Value::Squares(squares)]));
    }
    sentences.extend(view.remarks.iter().cloned());
    let title = say(Phrase::PictureTitle, &[Value::Color(setup.turn)]);
    let description = sentences.join(". ");
    format!("<title>{}</title>\n<desc>{}.</desc>\n", escaped(&title), escaped(&description))
}

/// Lists the pieces of a side, such as `White: Ke1, Qd1, a2`, starting with the king.
fn piece_list(setup: &Setup, color: Color, view: &View<'_>) -> String {
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

/// Escapes text for XML and replaces control characters, which XML does not allow.
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

/// Returns the six piece shapes and the glow under a king in check. The ids are long because the
/// SVG may be embedded in a page that has ids of its own.
fn definitions() -> String {
    let mut text = String::from("<defs>\n");
    for role in Role::ALL {
        text += &format!("<g id=\"castellan-{}\">{}</g>\n", role.name(), shapes::shape(role));
    }
    text += &format!(
        "<radialGradient id=\"castellan-check\"><stop offset=\".35\" stop-color=\"{CHECK}\"/>\
         <stop offset=\".75\" stop-color=\"{CHECK}\" stop-opacity=\".6\"/>\
         <stop offset=\"1\" stop-color=\"{CHECK}\" stop-opacity=\".2\"/></radialGradient>\n\
         </defs>\n"
    );
    text
}

/// Returns the file letters below the board and the rank digits on its left.
fn coordinates(bottom: Color) -> String {
    let mut text = format!(
        "<g fill=\"{COORDINATE_COLOR}\" font-family=\"system-ui, sans-serif\" font-size=\"22\" \
         text-anchor=\"middle\" aria-hidden=\"true\">"
    );
    let first = SQUARE / 2 + FRAME;
    for index in 0..8 {
        let at = first + index * SQUARE;
        let place = bottom.fold(index, 7 - index);
        let (file, rank) = (File::ALL[place].letter(), Rank::ALL[7 - place].digit());
        let below = 8 * SQUARE + FRAME + FRAME / 2 + 8;
        text += &format!("<text x=\"{at}\" y=\"{below}\">{file}</text>");
        text += &format!("<text x=\"{}\" y=\"{}\">{rank}</text>", FRAME / 2, at + 8);
    }
    text.push_str("</g>\n");
    text
}

/// Returns a disc in the color of the side to move, next to its home rank.
fn turn_marker(turn: Color, bottom: Color) -> String {
    let rank = if turn == bottom { 7 } else { 0 };
    let (x, y) = (8 * SQUARE + FRAME + FRAME / 2, FRAME + rank * SQUARE + SQUARE / 2);
    let fill = turn.fold("#fffdf6", "#17161a");
    format!(
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"10\" fill=\"{fill}\" stroke=\"#fffdf6\" \
         stroke-width=\"2.5\"/>\n"
    )
}

/// Draws all dark squares as one path on a light background.
fn squares() -> String {
    let side = 8 * SQUARE;
    let mut path = String::new();
    for square in Square::ALL.into_iter().filter(|square| !square.is_light()) {
        let (x, y) = corner(square, Color::White);
        path += &format!("M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z");
    }
    format!(
        "<rect width=\"{side}\" height=\"{side}\" fill=\"{LIGHT}\"/>\n\
         <path d=\"{path}\" fill=\"{DARK}\"/>\n"
    )
}

/// Draws the layer between the squares and the pieces: the last move; wrong squares, with an
/// outline so that they do not rely on color alone; a glow under a king in check; and a ring on
/// the en passant square.
fn marked(setup: &Setup, highlights: &Highlights, bottom: Color) -> String {
    let mut text = String::new();
    let fills = [
        (highlights.last_move, format!("fill=\"{LAST_MOVE}\" fill-opacity=\".6\"")),
        (highlights.checked, "fill=\"url(#castellan-check)\"".to_owned()),
    ];
    for (squares, fill) in fills {
        for square in squares {
            let (x, y) = corner(square, bottom);
            text += &format!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" {fill}/>\n"
            );
        }
    }
    for square in highlights.wrong {
        let (x, y) = corner(square, bottom);
        let inner = SQUARE - 8;
        text += &format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{inner}\" height=\"{inner}\" rx=\"6\" \
             fill=\"{WRONG}\" fill-opacity=\".28\" stroke=\"{WRONG}\" stroke-width=\"8\"/>\n",
            x + 4,
            y + 4,
        );
    }
    if let Some(square) = setup.en_passant {
        let (x, y) = corner(square, bottom);
        text += &format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"16\" fill=\"none\" stroke=\"{FRAME_COLOR}\" \
             stroke-width=\"4\" stroke-dasharray=\"7 5.6\"/>\n",
            x + SQUARE / 2,
            y + SQUARE / 2,
        );
    }
    text
}

/// Draws the pieces, grouped by color.
fn draw_pieces(setup: &Setup, bottom: Color) -> String {
    let mut text = String::new();
    for color in Color::ALL {
        text += &format!(
            "<g {} stroke-width=\"3.2\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n",
            color.fold(WHITE_PIECE, BLACK_PIECE),
        );
        for (square, piece) in setup.pieces.iter().filter(|(_, piece)| piece.color == color) {
            let (x, y) = corner(square, bottom);
            let name = piece.role.name();
            text += &format!("<use href=\"#castellan-{name}\" x=\"{x}\" y=\"{y}\"/>\n");
        }
        text.push_str("</g>\n");
    }
    text
}

/// Returns the upper left corner of a square, relative to the board.
fn corner(square: Square, bottom: Color) -> (usize, usize) {
    let (file, rank) = (square.file().index(), square.rank().index());
    let (column, row) = bottom.fold((file, 7 - rank), (7 - file, rank));
    (column * SQUARE, row * SQUARE)
}

#[cfg(test)]
mod tests;
