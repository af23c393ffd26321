//! A setup sound enough for the arguments about its history.

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Setup, Square, attacks};
use castellan_winnable::is_insufficient;

use crate::Finding;

/// A setup that meets the basic conditions every argument relies on.
///
/// Each side has one king, at most sixteen pieces and at most eight pawns, and no pawn stands on
/// the first or last rank. The kings are not adjacent, and the side that has just moved is not in
/// check. The remaining castling rights have their king and rook at home. An en passant square
/// has its pawn in front of it, and it and the square behind it are empty. Clocks are not part of
/// a case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// The board, the side to move and the rights. The clocks are `None`.
    pub setup: Setup,
    /// Whether the game may have begun from the standard start position, as far as the castling
    /// rights show. If not, it began from another Chess960 start position.
    pub is_standard: bool,
}

impl Case {
    /// Returns the case of a setup, leaving out rights that are obviously unsound (those have
    /// findings of their own), or `None` if the pieces themselves are impossible.
    pub fn of(setup: &Setup) -> Option<Case> {
        let pieces = &setup.pieces;
        let has_many = |color| pieces.piece(Piece { color, role: Role::Pawn }).count() > 8;
        let [white, black] =
            Color::ALL.map(|color| pieces.piece(Piece { color, role: Role::King }));
        if Color::ALL.into_iter().any(has_many) || (attacks::king(white.first()?) & black).any() {
            return None;
        }
        let setup = sound_part(setup)?;
        Some(Case { setup, is_standard: has_standard_rights(&setup) })
    }

    /// Returns the squares of the pieces of a color and role.
    pub fn piece(&self, color: Color, role: Role) -> Bitboard {
        self.setup.pieces.piece(Piece { color, role })
    }

    /// Returns the side that made the last move.
    pub fn last_mover(&self) -> Color {
        !self.setup.turn
    }

    /// Returns how many pieces of a side were captured.
    pub fn missing(&self, color: Color) -> usize {
        16 - self.setup.pieces.color(color).count()
    }

    /// Returns where the double pawn step that the en passant square records began and ended.
    pub(crate) fn double_step(&self) -> Option<[Square; 2]> {
        let square = |passed: Square, rank: Rank| {
            Square::new(passed.file(), rank.relative_to(self.last_mover()))
        };
        let ranks = [Rank::Second, Rank::Fourth];
        self.setup.en_passant.map(|passed| ranks.map(|rank| square(passed, rank)))
    }

    /// Returns the case before the double pawn step that the en passant square records, or the
    /// case itself if there is no such square. The step was certainly the last move, and it
    /// captured nothing.
    pub(crate) fn before_double_step(&self) -> Case {
        let mut before = *self;
        if let Some([from, to]) = self.double_step() {
            let color = self.last_mover();
            before.setup.en_passant = None;
            before.setup.pieces.clear(to);
            before.setup.pieces.put(Piece { color, role: Role::Pawn }, from);
            before.setup.turn = color;
        }
        before
    }

    /// Translates a finding about the case before the double step to this case: the pawn that
    /// made the step now stands on another square.
    pub(crate) fn after_double_step(&self, mut finding: Finding) -> Finding {
        if let Some([from, to]) = self.double_step() {
            finding.rename(from, to);
        }
        finding
    }

    /// Returns pieces that have provably stood on their squares since the game began. These are
    /// pawns on their second rank, since pawns never move backward; the kings and rooks of
    /// castling rights; and bishops at home behind two such pawns. Such a bishop could never
    /// leave, and if it had been captured at home, no other bishop could have entered the square.
    pub(crate) fn unmoved(&self) -> Bitboard {
        let mut unmoved = self.setup.castling_rooks;
        for color in Color::ALL {
            let home = Bitboard::rank(Rank::First.relative_to(color));
            if (self.setup.castling_rooks & home).any() {
                unmoved |= self.piece(color, Role::King);
            }
            let second = Bitboard::rank(Rank::Second.relative_to(color));
            let pawns = self.piece(color, Role::Pawn) & second;
            unmoved |= pawns;
            let usual = Bitboard::file(File::C) | Bitboard::file(File::F);
            let files = if self.is_standard { usual } else { Bitboard::FULL };
            let is_shut_in = |&square: &Square| (attacks::pawn(color, square) & !pawns).is_empty();
            let bishops = self.piece(color, Role::Bishop) & home & files;
            unmoved |= bishops.into_iter().filter(is_shut_in).collect();
        }
        unmoved
    }

    /// Returns whether the material alone rules out checkmate by either side: bare kings, a
    /// single knight, or any number of bishops that all stand on squares of one color. The game
    /// ended when this material came about (FIDE 5.2.2).
    pub(crate) fn is_dead(&self) -> bool {
        let is_insufficient = |color| is_insufficient(&self.setup.pieces, color);
        Color::ALL.into_iter().all(is_insufficient)
    }
}

/// Returns the setup without clocks and without those rights that make it unplayable.
fn sound_part(setup: &Setup) -> Option<Setup> {
    let whole = Setup { clocks: None, ..*setup };
    let without_step = Setup { en_passant: None, ..whole };
    let without_castling = Setup { castling_rooks: Bitboard::EMPTY, ..whole };
    let bare = Setup { en_passant: None, ..without_castling };
    [whole, without_step, without_castling, bare].into_iter().find(Setup::is_playable)
}

/// Returns whether every castling right is one of the four of standard chess: the rook in its
/// corner and the king on the e-file.
pub(crate) fn has_standard_rights(setup: &Setup) -> bool {
    let usual = |color: Color| {
        let king = setup.pieces.piece(Piece { color, role: Role::King });
        let rooks = setup.castling_rooks & Bitboard::rank(Rank::First.relative_to(color));
        rooks.is_empty()
            || (rooks & !rook_homes(color)).is_empty() && king.contains(king_home(color))
    };
    Color::ALL.into_iter().all(usual)
}

/// Returns where the king of a side starts in standard chess.
pub(crate) fn king_home(color: Color) -> Square {
    Square::new(File::E, Rank::First.relative_to(color))
}

/// Returns where the rooks of a side start in standard chess.
pub(crate) fn rook_homes(color: Color) -> Bitboard {
    let rank = Rank::First.relative_to(color);
    Bitboard::of(Square::new(File::A, rank)).with(Square::new(File::H, rank))
}
