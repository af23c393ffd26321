//! Helpers shared by the tests that generate pages in `docs`: drawings of boards, and the
//! comparison with the file.

use std::path::Path;

use castellan_legality::picture::checked_kings;
use castellan_rules::{Bitboard, File, Piece, Rank, Setup, Square};

/// Draws a board in letters: `(K)` for a king in check, `[P]` for a highlighted square.
pub(crate) fn board(setup: &Setup, marked: Bitboard) -> String {
    let checked = checked_kings(setup);
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        let mut line = format!("{} ", rank.digit());
        for file in File::ALL {
            let square = Square::new(file, rank);
            let letter = setup.pieces.piece_at(square).map_or('.', Piece::letter);
            let [left, right] = if marked.contains(square) {
                ['[', ']']
            } else if checked.contains(square) {
                ['(', ')']
            } else {
                [' ', ' ']
            };
            line.extend([left, letter, right]);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text + "   a  b  c  d  e  f  g  h\n"
}

/// Returns a message as a sentence of its own.
pub(crate) fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect()) + "."
}

/// Reads a file of the repository.
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(in_repository(path)).unwrap_or_default()
}

/// Returns whether a file or folder of the repository exists.
pub(crate) fn exists(path: &str) -> bool {
    in_repository(path).exists()
}

fn in_repository(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Checks that a page is up to date or, if an environment variable asks for it, writes it.
#[track_caller]
pub(crate) fn check_page(path: &str, page: &str) {
    if std::env::var_os("CASTELLAN_WRITE_DOCS").is_some() {
        std::fs::write(in_repository(path), page).expect("the page can be written");
    }
    assert!(
        read(path) == page,
        "{path} is out of date; to regenerate it: \
         CASTELLAN_WRITE_DOCS=1 cargo nextest run -p castellan-legality page"
    );
}
