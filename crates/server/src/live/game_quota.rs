//! The number of games in memory that each IP address is responsible for.
//!
//! The total number of games in memory is bounded, so without a limit per address a single client
//! could use up all of it. An address is responsible for a game that it started or had loaded
//! from the store, until the game leaves memory.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use super::lock;

/// Number of games for each address.
#[derive(Debug)]
pub(crate) struct GameQuota {
    counts: Mutex<HashMap<IpAddr, usize>>,
    limit: usize,
}

impl GameQuota {
    /// Creates an empty table with a limit per address.
    pub(crate) fn new(limit: usize) -> GameQuota {
        GameQuota { counts: Mutex::default(), limit }
    }

    /// Returns `true` if an address may have another game. `None` stands for a client without
    /// limits.
    pub(crate) fn has_capacity(&self, address: Option<IpAddr>) -> bool {
        let counts = lock(&self.counts);
        address.is_none_or(|address| counts.get(&address).is_none_or(|count| *count < self.limit))
    }

    /// Counts a game for each of these addresses, or for none of them if one is at its limit.
    pub(crate) fn acquire(
        self: &Arc<GameQuota>,
        addresses: impl IntoIterator<Item = IpAddr>,
    ) -> Option<QuotaGuard> {
        let mut addresses: Vec<IpAddr> = addresses.into_iter().collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut counts = lock(&self.counts);
        let is_full = |it: &IpAddr| counts.get(it).is_some_and(|count| *count >= self.limit);
        if addresses.iter().any(is_full) {
            return None;
        }
        for address in &addresses {
            *counts.entry(*address).or_default() += 1;
        }
        Some(QuotaGuard { quota: Arc::clone(self), addresses })
    }
}

/// A game that is counted until this value is dropped.
#[derive(Debug)]
pub(crate) struct QuotaGuard {
    quota: Arc<GameQuota>,
    addresses: Vec<IpAddr>,
}

impl Drop for QuotaGuard {
    fn drop(&mut self) {
        let mut counts = lock(&self.quota.counts);
        for address in &self.addresses {
            if let Some(count) = counts.get_mut(address) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(address);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))
    }

    #[test]
    fn a_game_counts_once_for_an_address_until_it_is_gone() {
        let quota = Arc::new(GameQuota::new(2));
        let both = quota.acquire([address(1), address(1), address(2)]).unwrap();
        let one = quota.acquire([address(1)]).unwrap();
        assert!(!quota.has_capacity(Some(address(1))) && quota.has_capacity(Some(address(2))));
        assert!(quota.has_capacity(None));
        assert!(quota.acquire([address(2), address(1)]).is_none());
        let other = quota.acquire([address(2)]).unwrap();
        assert!(!quota.has_capacity(Some(address(2))), "the refused game was not counted");
        drop(both);
        assert!(quota.has_capacity(Some(address(1))) && quota.has_capacity(Some(address(2))));
        drop((one, other));
        assert!(lock(&quota.counts).is_empty());
    }
}
