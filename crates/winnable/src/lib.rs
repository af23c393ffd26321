//! Decides which side can still win: whether a checkmate is possible at all if both sides
//! cooperate.
//!
//! This crate decides dead positions (FIDE 5.2.2) and timeouts against a side that cannot mate
//! (6.9). It leaves the usual ends of a game to `castellan-rules`.
//!
//! Invariant: soundness comes first. A yes comes with the moves and a no with a proof; anything
//! else is reported as unknown.

mod budget;
mod ghosts;
mod guide;
mod kings;
mod material;
mod mating_net;
mod pieces;
mod quick;
mod reach;
mod search;
mod split;
mod static_proof;
mod store;

use castellan_rules::{Color, Move, Position};

pub use budget::Budget;
pub use material::is_insufficient;
pub use quick::can_win_quickly;
use search::{Found, Search};

/// Whether a side can still checkmate if both sides cooperate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CanWin {
    /// Yes: these legal moves lead to checkmate.
    Yes(Vec<Move>),
    /// No, for this reason.
    No(Reason),
    /// Unknown; this many nodes were spent.
    Unknown(u64),
}

impl CanWin {
    /// Returns whether the side can checkmate, or `None` if that is unknown.
    pub fn answer(&self) -> Option<bool> {
        match self {
            CanWin::Yes(_) => Some(true),
            CanWin::No(_) => Some(false),
            CanWin::Unknown(_) => None,
        }
    }
}

/// Why a side cannot checkmate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The game is over: it is stalemate, or the side itself is checkmated.
    Over,
    /// No arrangement of the remaining pieces is a checkmate.
    Material,
    /// On all squares that the pieces can ever reach, no checkmate is possible.
    Blocked,
    /// Every line was followed to its end; this many positions were examined.
    Exhausted(u64),
}

/// Decides whether `color` can still checkmate by some sequence of legal moves.
///
/// Forced moves are played first. Then come arguments that need no search, and then the search,
/// which uses the rest of the budget. Each of its nodes is a position.
///
/// ```
/// use castellan_winnable::{Budget, CanWin, can_win};
/// use castellan_rules::{Color, Position};
/// let position = Position::from_fen("7k/8/5K2/6Q1/8/8/8/8 w - -")?;
/// let answer = can_win(&position, Color::White, &mut Budget::of_nodes(1000));
/// assert!(matches!(answer, CanWin::Yes(moves) if moves.len() == 1));
/// # Ok::<(), castellan_rules::FenError>(())
/// ```
pub fn can_win(position: &Position, color: Color, budget: &mut Budget<'_>) -> CanWin {
    let (position, mut line) = forced(position);
    if !position.has_legal_move() {
        let is_won = position.turn() != color && position.is_check();
        return if is_won { CanWin::Yes(line) } else { CanWin::No(Reason::Over) };
    }
    if is_insufficient(position.pieces(), color) {
        return CanWin::No(Reason::Material);
    }
    if static_proof::is_surely_unwinnable(&position, color) {
        return CanWin::No(Reason::Blocked);
    }
    let mut search = Search::new(&position, color);
    let mut found = budget.with_part(FIRST_NODES, |part| search.run(part));
    if matches!(found, Found::Spent) {
        if static_proof::is_unwinnable(&position, color, budget) {
            return CanWin::No(Reason::Blocked);
        }
        found = search.run(budget);
    }
    match found {
        Found::Mate(moves) => {
            line.extend(moves);
            CanWin::Yes(line)
        }
        Found::Nothing(positions) => CanWin::No(Reason::Exhausted(positions)),
        Found::Spent => CanWin::Unknown(budget.spent()),
    }
}

/// How many positions are searched for easy mates before slow arguments are tried.
const FIRST_NODES: u64 = 500;

/// The most forced moves that are played, since they may repeat.
const FORCED_MOVES: usize = 32;

/// Plays moves as long as there is only one legal move.
fn forced(position: &Position) -> (Position, Vec<Move>) {
    let mut position = *position;
    let mut line = Vec::new();
    while line.len() < FORCED_MOVES && position.count_legal_moves() == 1 {
        let mv = position.legal_moves()[0];
        line.push(mv);
        position = position.play_unchecked(mv);
    }
    (position, line)
}

/// How many positions are examined per side after each move of a game.
const NODES_PER_MOVE: u64 = 2_000;

/// Returns whether a position is dead (FIDE 5.2.2), so that neither side can checkmate any more.
/// The work is bounded, for use after every move of a game. `None` means that the answer is
/// unknown and the game goes on.
///
/// ```
/// use castellan_winnable::is_dead;
/// use castellan_rules::Position;
/// let walls = Position::from_fen("8/8/3k3p/1p2p1pP/1P2P1P1/8/2K5/8 b - -")?;
/// assert_eq!(is_dead(&walls), Some(true));
/// # Ok::<(), castellan_rules::FenError>(())
/// ```
pub fn is_dead(position: &Position) -> Option<bool> {
    let mut answers = Color::ALL.map(|color| can_win_quickly(position, color));
    let is_open = answers.contains(&None) && !answers.contains(&Some(true));
    // If the pieces have room, stop here. Nearly all positions are like this, and the arguments
    // below cost a thousand times as much as the quick ones.
    if is_open && quick::is_tight(position) {
        for (answer, color) in answers.iter_mut().zip(Color::ALL) {
            let mut budget = Budget::of_nodes(NODES_PER_MOVE);
            *answer = answer.or_else(|| can_win(position, color, &mut budget).answer());
        }
    }
    match answers {
        [Some(false), Some(false)] => Some(true),
        [Some(true), _] | [_, Some(true)] => Some(false),
        _ => None,
    }
}
