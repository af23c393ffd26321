//! The cheapest way to identify the pieces.
//!
//! Sixteen places, one for each piece on the board and one for each captured piece, are assigned
//! to the sixteen original pieces at the least total cost. With the dual values of the matching,
//! the cheapest total that contains a given pair is a shortest path in a graph of sixteen nodes.

use crate::matching::Matching;

/// How many pieces a side starts with.
pub(super) const PIECES_PER_SIDE: usize = 16;

/// The cost of an impossible pair. It exceeds the sum of all possible costs.
pub(super) const IMPOSSIBLE: u8 = 100;

/// For each place and each original piece, the captures it takes for that piece to get there.
pub(super) type Costs = [[u8; PIECES_PER_SIDE]; PIECES_PER_SIDE];

/// The cheapest assignment of original pieces to places.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    /// The sum of its costs.
    pub(super) total: u8,
    /// For each place and original piece, the least total of an assignment that contains the
    /// pair.
    pub(super) total_with: Costs,
}

impl Assignment {
    /// Returns the cheapest assignment, or `None` if every assignment contains an impossible
    /// pair.
    pub(super) fn cheapest(costs: &Costs) -> Option<Assignment> {
        let matching = Matching::cheapest(PIECES_PER_SIDE, PIECES_PER_SIDE, costs)?;
        let total = matching.price;
        (total < i32::from(IMPOSSIBLE))
            .then(|| Assignment { total: total as u8, total_with: totals(&matching, costs) })
    }
}

/// Returns the least total with each pair. Forcing a pair takes the piece from the place that had
/// it, which takes the piece of another place, and so on. The chain ends with the piece that the
/// forced pair's place had before.
fn totals(matching: &Matching<PIECES_PER_SIDE>, costs: &Costs) -> Costs {
    let capped = |value: i32| value.clamp(0, i32::from(IMPOSSIBLE)) as u8;
    let rest = |place: usize, original: usize| {
        matching.reduced_cost(place, original, costs[place][original])
    };
    let mut chain: Costs = [[0; PIECES_PER_SIDE]; PIECES_PER_SIDE];
    for (place, row) in chain.iter_mut().enumerate() {
        *row = matching.column_of.map(|original| capped(rest(place, original)));
        row[place] = 0;
    }
    for by in 0..PIECES_PER_SIDE {
        let through = chain[by];
        for row in &mut chain {
            let first = row[by];
            for (known, second) in row.iter_mut().zip(through) {
                *known = (*known).min(first.saturating_add(second));
            }
        }
    }
    std::array::from_fn(|place| {
        std::array::from_fn(|original| {
            let chain = i32::from(chain[matching.row_of(original)][place]);
            capped(matching.price + rest(place, original) + chain)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use castellan_testkit::random::SplitMix64;

    /// Returns random costs for the first rows and columns; each of the others has only one
    /// choice.
    fn random_costs(rng: &mut SplitMix64, size: usize) -> Costs {
        let mut costs = [[IMPOSSIBLE; PIECES_PER_SIDE]; PIECES_PER_SIDE];
        for (place, row) in costs.iter_mut().enumerate() {
            row[place] = 0;
            if place < size {
                for cost in &mut row[..size] {
                    *cost = if rng.chance(40) { IMPOSSIBLE } else { rng.below(7) as u8 };
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
                for original in 0..5 {
                    let mut forced = costs;
                    forced[place] = [IMPOSSIBLE; PIECES_PER_SIDE];
                    forced[place][original] = costs[place][original];
                    let expected =
                        Assignment::cheapest(&forced).map_or(IMPOSSIBLE, |all| all.total);
                    assert_eq!(found.total_with[place][original], expected);
                }
            }
        }
    }
}
