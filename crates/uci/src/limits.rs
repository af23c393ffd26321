//! Every limit of this crate.

/// How long a line may be: a `position` with as many moves as a line of the rules can hold, and
/// some room. Readers cut off what is longer; the parsers take any length.
pub const MAX_LINE_BYTES: usize = 128 * 1024;
