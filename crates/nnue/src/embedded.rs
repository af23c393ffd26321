//! The network inside the binary.

use crate::Network;

/// The packed file of the current network; to embed another one, name it here.
const EMBEDDED: Option<&[u8]> = Some(include_bytes!("../data/net5.nnue.packed"));

/// Unpacks the network that is part of this build, if there is one. That takes some milliseconds,
/// so a program does it once.
pub fn embedded() -> Option<Network> {
    EMBEDDED.map(|bytes| Network::parse(bytes).expect("a test reads the embedded network"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_network_is_sound() {
        assert_eq!(embedded().is_some(), EMBEDDED.is_some());
    }
}
