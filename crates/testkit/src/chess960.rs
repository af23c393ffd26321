//! The 960 starting positions of Chess960, by number.
//!
//! The numbering is the usual one by Reinhard Scharnagl: the number is decomposed into the place
//! of each piece. 518 is the starting position of standard chess.

/// Number of starting positions.
pub const START_COUNT: u16 = 960;

/// Returns the first rank of a starting position in capital letters, a-file first, such as
/// `RNBQKBNR`; `None` from 960 on.
#[must_use]
pub fn back_rank(number: u16) -> Option<String> {
    if number >= START_COUNT {
        return None;
    }
    let number = usize::from(number);
    let mut rank = [None; 8];
    // The light squares of the first rank are b, d, f, h; the dark a, c, e, g.
    rank[number % 4 * 2 + 1] = Some('B');
    rank[number / 4 % 4 * 2] = Some('B');
    place(&mut rank, number / 16 % 6, 'Q');
    let (first, second) = knight_pair(number / 96);
    // The second knight goes first: filling a hole renumbers the holes after it.
    place(&mut rank, second, 'N');
    place(&mut rank, first, 'N');
    for letter in ['R', 'K', 'R'] {
        place(&mut rank, 0, letter);
    }
    Some(rank.into_iter().flatten().collect())
}

/// Returns the starting position as a FEN, with castling rights written `KQkq`.
#[must_use]
pub fn start_fen(number: u16) -> Option<String> {
    let white = back_rank(number)?;
    let black = white.to_ascii_lowercase();
    Some(format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"))
}

/// Puts a piece into one of the empty squares, counted from the a-file.
fn place(rank: &mut [Option<char>; 8], hole: usize, letter: char) {
    if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(hole) {
        *square = Some(letter);
    }
}

/// Returns which two of the five remaining empty squares the knights go to: pair 0 is (0, 1),
/// then (0, 2) and so on up to (3, 4).
fn knight_pair(index: usize) -> (usize, usize) {
    let mut pairs = (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second)));
    pairs.nth(index).expect("960 / 96 = 10 pairs of five holes")
}
