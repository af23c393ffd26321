//! A setup sound enough to argue about.

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Setup, Square, attacks};

use crate::Finding;

/// A setup of which the arguments may assume the obvious.
///
/// Each side has one king, at most sixteen men and at most eight pawns, none of these on the
/// first or last rank; the kings are not neighbours and the side that has just moved is not in check. The
/// castling rights that are left have their king and rook at home, and an en passant square
/// has its pawn in front and two empty squares behind. Clocks are no part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// The board, whose turn it is, and the rights. Its clocks are `None`.
    pub setup: Setup,
    /// Whether the game began from the usual start position, as far as the castling rights
    /// tell; otherwise it was some other Chess960 start.
    pub is_standard: bool,
}

impl Case {
    /// The case of a setup, without the rights that are obviously unsound, which have findings
    /// of their own. None if the pieces themselves are impossible.
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

    /// The squares of a piece.
    pub fn piece(&self, color: Color, role: Role) -> Bitboard {
        self.setup.pieces.piece(Piece { color, role })
    }

    /// The side that made the last move.
    pub fn last_mover(&self) -> Color {
        !self.setup.turn
    }

    /// How many men of a side were captured.
    pub fn missing(&self, color: Color) -> usize {
        16 - self.setup.pieces.color(color).count()
    }

    /// The case before the double step that an en passant square tells of, and otherwise the
    /// same. That step was the last move for certain, and it captured nothing.
    pub(crate) fn before_double_step(&self) -> Case {
        let mut before = *self;
        if let Some(passed) = before.setup.en_passant.take() {
            let color = self.last_mover();
            let [from, to] = [Rank::Second, Rank::Fourth]
                .map(|rank| Square::new(passed.file(), rank.relative_to(color)));
            before.setup.pieces.clear(to);
            before.setup.pieces.put(Piece { color, role: Role::Pawn }, from);
            before.setup.turn = color;
        }
        before
    }

    /// A finding about the case before the double step, in the squares of this one: the pawn that
    /// made the step has moved on since.
    pub(crate) fn after_double_step(&self, mut finding: Finding) -> Finding {
        if let Some(passed) = self.setup.en_passant {
            let [from, to] = [Rank::Second, Rank::Fourth]
                .map(|rank| Square::new(passed.file(), rank.relative_to(self.last_mover())));
            finding.rename(from, to);
        }
        finding
    }

    /// The men that have stood on their squares since the game began, as far as a glance tells:
    /// pawns on their second rank, which never go back; the kings and rooks of castling rights;
    /// and bishops at home behind such pawns, for they could not leave, and after a capture there
    /// no other could come in.
    pub(crate) fn steady(&self) -> Bitboard {
        let mut steady = self.setup.castling_rooks;
        for color in Color::ALL {
            let home = Bitboard::rank(Rank::First.relative_to(color));
            if (self.setup.castling_rooks & home).any() {
                steady |= self.piece(color, Role::King);
            }
            let second = Bitboard::rank(Rank::Second.relative_to(color));
            let pawns = self.piece(color, Role::Pawn) & second;
            steady |= pawns;
            let usual = Bitboard::file(File::C) | Bitboard::file(File::F);
            let files = if self.is_standard { usual } else { Bitboard::FULL };
            let is_shut_in = |&square: &Square| (attacks::pawn(color, square) & !pawns).is_empty();
            let bishops = self.piece(color, Role::Bishop) & home & files;
            steady |= bishops.into_iter().filter(is_shut_in).collect();
        }
        steady
    }

    /// Whether nobody can be mated whatever is played, as far as the men tell: bare kings, one
    /// knight, or any number of bishops on squares of one colour. The game ended when this came
    /// about (FIDE 5.2.2).
    pub(crate) fn is_dead(&self) -> bool {
        let pieces = &self.setup.pieces;
        let majors = pieces.role(Role::Pawn) | pieces.role(Role::Rook) | pieces.role(Role::Queen);
        if majors.any() {
            return false;
        }
        let bishops = pieces.role(Role::Bishop);
        let knights = pieces.role(Role::Knight);
        if knights.is_empty() {
            (bishops & Bitboard::LIGHT).is_empty() || (bishops & Bitboard::DARK).is_empty()
        } else {
            bishops.is_empty() && !knights.is_many()
        }
    }
}

/// The setup without clocks, and without those of its rights that make it unplayable.
fn sound_part(setup: &Setup) -> Option<Setup> {
    let whole = Setup { clocks: None, ..*setup };
    let without_step = Setup { en_passant: None, ..whole };
    let without_castling = Setup { castling_rooks: Bitboard::EMPTY, ..whole };
    let bare = Setup { en_passant: None, ..without_castling };
    [whole, without_step, without_castling, bare].into_iter().find(Setup::is_playable)
}

/// Whether every castling right is one of the four of standard chess: the rook in its corner, the
/// king on the e-file.
pub(crate) fn has_standard_rights(setup: &Setup) -> bool {
    let usual = |color: Color| {
        let rank = Rank::First.relative_to(color);
        let king = setup.pieces.piece(Piece { color, role: Role::King });
        let rooks = setup.castling_rooks & Bitboard::rank(rank);
        let corners = Bitboard::of(Square::new(File::A, rank)).with(Square::new(File::H, rank));
        rooks.is_empty()
            || (rooks & !corners).is_empty() && king.contains(Square::new(File::E, rank))
    };
    Color::ALL.into_iter().all(usual)
}
