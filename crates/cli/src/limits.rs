//! Every limit of this crate, so that no input can take all memory or all time unasked.

use std::time::Duration;

/// The longest FEN that is looked at. A real one has under 100 bytes.
pub(crate) const FEN_BYTES: usize = 4096;

/// How much of a list of FENs is read at once.
pub(crate) const FEN_INPUT_BYTES: usize = 64 * 1024;

/// How many FENs of a list are in work at the same time.
pub(crate) const FEN_LINES_AT_ONCE: usize = 1024;

/// The longest time for one FEN, a day, and the usual one, in seconds.
pub(crate) const FEN_SECONDS: u64 = 24 * 60 * 60;
pub(crate) const FEN_SECONDS_DEFAULT: u64 = 10;

/// How long `--effort normal` takes at most: few positions need a tenth of it.
pub(crate) const FEN_NORMAL_TIME: Duration = Duration::from_millis(80);

/// How many squares a finding names; more are only marked on the board.
pub(crate) const SQUARES_NAMED: usize = 4;

/// The longest line that a player may type.
pub(crate) const PLAY_LINE_BYTES: usize = 256;

/// The deepest perft. No position has few enough moves to make a deeper one useful, and the
/// stack stays small.
pub(crate) const PERFT_DEPTH: i64 = 30;

/// The most threads of one perft.
pub(crate) const PERFT_THREADS: i64 = 256;

/// How many positions are looked at, for each side, to find out who can win: some seconds.
pub(crate) const DEAD_NODES: u64 = 1_000_000;

/// How wide running text is set.
pub(crate) const TEXT_COLUMNS: usize = 80;

/// The largest file of a network; the largest network that there can be has 51 MB.
pub(crate) const NETWORK_BYTES: u64 = 64 << 20;

/// The deepest search of `bench`; at a depth beyond this it would take hours.
pub(crate) const BENCH_DEPTH: i64 = 40;
