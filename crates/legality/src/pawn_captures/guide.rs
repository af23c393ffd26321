//! The requirements of the files ahead, found by a search from the other side of the board.
//!
//! The search without ranks goes from h to a and records, for every border, what may cross it and
//! what the files behind it have cost. The search with ranks goes from a to h. It only needs to
//! follow crossings that are the beginning of such a sequence, and only if the remaining
//! resources pay for the rest.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::crossing::{Crossing, Crossings};
use super::prices::CapturePrices;
use super::resources::Resources;

/// The possible histories of some files: what crossed the border ahead of them, and the resources
/// left then.
pub(super) type Border = Vec<(Crossings, Resources)>;

/// The resources needed at a border, by what has crossed it so far. Any of the listed resources
/// suffices.
#[derive(Default)]
pub(super) struct Guide {
    /// For complete sequences: the captures, and the promotions that the files before must
    /// contribute.
    whole: FxHashMap<Crossings, Vec<Resources>>,
    /// For beginnings of sequences: the captures only.
    begun: FxHashMap<Crossings, Vec<Resources>>,
}

impl Guide {
    /// Computes what is needed if the files beyond a border have these histories.
    pub(super) fn of(border: &Border, prices: &CapturePrices) -> Guide {
        let mut guide = Guide::default();
        for &(crossings, left) in border {
            // The search that arrives at the border pays for the crossings, so their price is not
            // counted here.
            let price = |crossing: Crossing| prices.cheapest(crossing);
            let spent = prices.spent(left);
            let mut paid = ends(crossings).fold(spent, |paid, (last, _)| paid.minus(price(last)));
            let whole = paid.plus(prices.wanted_besides(left));
            note(guide.whole.entry(crossings), whole);
            note(guide.begun.entry(crossings), paid);
            for (crossing, earlier) in ends(crossings) {
                paid = paid.plus(price(crossing));
                note(guide.begun.entry(earlier), paid);
            }
        }
        guide
    }

    /// Returns whether these crossings, ignoring ranks, may be a beginning with these resources
    /// left.
    pub(super) fn allows_beginning(&self, crossings: Crossings, resources: Resources) -> bool {
        is_enough(self.begun.get(&crossings.without_ranks()), resources)
    }

    /// Returns whether these crossings, ignoring ranks, may be complete with these resources
    /// left.
    pub(super) fn allows(&self, crossings: Crossings, resources: Resources) -> bool {
        is_enough(self.whole.get(&crossings.without_ranks()), resources)
    }
}

fn is_enough(needed: Option<&Vec<Resources>>, resources: Resources) -> bool {
    needed.is_some_and(|needed| needed.iter().any(|&needed| resources.covers(needed)))
}

/// Iterates over the crossings from the last to the first, each with the sequence before it.
fn ends(crossings: Crossings) -> impl Iterator<Item = (Crossing, Crossings)> {
    let next = |&(_, earlier): &(Crossing, Crossings)| earlier.split_last();
    std::iter::successors(crossings.split_last(), next)
}

/// Records what suffices, unless less is known to suffice.
fn note(entry: Entry<'_, Crossings, Vec<Resources>>, needed: Resources) {
    let known = entry.or_default();
    if known.iter().all(|&other| !needed.covers(other)) {
        known.retain(|&other| !other.covers(needed));
        known.push(needed);
    }
}
