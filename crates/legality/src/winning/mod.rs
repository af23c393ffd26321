//! Who can still win: mates that are possible at all, with the help of both sides.
//!
//! Owns: dead positions (FIDE 5.2.2) and timeouts against a side that cannot mate (6.9).
//! Does not own: the usual ends of a game, which `castellan-rules` knows.
//!
//! Sound above all: a yes comes with the moves, a no with a proof, and what is neither is said
//! to be unknown.

mod ghosts;
mod guide;
mod kings;
mod material;
mod men;
mod net;
mod quick;
mod reach;
mod search;
mod split;
mod statics;
mod store;

use castellan_rules::{Color, Move, Position};

use crate::Budget;
pub use quick::can_win_quickly;
use search::{Found, Search};

/// Whether a side can still mate, if both sides wish it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CanWin {
    /// Yes: these legal moves lead to the mate.
    Yes(Vec<Move>),
    /// No, and why.
    No(Reason),
    /// Not found out; so many nodes were spent.
    Unknown(u64),
}

/// Why a side cannot mate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The game is over: a stalemate, or the side is itself mated.
    Over,
    /// No arrangement of the men that are left is a mate.
    Material,
    /// Wherever the men can go, there is no square for a mate.
    Blocked,
    /// Every line was followed to its end; so many positions were looked at.
    Exhausted(u64),
}

/// Whether `color` can still mate by some sequence of legal moves.
///
/// Moves that are forced are played first, then come arguments without a search, then the
/// search, which takes what is left of the budget; a node of it is a position.
///
/// ```
/// use castellan_legality::Budget;
/// use castellan_legality::winning::{CanWin, can_win};
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
    if material::is_insufficient(position.pieces(), color) {
        return CanWin::No(Reason::Material);
    }
    if statics::is_surely_unwinnable(&position, color) {
        return CanWin::No(Reason::Blocked);
    }
    let mut search = Search::new(&position, color);
    let mut found = budget.with_part(FIRST_NODES, |part| search.run(part));
    if matches!(found, Found::Spent) {
        if statics::is_unwinnable(&position, color, budget) {
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

/// Mates that are there for the asking are found with so many positions, before slow arguments
/// are tried.
const FIRST_NODES: u64 = 500;

/// Forced moves may go round in circles; this many are enough.
const FORCED_MOVES: usize = 32;

/// Plays moves as long as there is only one.
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

/// How many positions are looked at, per side, before a game goes on.
const NODES_PER_MOVE: u64 = 2_000;

/// Whether a position is dead (FIDE 5.2.2): nobody can mate any more. Bounded work, for use after
/// every move of a game: `None` means that this was not found out, and the game goes on.
///
/// ```
/// use castellan_legality::winning::is_dead;
/// use castellan_rules::Position;
/// let walls = Position::from_fen("8/8/3k3p/1p2p1pP/1P2P1P1/8/2K5/8 b - -")?;
/// assert_eq!(is_dead(&walls), Some(true));
/// # Ok::<(), castellan_rules::FenError>(())
/// ```
pub fn is_dead(position: &Position) -> Option<bool> {
    let mut answers = Color::ALL.map(|color| can_win_quickly(position, color));
    let is_open = answers.contains(&None) && !answers.contains(&Some(true));
    // Where men have room nothing more is asked: nearly all positions are such, and the arguments
    // below cost a thousand times what the quick ones do.
    if is_open && quick::is_tight(position) {
        for (answer, color) in answers.iter_mut().zip(Color::ALL) {
            *answer = answer.or_else(|| can_win_within(position, color, NODES_PER_MOVE));
        }
    }
    match answers {
        [Some(false), Some(false)] => Some(true),
        [Some(true), _] | [_, Some(true)] => Some(false),
        _ => None,
    }
}

fn can_win_within(position: &Position, color: Color, nodes: u64) -> Option<bool> {
    match can_win(position, color, &mut Budget::of_nodes(nodes)) {
        CanWin::Yes(_) => Some(true),
        CanWin::No(_) => Some(false),
        CanWin::Unknown(_) => None,
    }
}
