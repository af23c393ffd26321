//! Durations and their percentiles.

use std::fmt;
use std::time::Duration;

/// Measured durations, sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Latencies(Vec<Duration>);

impl Latencies {
    /// Sorts durations that are in any order.
    pub(super) fn new(mut all: Vec<Duration>) -> Latencies {
        all.sort_unstable();
        Latencies(all)
    }

    /// Returns the number of durations.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the percentile: the smallest duration that `percent` percent do not exceed.
    pub(super) fn at(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0.get(rank - 1).copied().unwrap_or_default()
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |percent| 1e3 * self.at(percent).as_secs_f64();
        write!(f, "p50 {:.1} ms, p99 {:.1} ms, max {:.1} ms", ms(50), ms(99), ms(100))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let all = (1..=200).rev().map(Duration::from_millis).collect();
        let latencies = Latencies::new(all);
        let ms = |percent| latencies.at(percent).as_millis();
        assert_eq!((ms(50), ms(99), ms(100)), (100, 198, 200));
        assert_eq!(Latencies::default().at(99), Duration::ZERO);
        assert_eq!(Latencies::new(vec![Duration::from_millis(7)]).at(50).as_millis(), 7);
    }
}
