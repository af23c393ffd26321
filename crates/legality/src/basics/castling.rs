//! Castling rights: the king and the rook must stand where they stood when the game began.
//!
//! In standard chess that is the e-file and a corner (FIDE 3.8.2.1). In Chess960 both stand on
//! the first rank, the king between its rooks, and both sides start on the same files (Guidelines
//! II.2).

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Setup, Square};

use super::{BACK_RANKS, sole};
use crate::case::{king_home, rook_homes};
use crate::reading::{Letters, outermost_rook};
use crate::{Code, Finding, Value};

/// Adds everything that is wrong with the castling rights.
pub(super) fn check(setup: &Setup, letters: Letters, findings: &mut Vec<Finding>) {
    match letters {
        Letters::Standard => {
            for color in Color::ALL {
                check_standard(setup, color, findings);
            }
        }
        Letters::Chess960 => check_chess960(setup, findings),
    }
}

/// Returns the castling rights whose king and rook stand where they must.
pub(crate) fn sound_rights(setup: &Setup, letters: Letters) -> Bitboard {
    let rook = |color| setup.pieces.piece(Piece { color, role: Role::Rook });
    let king = |color| setup.pieces.piece(Piece { color, role: Role::King });
    let of_side = |color: Color| {
        let home = Bitboard::rank(Rank::First.relative_to(color));
        let rooks = setup.castling_rooks & home & rook(color);
        match letters {
            Letters::Standard if king(color).contains(king_home(color)) => {
                rooks & rook_homes(color)
            }
            Letters::Standard => Bitboard::EMPTY,
            Letters::Chess960 => one_rook_per_side(king(color) & home, rooks),
        }
    };
    of_side(Color::White) | of_side(Color::Black)
}

/// Returns the rooks on each side of the king, leaving out a side that claims more than one.
fn one_rook_per_side(king: Bitboard, rooks: Bitboard) -> Bitboard {
    let Some(king) = king.first().filter(|king| !is_corner(*king)) else {
        return Bitboard::EMPTY;
    };
    let before = Bitboard(Bitboard::of(king).0 - 1);
    [rooks & before, rooks & !before]
        .into_iter()
        .filter(|rooks| !rooks.has_multiple())
        .fold(Bitboard::EMPTY, |all, rooks| all | rooks)
}

fn is_corner(square: Square) -> bool {
    matches!(square.file(), File::A | File::H)
}

/// Checks the rights of one side in standard chess.
fn check_standard(setup: &Setup, color: Color, findings: &mut Vec<Finding>) {
    let claimed = setup.castling_rooks & Bitboard::rank(Rank::First.relative_to(color));
    if claimed.is_empty() {
        return;
    }
    let home = king_home(color);
    let kings = setup.pieces.piece(Piece { color, role: Role::King });
    let rooks = setup.pieces.piece(Piece { color, role: Role::Rook });
    let other = Chess960Reading::of(setup, color);
    if !kings.contains(home) {
        findings.push(match (sole(kings), &other) {
            (Some(king), Some(other)) => {
                let squares = Bitboard::of(king).with(home);
                Finding::new(Code::CastlingKingElsewhere, squares)
                    .with_value(Value::Color(color))
                    .with_value(Value::Square(home))
                    .with_value(Value::Square(king))
                    .with_value(Value::Text(other.letters.clone()))
            }
            _ => without_king(color, kings, Bitboard::of(home)),
        });
        return;
    }
    for corner in claimed & !rooks {
        let is_moved = |other: &&Chess960Reading| other.rook_of(corner) != corner;
        findings.push(match other.as_ref().filter(is_moved) {
            Some(other) => {
                let rook = other.rook_of(corner);
                Finding::new(Code::CastlingRookElsewhere, Bitboard::of(corner).with(rook))
                    .with_value(Value::Color(color))
                    .with_value(Value::Square(corner))
                    .with_value(Value::Square(rook))
                    .with_value(Value::Text(other.letters.clone()))
            }
            None => without_rook(color, corner),
        });
    }
}

fn without_king(color: Color, kings: Bitboard, home: Bitboard) -> Finding {
    Finding::new(Code::CastlingWithoutKing, kings | home)
        .with_value(Value::Color(color))
        .with_value(Value::Squares(home))
        .with_value(Value::Squares(kings))
}

fn without_rook(color: Color, rook: Square) -> Finding {
    let finding = Finding::new(Code::CastlingWithoutRook, rook.into());
    finding.with_value(Value::Color(color)).with_value(Value::Square(rook))
}

/// What the rights of a side would mean if they were read as Chess960, provided they are sound
/// there.
struct Chess960Reading {
    kingside: Option<Square>,
    queenside: Option<Square>,
    /// The files of the rooks, as Shredder-FEN writes these rights.
    letters: String,
}

impl Chess960Reading {
    fn of(setup: &Setup, color: Color) -> Option<Chess960Reading> {
        let rook_of = |color: Color, corner_file: File| {
            let corner = Square::new(corner_file, Rank::First.relative_to(color));
            let is_claimed = setup.castling_rooks.contains(corner);
            is_claimed.then(|| outermost_rook(&setup.pieces, color, corner_file))
        };
        let rooks_of = |color| -> Option<Vec<Square>> {
            [File::H, File::A]
                .into_iter()
                .filter_map(|corner_file| rook_of(color, corner_file))
                .collect()
        };
        let rooks = rooks_of(color)?;
        // The rights of the other side must fit as well, because both sides start on the same
        // files.
        let castling_rooks = rooks.iter().chain(&rooks_of(!color)?).copied().collect();
        let mut findings = Vec::new();
        check_chess960(&Setup { castling_rooks, ..*setup }, &mut findings);
        let letters: String = rooks.iter().map(|rook| rook.file().letter()).collect();
        let letters = color.fold(letters.to_ascii_uppercase(), letters);
        let [kingside, queenside] =
            [File::H, File::A].map(|corner_file| rook_of(color, corner_file)?);
        findings.is_empty().then_some(Chess960Reading { kingside, queenside, letters })
    }

    /// Returns the Chess960 rook that corresponds to a corner rook of standard chess.
    fn rook_of(&self, corner: Square) -> Square {
        let rook = if corner.file() == File::H { self.kingside } else { self.queenside };
        rook.unwrap_or(corner)
    }
}

/// Checks the rights of both sides in Chess960.
fn check_chess960(setup: &Setup, findings: &mut Vec<Finding>) {
    let castlers = Color::ALL.map(|color| check_chess960_side(setup, color, findings));
    for rook in setup.castling_rooks & !BACK_RANKS {
        findings.push(without_rook(setup.turn, rook));
    }
    let [Some(white), Some(black)] = castlers else { return };
    let files_differ = |one: Option<Square>, other: Option<Square>| {
        one.zip(other).is_some_and(|(one, other)| one.file() != other.file())
    };
    let pairs = [white.king, white.left, white.right].into_iter();
    let pairs = pairs.zip([black.king, black.left, black.right]);
    let differing = pairs.filter(|&(one, other)| files_differ(one, other));
    let squares: Bitboard =
        differing.flat_map(|(one, other)| one.into_iter().chain(other)).collect();
    if squares.any() {
        let finding = Finding::new(Code::CastlingDifferentFiles, squares);
        findings.push(finding.with_value(Value::Squares(squares)));
    }
}

/// The king of a side and those of its rooks that have castling rights.
struct Castlers {
    king: Option<Square>,
    left: Option<Square>,
    right: Option<Square>,
}

/// Checks the rights of one side. Returns the king and rooks if the side has any sound rights.
fn check_chess960_side(
    setup: &Setup,
    color: Color,
    findings: &mut Vec<Finding>,
) -> Option<Castlers> {
    let home = Bitboard::rank(Rank::First.relative_to(color));
    let claimed = setup.castling_rooks & home;
    if claimed.is_empty() {
        return None;
    }
    let kings = setup.pieces.piece(Piece { color, role: Role::King });
    let Some(king) = (kings & home).first() else {
        findings.push(without_king(color, kings, Bitboard::EMPTY));
        return None;
    };
    let absent = claimed & !setup.pieces.piece(Piece { color, role: Role::Rook });
    findings.extend(absent.into_iter().map(|rook| without_rook(color, rook)));
    let rooks = claimed & !absent;
    let before = Bitboard(Bitboard::of(king).0 - 1);
    let (left, right) = (rooks & before, rooks & !before);
    for rooks in [left, right].into_iter().filter(|rooks| rooks.has_multiple()) {
        let finding = Finding::new(Code::CastlingSameSide, rooks);
        findings.push(finding.with_value(Value::Squares(rooks)));
    }
    if is_corner(king) {
        let finding = Finding::new(Code::CastlingKingInCorner, king.into());
        findings.push(finding.with_value(Value::Color(color)).with_value(Value::Square(king)));
        return None;
    }
    Some(Castlers {
        king: Some(king).filter(|_| rooks.any()),
        left: sole(left),
        right: sole(right),
    })
}
