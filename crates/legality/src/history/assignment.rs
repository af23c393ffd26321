//! The cheapest way to say who is who.
//!
//! Sixteen places, those of the men on the board and one for each captured man, are given to the
//! sixteen men of the start, at the least sum of costs: the Hungarian method, which brings its
//! prices along. With the prices, the cheapest sum that has one chosen pair in it is a shortest
//! way in a graph of sixteen nodes.

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
        let mut prices = Prices::default();
        for place in 0..MEN {
            prices.seat(place, costs);
        }
        let mut man_at = [0; MEN];
        for man in 0..MEN {
            man_at[prices.place_of[man]] = man;
        }
        let total: u32 = (0..MEN).map(|place| u32::from(costs[place][man_at[place]])).sum();
        if total >= u32::from(NEVER) {
            return None;
        }
        let total_with = prices.totals(costs, &man_at, total);
        Some(Assignment { total: total as u8, total_with })
    }
}

/// Prices for places and men under which no pair is cheaper than free, and those of the
/// assignment are free.
#[derive(Default)]
struct Prices {
    of_place: [i32; MEN],
    of_man: [i32; MEN],
    /// The place each man has, `MEN` or more for none.
    place_of: [usize; MEN],
    seated: usize,
}

impl Prices {
    /// What is left of a cost under the prices.
    fn rest(&self, costs: &Costs, place: usize, man: usize) -> i32 {
        i32::from(costs[place][man]) - self.of_place[place] - self.of_man[man]
    }

    /// Gives one more place a man, moving others along a shortest way.
    fn seat(&mut self, new_place: usize, costs: &Costs) {
        if self.seated == 0 {
            self.place_of = [MEN; MEN];
        }
        self.seated += 1;
        let mut distance = [i32::MAX; MEN];
        let mut came_from = [MEN; MEN];
        let mut done = [false; MEN];
        let mut place = new_place;
        let mut previous = MEN;
        let free = loop {
            let mut nearest = MEN;
            for man in 0..MEN {
                if done[man] {
                    continue;
                }
                let rest = self.rest(costs, place, man);
                if rest < distance[man] {
                    distance[man] = rest;
                    came_from[man] = previous;
                }
                if nearest == MEN || distance[man] < distance[nearest] {
                    nearest = man;
                }
            }
            let change = distance[nearest];
            self.of_place[new_place] += change;
            for man in 0..MEN {
                if done[man] {
                    self.of_place[self.place_of[man]] += change;
                    self.of_man[man] -= change;
                } else {
                    distance[man] -= change;
                }
            }
            done[nearest] = true;
            if self.place_of[nearest] == MEN {
                break nearest;
            }
            place = self.place_of[nearest];
            previous = nearest;
        };
        self.shift(free, new_place, &came_from);
    }

    /// Moves each place of the way to its next man, so that the new place gets one.
    fn shift(&mut self, free: usize, new_place: usize, came_from: &[usize; MEN]) {
        let mut man = free;
        while came_from[man] != MEN {
            self.place_of[man] = self.place_of[came_from[man]];
            man = came_from[man];
        }
        self.place_of[man] = new_place;
    }

    /// The least sums with each pair. A pair takes a man from a place, which takes another's,
    /// and so on until the chain ends with the man that the pair's place had before.
    fn totals(&self, costs: &Costs, man_at: &[usize; MEN], total: u32) -> Costs {
        let capped = |value: i32| value.clamp(0, i32::from(NEVER)) as u8;
        let mut chain: Costs = [[0; MEN]; MEN];
        for (place, row) in chain.iter_mut().enumerate() {
            *row = std::array::from_fn(|other| capped(self.rest(costs, place, man_at[other])));
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
                let chain = i32::from(chain[self.place_of[man]][place]);
                capped(total as i32 + self.rest(costs, place, man) + chain)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castellan_testkit::random::SplitMix64;

    /// The least sum over all assignments of the places from `place` on, by trying all.
    fn least(costs: &Costs, place: usize, taken: u32, size: usize) -> u32 {
        if place == size {
            return 0;
        }
        let free = (0..size).filter(|man| taken >> man & 1 == 0);
        let sums = free.map(|man| {
            u32::from(costs[place][man]) + least(costs, place + 1, taken | 1 << man, size)
        });
        sums.min().expect("there are as many men as places").min(u32::from(NEVER))
    }

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
    fn nothing_is_cheaper_than_the_cheapest() {
        let mut rng = SplitMix64::new(5);
        for _ in 0..500 {
            let costs = random_costs(&mut rng, 6);
            let found = Assignment::cheapest(&costs);
            let expected = least(&costs, 0, 0, 6);
            assert_eq!(found.map_or(u32::from(NEVER), |found| u32::from(found.total)), expected);
        }
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
                    let expected = least(&forced, 0, 0, 5);
                    assert_eq!(u32::from(found.total_with[place][man]), expected);
                }
            }
        }
    }
}
