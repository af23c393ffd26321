//! Slider attacks computed square by square. Too slow for play, but simple enough that the tables
//! are generated from it and tested against it. The build script includes this file.

/// The four rook directions, as (files, ranks).
pub(crate) const ROOK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// The four bishop directions.
pub(crate) const BISHOP: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// Returns the squares a slider on `square` attacks in one direction, including the first
/// occupied one.
pub(crate) const fn ray(square: usize, (files, ranks): (i32, i32), occupied: u64) -> u64 {
    let (mut file, mut rank) = ((square & 7) as i32 + files, (square >> 3) as i32 + ranks);
    let mut seen = 0;
    while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        let bit = 1 << (rank * 8 + file);
        seen |= bit;
        if occupied & bit != 0 {
            break;
        }
        file += files;
        rank += ranks;
    }
    seen
}

/// Returns the squares a slider attacks in all four directions.
pub(crate) const fn rays(square: usize, directions: &[(i32, i32); 4], occupied: u64) -> u64 {
    ray(square, directions[0], occupied)
        | ray(square, directions[1], occupied)
        | ray(square, directions[2], occupied)
        | ray(square, directions[3], occupied)
}
