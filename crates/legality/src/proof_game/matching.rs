//! The cheapest way to give every place a man of its own.

/// More rows or columns than any side has men, promoted ones counted twice.
pub(super) const MAX_SIZE: usize = 24;

/// A price that stands for "cannot be done".
pub(super) const IMPOSSIBLE: i32 = 1000;

/// Prices of a man for a place. Rows are places, columns are men.
pub(super) struct Prices {
    pub(super) rows: usize,
    pub(super) columns: usize,
    prices: [[i16; MAX_SIZE]; MAX_SIZE],
}

/// Which man each place got, and the sum of the prices.
pub(super) struct Matching {
    pub(super) price: i32,
    pub(super) man_of: [usize; MAX_SIZE],
}

impl Prices {
    /// Prices by row and column.
    pub(super) fn new(rows: usize, columns: usize, price: impl Fn(usize, usize) -> i32) -> Prices {
        let mut prices = [[0; MAX_SIZE]; MAX_SIZE];
        for (row, line) in prices.iter_mut().enumerate().take(rows) {
            for (column, slot) in line.iter_mut().enumerate().take(columns) {
                *slot = price(row, column).min(IMPOSSIBLE) as i16;
            }
        }
        Prices { rows, columns, prices }
    }

    /// The cheapest matching that serves every row; none if each needs something impossible.
    ///
    /// The Hungarian method: rows come in one by one, each along a cheapest path of exchanges,
    /// found with prices that are shifted so as never to be negative. Rows whose own cheapest
    /// column is free need no exchange.
    pub(super) fn cheapest(&self) -> Option<Matching> {
        if self.columns < self.rows {
            return None;
        }
        let mut row_of = [usize::MAX; MAX_SIZE + 1];
        let mut row_shift = [0; MAX_SIZE];
        let mut column_shift = [0; MAX_SIZE + 1];
        let mut waiting = 0_u32;
        for (row, shift) in row_shift.iter_mut().enumerate().take(self.rows) {
            let line = &self.prices[row][..self.columns];
            let least = line.iter().copied().min().unwrap_or(0);
            *shift = i32::from(least);
            let is_free = |column: &usize| line[*column] == least && row_of[*column] == usize::MAX;
            match (0..self.columns).find(is_free) {
                Some(column) => row_of[column] = row,
                None => waiting |= 1 << row,
            }
        }
        for row in (0..self.rows).filter(|row| waiting & 1 << row != 0) {
            self.admit(row, &mut row_of, &mut row_shift, &mut column_shift);
        }
        let mut matching = Matching { price: 0, man_of: [0; MAX_SIZE] };
        for (column, &row) in row_of.iter().enumerate().take(self.columns) {
            if row < self.rows {
                matching.man_of[row] = column;
                matching.price += i32::from(self.prices[row][column]);
            }
        }
        (matching.price < IMPOSSIBLE).then_some(matching)
    }

    /// Finds a column for one more row. The column after the last stands for "not yet".
    fn admit(
        &self,
        row: usize,
        row_of: &mut [usize; MAX_SIZE + 1],
        row_shift: &mut [i32; MAX_SIZE],
        column_shift: &mut [i32; MAX_SIZE + 1],
    ) {
        let outside = self.columns;
        row_of[outside] = row;
        let mut slack = [i32::MAX; MAX_SIZE];
        let mut came_from = [outside; MAX_SIZE];
        let mut is_used = [false; MAX_SIZE + 1];
        let mut at = outside;
        loop {
            is_used[at] = true;
            let row = row_of[at];
            let (mut best, mut next) = (i32::MAX, outside);
            for column in (0..self.columns).filter(|&column| !is_used[column]) {
                let price =
                    i32::from(self.prices[row][column]) - row_shift[row] - column_shift[column];
                if price < slack[column] {
                    slack[column] = price;
                    came_from[column] = at;
                }
                if slack[column] < best {
                    (best, next) = (slack[column], column);
                }
            }
            for column in 0..=self.columns {
                if is_used[column] {
                    row_shift[row_of[column]] += best;
                    column_shift[column] -= best;
                } else if column < self.columns {
                    slack[column] -= best;
                }
            }
            at = next;
            if row_of[at] == usize::MAX {
                break;
            }
        }
        while at != outside {
            let from = came_from[at];
            row_of[at] = row_of[from];
            at = from;
        }
        row_of[outside] = usize::MAX;
    }
}

#[cfg(test)]
mod tests {
    use castellan_testkit::random::SplitMix64;

    use super::{IMPOSSIBLE, Prices};

    /// The slow twin: every man for the first place, and so on.
    fn cheapest(prices: &Prices, row: usize, used: u32) -> i32 {
        if row == prices.rows {
            return 0;
        }
        let free = (0..prices.columns).filter(|column| used & 1 << column == 0);
        let sums = free.map(|column| {
            i32::from(prices.prices[row][column]) + cheapest(prices, row + 1, used | 1 << column)
        });
        sums.min().unwrap_or(IMPOSSIBLE)
    }

    #[test]
    fn nothing_is_cheaper_than_the_cheapest() {
        let mut rng = SplitMix64::new(7);
        for _ in 0..3000 {
            let (rows, columns) = (rng.below(6), rng.below(7));
            let numbers: Vec<i32> = (0..42)
                .map(|_| if rng.chance(25) { IMPOSSIBLE } else { rng.below(9) as i32 })
                .collect();
            let prices = Prices::new(rows, columns, |row, column| numbers[row * 7 + column]);
            let expected = cheapest(&prices, 0, 0);
            let found = prices.cheapest();
            assert_eq!(
                found.as_ref().map(|found| found.price),
                (expected < IMPOSSIBLE).then_some(expected)
            );
            let Some(found) = found else { continue };
            let mut men = found.man_of[..rows].to_vec();
            men.sort_unstable();
            men.dedup();
            assert_eq!(men.len(), rows);
        }
    }
}
