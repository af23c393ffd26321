//! The games to read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// Games of random but sensible moves, a quarter of them with clocks.
const BUILT_IN: &[u8] = include_bytes!("../../data/sample.pgn");

/// The first bytes of a file compressed with Zstandard.
const ZSTANDARD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Games in memory.
pub(crate) struct Source {
    /// The name in tables and errors.
    pub(crate) name: String,
    /// The text in PGN.
    pub(crate) bytes: Vec<u8>,
}

/// Returns the games of the files, or the built-in sample.
pub(crate) fn load(files: &[PathBuf]) -> Result<Vec<Source>> {
    if files.is_empty() {
        return Ok(vec![Source { name: "sample.pgn".to_owned(), bytes: BUILT_IN.to_vec() }]);
    }
    files.iter().map(|file| open(file).with_context(|| file.display().to_string())).collect()
}

fn open(file: &Path) -> Result<Source> {
    let mut bytes = fs::read(file)?;
    if bytes.starts_with(ZSTANDARD) {
        bytes = zstd::decode_all(&bytes[..])?;
    }
    ensure!(!bytes.is_empty(), "the file is empty");
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    Ok(Source { name, bytes })
}
