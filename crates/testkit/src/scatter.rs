//! Random positions that do not come from games.
//!
//! Pieces dropped anywhere produce pins, double checks and en passant complications far more
//! often than games do. Such a position has well-defined legal moves, but a game may not be able
//! to reach it: there may be three checkers, or a check that the preceding double step cannot
//! have given.

use crate::oracle::{Oracle, Square};
use crate::random::SplitMix64;

/// The pieces of each side besides its king, before some of them are removed.
const ARMY: [char; 15] =
    ['q', 'r', 'r', 'b', 'b', 'n', 'n', 'p', 'p', 'p', 'p', 'p', 'p', 'p', 'p'];

/// Drops both kings and a random part of both armies, with some pawns promoted, on random
/// squares. Turn, castling rights and en passant square are chosen from what the board allows.
pub fn scattered_position(rng: &mut SplitMix64) -> Oracle {
    // An attempt can leave the side not to move in check; the next one rarely does.
    loop {
        let mut letters = [None; 64];
        drop_kings(rng, &mut letters);
        let keep_percent = [10, 25, 50, 75][rng.below(4)];
        drop_army(rng, &mut letters, keep_percent, |letter| letter.to_ascii_uppercase());
        drop_army(rng, &mut letters, keep_percent, |letter| letter);
        if let Ok(position) = Oracle::from_fen(&random_fen(rng, &letters)) {
            return position;
        }
    }
}

/// Returns an endless sequence of scattered positions from one seed.
pub fn scattered_positions(seed: u64) -> impl Iterator<Item = Oracle> {
    let mut rng = SplitMix64::new(seed);
    std::iter::repeat_with(move || scattered_position(&mut rng))
}

/// The pieces on the squares, a1 first, rank by rank.
type Letters = [Option<char>; 64];

fn drop_kings(rng: &mut SplitMix64, letters: &mut Letters) {
    for (king, back_rank) in [('K', 0), ('k', 56)] {
        // Half of the kings stay on their back rank, so that castling occurs.
        let squares = if rng.chance(50) { back_rank..back_rank + 8 } else { 0..64 };
        drop_piece(rng, letters, king, squares);
    }
}

fn drop_army(
    rng: &mut SplitMix64,
    letters: &mut Letters,
    keep_percent: u8,
    colored: impl Fn(char) -> char,
) {
    for role in ARMY {
        if !rng.chance(keep_percent) {
            continue;
        }
        let is_promoted = role == 'p' && rng.chance(10);
        let role = if is_promoted { ['n', 'b', 'r', 'q'][rng.below(4)] } else { role };
        let letter = colored(role);
        let squares = match letter {
            'p' | 'P' => 8..56,
            'R' if rng.chance(50) => 0..8,
            'r' if rng.chance(50) => 56..64,
            _ => 0..64,
        };
        drop_piece(rng, letters, letter, squares);
    }
}

/// Puts a piece on a free square of a range; if all are taken, it is left out.
fn drop_piece(
    rng: &mut SplitMix64,
    letters: &mut Letters,
    letter: char,
    squares: std::ops::Range<usize>,
) {
    let free: Vec<usize> = squares.filter(|square| letters[*square].is_none()).collect();
    if let Some(square) = rng.pick(&free) {
        letters[*square] = Some(letter);
    }
}

fn random_fen(rng: &mut SplitMix64, letters: &Letters) -> String {
    let is_white = rng.chance(50);
    let turn = if is_white { 'w' } else { 'b' };
    let placement = placement(letters);
    let castling = random_castling(rng, letters);
    let en_passant = random_en_passant(rng, letters, is_white);
    let halfmove_clock = if en_passant == "-" { rng.below(100) } else { 0 };
    let fullmove_number = 1 + rng.below(200);
    format!("{placement} {turn} {castling} {en_passant} {halfmove_clock} {fullmove_number}")
}

/// Every empty square is written as a 1; FEN parsers add them up.
fn placement(letters: &Letters) -> String {
    let rank_text = |rank: &[Option<char>]| rank.iter().map(|l| l.unwrap_or('1')).collect();
    let ranks: Vec<String> = letters.chunks(8).rev().map(rank_text).collect();
    ranks.join("/")
}

/// For each side of each king on its back rank, chooses at most one of the rooks there, and names
/// it by its file.
fn random_castling(rng: &mut SplitMix64, letters: &Letters) -> String {
    let mut text = String::new();
    for (king, rook, first_file, back_rank) in [('K', 'R', b'A', 0), ('k', 'r', b'a', 56)] {
        let rank = &letters[back_rank..back_rank + 8];
        let Some(king_file) = rank.iter().position(|letter| *letter == Some(king)) else {
            continue;
        };
        for files in [0..king_file, king_file..8] {
            let rooks: Vec<u8> = (0..8u8)
                .filter(|file| files.contains(&usize::from(*file)))
                .filter(|file| rank[usize::from(*file)] == Some(rook))
                .collect();
            if let Some(file) = rng.pick(&rooks).filter(|_| rng.chance(75)) {
                text.push(char::from(first_file + file));
            }
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// Chooses at most one square behind a pawn that can just have moved two squares.
fn random_en_passant(rng: &mut SplitMix64, letters: &Letters, is_white: bool) -> String {
    let (pawn, pawn_rank, jumped_rank, home_rank) =
        if is_white { ('p', 4, 5, 6) } else { ('P', 3, 2, 1) };
    let on = |rank: usize, file: u8| letters[rank * 8 + usize::from(file)];
    let files: Vec<u8> = (0..8)
        .filter(|file| on(pawn_rank, *file) == Some(pawn))
        .filter(|file| on(jumped_rank.into(), *file).is_none())
        .filter(|file| on(home_rank, *file).is_none())
        .collect();
    let file = rng.pick(&files).filter(|_| rng.chance(75));
    let jumped = file.and_then(|file| Square::new(*file, jumped_rank));
    jumped.map_or("-".to_owned(), |square| square.to_string())
}
