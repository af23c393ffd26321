//! Every limit of these commands. Together they keep the memory under 64 MB.

/// The most threads.
pub(super) const THREADS: i64 = 256;

/// How many bytes of games, and of what is to be said about them, may wait to be worked on or
/// printed before no more are read.
pub(super) const BYTES_UNDER_WAY: usize = 16 * 1024 * 1024;

/// What a byte of a part over [`RECYCLED_BYTES`] counts for. Such a part is one game that is
/// all moves or all comments, whose tree takes far more room than its text: it is worked on
/// while no other is read.
pub(super) const LARGE_PART_FACTOR: usize = 8;

/// The largest buffer that is kept to be filled again.
pub(super) const RECYCLED_BYTES: usize = 2 * 1024 * 1024;

/// How far back a packed file may refer, as a power of two: 32 MB. All levels of zstd that do
/// not need `--ultra` or `--long` stay within 8 MB.
pub(super) const ZSTD_WINDOW_LOG: u32 = 25;

/// How many players are counted one by one.
pub(super) const PLAYERS: usize = 200_000;

/// How much of a player's name is looked at.
pub(super) const PLAYER_BYTES: usize = 80;

/// How many of the most frequent, and of the longest, are listed.
pub(super) const LISTED: usize = 10;
