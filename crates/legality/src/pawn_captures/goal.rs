//! What a position requires of the captures and promotions before it.
//!
//! Invariant: the requirements never exceed what every game to that position fulfills. A
//! requirement that is not certain is left out.

use castellan_rules::{Bitboard, Color, File, Rank, Role, Square};

use super::pawn_order::PawnOrder;
use super::pawn_ranks::PawnRanks;
use super::pawns::Unmoved;
use crate::Case;
use crate::material::Material;

/// What a position requires of the captures and promotions before it.
pub(super) struct CaptureGoal {
    /// The order of the pawns on each file.
    pub(super) pawn_orders: [PawnOrder; 8],
    /// By color, a bit set of the files whose original pawn never moved: the lowest pawn of the
    /// file for White, the highest for Black.
    pub(super) unmoved_pawns: [u8; 2],
    /// The captures made by each side.
    pub(super) captures: [u32; 2],
    /// How many pawns of each side may have been captured as pawns; the other missing pawns had
    /// to promote.
    pub(super) spare_pawns: [u32; 2],
    /// The promotions on dark and light squares that the bishops of each side require.
    pub(super) bishops: [[u32; 2]; 2],
    /// How many of the original dark and light bishops of each side were certainly captured.
    pub(super) taken_bishops: [[u32; 2]; 2],
    /// The files on which a pawn of a side may promote by advancing.
    pub(super) straight: [u8; 2],
    /// The files from which a pawn of a side may promote by a capture, and those onto which it
    /// may.
    pub(super) leaving: [u8; 2],
    pub(super) entering: [u8; 2],
    /// The files where a promoted bishop counts: it can leave, or still stands there.
    pub(super) useful: [u8; 2],
}

/// Why a position cannot even be searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unsearchable {
    /// It has more promoted pieces than missing pawns, which counting pieces already reveals.
    TooManyPromotions,
    /// A bishop of a side never left home and was captured there, and too few pieces are gone for
    /// that. Its home is given if another bishop on squares of its color is on the board.
    TakenAtHome(Color, Option<Square>),
}

impl CaptureGoal {
    /// Returns what a case requires.
    pub(super) fn of(case: &Case) -> Result<CaptureGoal, Unsearchable> {
        let mut goal = CaptureGoal::counted(case)?;
        let unmoved = case.unmoved();
        if unmoved.any() {
            for color in Color::ALL {
                goal.restrict(case, unmoved, color);
            }
        }
        Ok(goal)
    }

    /// Returns what a case requires, without regard to promotions forbidden by pieces that never
    /// moved.
    pub(super) fn counted(case: &Case) -> Result<CaptureGoal, Unsearchable> {
        let mut goal = CaptureGoal {
            pawn_orders: pawn_orders(case),
            unmoved_pawns: Color::ALL.map(|color| unmoved_pawns(case, color)),
            captures: Color::ALL.map(|color| case.missing(!color) as u32),
            spare_pawns: [0; 2],
            bishops: [[0; 2]; 2],
            taken_bishops: [[0; 2]; 2],
            straight: [!0; 2],
            leaving: [!0; 2],
            entering: [!0; 2],
            useful: [!0; 2],
        };
        for color in Color::ALL {
            if !Material::of(&case.setup.pieces, color).is_possible() {
                return Err(Unsearchable::TooManyPromotions);
            }
            goal.count_pieces(case, color)?;
        }
        Ok(goal)
    }

    /// Counts the pieces of a side that promoted or were captured. Fails if too many promoted,
    /// given that some bishops never left home.
    fn count_pieces(&mut self, case: &Case, color: Color) -> Result<(), Unsearchable> {
        let side = color.index();
        let material = Material::of(&case.setup.pieces, color);
        let bishops = material.bishops();
        // If there are two such bishops, the finding names the one with another of its color on
        // the board.
        let mut reason = Unsearchable::TakenAtHome(color, None);
        for is_light in [false, true] {
            let shade = usize::from(is_light);
            if is_taken_at_home(case, color, is_light) {
                if bishops[shade] > 0 {
                    reason = Unsearchable::TakenAtHome(color, Some(bishop_home(color, is_light)));
                }
                // A piece other than a pawn captured it, as no pawn could get there: one capture
                // fewer for the rest.
                let captures = &mut self.captures[1 - side];
                *captures = captures.checked_sub(1).ok_or(reason)?;
                self.bishops[side][shade] = bishops[shade];
            } else {
                self.bishops[side][shade] = bishops[shade].saturating_sub(1);
                self.taken_bishops[side][shade] = 1_u32.saturating_sub(bishops[shade]);
            }
        }
        let promoted = material.promoted_besides_bishops() + self.bishops[side].iter().sum::<u32>();
        self.spare_pawns[side] = material.pawns_gone().checked_sub(promoted).ok_or(reason)?;
        Ok(())
    }

    /// Rules out promotions of a side that pieces that never moved forbid.
    fn restrict(&mut self, case: &Case, unmoved: Bitboard, color: Color) {
        let side = color.index();
        let last = Rank::Eighth.relative_to(color);
        self.entering[side] = !files_of(unmoved, last);
        // A pawn next to a king that may still castle gives a check that only its capture ends.
        let king = files_of(unmoved & case.piece(!color, Role::King), last);
        self.leaving[side] = !(king << 1 | king >> 1);
        self.straight[side] = self.entering[side] & self.leaving[side];
        let own_bishops = case.piece(color, Role::Bishop);
        for file in File::ALL {
            let square = Square::new(file, last);
            if !own_bishops.contains(square) && is_boxed(square, unmoved, color.fold(-1, 1)) {
                self.useful[side] &= !(1 << file.index());
            }
        }
    }

    /// Returns the captures made by both sides together.
    pub(super) fn max_captures(&self) -> u32 {
        self.captures[0] + self.captures[1]
    }

    /// Returns whether the pawn of a side that began on a file never moved.
    pub(super) fn is_unmoved(&self, color: Color, file: usize) -> bool {
        self.unmoved_pawns[color.index()] >> file & 1 != 0
    }

    /// Returns which pawns of a file never moved.
    pub(super) fn unmoved(&self, file: usize) -> Unmoved {
        let [white, black] = Color::ALL.map(|color| self.is_unmoved(color, file));
        Unmoved { white, black }
    }
}

/// Returns the pawns of each file in their order.
fn pawn_orders(case: &Case) -> [PawnOrder; 8] {
    let black = case.piece(Color::Black, Role::Pawn);
    let mut pawn_orders = [PawnOrder::EMPTY; 8];
    for square in case.setup.pieces.role(Role::Pawn) {
        let pawn_order = &mut pawn_orders[square.file().index()];
        *pawn_order =
            pawn_order.then(if black.contains(square) { Color::Black } else { Color::White });
    }
    pawn_orders
}

/// Returns the pawns of each file with their ranks.
pub(super) fn pawn_ranks(case: &Case) -> [PawnRanks; 8] {
    let [white, black] = Color::ALL.map(|color| case.piece(color, Role::Pawn));
    let ranks = |pawns: Bitboard, file| {
        let on_file = pawns & Bitboard::file(file);
        on_file.into_iter().map(|square| 1_u8 << square.rank().index()).sum()
    };
    File::ALL.map(|file| PawnRanks { white: ranks(white, file), black: ranks(black, file) })
}

/// Returns whether the original dark or light bishop of a side never left home and is gone.
fn is_taken_at_home(case: &Case, color: Color, is_light: bool) -> bool {
    let home = bishop_home(color, is_light);
    let pawns = case.piece(color, Role::Pawn) & Bitboard::rank(Rank::Second.relative_to(color));
    case.is_standard
        && !case.piece(color, Role::Bishop).contains(home)
        && is_boxed(home, pawns, color.fold(1, -1))
}

/// Returns where the dark or light bishop of a side starts in standard chess.
fn bishop_home(color: Color, is_light: bool) -> Square {
    let file = if is_light == (color == Color::White) { File::F } else { File::C };
    Square::new(file, Rank::First.relative_to(color))
}

/// Returns the files of the pawns that never moved: those on the second rank of their side.
fn unmoved_pawns(case: &Case, color: Color) -> u8 {
    files_of(case.piece(color, Role::Pawn), Rank::Second.relative_to(color))
}

fn files_of(squares: Bitboard, rank: Rank) -> u8 {
    (squares.0 >> (8 * rank.index())) as u8
}

/// Returns whether a bishop on the edge of the board has no way toward the next rank.
fn is_boxed(square: Square, unmoved: Bitboard, towards: i32) -> bool {
    let mut ways = [-1, 1].into_iter().filter_map(|files| square.offset(files, towards));
    ways.all(|way| unmoved.contains(way))
}
