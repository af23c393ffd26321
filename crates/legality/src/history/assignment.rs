//! The cheapest way to say who is who.
//!
//! Sixteen places, those of the men on the board and one for each captured man, are given to the
//! sixteen men of the start, at the least sum of costs. With the shifts that the matching brings
//! along, the cheapest sum that has one chosen pair in it is a shortest way in a graph of sixteen
//! nodes.

use crate::matching::Matching;

/// How many men a side starts with.
pub(super) const MEN: usize = 16;

/// The cost of what cannot be. More than all possible costs together.
pub(super) const NEVER: u8 = 100;

/// For each place and each man, what it costs that this man came to this place.
pub(super) type Costs = [[u8; MEN]; MEN];

/// The cheapest assignment.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// The sum of its costs.
    pub(super) total: u8,
    /// For each place and man, the least sum of an assignment with this pair in it.
    pub(super) total_with: Costs,
}

impl Assignment {
    /// The cheapest assignment, if there is one without a pair that cannot be.
    pub(super) fn cheapest(costs: &Costs) -> Option<Assignment> {
        let matching = Matching::cheapest(MEN, MEN, costs)?;
        let total = matching.price;
        (total < i32::from(NEVER))
            .then(|| Assignment { total: total as u8, total_with: totals(&matching, costs) })
    }
}

/// The least sums with each pair. A pair takes a man from a place, which takes another's, and so
/// on until the chain ends with the man that the pair's place had before.
fn totals(matching: &Matching<MEN>, costs: &Costs) -> Costs {
    let capped = |value: i32| value.clamp(0, i32::from(NEVER)) as u8;
    let rest = |place: usize, man: usize| matching.rest(place, man, costs[place][man]);
    let mut chain: Costs = [[0; MEN]; MEN];
    for (place, row) in chain.iter_mut().enumerate() {
        *row = matching.column_of.map(|man| capped(rest(place, man)));
        row[place] = 0;
    }
    for by in 0..MEN {
        let through = chain[by];
        for row in &mut chain {
            let first = row[by];
            for (known, second) in row.iter_mut().zip(through) {
                *known = (*known).min(first.saturating_add(second));
            }
        }
    }
    std::array::from_fn(|place| {
        std::array::from_fn(|man| {
            let chain = i32::from(chain[matching.row_of(man)][place]);
            capped(matching.price + rest(place, man) + chain)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use castellan_testkit::random::SplitMix64;

    /// Random costs in the first rows and columns, an only choice in the others.
    fn random_costs(rng: &mut SplitMix64, size: usize) -> Costs {
        let mut costs = [[NEVER; MEN]; MEN];
        for (place, row) in costs.iter_mut().enumerate() {
            row[place] = 0;
            if place < size {
                for cost in &mut row[..size] {
                    *cost = if rng.chance(40) { NEVER } else { rng.below(7) as u8 };
                }
            }
        }
        costs
    }

    #[test]
    fn the_sum_with_a_pair_is_the_cheapest_without_its_rivals() {
        let mut rng = SplitMix64::new(6);
        for _ in 0..100 {
            let costs = random_costs(&mut rng, 5);
            let Some(found) = Assignment::cheapest(&costs) else { continue };
            for place in 0..5 {
                for man in 0..5 {
                    let mut forced = costs;
                    forced[place] = [NEVER; MEN];
                    forced[place][man] = costs[place][man];
                    let expected = Assignment::cheapest(&forced).map_or(NEVER, |all| all.total);
                    assert_eq!(found.total_with[place][man], expected);
                }
            }
        }
    }
}
