//! All limits of this crate.

/// Maximum nesting depth of variations.
pub const MAX_NESTING: usize = 64;
/// Maximum length of a tag's name, in bytes.
pub const MAX_TAG_NAME_BYTES: usize = 256;
/// Maximum length of a tag's value, in bytes.
pub const MAX_TAG_VALUE_BYTES: usize = 64 * 1024;
/// Maximum length of a comment, in bytes.
pub const MAX_COMMENT_BYTES: usize = 1024 * 1024;
/// Maximum number of tags of a game.
pub const MAX_TAGS: usize = 1024;
/// Maximum length of a move, in bytes: far more than any spelling needs.
pub const MAX_MOVE_BYTES: usize = 32;
/// Maximum length of a whole game, in bytes.
pub const MAX_GAME_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of moves in a game tree, all variations included. The number of its comments and
/// glyphs has the same limit. A tree takes about 25 MB in the worst case.
pub const MAX_TREE_MOVES: usize = 65_536;
/// Maximum number of problems kept per game; the rest are only counted.
pub const MAX_PROBLEMS: usize = 100;
