//! Draws the board in a terminal.
//!
//! In letters, a checked king is in parentheses and other marked squares are in square brackets:
//!
//! ```text
//!  8   r  n  b  .  k  b  n  r
//!  7   p  p  p  p  .  p  p  p
//!  6   .  .  .  .  .  .  .  .
//!  5   .  .  .  .  p  .  .  .
//!  4   .  .  .  .  .  .  P  q
//!  3   .  .  .  .  .  P  .  .
//!  2   P  P  P  P  P  .  .  P
//!  1   R  N  B  Q (K) B  N  R
//!
//!      a  b  c  d  e  f  g  h
//! ```

use std::fmt;

use castellan_legality::picture::Highlights;
use castellan_rules::{Color, File, Piece, Pieces, Rank, Role, Square};

use crate::terminal::Style;

/// A board to draw. Its text ends with a line break.
pub(crate) struct Drawing<'a> {
    pub(crate) pieces: &'a Pieces,
    /// The side at the bottom of the board.
    pub(crate) bottom: Color,
    pub(crate) style: Style,
    /// If a square has several marks, the checked king takes precedence, then what is wrong. The
    /// last move is shown only in color.
    pub(crate) marks: Highlights,
}

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut ranks, mut files) = (Rank::ALL, File::ALL);
        match self.bottom {
            Color::White => ranks.reverse(),
            Color::Black => files.reverse(),
        }
        for rank in ranks {
            let cells: String =
                files.iter().map(|&file| self.cell(Square::new(file, rank))).collect();
            writeln!(f, " {}  {}", rank.digit(), cells.trim_end())?;
        }
        let letters: String = files.iter().map(|file| format!("  {}", file.letter())).collect();
        // Colored squares form a block; with letters, a gap before the last line reads better.
        let gap = if self.style == Style::Colored { "" } else { "\n" };
        writeln!(f, "{gap}   {letters}")
    }
}

impl Drawing<'_> {
    /// Formats a square, three columns wide.
    fn cell(&self, square: Square) -> String {
        let piece = self.pieces.piece_at(square);
        match self.style {
            Style::Letters => self.bracketed(square, piece.map_or('.', Piece::letter)),
            Style::Figurines => self.bracketed(square, piece.map_or('·', figurine)),
            Style::Colored => self.colored(square, piece),
        }
    }

    fn bracketed(&self, square: Square, glyph: char) -> String {
        if self.marks.checked.contains(square) {
            format!("({glyph})")
        } else if self.marks.wrong.contains(square) {
            format!("[{glyph}]")
        } else {
            format!(" {glyph} ")
        }
    }

    /// Formats a colored square. The mid-tone backgrounds keep both white and black figurines
    /// readable, so both sides use the filled shapes.
    fn colored(&self, square: Square, piece: Option<Piece>) -> String {
        let background = if self.marks.checked.contains(square) {
            160
        } else if self.marks.wrong.contains(square) {
            172
        } else if self.marks.last_move.contains(square) {
            100
        } else if square.is_light() {
            103
        } else {
            60
        };
        let foreground = piece.map_or(16, |piece| piece.color.fold(231, 16));
        let glyph =
            piece.map_or(' ', |piece| figurine(Piece { color: Color::Black, role: piece.role }));
        format!("\x1b[1;38;5;{foreground};48;5;{background}m {glyph} \x1b[0m")
    }
}

/// Returns the Unicode chess symbol: an outline for White, filled for Black.
fn figurine(piece: Piece) -> char {
    let [white, black] = match piece.role {
        Role::King => ['♔', '♚'],
        Role::Queen => ['♕', '♛'],
        Role::Rook => ['♖', '♜'],
        Role::Bishop => ['♗', '♝'],
        Role::Knight => ['♘', '♞'],
        Role::Pawn => ['♙', '♟'],
    };
    piece.color.fold(white, black)
}

#[cfg(test)]
mod tests {
    use castellan_legality::picture::checked_kings;
    use castellan_rules::{Bitboard, fen};

    use super::*;

    const MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";

    fn draw(fen: &str, bottom: Color, style: Style, wrong: Bitboard) -> String {
        let setup = fen::parse(fen).unwrap();
        let marks =
            Highlights { checked: checked_kings(&setup), wrong, last_move: Bitboard::EMPTY };
        Drawing { pieces: &setup.pieces, bottom, style, marks }.to_string()
    }

    #[test]
    fn letters_show_the_checked_king_and_wrong_squares() {
        let drawing = draw(MATE, Color::White, Style::Letters, Square::H2.into());
        let lines: Vec<&str> = drawing.lines().collect();
        assert_eq!(lines[0], " 8   r  n  b  .  k  b  n  r");
        assert_eq!(lines[6], " 2   P  P  P  P  P  .  . [P]");
        assert_eq!(lines[7], " 1   R  N  B  Q (K) B  N  R");
        assert_eq!(lines[9], "     a  b  c  d  e  f  g  h");
        assert_eq!(lines.len(), 10);
    }

    #[test]
    fn black_may_sit_below() {
        let drawing = draw(MATE, Color::Black, Style::Letters, Bitboard::EMPTY);
        let lines: Vec<&str> = drawing.lines().collect();
        assert_eq!(lines[0], " 1   R  N  B (K) Q  B  N  R");
        assert_eq!(lines[7], " 8   r  n  b  k  .  b  n  r");
        assert_eq!(lines[9], "     h  g  f  e  d  c  b  a");
    }

    #[test]
    fn figurines_tell_the_sides_apart_without_color() {
        let drawing = draw(MATE, Color::White, Style::Figurines, Bitboard::EMPTY);
        assert!(drawing.starts_with(" 8   ♜  ♞  ♝  ·  ♚  ♝  ♞  ♜\n"), "{drawing}");
        assert!(drawing.contains(" 1   ♖  ♘  ♗  ♕ (♔) ♗  ♘  ♖\n"), "{drawing}");
        assert!(!drawing.contains('\x1b'));
    }

    #[test]
    fn colors_end_with_each_square() {
        let drawing = draw(MATE, Color::White, Style::Colored, Bitboard::EMPTY);
        assert_eq!(drawing.matches("\x1b[0m").count(), 64);
        assert_eq!(drawing.matches("\x1b[1;38;5;231;48;5;160m ♚ ").count(), 1, "the white king");
    }
}
