//! The starting position of a game, and the tags that describe it.

use castellan_rules::Position;

use crate::game::full_fen;
use crate::{Game, ProblemKind, Tags};

/// Parses the position of a `FEN` tag.
///
/// Fields may be separated by several spaces. An empty value or a `?` means the standard starting
/// position, because some programs write every tag whether they know its value or not.
///
/// ```
/// use castellan_pgn::{ProblemKind, start_position};
/// let start = start_position("4k3/8/8/8/8/8/8/4K2R  w K - 0 1").unwrap();
/// assert_eq!(start.count_legal_moves(), 15);
/// assert!(matches!(start_position("8/8 w"), Err(ProblemKind::BadFen(_))));
/// ```
pub fn start_position(fen: &str) -> Result<Position, ProblemKind> {
    let words: Vec<&str> = fen.split_ascii_whitespace().collect();
    if matches!(words[..], [] | ["?"]) {
        return Ok(Position::start());
    }
    Position::from_fen(&words.join(" ")).map_err(|error| ProblemKind::BadFen(error.to_string()))
}

/// Returns the starting position according to the tags. `SetUp` is ignored because programs often
/// omit it.
pub(crate) fn start_of(tags: &Tags) -> Result<Position, ProblemKind> {
    tags.get("FEN").map_or_else(|| Ok(Position::start()), start_position)
}

/// Returns the tags of a game as they are written: sorted, with the actual result and starting
/// position.
pub(crate) fn tags_to_write(game: &Game) -> Tags {
    let mut tags = game.tags.clone();
    tags.set("Result", game.result.as_str());
    let tag_start = start_of(&tags).unwrap_or_default();
    // A FEN that matches the start of the game is kept as it was read. So is a FEN that could not
    // be parsed, because then the game has the standard start.
    if full_fen(&tag_start) != full_fen(game.start()) {
        tags.set("FEN", &full_fen(game.start()));
    }
    match tags.get("FEN") {
        Some(_) => tags.set("SetUp", "1"),
        None => tags.remove("SetUp"),
    }
    if tags.get("Variant").is_none() && game.start().is_chess960() {
        tags.set("Variant", "Chess960");
    }
    tags.sorted()
}
