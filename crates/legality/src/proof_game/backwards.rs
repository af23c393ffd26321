//! The last move, taken back in every way.
//!
//! A check tells what the last move was, and a search that comes from the start does not see it.
//! So such a goal is given up for those one ply before it.

use castellan_rules::{
    Bitboard, Color, File, Move, MoveKind, Piece, Position, Promotion, Rank, Role, Setup, Square,
    attacks,
};

use super::distances::ahead;
use crate::Case;

/// The setups from which one move leads to a case, with that move. The castling rights are those
/// that are left, and more only where the move was castling.
pub(super) fn last_moves(case: &Case) -> Vec<(Case, Move)> {
    let Ok(position) = case.setup.position() else { return Vec::new() };
    let before =
        Before { after: position, passed: case.setup.en_passant, color: case.last_mover() };
    let mut found = Vec::new();
    for (to, piece) in case.setup.pieces.iter().filter(|(_, piece)| piece.color == before.color) {
        before.moves_to(to, piece.role, &mut |setup, mv| {
            found.extend(
                before
                    .checked(&setup)
                    .filter(|earlier| before.is_way(earlier, mv))
                    .map(|earlier| (earlier, mv)),
            );
        });
    }
    found
}

/// A position and who made the last move.
struct Before {
    after: Position,
    passed: Option<Square>,
    color: Color,
}

/// Takes a setup and the move that may have been played in it.
type Take<'a> = &'a mut dyn FnMut(Setup, Move);

impl Before {
    /// The case of a setup, if all of it makes sense.
    fn checked(&self, setup: &Setup) -> Option<Case> {
        let has_room = Color::ALL.into_iter().all(|color| setup.pieces.color(color).count() <= 16);
        Case::of(setup).filter(|case| has_room && case.setup == *setup)
    }

    /// Whether a move leads here by the rules.
    fn is_way(&self, earlier: &Case, mv: Move) -> bool {
        let next = earlier.setup.position().ok().and_then(|position| position.play(mv).ok());
        next.is_some_and(|next| {
            next == self.after
                && self.passed.is_none_or(|passed| next.passed_square() == Some(passed))
        })
    }

    /// Everything that may have been the move of the man on a square.
    fn moves_to(&self, to: Square, role: Role, take: Take<'_>) {
        let occupied = self.after.occupied();
        let is_last_rank = to.rank() == Rank::Eighth.relative_to(self.color);
        if role == Role::Pawn {
            self.pawn_moves(to, MoveKind::Normal, take);
            self.double_step(to, take);
            self.en_passant(to, take);
            return;
        }
        let piece = Piece { color: self.color, role };
        for from in attacks::of_piece(piece, to, occupied) & !occupied {
            let mv = Move::new(from, to, role, MoveKind::Normal);
            take(self.taken_back(mv), mv);
            self.captures(mv, take);
        }
        if let Some(promotion) = Promotion::from_role(role).filter(|_| is_last_rank) {
            self.pawn_moves(to, MoveKind::Promotion(promotion), take);
        }
        if role == Role::King {
            self.castlings(to, take);
        }
    }

    fn pawn_moves(&self, to: Square, kind: MoveKind, take: Take<'_>) {
        let occupied = self.after.occupied();
        if let Some(from) = ahead(!self.color, to).filter(|&from| !occupied.contains(from)) {
            let mv = Move::new(from, to, Role::Pawn, kind);
            take(self.taken_back(mv), mv);
        }
        for from in attacks::pawn(!self.color, to) & !occupied {
            self.captures(Move::new(from, to, Role::Pawn, kind), take);
        }
    }

    fn double_step(&self, to: Square, take: Take<'_>) {
        let from = ahead(!self.color, to).and_then(|passed| ahead(!self.color, passed));
        let is_home = |square: &Square| square.rank() == Rank::Second.relative_to(self.color);
        if let Some(from) = from.filter(is_home) {
            let mv = Move::new(from, to, Role::Pawn, MoveKind::DoubleStep);
            take(self.taken_back(mv), mv);
        }
    }

    fn en_passant(&self, to: Square, take: Take<'_>) {
        let Some(victim) = ahead(!self.color, to) else { return };
        let occupied = self.after.occupied();
        if to.rank() != Rank::Sixth.relative_to(self.color) || occupied.contains(victim) {
            return;
        }
        for from in attacks::pawn(!self.color, to) & !occupied {
            let mv = Move::new(from, to, Role::Pawn, MoveKind::EnPassant);
            let mut setup = self.taken_back(mv);
            setup.pieces.put(Piece { color: !self.color, role: Role::Pawn }, victim);
            setup.en_passant = Some(to);
            take(setup, mv);
        }
    }

    /// The same move with each man it may have captured.
    fn captures(&self, mv: Move, take: Take<'_>) {
        for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let mut setup = self.taken_back(mv);
            setup.pieces.put(Piece { color: !self.color, role }, mv.to());
            take(setup, mv);
        }
    }

    fn castlings(&self, king: Square, take: Take<'_>) {
        let rank = Rank::First.relative_to(self.color);
        for (to, rook, corner) in [(File::G, File::F, File::H), (File::C, File::D, File::A)] {
            if king != Square::new(to, rank) {
                continue;
            }
            let corner = Square::new(corner, rank);
            let home = Square::new(File::E, rank);
            let mut setup = self.without(Bitboard::of(king).with(Square::new(rook, rank)));
            setup.pieces.put(Piece { color: self.color, role: Role::Rook }, corner);
            setup.pieces.put(Piece { color: self.color, role: Role::King }, home);
            setup.castling_rooks = setup.castling_rooks.with(corner);
            take(setup, Move::new(home, corner, Role::King, MoveKind::Castle));
        }
    }

    /// The setup before a move that captured nothing.
    fn taken_back(&self, mv: Move) -> Setup {
        let mut setup = self.without(Bitboard::of(mv.to()));
        setup.pieces.put(Piece { color: self.color, role: mv.role() }, mv.from());
        setup
    }

    fn without(&self, squares: Bitboard) -> Setup {
        let mut setup = self.after.to_setup();
        (setup.turn, setup.en_passant, setup.clocks) = (self.color, None, None);
        for square in squares {
            setup.pieces.clear(square);
        }
        setup
    }
}

#[cfg(test)]
mod tests {
    use castellan_rules::{Move, Position};

    use super::last_moves;
    use crate::Case;
    use crate::proof_game::tests::random_lines;

    fn moves_back(position: &Position) -> Vec<(Case, Move)> {
        last_moves(&Case::of(&position.to_setup()).unwrap())
    }

    #[test]
    fn the_move_that_was_played_is_among_them() {
        for line in random_lines(11, 30, 120) {
            for pair in line.windows(2) {
                let is_same = |(case, mv): &(Case, Move)| {
                    case.setup.pieces == *pair[0].pieces()
                        && pair[0].play(*mv).is_ok_and(|next| next == pair[1])
                };
                let found = moves_back(&pair[1]);
                assert!(found.iter().any(is_same), "{} {}", pair[0].to_fen(), pair[1].to_fen());
            }
        }
    }

    #[test]
    fn each_leads_back_here() {
        for line in random_lines(12, 3, 100) {
            for position in line {
                for (case, mv) in moves_back(&position) {
                    assert_eq!(case.setup.position().unwrap().play(mv).unwrap(), position);
                }
            }
        }
    }
}
