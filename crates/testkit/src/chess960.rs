//! The 960 start positions by number.
//!
//! The numbering is the usual one of Reinhard Scharnagl: the number is taken
//! apart into the place of each piece. 518 is the start of the normal game.

/// How many start positions there are.
pub const START_COUNT: u16 = 960;

/// The first rank of a start position in capital letters, a-file first, such as
/// `RNBQKBNR`; nothing from 960 on.
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
    // The second knight first: filling a hole renumbers the holes after it.
    place(&mut rank, second, 'N');
    place(&mut rank, first, 'N');
    for letter in ['R', 'K', 'R'] {
        place(&mut rank, 0, letter);
    }
    Some(rank.into_iter().flatten().collect())
}

/// The start position as FEN, castling written `KQkq`.
#[must_use]
pub fn start_fen(number: u16) -> Option<String> {
    let white = back_rank(number)?;
    let black = white.to_ascii_lowercase();
    Some(format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"))
}

/// Puts a piece into one of the holes, counted from the a-file.
fn place(rank: &mut [Option<char>; 8], hole: usize, letter: char) {
    if let Some(square) = rank.iter_mut().filter(|square| square.is_none()).nth(hole) {
        *square = Some(letter);
    }
}

/// The two holes of the knights among the five left: pair 0 is (0, 1), then
/// (0, 2) and so on up to (3, 4).
fn knight_pair(index: usize) -> (usize, usize) {
    let mut pairs = (0..5).flat_map(|first| (first + 1..5).map(move |second| (first, second)));
    pairs.nth(index).expect("960 / 96 = 10 pairs of five holes")
}
