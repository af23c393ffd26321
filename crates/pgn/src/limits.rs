//! Every limit of this crate.

/// How deep variations may lie in one another.
pub const MAX_NESTING: usize = 64;
/// How long a tag's name may be.
pub const MAX_TAG_NAME_BYTES: usize = 256;
/// How long a tag's value may be.
pub const MAX_TAG_VALUE_BYTES: usize = 64 * 1024;
/// How long a comment may be.
pub const MAX_COMMENT_BYTES: usize = 1024 * 1024;
/// How many tags a game may have.
pub const MAX_TAGS: usize = 1024;
/// How long a move may be, in letters that nobody needs.
pub const MAX_MOVE_BYTES: usize = 32;
/// How long a whole game may be.
pub const MAX_GAME_BYTES: usize = 8 * 1024 * 1024;
/// How many moves, in all variations together, a game tree may hold, and how many comments and
/// glyphs: some 25 MB at the worst.
pub const MAX_TREE_MOVES: usize = 65_536;
/// How many problems of one game are kept; the rest is only counted.
pub const MAX_PROBLEMS: usize = 100;
