//! Hands the key to the browser that the program opens.
//!
//! The key must not be in the address that the browser is started with, because every user of the
//! machine can read the arguments of a process. So that address contains a code that works once,
//! and only over a connection that belongs to the user who started the program. Other users can
//! read the code but not use it; sandboxed programs of the same user cannot read it.
//!
//! Linux lists all TCP sockets with their owners, and both ends of a loopback connection are on
//! this machine, so the client's end is in the list.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use super::key::{LaunchConfig, LocalKey};
use crate::address::Peer;

/// The code in the address that the browser is started with.
#[derive(Debug)]
pub(super) struct Launch {
    code: LocalKey,
    user_id: u32,
    is_used: AtomicBool,
}

impl Launch {
    pub(super) fn new(config: &LaunchConfig) -> Launch {
        let LaunchConfig { code, user_id } = config.clone();
        Launch { code, user_id, is_used: AtomicBool::new(false) }
    }

    /// Returns `true` once: for the right code over a connection of the right user.
    pub(super) fn accept(&self, said: &str, peer: Peer) -> bool {
        let is_right = self.code.is(said.as_bytes()) && owner_of(peer) == Some(self.user_id);
        is_right && !self.is_used.swap(true, Ordering::AcqRel)
    }
}

/// Returns the ID of the user at the other end of a loopback connection, or `None` if the system
/// does not tell.
fn owner_of(peer: Peer) -> Option<u32> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
    tables.iter().find_map(|path| find_owner(&fs::read_to_string(path).ok()?, peer))
}

/// State of an established connection. A socket in any other state may have lost its owner.
const ESTABLISHED: &str = "01";

/// Finds the client's end of a connection in the kernel's table of sockets.
fn find_owner(table: &str, peer: Peer) -> Option<u32> {
    let canonical = |address: SocketAddr| (address.ip().to_canonical(), address.port());
    let ends = (canonical(peer.remote), canonical(peer.local));
    table.lines().skip(1).find_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let (from, to) = (parse_end(columns.next()?)?, parse_end(columns.next()?)?);
        let is_established = columns.next()? == ESTABLISHED;
        let owner = columns.nth(3)?.parse().ok()?;
        (is_established && (from, to) == ends).then_some(owner)
    })
}

/// Parses an address as the kernel prints it: 32-bit words in the order of this machine, and the
/// port, both in hexadecimal.
fn parse_end(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| {
        let digits = address.get(8 * at..8 * at + 8)?;
        Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
    };
    let address = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (at, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(at)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes))
        }
        _ => return None,
    };
    Some((address.to_canonical(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(remote: &str, local: &str) -> Peer {
        Peer { remote: remote.parse().unwrap(), local: local.parse().unwrap() }
    }

    /// The words are in the order of a little-endian machine.
    #[cfg(target_endian = "little")]
    #[test]
    fn the_owner_is_the_one_of_the_client_s_end() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n\
             0: 0100007F:2300 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000\n\
             1: 0100007F:2300 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000\n\
             2: 0100007F:C001 0100007F:2300 01 00000000:00000000 00:00000000 00000000  1001\n\
             3: 0100007F:C002 0100007F:2300 05 00000000:00000000 00:00000000 00000000     0\n\
             4: broken\n\
             5: 0000000000000000FFFF00000100007F:C003 0000000000000000FFFF00000100007F:2300 01 \
                00000000:00000000 00:00000000 00000000  1002\n\
             6: 00000000000000000000000001000000:C004 00000000000000000000000001000000:2300 01 \
                00000000:00000000 00:00000000 00000000  1003\n";
        let owner = |remote, local| find_owner(table, peer(remote, local));
        assert_eq!(owner("127.0.0.1:49153", "127.0.0.1:8960"), Some(1001));
        assert_eq!(owner("127.0.0.1:49153", "127.0.0.1:8961"), None, "another server");
        assert_eq!(owner("127.0.0.1:49154", "127.0.0.1:8960"), None, "the client has closed it");
        assert_eq!(owner("127.0.0.1:49155", "127.0.0.1:8960"), Some(1002));
        assert_eq!(owner("[::1]:49156", "[::1]:8960"), Some(1003));
        assert_eq!(owner("127.0.0.1:49157", "127.0.0.1:8960"), None);
    }
}
