//! The stored inputs in `fuzz/corpus`, one folder per target.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the folder of this package at build time.
pub(super) fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the inputs of a target in the order of their file names.
pub(super) fn read(target: &str) -> io::Result<Vec<Vec<u8>>> {
    let folder = package().join("corpus").join(target);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort_unstable();
    paths.into_iter().map(fs::read).collect()
}

/// Computes an FNV-1a hash, which names an input in the same way on every machine.
pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
