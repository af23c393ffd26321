//! What is wrong on the board and in its fields, seen by counting and looking.
//!
//! Every check runs whatever the others found, and each looks only at what it needs, so that a
//! board without a king still hears of its nine pawns. Of a sound setup nothing is allocated.
//! No position of a game has an error here, nor one of a Chess960 game that is read as such.

mod castling;
#[cfg(test)]
mod tests;

use castellan_rules::{Bitboard, Color, Piece, Rank, Role, Setup, Square, attacks};

pub(crate) use castling::sound_rights;

use crate::reading::Letters;
use crate::{Code, Finding, Value};

const BACK_RANKS: Bitboard =
    Bitboard(Bitboard::rank(Rank::First).0 | Bitboard::rank(Rank::Eighth).0);

/// Adds all that is wrong with the men, the turn, the castling rights and the en passant square.
pub(crate) fn examine(setup: &Setup, letters: Letters, findings: &mut Vec<Finding>) {
    for color in Color::ALL {
        count_kings(setup, color, findings);
        count_men(setup, color, findings);
    }
    let astray = setup.pieces.role(Role::Pawn) & BACK_RANKS;
    if astray.any() {
        findings.push(Finding::new(Code::PawnOnBackRank, astray).with(Value::Squares(astray)));
    }
    check_kings(setup, findings);
    if setup.castling_rooks.any() {
        castling::check(setup, letters, findings);
    }
    if let Some(passed) = setup.en_passant {
        check_en_passant(setup, passed, findings);
    }
}

/// One king each (FIDE 2.2).
fn count_kings(setup: &Setup, color: Color, findings: &mut Vec<Finding>) {
    let kings = setup.pieces.piece(Piece { color, role: Role::King });
    if kings.is_empty() {
        let code = Code::of_color(color, Code::NoWhiteKing, Code::NoBlackKing);
        findings.push(Finding::new(code, Bitboard::EMPTY));
    } else if kings.is_many() {
        let code = Code::of_color(color, Code::ManyWhiteKings, Code::ManyBlackKings);
        findings.push(numbered(code, kings, [kings.count()]).with(Value::Squares(kings)));
    }
}

/// Sixteen men, eight of them pawns (FIDE 2.2), and a promoted one for each pawn that is gone
/// (FIDE 3.7.3.3). Whatever stands more than once but twice at the start, or on the colour of
/// its twin, is promoted: that needs no look at the past.
fn count_men(setup: &Setup, color: Color, findings: &mut Vec<Finding>) {
    let pawns = setup.pieces.piece(Piece { color, role: Role::Pawn });
    let (men_count, pawn_count) = (setup.pieces.color(color).count(), pawns.count());
    if men_count > 16 {
        let code = Code::of_color(color, Code::ManyWhiteMen, Code::ManyBlackMen);
        findings.push(numbered(code, Bitboard::EMPTY, [men_count]));
    }
    if pawn_count > 8 {
        let code = Code::of_color(color, Code::ManyWhitePawns, Code::ManyBlackPawns);
        findings.push(numbered(code, pawns, [pawn_count]));
        return;
    }
    let surplus = promoted(setup, color);
    let promotions: usize = surplus.iter().map(|&(_, count)| count).sum();
    if pawn_count + promotions > 8 {
        let code = Code::of_color(color, Code::ManyWhitePromotions, Code::ManyBlackPromotions);
        let among = surplus.iter().filter(|(_, count)| *count > 0);
        let squares = among.fold(Bitboard::EMPTY, |all, (squares, _)| all | *squares);
        let finding = numbered(code, squares, [promotions, pawn_count]);
        findings.push(finding.with(Value::Squares(squares)));
    }
}

/// The men of each kind, and how many of these were pawns at least.
fn promoted(setup: &Setup, color: Color) -> [(Bitboard, usize); 5] {
    let of = |role| setup.pieces.piece(Piece { color, role });
    let bishops = of(Role::Bishop);
    let kinds = [
        (of(Role::Queen), 1),
        (of(Role::Rook), 2),
        (of(Role::Knight), 2),
        (bishops & Bitboard::LIGHT, 1),
        (bishops & Bitboard::DARK, 1),
    ];
    kinds.map(|(squares, usual)| (squares, squares.count().saturating_sub(usual)))
}

/// Kings keep their distance, and nobody leaves his own in check (FIDE 3.9.2).
fn check_kings(setup: &Setup, findings: &mut Vec<Finding>) {
    let pieces = &setup.pieces;
    let kings = pieces.role(Role::King);
    let [white, black] = Color::ALL.map(|color| sole(kings & pieces.color(color)));
    if let (Some(white), Some(black)) = (white, black)
        && attacks::king(white).contains(black)
    {
        findings.push(Finding::new(Code::KingsAdjacent, kings).with(Value::Squares(kings)));
    }
    // A king that stands too near is not a check as well.
    let checkers = |color: Color| {
        let king = color.fold(white, black)?;
        let checkers = pieces.attackers(!color, king, pieces.occupied()) & !kings;
        checkers.any().then_some((king, checkers))
    };
    let Some((king, by)) = checkers(!setup.turn) else { return };
    let finding = match checkers(setup.turn) {
        None => Finding::new(Code::OpponentInCheck, by.with(king))
            .with(Value::Color(setup.turn))
            .with(Value::Square(king))
            .with(Value::Squares(by)),
        Some((other, other_by)) => {
            let squares = (by | other_by).with(king).with(other);
            let turn = setup.turn;
            let ((white, white_by), (black, black_by)) =
                turn.fold(((other, other_by), (king, by)), ((king, by), (other, other_by)));
            Finding::new(Code::BothKingsInCheck, squares)
                .with(Value::Square(white))
                .with(Value::Squares(white_by))
                .with(Value::Square(black))
                .with(Value::Squares(black_by))
        }
    };
    findings.push(finding);
}

/// The one square of a set.
fn sole(squares: Bitboard) -> Option<Square> {
    if squares.is_many() { None } else { squares.first() }
}

/// The square that a pawn has just passed over (FIDE 3.7.3.1).
fn check_en_passant(setup: &Setup, passed: Square, findings: &mut Vec<Finding>) {
    let mover = !setup.turn;
    let finding = |code, squares| Finding::new(code, squares).with(Value::Square(passed));
    let rank = Rank::Third.relative_to(mover);
    if passed.rank() != rank {
        let value = Value::Number(rank.index() as u64 + 1);
        let finding = finding(Code::EnPassantRank, passed.into()).with(value);
        findings.push(finding.with(Value::Color(setup.turn)));
        return;
    }
    let forward = mover.fold(1, -1);
    let (Some(from), Some(to)) = (passed.offset(0, -forward), passed.offset(0, forward)) else {
        return;
    };
    let is_there = setup.pieces.piece(Piece { color: mover, role: Role::Pawn }).contains(to);
    if !is_there {
        let squares = Bitboard::of(passed).with(to);
        findings.push(finding(Code::EnPassantWithoutPawn, squares).with(Value::Square(to)));
    }
    let blocked = setup.pieces.occupied() & Bitboard::of(passed).with(from);
    if blocked.any() {
        let value = Value::Squares(blocked);
        findings.push(finding(Code::EnPassantBlocked, blocked.with(passed)).with(value));
    }
    if is_there && blocked.is_empty() && !can_capture(setup, passed, to) {
        findings.push(finding(Code::EnPassantUseless, passed.into()));
    }
}

/// Whether a pawn may capture there without leaving its king in check. Where there is no one king
/// the question has no answer, and nothing is said.
fn can_capture(setup: &Setup, passed: Square, captured: Square) -> bool {
    let (turn, pieces) = (setup.turn, &setup.pieces);
    let Some(king) = sole(pieces.piece(Piece { color: turn, role: Role::King })) else {
        return true;
    };
    let capturers =
        attacks::pawn(!turn, passed) & pieces.piece(Piece { color: turn, role: Role::Pawn });
    let is_safe = |from: Square| {
        let occupied = pieces.occupied().without(from).without(captured).with(passed);
        (pieces.attackers(!turn, king, occupied).without(captured)).is_empty()
    };
    capturers.into_iter().any(is_safe)
}

/// A finding with numbers for its sentence.
fn numbered<const N: usize>(code: Code, squares: Bitboard, numbers: [usize; N]) -> Finding {
    let values = numbers.into_iter().map(|number| Value::Number(number as u64));
    values.fold(Finding::new(code, squares), Finding::with)
}
