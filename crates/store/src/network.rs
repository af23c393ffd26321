//! A range of IP addresses that starts with the same bits.
//!
//! This module parses, prints and compares such ranges; the server decides what they mean.
//! Invariant: the bits after the prefix are 0, and an IPv4 address is never written as IPv6, so equal
//! ranges have equal texts.

use core::fmt;
use core::str::FromStr;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network: all addresses that share a prefix. A single address is a network, too.
///
/// ```
/// use castellan_store::Network;
/// let network: Network = "192.0.2.77/24".parse().unwrap();
/// assert_eq!(network.to_string(), "192.0.2.0/24");
/// assert!(network.contains("192.0.2.1".parse().unwrap()));
/// assert!(!network.contains("192.0.3.1".parse().unwrap()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// The text is not a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an address such as 192.0.2.1 or a network such as 192.0.2.0/24 or 2001:db8::/32")]
pub struct ParseNetworkError;

impl Network {
    /// Returns the network with a prefix of this many bits. `None` if the address has fewer.
    #[must_use]
    pub fn new(address: IpAddr, prefix: u8) -> Option<Network> {
        match address.to_canonical() {
            IpAddr::V4(address) => {
                let hidden = 32u32.checked_sub(prefix.into())?;
                let mask = u32::MAX.checked_shl(hidden).unwrap_or(0);
                let address = Ipv4Addr::from_bits(address.to_bits() & mask).into();
                Some(Network { address, prefix })
            }
            IpAddr::V6(address) => {
                let hidden = 128u32.checked_sub(prefix.into())?;
                let mask = u128::MAX.checked_shl(hidden).unwrap_or(0);
                let address = Ipv6Addr::from_bits(address.to_bits() & mask).into();
                Some(Network { address, prefix })
            }
        }
    }

    /// Returns the number of bits in which the addresses of the network differ: 0 for a single
    /// address.
    #[must_use]
    pub fn hidden_bits(&self) -> u8 {
        if self.address.is_ipv4() { 32 - self.prefix } else { 128 - self.prefix }
    }

    /// Returns the number of bits that the addresses have in common.
    #[must_use]
    pub fn prefix(&self) -> u8 {
        self.prefix
    }

    /// Returns whether an address is part of the network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        Network::new(address, self.prefix) == Some(*self)
    }

    /// Returns whether this is a network of IPv4 addresses.
    #[must_use]
    pub fn is_ipv4(&self) -> bool {
        self.address.is_ipv4()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.hidden_bits() {
            0 => write!(f, "{}", self.address),
            _ => write!(f, "{}/{}", self.address, self.prefix),
        }
    }
}

impl FromStr for Network {
    type Err = ParseNetworkError;

    fn from_str(text: &str) -> Result<Network, ParseNetworkError> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| ParseNetworkError)?;
        let address = address.to_canonical();
        let prefix = match prefix {
            None if address.is_ipv4() => 32,
            None => 128,
            // `parse` would also accept a sign.
            Some(bits) if bits.bytes().all(|byte| byte.is_ascii_digit()) => {
                bits.parse().map_err(|_| ParseNetworkError)?
            }
            Some(_) => return Err(ParseNetworkError),
        };
        Network::new(address, prefix).ok_or(ParseNetworkError)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_network() -> impl Strategy<Value = Network> {
        let v4 = (any::<u32>(), 0u8..=32)
            .prop_map(|(bits, prefix)| Network::new(Ipv4Addr::from_bits(bits).into(), prefix));
        let v6 = (any::<u128>(), 0u8..=128)
            .prop_map(|(bits, prefix)| Network::new(Ipv6Addr::from_bits(bits).into(), prefix));
        prop_oneof![v4, v6].prop_filter_map("an IPv4 address within IPv6", |network| network)
    }

    proptest! {
        #[test]
        fn a_network_reads_back_and_contains_itself(network in any_network()) {
            prop_assert_eq!(network.to_string().parse(), Ok(network));
            prop_assert!(network.contains(network.address));
        }

        #[test]
        fn the_prefix_alone_decides(bits in any::<u32>(), other in any::<u32>(), prefix in 0u8..=32) {
            let network = Network::new(Ipv4Addr::from_bits(bits).into(), prefix).expect("a prefix");
            let equal = (bits ^ other).leading_zeros() >= prefix.into();
            prop_assert_eq!(network.contains(Ipv4Addr::from_bits(other).into()), equal);
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            if let Ok(network) = text.parse::<Network>() {
                prop_assert_eq!(network.to_string().parse(), Ok(network));
            }
        }
    }

    #[test]
    fn the_whole_text_is_a_network() {
        for text in ["", "/", "1.2.3.4/", "1.2.3.4/33", "::/129", "1.2.3.4/+8", "1.2.3.4/8 ", "x"] {
            assert_eq!(text.parse::<Network>(), Err(ParseNetworkError), "{text}");
        }
        let mapped: Network = "::ffff:192.0.2.1".parse().expect("an address");
        assert_eq!(mapped.to_string(), "192.0.2.1");
        assert!("0.0.0.0/0".parse::<Network>().expect("all").contains(Ipv4Addr::BROADCAST.into()));
        assert!(!"0.0.0.0/0".parse::<Network>().expect("all").contains(Ipv6Addr::LOCALHOST.into()));
    }
}
