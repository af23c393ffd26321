//! Counts names in bounded memory.

use std::collections::HashMap;

/// The number of occurrences of each name, for as many names as fit.
#[derive(Default)]
pub(super) struct NameCounts {
    counts: HashMap<Box<str>, u64>,
    most: usize,
    is_full: bool,
}

impl NameCounts {
    /// Creates counts for at most `most` names; further names are left out.
    pub(super) fn new(most: usize) -> NameCounts {
        NameCounts { counts: HashMap::new(), most, is_full: false }
    }

    /// Adds `times` occurrences of a name.
    pub(super) fn add(&mut self, name: &str, times: u64) {
        if let Some(count) = self.counts.get_mut(name) {
            *count += times;
        } else if self.counts.len() < self.most {
            self.counts.insert(name.into(), times);
        } else {
            self.is_full = true;
        }
    }

    /// Adds other counts.
    pub(super) fn add_all(&mut self, other: &NameCounts) {
        other.counts.iter().for_each(|(name, times)| self.add(name, *times));
        self.is_full |= other.is_full;
    }

    /// Returns the number of names.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns whether names were left out.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the most frequent names with their counts; names with equal counts are in
    /// alphabetical order.
    pub(super) fn top(&self, len: usize) -> Vec<(&str, u64)> {
        let mut all: Vec<(&str, u64)> =
            self.counts.iter().map(|(name, count)| (&**name, *count)).collect();
        all.sort_unstable_by_key(|(name, count)| (u64::MAX - count, *name));
        all.truncate(len);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_come_first() {
        let mut names = NameCounts::new(10);
        for name in ["b", "a", "c", "b", "c", "d"] {
            names.add(name, 1);
        }
        assert_eq!(names.top(3), [("b", 2), ("c", 2), ("a", 1)]);
        assert_eq!((names.len(), names.is_full()), (4, false));
    }

    #[test]
    fn a_full_table_of_names_is_reported() {
        let mut names = NameCounts::new(2);
        ["a", "b", "a"].iter().for_each(|name| names.add(name, 1));
        assert!(!names.is_full());
        names.add("c", 5);
        names.add("b", 2);
        assert_eq!((names.top(9), names.is_full()), (vec![("b", 3), ("a", 2)], true));
        let mut all = NameCounts::new(100);
        all.add_all(&names);
        assert!(all.is_full(), "it does not know of c");
    }
}
