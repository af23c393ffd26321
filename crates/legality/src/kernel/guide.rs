//! What the files ahead ask for, found by a search from their side.
//!
//! The search without ranks goes from h to a and notes, for every border, what may cross it and
//! what the files behind it have cost. A search that goes from a to h and knows more needs to
//! follow only crossings that are the beginning of such a sequence, and only with a purse that
//! pays for the rest.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::crossing::{Crossing, Crossings};
use super::mixer::Mix;
use super::purse::Purse;
use super::tariff::Tariff;

/// The ends of the histories of some files: what crossed the border ahead of them, and what was
/// left then.
pub(super) type Border = Vec<(Crossings, Purse)>;

/// What is needed at a border, by what has crossed it so far; any of several purses.
#[derive(Default)]
pub(super) struct Guide {
    /// For all that crosses it: captures, and promotions that the files before have to bring.
    whole: HashMap<Crossings, Vec<Purse>, Mix>,
    /// For the beginning of what crosses it: captures only.
    begun: HashMap<Crossings, Vec<Purse>, Mix>,
}

impl Guide {
    /// What is needed if the files beyond a border ended so.
    pub(super) fn of(border: &Border, tariff: &Tariff) -> Guide {
        let mut guide = Guide::default();
        for &(crossings, left) in border {
            // Whatever crosses is paid for by those who come to the border.
            let price = |crossing: Crossing| tariff.least(crossing);
            let spent = tariff.spent(left);
            let mut paid = ends(crossings).fold(spent, |paid, (last, _)| paid.less(price(last)));
            let whole = paid.and(tariff.wanted_besides(left));
            note(guide.whole.entry(crossings), whole);
            note(guide.begun.entry(crossings), paid);
            for (crossing, earlier) in ends(crossings) {
                paid = paid.and(price(crossing));
                note(guide.begun.entry(earlier), paid);
            }
        }
        guide
    }

    /// Whether these crossings, ranks aside, may be a beginning with this left.
    pub(super) fn allows_beginning(&self, crossings: Crossings, purse: Purse) -> bool {
        is_enough(self.begun.get(&crossings.without_ranks()), purse)
    }

    /// Whether these crossings, ranks aside, may be all with this left.
    pub(super) fn allows(&self, crossings: Crossings, purse: Purse) -> bool {
        is_enough(self.whole.get(&crossings.without_ranks()), purse)
    }
}

fn is_enough(needed: Option<&Vec<Purse>>, purse: Purse) -> bool {
    needed.is_some_and(|needed| needed.iter().any(|&needed| purse.covers(needed)))
}

/// The last crossing and what was before it, the one before and so on.
fn ends(crossings: Crossings) -> impl Iterator<Item = (Crossing, Crossings)> {
    let next = |&(_, earlier): &(Crossing, Crossings)| earlier.split_last();
    std::iter::successors(crossings.split_last(), next)
}

/// Notes what would be enough, unless less is known to be.
fn note(entry: Entry<'_, Crossings, Vec<Purse>>, needed: Purse) {
    let known = entry.or_default();
    if known.iter().all(|&other| !needed.covers(other)) {
        known.retain(|&other| !other.covers(needed));
        known.push(needed);
    }
}
