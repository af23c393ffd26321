//! Attack information that all parts of the evaluation share.
//!
//! It is filled in once per position: pawns and kings first, other pieces while their mobility is
//! counted.

use castellan_rules::{Bitboard, Color, File, Position, Rank, Role, Square, attacks};

use super::geometry::{ahead, beside, forward, pawn_attacks, pawn_double_attacks, relative_rank};

/// Attacks and related bitboards of one position. Arrays of two are indexed by color.
pub(crate) struct Survey<'a> {
    pub(crate) position: &'a Position,
    pub(crate) occupied: Bitboard,
    pub(crate) pawns: [Bitboard; 2],
    pub(crate) kings: [Square; 2],
    /// The attacked squares, by color and role.
    pub(crate) attacks: [[Bitboard; 6]; 2],
    /// The squares attacked by at least one piece and, in `attacked_twice`, by at least two.
    pub(crate) attacked: [Bitboard; 2],
    pub(crate) attacked_twice: [Bitboard; 2],
    /// The squares that a color's pawns attack now or may attack later.
    pub(crate) pawn_reach: [Bitboard; 2],
    /// The squares around a color's king.
    pub(crate) ring: [Bitboard; 2],
    /// The squares that count for the mobility of a color's pieces.
    pub(crate) mobility_area: [Bitboard; 2],
    /// The pieces of either color that alone stand between a color's king and an enemy slider.
    pub(crate) blockers: [Bitboard; 2],
    /// For each king's color, the number of enemy knights, bishops, rooks and queens that attack
    /// its ring and, in `ring_attacks`, the number of their attacks on squares next to the king.
    pub(crate) attackers: [[i32; 4]; 2],
    pub(crate) ring_attacks: [i32; 2],
}

impl<'a> Survey<'a> {
    pub(crate) fn new(position: &'a Position) -> Survey<'a> {
        let occupied = position.occupied();
        let all_pawns = position.role(Role::Pawn);
        let pawns = Color::ALL.map(|color| all_pawns & position.color(color));
        let kings = Color::ALL.map(|color| position.king(color));
        let mut survey = Survey {
            position,
            occupied,
            pawns,
            kings,
            attacks: [[Bitboard::EMPTY; 6]; 2],
            attacked: [Bitboard::EMPTY; 2],
            attacked_twice: [Bitboard::EMPTY; 2],
            pawn_reach: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            mobility_area: [Bitboard::EMPTY; 2],
            blockers: [Bitboard::EMPTY; 2],
            attackers: [[0; 4]; 2],
            ring_attacks: [0; 2],
        };
        for color in Color::ALL {
            survey.begin(color);
        }
        for color in Color::ALL {
            survey.mobility_area[color.index()] = survey.mobility_area(color);
        }
        survey
    }

    /// Fills in the attacks of a color's pawns and king.
    fn begin(&mut self, color: Color) {
        let us = color.index();
        let (pawns, king) = (self.pawns[us], self.kings[us]);
        let by_pawns = pawn_attacks(color, pawns);
        let by_king = attacks::king(king);
        self.attacks[us][Role::Pawn.index()] = by_pawns;
        self.attacks[us][Role::King.index()] = by_king;
        self.attacked[us] = by_pawns | by_king;
        self.attacked_twice[us] = pawn_double_attacks(color, pawns) | by_pawns & by_king;
        self.pawn_reach[us] = by_pawns | beside(ahead(color, pawns));
        // The ring of a king at the edge is shifted inward, so that it also has nine squares.
        let center = king_center(king);
        self.ring[us] = attacks::king(center).with(center);
        self.blockers[us] = self.blockers_of(color);
    }

    fn mobility_area(&self, color: Color) -> Bitboard {
        let us = color.index();
        let low = Bitboard::rank(Rank::Second.relative_to(color))
            | Bitboard::rank(Rank::Third.relative_to(color));
        let stuck = self.pawns[us] & (low | forward(!color, self.occupied));
        let excluded = stuck
            | Bitboard::of(self.kings[us])
            | self.attacks[(!color).index()][Role::Pawn.index()];
        !excluded
    }

    /// Returns the pieces of either color that alone stand between a king and an enemy slider.
    fn blockers_of(&self, color: Color) -> Bitboard {
        let position = self.position;
        let king = self.kings[color.index()];
        let theirs = position.color(!color);
        let queens = position.role(Role::Queen);
        let snipers = theirs
            & (attacks::rook(king, Bitboard::EMPTY) & (position.role(Role::Rook) | queens)
                | attacks::bishop(king, Bitboard::EMPTY) & (position.role(Role::Bishop) | queens));
        let mut blockers = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(king, sniper) & self.occupied;
            if between.any() && !between.has_multiple() {
                blockers |= between;
            }
        }
        blockers
    }

    /// Records the attacks of a piece.
    #[inline]
    pub(crate) fn record_attacks(&mut self, color: Color, role: Role, squares: Bitboard) {
        let us = color.index();
        self.attacked_twice[us] |= self.attacked[us] & squares;
        self.attacked[us] |= squares;
        self.attacks[us][role.index()] |= squares;
        let them = 1 - us;
        if (squares & self.ring[them]).any() {
            self.attackers[them][role.index() - 1] += 1;
            let near = attacks::king(self.kings[them]);
            self.ring_attacks[them] += (squares & near).count() as i32;
        }
    }

    /// Returns the pieces of a color and role.
    #[inline]
    pub(crate) fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.position.role(role) & self.position.color(color)
    }

    /// Returns the squares that a color's opponent attacks and that the color does not defend
    /// well.
    pub(crate) fn weak(&self, color: Color) -> Bitboard {
        let (us, them) = (color.index(), (!color).index());
        let strong = self.attacks[us][Role::Pawn.index()]
            | self.attacked_twice[us] & !self.attacked_twice[them];
        self.attacked[them] & !strong
    }

    /// Returns the rank of a square from a color's point of view, from 0 to 7.
    pub(crate) fn rank(&self, color: Color, square: Square) -> usize {
        relative_rank(color, square)
    }
}

fn king_center(king: Square) -> Square {
    let file = king.file().clamp(File::B, File::G);
    let rank = king.rank().clamp(Rank::Second, Rank::Seventh);
    Square::new(file, rank)
}
