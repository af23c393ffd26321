//! What a weaker player sees: it overlooks some moves and evaluates roughly.
//!
//! A move is overlooked for a whole search or not at all: a player who does not see that the
//! bishop reaches g7 does not see it two moves deep either. The probability depends on the level,
//! on how many plies ahead the move is and on what people are known to miss: long moves, backward
//! moves, knight moves and quiet moves. Captures catch the eye, valuable ones more so. Recaptures
//! and check evasions are never overlooked.

use castellan_rules::{Color, Line, Move, MoveKind, Position, Role, Square};

use super::curve::LevelParameters;
use super::{Handicap, Level};
use crate::exchange::captured_role;
use crate::score::Value;

/// The level from which a mate in one is never overlooked.
const SEES_MATE_FROM: u16 = 1000;
/// Every level sees at least this many moves.
const FEWEST_MOVES: usize = 2;
/// How much better a player sees that the piece just moved can be captured, in logits.
const CARE: f64 = 2.0;
/// How much worse a player sees replies during a lapse, in logits.
const LAPSE_LOGITS: f64 = 4.0;
/// Separates the random number that decides on a lapse from the others.
const LAPSE: u64 = 0x6c61_7073_6500_0000;

/// What the player sees during one search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visibility {
    level: Level,
    seed: u64,
    blindness: f64,
    blur: f64,
    /// The square on which the opponent has just captured, if any.
    captured_on: Option<Square>,
    /// Whether the player hardly looks at replies this time.
    is_lapse: bool,
}

/// What the previous move does, which decides how easy a reply is to see.
#[derive(Clone, Copy, Default)]
pub(crate) struct PreviousMove {
    /// The square on which it captured, if it did.
    pub(crate) captured_on: Option<Square>,
    /// The square it went to.
    pub(crate) moved_to: Option<Square>,
}

impl Visibility {
    pub(super) fn new(handicap: Handicap, parameters: &LevelParameters, line: &Line) -> Visibility {
        let seed = mixed(handicap.seed ^ (line.moves().len() as u64) << 32);
        Visibility {
            level: handicap.level,
            seed,
            is_lapse: share(mixed(seed ^ LAPSE)) < parameters.lapse,
            blindness: parameters.blindness,
            blur: parameters.blur,
            captured_on: last_capture(line),
        }
    }

    /// Returns the root moves the level sees, but at least the few most obvious ones.
    pub(crate) fn seen_at_root(&self, position: &Position, moves: &[Move]) -> Vec<Move> {
        let mut ranked: Vec<(Move, f64)> =
            moves.iter().map(|&mv| (mv, self.clarity_at_root(position, mv))).collect();
        ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        let seen = ranked.iter().enumerate();
        let is_seen =
            |&(rank, &(_, clarity)): &(usize, &(Move, f64))| rank < FEWEST_MOVES || clarity >= 0.0;
        seen.filter(is_seen).map(|(_, &(mv, _))| mv).collect()
    }

    fn clarity_at_root(&self, position: &Position, mv: Move) -> f64 {
        let next = position.play_unchecked(mv);
        let is_mate = next.is_check() && !next.has_legal_move();
        if is_mate && self.level.points() >= SEES_MATE_FROM {
            return 1.0;
        }
        self.clarity(
            position,
            mv,
            0,
            PreviousMove { captured_on: self.captured_on, moved_to: None },
        )
    }

    /// Returns `true` if the level sees a move this many plies ahead, after the move `before`.
    pub(crate) fn sees(
        &self,
        position: &Position,
        mv: Move,
        ply: usize,
        before: PreviousMove,
    ) -> bool {
        self.clarity(position, mv, ply, before) >= 0.0
    }

    /// Returns how clearly a move is seen, from -1 to 1. From 0 on the level sees it.
    fn clarity(&self, position: &Position, mv: Move, ply: usize, before: PreviousMove) -> f64 {
        if before.captured_on == Some(mv.to()) || position.is_check() {
            return 1.0;
        }
        let mut logit = self.blindness + inconspicuousness(position, mv) + remoteness(ply);
        logit += crowd(position);
        if ply == 1 {
            // People check whether the piece in their hand can be captured.
            let is_taken = before.moved_to == Some(mv.to());
            logit -= if is_taken { CARE } else { 0.0 };
            logit += if self.is_lapse { LAPSE_LOGITS } else { 0.0 };
        }
        let missed = 1.0 / (1.0 + (-logit).exp());
        share(mixed(self.seed ^ signature(position.turn(), mv))) - missed
    }

    /// Returns an evaluation as the level judges it, with a random error.
    pub(crate) fn judged(&self, position: &Position, evaluation: Value) -> Value {
        let random = mixed(self.seed ^ position.hash());
        let either_way = share(random) + share(mixed(random)) - 1.0;
        evaluation + (either_way * self.blur) as Value
    }
}

/// Returns the square on which the last move of a line captured, if it did.
fn last_capture(line: &Line) -> Option<Square> {
    let mv = *line.moves().last()?;
    let before = line.positions().iter().rev().nth(1)?;
    before.is_capture(mv).then(|| mv.to())
}

/// Returns how much less obvious than others a move is, in logits.
fn inconspicuousness(position: &Position, mv: Move) -> f64 {
    let mut inconspicuousness = match mv.kind() {
        MoveKind::EnPassant => 1.0,
        MoveKind::Castle => -2.0,
        _ => 0.0,
    };
    if let Some(victim) = captured_role(position, mv) {
        inconspicuousness -= 0.9 + 0.15 * weight(victim);
    }
    if mv.promotion().is_some() {
        inconspicuousness -= 1.5;
    }
    if mv.role() == Role::Knight {
        inconspicuousness += 0.3;
    }
    let (files, ranks) = steps(mv);
    inconspicuousness +=
        0.15 * f64::from((files.max(ranks.unsigned_abs()).saturating_sub(2)) as u32);
    let forwards = if position.turn() == Color::White { ranks } else { -ranks };
    if forwards < 0 { inconspicuousness + 0.5 } else { inconspicuousness }
}

/// Returns how much harder it is to see a move among many pieces than in an ending, in logits.
fn crowd(position: &Position) -> f64 {
    const ENDING: f64 = 12.0;
    let pieces = position.occupied().count() as f64;
    0.12 * (pieces - ENDING).min(0.0)
}

/// Returns how much harder a move is to foresee this many plies ahead, in logits. A player's own
/// next moves are the easiest to see.
fn remoteness(ply: usize) -> f64 {
    match ply {
        0 => -1.2,
        _ => (0.25 * (ply - 1) as f64).min(1.0),
    }
}

fn weight(role: Role) -> f64 {
    match role {
        Role::Pawn => 1.0,
        Role::Knight | Role::Bishop => 3.0,
        Role::Rook => 5.0,
        Role::Queen | Role::King => 9.0,
    }
}

fn steps(mv: Move) -> (usize, isize) {
    let [from, to] = [mv.from(), mv.to()];
    let ranks = to.rank().index() as isize - from.rank().index() as isize;
    (from.file().index().abs_diff(to.file().index()), ranks)
}

/// Returns a number that is the same for the same piece and squares anywhere in the tree.
fn signature(turn: Color, mv: Move) -> u64 {
    let squares = (mv.from().index() as u64) << 6 | mv.to().index() as u64;
    (squares << 8 | (mv.role().index() as u64) << 1 | turn.index() as u64) << 20
}

/// Mixes the bits of a number (a step of SplitMix64).
pub(super) fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

/// Converts random bits to a number from 0 to 1.
fn share(random: u64) -> f64 {
    (random >> 11) as f64 / (1_u64 << 53) as f64
}
