//! The IP address of a client.
//!
//! It is the address of the connection. `X-Forwarded-For` counts only if the connection comes from
//! a proxy that the operator trusts. The header is read from its right end, because the client may
//! have written the entries further left.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};

use crate::state::AppState;

/// Both ends of the connection, added to each request by the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// Address of the client.
    pub(crate) remote: SocketAddr,
    /// Address of the server.
    pub(crate) local: SocketAddr,
}

/// IP address of a client.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Reads the address from a request. Without a connection, as in a test, it is `0.0.0.0`.
    pub fn of(extensions: &Extensions, headers: &HeaderMap, trusted: &[IpAddr]) -> ClientAddress {
        let peer = extensions.get::<Peer>().map(|peer| peer.remote.ip().to_canonical());
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        ClientAddress(if trusted.contains(&peer) {
            forwarded(headers, trusted, peer)
        } else {
            peer
        })
    }

    /// Returns the part of the address that identifies one customer of an Internet provider. For
    /// IPv6 that is the /64 network, because a customer could otherwise use 2^64 addresses.
    pub fn customer(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
            address => address,
        }
    }
}

/// Returns the last address in the chain that is not a trusted proxy.
fn forwarded(headers: &HeaderMap, trusted: &[IpAddr], peer: IpAddr) -> IpAddr {
    let lines = headers.get_all("x-forwarded-for").iter().rev();
    let mut last = peer;
    for line in lines {
        let Ok(line) = line.to_str() else { return last };
        for text in line.rsplit(',') {
            let Some(address) = parse(text.trim()) else { return last };
            last = address;
            if !trusted.contains(&address) {
                return address;
            }
        }
    }
    last
}

/// Parses an address with or without a port.
fn parse(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    text.parse().or_else(|_| with_port()).ok().map(|address: IpAddr| address.to_canonical())
}

/// Returns `true` if a proxy has forwarded the request.
pub(crate) fn is_forwarded(headers: &HeaderMap) -> bool {
    ["x-forwarded-for", "forwarded", "via"].iter().any(|name| headers.contains_key(*name))
}

impl FromRequestParts<AppState> for ClientAddress {
    type Rejection = core::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &AppState,
    ) -> Result<ClientAddress, Self::Rejection> {
        let trusted = &state.services.config.trusted_proxies;
        Ok(ClientAddress::of(&parts.extensions, &parts.headers, trusted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(peer: &str, forwarded: &[&str], trusted: &[&str], expected: &str) {
        let mut extensions = Extensions::new();
        let remote = SocketAddr::new(peer.parse().unwrap(), 4000);
        extensions.insert(Peer { remote, local: remote });
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().unwrap());
        }
        let trusted: Vec<IpAddr> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        let found = ClientAddress::of(&extensions, &headers, &trusted);
        assert_eq!(found.0, expected.parse::<IpAddr>().unwrap());
    }

    #[test]
    fn no_proxy_is_trusted_by_default() {
        check("192.0.2.1", &["198.51.100.7"], &[], "192.0.2.1");
        check("192.0.2.1", &["198.51.100.7"], &["192.0.2.9"], "192.0.2.1");
    }

    #[test]
    fn a_trusted_proxy_is_believed_for_what_it_wrote_itself() {
        check("192.0.2.9", &["203.0.113.5, 198.51.100.7"], &["192.0.2.9"], "198.51.100.7");
        check("192.0.2.9", &["203.0.113.5", "198.51.100.7"], &["192.0.2.9"], "198.51.100.7");
        let both = &["192.0.2.9", "192.0.2.8"];
        check("192.0.2.9", &["203.0.113.5, 198.51.100.7, 192.0.2.8"], both, "198.51.100.7");
        check("192.0.2.9", &["[2001:db8::1]:4000"], both, "2001:db8::1");
    }

    #[test]
    fn a_header_that_is_no_address_counts_as_the_proxy() {
        check("192.0.2.9", &["unknown"], &["192.0.2.9"], "192.0.2.9");
        check("192.0.2.9", &[], &["192.0.2.9"], "192.0.2.9");
        check("::ffff:192.0.2.9", &["198.51.100.7"], &["192.0.2.9"], "198.51.100.7");
    }

    #[test]
    fn a_customer_has_one_ipv6_network() {
        let customer = |text: &str| ClientAddress(text.parse().unwrap()).customer();
        assert_eq!(customer("2001:db8:1:2::1"), customer("2001:db8:1:2:ffff::9"));
        assert_ne!(customer("2001:db8:1:2::1"), customer("2001:db8:1:3::1"));
        assert_ne!(customer("192.0.2.1"), customer("192.0.2.2"));
    }
}
