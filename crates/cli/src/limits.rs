//! Every limit of this crate, so that no input can take all memory or all time unasked.

/// The longest FEN that is looked at. A real one has under 100 bytes.
pub(crate) const FEN_BYTES: usize = 4096;

/// The longest line that a player may type.
pub(crate) const PLAY_LINE_BYTES: usize = 256;

/// The deepest perft. No position has few enough moves to make a deeper one useful, and the
/// stack stays small.
pub(crate) const PERFT_DEPTH: i64 = 30;

/// The most threads of one perft.
pub(crate) const PERFT_THREADS: i64 = 256;

/// How many characters of a FEN are shown on each side of an error in it.
pub(crate) const EXCERPT_CHARS: usize = 60;

/// How wide running text is set.
pub(crate) const TEXT_COLUMNS: usize = 80;
