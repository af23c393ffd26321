//! Loads networks from files.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use castellan_nnue::Network;

use crate::limits;

/// Reads a network file, plain or compressed.
pub(crate) fn load(path: &Path) -> anyhow::Result<Arc<Network>> {
    let place = || format!("cannot load the network {}", path.display());
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(place)?;
    file.take(limits::NETWORK_BYTES + 1).read_to_end(&mut bytes).with_context(place)?;
    ensure!(
        bytes.len() as u64 <= limits::NETWORK_BYTES,
        "{}: the file is larger than {} bytes",
        place(),
        limits::NETWORK_BYTES
    );
    Ok(Arc::new(Network::parse(&bytes).with_context(place)?))
}
