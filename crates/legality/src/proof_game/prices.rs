//! The cheapest assignment of pieces to destinations by price.

use crate::matching::Matching;

/// An upper limit on the destinations and pieces of a side, with promoted ones counted twice.
pub(super) const MAX_SIZE: usize = 24;

/// The price of an impossible pair.
pub(super) const IMPOSSIBLE: i32 = 1000;

/// Returns the cheapest matching of destinations with pieces, or `None` if each matching contains
/// an impossible pair.
pub(super) fn cheapest(
    places: usize,
    pieces: usize,
    price: impl Fn(usize, usize) -> i32,
) -> Option<Matching<MAX_SIZE>> {
    let mut prices = [[0_i16; MAX_SIZE]; MAX_SIZE];
    for (place, line) in prices.iter_mut().enumerate().take(places) {
        for (piece, slot) in line.iter_mut().enumerate().take(pieces) {
            *slot = price(place, piece).min(IMPOSSIBLE) as i16;
        }
    }
    Matching::cheapest(places, pieces, &prices).filter(|matching| matching.price < IMPOSSIBLE)
}
