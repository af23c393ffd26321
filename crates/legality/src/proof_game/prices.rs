//! Prices of a man for a place, and the cheapest way to give every place a man of its own.

use crate::matching::Matching;

/// More places or men than any side has, promoted ones counted twice.
pub(super) const MAX_SIZE: usize = 24;

/// A price that stands for "cannot be done".
pub(super) const IMPOSSIBLE: i32 = 1000;

/// The cheapest matching of places with men; none if each needs something impossible.
pub(super) fn cheapest(
    places: usize,
    men: usize,
    price: impl Fn(usize, usize) -> i32,
) -> Option<Matching<MAX_SIZE>> {
    let mut prices = [[0_i16; MAX_SIZE]; MAX_SIZE];
    for (place, line) in prices.iter_mut().enumerate().take(places) {
        for (man, slot) in line.iter_mut().enumerate().take(men) {
            *slot = price(place, man).min(IMPOSSIBLE) as i16;
        }
    }
    Matching::cheapest(places, men, &prices).filter(|matching| matching.price < IMPOSSIBLE)
}
