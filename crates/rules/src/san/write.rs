//! Writes a move in its canonical spelling.

use super::{CheckMark, San, SanMove};
use crate::{File, Move, MoveKind, Position, Rank, Role};

/// Returns the SAN of a legal move. It says no more about the origin than is needed to
/// distinguish the move from other legal ones (PGN standard 8.2.3.4: the file if that is enough,
/// otherwise the rank, otherwise both), and marks check and checkmate.
pub fn write(position: &Position, mv: Move) -> String {
    San::from_move(position, mv).to_string()
}

impl San {
    /// Returns the SAN that [`write()`] writes.
    pub fn from_move(position: &Position, mv: Move) -> San {
        let next = position.play_outlined(mv);
        let mark = next
            .is_check()
            .then(|| if next.has_legal_move() { CheckMark::Check } else { CheckMark::Checkmate });
        let san = match mv.castling_side() {
            Some(side) => SanMove::Castle(side),
            None => {
                let is_capture = position.is_capture(mv);
                let (file, rank) = origin(position, mv, is_capture);
                let (role, to, promotion) = (mv.role(), mv.to(), mv.promotion());
                SanMove::Normal { role, file, rank, is_capture, to, promotion }
            }
        };
        San { mv: san, mark }
    }
}

/// Returns the file and the rank of the origin, as far as they must be written.
fn origin(position: &Position, mv: Move, is_capture: bool) -> (Option<File>, Option<Rank>) {
    let from = mv.from();
    if mv.role() == Role::Pawn {
        return (is_capture.then_some(from.file()), None);
    }
    let moves = position.legal_moves();
    let mut rivals = moves.iter().filter(|other| {
        other.role() == mv.role()
            && other.to() == mv.to()
            && other.from() != from
            && other.kind() != MoveKind::Castle
    });
    let Some(first) = rivals.next() else {
        return (None, None);
    };
    let mut shares_file = first.from().file() == from.file();
    let mut shares_rank = first.from().rank() == from.rank();
    for rival in rivals {
        shares_file |= rival.from().file() == from.file();
        shares_rank |= rival.from().rank() == from.rank();
    }
    let file = (!shares_file || shares_rank).then_some(from.file());
    let rank = shares_file.then_some(from.rank());
    (file, rank)
}
