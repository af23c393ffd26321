//! The limits of these commands. Together they keep memory use under 64 MB.

/// Maximum number of threads.
pub(crate) const THREADS: i64 = 256;

/// Maximum number of bytes, of games and of output about them, that may be in progress before
/// reading pauses.
pub(super) const BYTES_UNDER_WAY: usize = 16 * 1024 * 1024;

/// The weight of a byte in a part larger than [`RECYCLED_BYTES`]. Such a part is a single game
/// full of moves or comments, whose tree takes far more memory than its text, so no other part is
/// read while it is processed.
pub(super) const LARGE_PART_FACTOR: usize = 8;

/// Capacity of the largest buffer that is kept for reuse, in bytes.
pub(super) const RECYCLED_BYTES: usize = 2 * 1024 * 1024;

/// Maximum window of a compressed file, as a power of two: 32 MB. All zstd levels that do not
/// need `--ultra` or `--long` stay within 8 MB.
pub(super) const ZSTD_WINDOW_LOG: u32 = 25;

/// Maximum number of players that are counted individually.
pub(super) const PLAYERS: usize = 200_000;

/// Maximum length of a player's name, in bytes; the rest is ignored.
pub(super) const PLAYER_BYTES: usize = 80;

/// Number of entries in each list of the most frequent or the longest.
pub(super) const LISTED: usize = 10;
