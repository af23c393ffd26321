//! The cheapest assignment of rows to distinct columns, by the Hungarian method.
//!
//! Rows are added one by one, each along a cheapest augmenting path. The path search works on
//! prices shifted by a dual value per row and column, so that they are never negative. The shifts
//! are kept: under them the matched pairs cost zero and no other pair costs less than zero, so
//! the shifted price of a pair is a lower bound on how much more a matching with that pair would
//! cost.

/// The marker for a missing row or column.
const NONE: usize = usize::MAX;

/// The column of each row, and the shifts (dual values) that prove the matching optimal.
pub(crate) struct Matching<const N: usize> {
    /// The sum of the prices of all matched pairs.
    pub(crate) price: i32,
    /// The column of each row.
    pub(crate) column_of: [usize; N],
    row_of: [usize; N],
    row_shift: [i32; N],
    column_shift: [i32; N],
}

impl<const N: usize> Matching<N> {
    /// Returns the cheapest matching of the first `rows` rows with the first `columns` columns,
    /// or `None` if there are fewer columns than rows.
    pub(crate) fn cheapest<T: Copy + Ord + Into<i32>>(
        rows: usize,
        columns: usize,
        prices: &[[T; N]; N],
    ) -> Option<Matching<N>> {
        if columns < rows {
            return None;
        }
        let mut matching = Matching {
            price: 0,
            column_of: [0; N],
            row_of: [NONE; N],
            row_shift: [0; N],
            column_shift: [0; N],
        };
        let waiting = matching.match_greedily(rows, columns, prices);
        for row in (0..rows).filter(|row| waiting & 1 << row != 0) {
            matching.match_row(row, columns, prices);
        }
        for (column, &row) in matching.row_of.iter().enumerate().filter(|&(_, &row)| row != NONE) {
            matching.column_of[row] = column;
            matching.price += prices[row][column].into();
        }
        Some(matching)
    }

    /// Returns the row matched with a column. Every column must be taken.
    #[inline]
    pub(crate) fn row_of(&self, column: usize) -> usize {
        self.row_of[column]
    }

    /// Returns the reduced cost of a pair with a given price: the price minus both shifts.
    #[inline]
    pub(crate) fn reduced_cost(&self, row: usize, column: usize, price: impl Into<i32>) -> i32 {
        price.into() - self.row_shift[row] - self.column_shift[column]
    }

    /// Matches each row with its cheapest column if that column is still free. Returns the bit
    /// set of the remaining rows.
    fn match_greedily<T: Copy + Ord + Into<i32>>(
        &mut self,
        rows: usize,
        columns: usize,
        prices: &[[T; N]; N],
    ) -> u32 {
        let mut waiting = 0;
        for (row, line) in prices.iter().enumerate().take(rows) {
            let line = &line[..columns];
            let Some(&least) = line.iter().min() else { continue };
            self.row_shift[row] = least.into();
            let is_free = |&column: &usize| line[column] == least && self.row_of[column] == NONE;
            match (0..columns).find(is_free) {
                Some(column) => self.row_of[column] = row,
                None => waiting |= 1 << row,
            }
        }
        waiting
    }

    /// Matches one more row, moving other rows to other columns where necessary.
    fn match_row<T: Copy + Into<i32>>(&mut self, new: usize, columns: usize, prices: &[[T; N]; N]) {
        let mut slack = [i32::MAX; N];
        let mut came_from = [NONE; N];
        let mut is_used = [false; N];
        let (mut row, mut at) = (new, NONE);
        let free = loop {
            let (mut best, mut next) = (i32::MAX, 0);
            for column in (0..columns).filter(|&column| !is_used[column]) {
                let cost = self.reduced_cost(row, column, prices[row][column]);
                if cost < slack[column] {
                    slack[column] = cost;
                    came_from[column] = at;
                }
                if slack[column] < best {
                    (best, next) = (slack[column], column);
                }
            }
            self.row_shift[new] += best;
            for column in 0..columns {
                if is_used[column] {
                    self.row_shift[self.row_of[column]] += best;
                    self.column_shift[column] -= best;
                } else {
                    slack[column] -= best;
                }
            }
            is_used[next] = true;
            if self.row_of[next] == NONE {
                break next;
            }
            (row, at) = (self.row_of[next], next);
        };
        self.augment(new, free, &came_from);
    }

    /// Moves each row on the augmenting path to its next column, which frees a column for the new
    /// row.
    fn augment(&mut self, new: usize, free: usize, came_from: &[usize; N]) {
        let mut column = free;
        while came_from[column] != NONE {
            self.row_of[column] = self.row_of[came_from[column]];
            column = came_from[column];
        }
        self.row_of[column] = new;
    }
}

#[cfg(test)]
mod tests {
    use castellan_testkit::random::SplitMix64;

    use super::Matching;

    const SIZE: usize = 7;

    /// Returns the least price by trying every column for each row: a slow reference.
    fn least(prices: &[[u8; SIZE]; SIZE], columns: usize, rows: &[usize], used: u32) -> i32 {
        let Some((&row, others)) = rows.split_first() else { return 0 };
        let free = (0..columns).filter(|column| used & 1 << column == 0);
        let sums = free.map(|column| {
            i32::from(prices[row][column]) + least(prices, columns, others, used | 1 << column)
        });
        sums.min().expect("there are enough columns")
    }

    fn random_prices(rng: &mut SplitMix64) -> [[u8; SIZE]; SIZE] {
        [[(); SIZE]; SIZE]
            .map(|row| row.map(|()| if rng.chance(25) { 100 } else { rng.below(9) as u8 }))
    }

    #[test]
    fn no_matching_is_cheaper_than_the_one_found() {
        let mut rng = SplitMix64::new(7);
        for _ in 0..3000 {
            let (rows, columns) = (rng.below(SIZE), rng.below(SIZE + 1));
            let prices = random_prices(&mut rng);
            let found = Matching::cheapest(rows, columns, &prices);
            assert_eq!(found.is_some(), rows <= columns);
            let Some(found) = found else { continue };
            let all: Vec<usize> = (0..rows).collect();
            assert_eq!(found.price, least(&prices, columns, &all, 0));
            let mut taken = found.column_of[..rows].to_vec();
            taken.sort_unstable();
            taken.dedup();
            assert_eq!(taken.len(), rows);
        }
    }

    #[test]
    fn the_reduced_cost_of_matched_pairs_is_zero_and_of_others_not_negative() {
        let mut rng = SplitMix64::new(8);
        for _ in 0..1000 {
            let prices = random_prices(&mut rng);
            let found = Matching::cheapest(SIZE, SIZE, &prices).unwrap();
            for (row, line) in prices.iter().enumerate() {
                for (column, &price) in line.iter().enumerate() {
                    let cost = found.reduced_cost(row, column, price);
                    assert!(cost >= 0 && (cost == 0 || found.column_of[row] != column));
                }
            }
        }
    }
}
