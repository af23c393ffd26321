//! The themes of a solution, by exact rules about the board.
//!
//! A theme is named only if the moves of the solution prove it: a fork, for example, counts only if
//! the forking piece then captures something that it attacked. So a theme may be missing from the
//! list, but the moves prove every theme that is listed.

mod geometry;
mod mates;
mod tactics;

use castellan_rules::{Move, MoveKind, Position, Promotion};

/// Defines the themes from one table: the variant and its name in files and requests.
macro_rules! themes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A theme of a solution.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Theme {
            $($(#[$doc])* $variant,)*
        }

        impl Theme {
            /// All themes.
            pub const ALL: &[Theme] = &[$(Theme::$variant,)*];

            /// Returns the name of the theme in files and requests.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Theme::$variant => $name,)*
                }
            }
        }
    };
}

themes! {
    /// The solution is mate in one move.
    MateIn1 = "mate_in_1",
    /// The solution is mate in two moves.
    MateIn2 = "mate_in_2",
    /// The solution is mate in three moves.
    MateIn3 = "mate_in_3",
    /// The solution is mate in four or more moves.
    LongMate = "long_mate",
    /// A rook or queen mates on the back rank, where the king's own pieces block its escape.
    BackRankMate = "back_rank_mate",
    /// A knight mates a king that its own pieces surround.
    SmotheredMate = "smothered_mate",
    /// A move checks with two pieces.
    DoubleCheck = "double_check",
    /// A move uncovers a check by another piece.
    DiscoveredCheck = "discovered_check",
    /// A move uncovers an attack by another piece, which then captures.
    DiscoveredAttack = "discovered_attack",
    /// A piece attacks two targets at once and captures one of them.
    Fork = "fork",
    /// A pinned piece cannot recapture, or is captured because it is pinned.
    Pin = "pin",
    /// A valuable piece must leave the line of an attack, and the piece behind it is captured.
    Skewer = "skewer",
    /// A piece that no move can recapture is captured.
    HangingPiece = "hanging_piece",
    /// A piece is attacked, has no safe square, and is captured.
    TrappedPiece = "trapped_piece",
    /// A defender captures an offered piece and gives up the square that it defended.
    Deflection = "deflection",
    /// A defender is captured, and then what it defended.
    RemovedDefender = "removed_defender",
    /// The solver gives up material at first.
    Sacrifice = "sacrifice",
    /// A move of the solution neither captures, checks nor promotes.
    QuietMove = "quiet_move",
    /// A pawn promotes.
    Promotion = "promotion",
    /// A pawn promotes to a knight, bishop or rook.
    Underpromotion = "underpromotion",
    /// A pawn captures en passant.
    EnPassant = "en_passant",
    /// The solver castles.
    Castling = "castling",
    /// The solution saves a game that is lost otherwise.
    Defense = "defense",
}

/// A solution with the mistake that allows it. All moves are legal where they are played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The position before the mistake.
    pub before: Position,
    /// The mistake.
    pub mistake: Move,
    /// The position after it, in which the solver is to move.
    pub start: Position,
    /// The solver's moves and the replies, in turn.
    pub moves: Vec<Move>,
}

/// A move of the solver and what follows it.
pub(crate) struct Step {
    pub(crate) before: Position,
    pub(crate) mv: Move,
    pub(crate) after: Position,
    /// The reply and the position after it, if the solution goes on.
    pub(crate) reply: Option<(Move, Position)>,
    /// The solver's next move.
    pub(crate) next: Option<Move>,
}

/// Returns the themes that the moves of a solution prove, in the order of [`Theme::ALL`], without
/// [`Theme::Defense`], which depends on the score.
pub fn themes(solution: &Solution) -> Vec<Theme> {
    let steps = steps(solution);
    let any = |shows: fn(&Step) -> bool| steps.iter().any(shows);
    let is_shown = |theme: &Theme| match theme {
        Theme::MateIn1 | Theme::MateIn2 | Theme::MateIn3 | Theme::LongMate => {
            mates::length(&steps) == Some(*theme)
        }
        Theme::BackRankMate => mates::is_back_rank(&steps),
        Theme::SmotheredMate => mates::is_smothered(&steps),
        Theme::DoubleCheck => any(|step| step.after.checkers().has_multiple()),
        Theme::DiscoveredCheck => any(tactics::is_discovered_check),
        Theme::DiscoveredAttack => any(tactics::is_discovered_attack),
        Theme::Fork => any(tactics::is_fork),
        Theme::Pin => any(tactics::uses_pin),
        Theme::Skewer => any(tactics::is_skewer),
        Theme::HangingPiece => tactics::is_hanging(solution),
        Theme::TrappedPiece => any(tactics::traps_piece),
        Theme::Deflection => any(tactics::deflects),
        Theme::RemovedDefender => any(tactics::removes_defender),
        Theme::Sacrifice => tactics::is_sacrifice(solution.start.turn(), &steps),
        Theme::QuietMove => any(is_quiet),
        Theme::Promotion => any(|step| step.mv.promotion().is_some()),
        Theme::Underpromotion => {
            any(|step| step.mv.promotion().is_some_and(|piece| piece != Promotion::Queen))
        }
        Theme::EnPassant => any(|step| step.mv.kind() == MoveKind::EnPassant),
        Theme::Castling => any(|step| step.mv.kind() == MoveKind::Castle),
        Theme::Defense => false,
    };
    Theme::ALL.iter().copied().filter(is_shown).collect()
}

fn is_quiet(step: &Step) -> bool {
    let Step { before, mv, after, .. } = step;
    let is_forcing = before.is_capture(*mv) || mv.promotion().is_some() || after.is_check();
    // Moving out of check is forced, however quiet it looks.
    !is_forcing && !before.is_check()
}

fn steps(solution: &Solution) -> Vec<Step> {
    let mut before = solution.start;
    let mut steps = Vec::new();
    for pair in solution.moves.chunks(2) {
        let mv = pair[0];
        let after = before.play_unchecked(mv);
        let reply = pair.get(1).map(|&reply| (reply, after.play_unchecked(reply)));
        let next = solution.moves.get(2 * steps.len() + 2).copied();
        steps.push(Step { before, mv, after, reply, next });
        let Some((_, position)) = reply else { break };
        before = position;
    }
    steps
}

#[cfg(test)]
mod tests;
