//! The number of nodes that a search visited, and the time it took.

use std::time::Duration;

/// The nodes and the time of one search. The default, no nodes, counts as the slowest.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub(crate) struct Speed {
    pub(super) nodes: u64,
    pub(super) time: Duration,
}

impl Speed {
    fn per_second(self) -> f64 {
        if self.nodes == 0 { 0.0 } else { self.nodes as f64 / self.time.as_secs_f64().max(1e-9) }
    }

    /// Returns the faster of the two.
    pub(super) fn faster(self, other: Speed) -> Speed {
        if other.per_second() > self.per_second() { other } else { self }
    }
}

/// Returns the nodes per second over several searches: all nodes divided by the total time.
pub(super) fn mean_speed(speeds: &[Speed]) -> f64 {
    let nodes = speeds.iter().map(|speed| speed.nodes).sum();
    let time = speeds.iter().map(|speed| speed.time).sum();
    Speed { nodes, time }.per_second()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(nodes: u64, ms: u64) -> Speed {
        Speed { nodes, time: Duration::from_millis(ms) }
    }

    #[test]
    fn the_faster_search_counts_and_any_is_faster_than_none() {
        assert_eq!(speed(100, 10).faster(speed(100, 9)), speed(100, 9));
        assert_eq!(speed(200, 10).faster(speed(100, 9)), speed(200, 10));
        assert_eq!(Speed::default().faster(speed(1, 1000)), speed(1, 1000));
    }

    #[test]
    fn a_mean_is_all_nodes_in_all_the_time() {
        assert!((mean_speed(&[speed(100, 1000), speed(500, 2000)]) - 200.0).abs() < 1e-9);
    }
}
