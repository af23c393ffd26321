//! The limits of this crate.

/// Maximum length of a line, in bytes: a `position` command with as many moves as a line of the
/// rules can hold, and some room to spare. Readers cut off longer lines; the parsers accept any
/// length.
pub const MAX_LINE_BYTES: usize = 128 * 1024;
