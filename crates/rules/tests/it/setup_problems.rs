//! The reasons why a setup is not a playable position, each with a FEN that triggers it.

use castellan_rules::{
    Bitboard, CastlingLetters, Clocks, Color, FenError, Piece, Pieces, Position, Rank, Role, Setup,
    SetupProblem, Square, fen,
};
use castellan_testkit::oracle::Oracle;
use proptest::prelude::*;

/// Checks that the FEN has exactly these reasons, and is accepted unless one of them is
/// unplayable.
#[track_caller]
fn check(text: &str, expected: &[SetupProblem]) {
    let setup = fen::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let reasons = setup.problems();
    assert_eq!(reasons.iter().collect::<Vec<_>>(), expected, "{text}");
    assert_eq!(reasons.is_empty(), expected.is_empty(), "{text}");
    let is_unplayable = expected.iter().any(|reason| reason.is_unplayable());
    assert_eq!(setup.position().is_err(), is_unplayable, "{text}");
    if is_unplayable {
        assert_eq!(Position::from_fen(text), Err(FenError::Unplayable(reasons)), "{text}");
    }
}

use SetupProblem::*;

/// One FEN for each reason. Some reasons never come alone: seventeen pieces include a ninth pawn
/// or one promotion too many, and adjacent kings give check to each other.
const CASES: [(&str, &[SetupProblem]); 37] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &[]),
    ("4k3/8/8/8/8/8/8/8 w - -", &[NoWhiteKing]),
    ("8/8/8/8/8/8/8/4K3 w - -", &[NoBlackKing]),
    ("8/8/8/8/8/8/8/8 w - -", &[NoWhiteKing, NoBlackKing]),
    ("4k3/8/8/8/8/8/8/K1K5 w - -", &[TooManyWhiteKings]),
    ("k1k5/8/8/8/8/8/8/4K3 w - -", &[TooManyBlackKings]),
    ("8/8/8/3kK3/8/8/8/8 w - -", &[KingsAdjacent, OpponentInCheck]),
    ("4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - -", &[TooManyWhitePieces, TooManyWhitePromotions]),
    ("rnbqkbnr/pppppppp/p7/8/8/8/8/4K3 w - -", &[TooManyBlackPieces, TooManyBlackPawns]),
    ("4k3/8/8/8/8/8/8/P3K3 w - -", &[PawnOnBackRank]),
    ("p3k3/8/8/8/8/8/8/4K3 w - -", &[PawnOnBackRank]),
    ("4k3/8/8/8/8/8/8/4K2p b - -", &[PawnOnBackRank]),
    ("4k3/8/8/8/8/8/8/K3R3 w - -", &[OpponentInCheck]),
    ("4r1k1/8/8/8/8/8/8/4K3 b - -", &[OpponentInCheck]),
    ("4k3/8/8/8/8/8/8/4K3 w K -", &[CastlingWithoutRook]),
    ("4k3/8/8/8/8/8/8/4K2r w Q -", &[CastlingWithoutRook]),
    ("4k3/8/8/8/8/8/4K3/R6R w KQ -", &[CastlingWithoutRook]),
    ("4k3/8/8/8/8/8/8/4K1RR w KG -", &[CastlingWithoutRook]),
    ("4k3/8/8/8/8/8/8/K6R w KQ -", &[CastlingWithoutRook]),
    ("8/8/8/8/8/8/8/4K2R w k -", &[NoBlackKing, CastlingWithoutRook]),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - e6", &[EnPassantWithoutStep]),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d5", &[EnPassantWithoutStep]),
    ("4k3/8/8/3pP3/8/8/8/4K3 b - e3", &[EnPassantWithoutStep]),
    ("4k3/3r4/8/3pP3/8/8/8/4K3 w - d6", &[EnPassantWithoutStep]),
    ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6", &[EnPassantWithoutStep]),
    ("4k3/8/8/3PP3/8/8/8/4K3 w - d6", &[EnPassantWithoutStep]),
    ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - -", &[TooManyWhitePawns]),
    ("4k3/pppppppp/p7/8/8/8/8/4K3 w - -", &[TooManyBlackPawns]),
    ("4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - -", &[TooManyWhitePromotions]),
    // Of two bishops on squares of the same color, one is a promoted pawn.
    ("1b1bk3/pppppppp/8/8/8/8/8/4K3 w - -", &[TooManyBlackPromotions]),
    ("b1b1k3/pppppppp/8/8/8/8/8/4K3 w - -", &[TooManyBlackPromotions]),
    ("4k3/8/8/b7/8/5n2/8/r3K3 w - -", &[TooManyCheckers]),
    ("4k3/8/8/8/8/8/8/4K3 w - - 1 1", &[ClockBeyondGame]),
    ("4k3/8/8/8/8/8/8/4K3 b - - 2 1", &[ClockBeyondGame]),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 1 2", &[ClockAfterStep]),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", &[MoveNumberZero]),
    ("4k3/8/8/8/8/8/8/4K3 b - - 5 0", &[ClockBeyondGame, MoveNumberZero]),
];

#[test]
fn every_case_gives_its_reasons() {
    for (text, expected) in CASES {
        check(text, expected);
    }
}

#[test]
fn every_reason_has_a_case() {
    for reason in SetupProblem::ALL {
        assert!(CASES.iter().any(|(_, given)| given.contains(&reason)), "{reason:?}");
    }
}

#[test]
fn the_limits_themselves_are_fine() {
    // Ten knights are eight promotions, and bishops may stand on squares of either color.
    check("nnnnknnn/nnn5/8/8/8/8/8/4K3 w - -", &[]);
    check("nnnnknnn/nnnn4/8/8/8/8/8/4K3 w - -", &[TooManyBlackPromotions]);
    check("bb2k3/pppppppp/8/8/8/8/8/4K3 w - -", &[]);
    // The clock may be as high as the number of plies played.
    check("4k3/8/8/8/8/8/8/4K3 b - - 1 1", &[]);
    check("4k3/8/8/8/8/8/8/4K3 w - - 60 31", &[]);
    check("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", &[]);
    check("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", &[]);
    // One move can give check with two pieces.
    check("4k3/8/8/8/8/8/5n2/r2K4 w - -", &[]);
}

#[test]
fn the_reasons_are_sentences() {
    let told = |text: &str| Position::from_fen(text).expect_err(text).to_string();
    assert_eq!(told("8/8/8/8/8/8/8/8 w - -"), "White has no king; Black has no king");
    assert_eq!(
        told("8/8/8/3kK3/8/8/8/8 w - -"),
        "the kings are on adjacent squares; the side that is not to move is in check"
    );
    let sentences: Vec<String> = SetupProblem::ALL.iter().map(ToString::to_string).collect();
    for (i, sentence) in sentences.iter().enumerate() {
        assert!(!sentences[..i].contains(sentence), "{sentence:?} is said twice");
        assert!(!sentence.is_empty() && !sentence.ends_with('.'), "{sentence:?}");
    }
}

#[test]
fn unplayable_reasons_come_first() {
    let playable = SetupProblem::ALL.iter().skip_while(|reason| reason.is_unplayable());
    assert!(playable.clone().count() > 0);
    assert!(playable.into_iter().all(|reason| !reason.is_unplayable()));
}

fn any_piece() -> impl Strategy<Value = Piece> {
    let roles = prop_oneof![
        4 => Just(Role::Pawn),
        2 => Just(Role::Knight),
        2 => Just(Role::Bishop),
        4 => Just(Role::Rook),
        2 => Just(Role::Queen),
        1 => Just(Role::King),
    ];
    (any::<bool>(), roles).prop_map(|(is_white, role)| Piece {
        color: if is_white { Color::White } else { Color::Black },
        role,
    })
}

fn any_square() -> impl Strategy<Value = Square> {
    (0..64_usize).prop_map(|index| Square::ALL[index])
}

/// Random pieces. Half of the boards have exactly one king of each color, so that they are close
/// to real positions.
fn any_pieces() -> impl Strategy<Value = Pieces> {
    let kings = (any::<bool>(), any_square(), any_square());
    let others = prop::collection::vec((any_piece(), any_square()), 0..24);
    (kings, others).prop_map(|((has_kings, white, black), others)| {
        let mut pieces = Pieces::EMPTY;
        for (piece, square) in others {
            if !(has_kings && piece.role == Role::King) {
                pieces.put(piece, square);
            }
        }
        if has_kings {
            pieces.put(Piece { color: Color::White, role: Role::King }, white);
            pieces.put(Piece { color: Color::Black, role: Role::King }, black);
        }
        pieces
    })
}

/// Castling rooks on the first and last rank, where a FEN can name them: mostly rooks that really
/// stand there.
fn any_castling(pieces: Pieces) -> impl Strategy<Value = Bitboard> {
    let home = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
    let rooks = pieces.role(Role::Rook) & home;
    (any::<u64>(), any::<u64>(), any::<u64>()).prop_map(move |(some, few, fewer)| {
        Bitboard(some) & rooks | Bitboard(some & few & fewer & few.rotate_left(9)) & home
    })
}

/// If a pawn may just have made a double step, half of the squares lie behind such a pawn.
fn any_en_passant(pieces: Pieces, mover: Color) -> impl Strategy<Value = Option<Square>> {
    let pawns = pieces.piece(Piece { color: mover, role: Role::Pawn });
    let stepped = pawns & Bitboard::rank(Rank::Fourth.relative_to(mover));
    let behind: Vec<Square> =
        stepped.into_iter().filter_map(|pawn| pawn.offset(0, mover.fold(-1, 1))).collect();
    let anywhere = prop::option::weighted(0.2, any_square());
    if behind.is_empty() {
        return anywhere.boxed();
    }
    prop_oneof![anywhere, prop::sample::select(behind).prop_map(Some)].boxed()
}

fn any_setup() -> impl Strategy<Value = Setup> {
    let clocks = prop::option::of((0..200_u16, 0..200_u32));
    (any_pieces(), any::<bool>(), clocks).prop_flat_map(|(pieces, is_white, clocks)| {
        let turn = if is_white { Color::White } else { Color::Black };
        let rights = (any_castling(pieces), any_en_passant(pieces, !turn));
        rights.prop_map(move |(castling_rooks, en_passant)| Setup {
            pieces,
            turn,
            castling_rooks,
            en_passant,
            clocks: clocks.map(|(halfmove_clock, fullmove_number)| Clocks {
                halfmove_clock,
                fullmove_number,
            }),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn reasons_and_position_agree(setup in any_setup()) {
        let reasons = setup.problems();
        match setup.position() {
            Err(given) => {
                prop_assert!(reasons.is_unplayable(), "{:?}", setup);
                prop_assert_eq!(given, reasons);
            }
            Ok(position) => {
                prop_assert!(!reasons.is_unplayable(), "{:?}", reasons);
                let again = position.to_setup();
                prop_assert_eq!(again.pieces, setup.pieces);
                prop_assert_eq!(again.turn, setup.turn);
                prop_assert_eq!(again.castling_rooks, setup.castling_rooks);
                prop_assert_eq!(again.en_passant, setup.en_passant);
            }
        }
    }

    /// The oracle parses the same FEN with its own checks, which do not include the number of
    /// pieces.
    #[test]
    fn the_oracle_refuses_the_same_setups(mut setup in any_setup()) {
        setup.clocks = Some(Clocks { halfmove_clock: 0, fullmove_number: 1 });
        let text = fen::write(&setup, CastlingLetters::Shredder);
        let reasons = setup.problems();
        let is_crowded = reasons.contains(TooManyWhitePieces) || reasons.contains(TooManyBlackPieces);
        let oracle = Oracle::from_fen(&text);
        prop_assert_eq!(setup.position().is_ok(), oracle.is_ok() && !is_crowded, "{} {:?}", text, reasons);
    }

    #[test]
    fn every_setup_is_written_and_read(setup in any_setup()) {
        for letters in [CastlingLetters::XFen, CastlingLetters::Shredder] {
            let text = fen::write(&setup, letters);
            prop_assert_eq!(fen::parse(&text), Ok(setup), "{}", text);
        }
    }
}
