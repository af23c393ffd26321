//! The start of a game, between its tags and its position.

use castellan_rules::Position;

use crate::game::full_fen;
use crate::{Game, ProblemKind, Tags};

/// The position of a `FEN` tag.
///
/// Blanks may be more than one. An empty value or a `?` means the normal start, as it does where
/// a program writes every tag whether it knows it or not.
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

/// The start that tags tell of. `SetUp` is not looked at: programs forget it.
pub(crate) fn start_of(tags: &Tags) -> Result<Position, ProblemKind> {
    tags.get("FEN").map_or_else(|| Ok(Position::start()), start_position)
}

/// The tags of a game as they are written: sorted, with the result and the start it has.
pub(crate) fn tags_to_write(game: &Game) -> Tags {
    let mut tags = game.tags.clone();
    tags.set("Result", game.result.as_str());
    let told = start_of(&tags).unwrap_or_default();
    // A FEN that says where the game starts stays as it was read. So does one that cannot be
    // understood: the game then starts nowhere else.
    if full_fen(&told) != full_fen(game.start()) {
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
