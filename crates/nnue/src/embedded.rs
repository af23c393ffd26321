//! The network embedded in the binary.

use crate::Network;

/// The packed file of the current network. Change the name here to embed another one.
const EMBEDDED: Option<&[u8]> = Some(include_bytes!("../data/net16b.nnue.packed"));

/// Unpacks the network embedded in this build, if there is one. This takes a few milliseconds, so
/// a program should do it only once.
pub fn embedded() -> Option<Network> {
    EMBEDDED.map(|bytes| Network::parse(bytes).expect("a test reads the embedded network"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_network_can_be_parsed() {
        assert_eq!(embedded().is_some(), EMBEDDED.is_some());
    }
}
