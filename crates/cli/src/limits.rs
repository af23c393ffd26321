//! The limits of this crate. They ensure that no input can exhaust memory or time.

use std::time::Duration;

/// Maximum length of a FEN that is examined. A real one has under 100 bytes.
pub(crate) const FEN_BYTES: usize = 4096;

/// Size of the buffer for reading a list of FENs.
pub(crate) const FEN_INPUT_BYTES: usize = 64 * 1024;

/// Maximum number of FENs of a list that are processed at the same time.
pub(crate) const FEN_LINES_AT_ONCE: usize = 1024;

/// Maximum and default time for one FEN, in seconds. The maximum is a day.
pub(crate) const FEN_SECONDS: u64 = 24 * 60 * 60;
pub(crate) const FEN_SECONDS_DEFAULT: u64 = 10;

/// Maximum time for `--effort normal`; few positions need a tenth of it.
pub(crate) const FEN_NORMAL_TIME: Duration = Duration::from_millis(80);

/// Maximum number of squares that a finding names; more are only marked on the board.
pub(crate) const SQUARES_NAMED: usize = 4;

/// Maximum length of a line that a player may type.
pub(crate) const PLAY_LINE_BYTES: usize = 256;

/// Maximum perft depth. No position has few enough moves to make a deeper count useful, and the
/// limit keeps the stack small.
pub(crate) const PERFT_DEPTH: i64 = 30;

/// Maximum number of threads for one perft.
pub(crate) const PERFT_THREADS: i64 = 256;

/// Default number of positions to search, for each side, to find out who can win: a few seconds.
pub(crate) const DEAD_NODES: u64 = 1_000_000;

/// Width of wrapped text, in columns.
pub(crate) const TEXT_COLUMNS: usize = 80;

/// Maximum size of a network file; the largest possible network has 51 MB.
pub(crate) const NETWORK_BYTES: u64 = 64 << 20;

/// Maximum search depth of `bench`; a deeper search would take hours.
pub(crate) const BENCH_DEPTH: i64 = 40;

/// The fewest and the most nodes for the first check of a puzzle's move.
pub(crate) const PUZZLE_NODES: [i64; 2] = [1_000, 1_000_000_000];

/// Maximum number of games of `puzzles` that may be finished before an earlier one is.
pub(crate) const PUZZLE_GAMES_AHEAD: u64 = 256;

/// Maximum number of puzzles in one output file: their positions are kept to find duplicates.
pub(crate) const PUZZLES: u64 = 10_000_000;

/// Maximum size of the state file of `puzzles`.
pub(crate) const PUZZLE_STATE_BYTES: u64 = 1 << 20;
