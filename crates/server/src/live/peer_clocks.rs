//! How the clocks of other nodes compare with this node's.
//!
//! Every heartbeat carries the time of its sender. The difference from the time at which it arrives
//! is how far the sender's clock is ahead, less the time the message took. That time is never
//! negative, so the greatest of the last few differences is the most accurate.

use std::collections::{BTreeMap, VecDeque};

use castellan_game::Moment;

use crate::bus::NodeId;

/// Difference up to which two clocks agree. A little more than messages take on a busy machine.
const TOLERANCE_MS: i64 = 500;
/// Number of differences kept for each node, those of four heartbeats.
const SAMPLES: usize = 20;
/// Number of differences that are needed, because a single message may have been late.
const MIN_SAMPLES: usize = 2;

/// The latest differences for each node, in milliseconds.
#[derive(Debug, Default)]
pub(super) struct PeerClocks(BTreeMap<NodeId, VecDeque<i64>>);

/// A comparison of this node's clock with the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ClockComparison {
    /// Number of other nodes. Those that were heard too rarely to compare are taken to agree.
    pub(crate) peers: usize,
    /// Number of nodes whose clocks differ from this one's.
    pub(crate) differing: usize,
    /// The largest difference, in milliseconds. It is positive if the other clock is ahead.
    pub(crate) largest_ms: i64,
}

impl ClockComparison {
    /// Returns `true` if most of all clocks agree with this one. Of two clocks that differ, neither
    /// is known to be right.
    pub(crate) fn is_with_majority(self) -> bool {
        let (all, agreeing) = (self.peers + 1, self.peers - self.differing + 1);
        2 * agreeing > all
    }
}

impl PeerClocks {
    /// Records the time that a heartbeat carried when it arrived.
    pub(super) fn record(&mut self, node: NodeId, at: Moment, now: Moment) {
        let samples = self.0.entry(node).or_default();
        if samples.len() >= SAMPLES {
            samples.pop_front();
        }
        samples.push_back(to_signed(at.since_ms(now)) - to_signed(now.since_ms(at)));
    }

    /// Forgets nodes that are gone.
    pub(super) fn retain(&mut self, is_there: impl Fn(NodeId) -> bool) {
        self.0.retain(|node, _| is_there(*node));
    }

    /// Compares this node's clock with the others.
    pub(super) fn compare(&self) -> ClockComparison {
        let known = self.0.values().filter(|samples| samples.len() >= MIN_SAMPLES);
        let differences = known.filter_map(|samples| samples.iter().max());
        let start = ClockComparison { peers: self.0.len(), ..ClockComparison::default() };
        differences.fold(start, |all, &ahead_ms| ClockComparison {
            peers: all.peers,
            differing: all.differing + usize::from(ahead_ms.abs() > TOLERANCE_MS),
            largest_ms: if ahead_ms.abs() > all.largest_ms.abs() {
                ahead_ms
            } else {
                all.largest_ms
            },
        })
    }
}

/// A forged message may carry any time, so a difference is bounded.
fn to_signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX).min(i64::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(clocks: &[&[i64]]) -> ClockComparison {
        let mut peers = PeerClocks::default();
        for (node, samples) in (0..).zip(clocks) {
            for ahead_ms in *samples {
                let at = 1_000_000u64.saturating_add_signed(*ahead_ms);
                peers.record(NodeId(node), Moment::from_millis(at), Moment::from_millis(1_000_000));
            }
        }
        peers.compare()
    }

    #[test]
    fn late_messages_are_no_difference() {
        let comparison = compare(&[&[-3_000, -2, -900], &[-1, 0]]);
        assert_eq!(comparison, ClockComparison { peers: 2, differing: 0, largest_ms: -2 });
        // A single message says nothing, and old ones are forgotten.
        let agreeing = ClockComparison { peers: 1, ..ClockComparison::default() };
        assert_eq!(compare(&[&[-3_000]]), agreeing);
        let mut differences = vec![0];
        differences.extend([-3_000; SAMPLES]);
        assert_eq!(compare(&[&differences]).largest_ms, -3_000);
    }

    #[test]
    fn the_majority_of_clocks_is_right() {
        let (same, ahead, behind): (&[i64], &[i64], &[i64]) =
            (&[-1, -1], &[4_999, 4_990], &[-5_001, -5_002]);
        for (clocks, is_right) in [
            (&[][..], true),
            (&[same], true),
            (&[ahead], false),
            (&[same, ahead], true),
            (&[&[-1], ahead], true),
            (&[behind, behind], false),
            (&[same, ahead, behind], false),
            (&[same, same, behind], true),
        ] {
            assert_eq!(compare(clocks).is_with_majority(), is_right, "{clocks:?}");
        }
    }

    #[test]
    fn no_time_is_too_far_off() {
        let mut peers = PeerClocks::default();
        let (now, end) = (Moment::from_millis(7), Moment::from_millis(u64::MAX));
        for _ in 0..2 {
            peers.record(NodeId(1), end, now);
            peers.record(NodeId(2), now, end);
        }
        assert_eq!(peers.compare().differing, 2);
    }
}
