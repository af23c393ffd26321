//! Limits on what one IP address may have at a time: connections, sockets, games, password hashes.
//!
//! The total number of each is bounded, so without a limit per address a single client could use up
//! the whole total.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Returns how many of a resource one address may have when only `free` are left in total. The
/// number shrinks with `free`, so that addresses that have many cannot take the last ones, and a
/// client that has none gets one.
pub(crate) fn fair_share(free: usize) -> usize {
    (free / 4).max(1)
}

/// Counts for each address, and their limit.
#[derive(Debug)]
pub(crate) struct AddressLimit {
    counts: Mutex<HashMap<IpAddr, usize>>,
    limit: usize,
}

impl AddressLimit {
    /// Creates an empty table with a limit per address.
    pub(crate) fn new(limit: usize) -> AddressLimit {
        AddressLimit { counts: Mutex::default(), limit }
    }

    /// Returns `true` if an address is below the limit. `None` stands for a client without limits.
    pub(crate) fn has_capacity(&self, address: Option<IpAddr>) -> bool {
        let counts = self.lock();
        address.is_none_or(|address| counts.get(&address).is_none_or(|count| *count < self.limit))
    }

    /// Adds one to the count of each of these addresses, or to none of them if one is at the limit.
    pub(crate) fn acquire(
        self: &Arc<AddressLimit>,
        addresses: impl IntoIterator<Item = IpAddr>,
    ) -> Option<AddressGuard> {
        self.acquire_below(addresses, self.limit)
    }

    /// Does the same with a lower limit.
    pub(crate) fn acquire_below(
        self: &Arc<AddressLimit>,
        addresses: impl IntoIterator<Item = IpAddr>,
        limit: usize,
    ) -> Option<AddressGuard> {
        let limit = limit.min(self.limit);
        let mut addresses: Vec<IpAddr> = addresses.into_iter().collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut counts = self.lock();
        let is_full = |it: &IpAddr| counts.get(it).is_some_and(|count| *count >= limit);
        if addresses.iter().any(is_full) {
            return None;
        }
        for address in &addresses {
            *counts.entry(*address).or_default() += 1;
        }
        Some(AddressGuard { limit: Arc::clone(self), addresses })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value that adds one to the counts of some addresses until it is dropped.
#[derive(Debug)]
pub(crate) struct AddressGuard {
    limit: Arc<AddressLimit>,
    addresses: Vec<IpAddr>,
}

impl Drop for AddressGuard {
    fn drop(&mut self) {
        let mut counts = self.limit.lock();
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
    fn an_address_counts_once_until_the_guard_is_dropped() {
        let limit = Arc::new(AddressLimit::new(2));
        let both = limit.acquire([address(1), address(1), address(2)]).unwrap();
        let one = limit.acquire([address(1)]).unwrap();
        assert!(!limit.has_capacity(Some(address(1))) && limit.has_capacity(Some(address(2))));
        assert!(limit.has_capacity(None));
        assert!(limit.acquire([address(2), address(1)]).is_none());
        let other = limit.acquire([address(2)]).unwrap();
        assert!(!limit.has_capacity(Some(address(2))), "what was refused was not counted");
        drop(both);
        assert!(limit.has_capacity(Some(address(1))) && limit.has_capacity(Some(address(2))));
        drop((one, other));
        assert!(limit.lock().is_empty());
        let one = limit.acquire_below([address(1)], 1).unwrap();
        assert!(limit.acquire_below([address(1)], 1).is_none());
        assert!(limit.acquire_below([address(2)], 1).is_some());
        drop(one);
    }
}
