//! FEN: what is parsed, what is written, and what is rejected at which byte.

use castellan_rules::fen::{self, ExpectedInFen};
use castellan_rules::{
    CastlingLetters, EnPassantField, FenError, FenStyle, ParseFenError, Position,
};
use castellan_testkit::chess960::start_fen;
use castellan_testkit::play::GameShape;
use castellan_testkit::scatter::scattered_positions;

use crate::support::{self, CHESS960, games};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const STYLES: [FenStyle; 4] = {
    use CastlingLetters::{Shredder, XFen};
    use EnPassantField::{Always, Legal};
    [
        FenStyle { castling: XFen, en_passant: Legal },
        FenStyle { castling: XFen, en_passant: Always },
        FenStyle { castling: Shredder, en_passant: Legal },
        FenStyle { castling: Shredder, en_passant: Always },
    ]
};

/// Checks the FEN in each of [`STYLES`].
#[track_caller]
fn check(text: &str, expected: [&str; 4]) {
    let position = support::fen(text);
    for (style, expected) in STYLES.into_iter().zip(expected) {
        assert_eq!(position.to_fen_in(style), expected, "{text} in {style:?}");
        let again = support::fen(expected);
        assert_eq!(again, position, "{text} in {style:?}");
        assert_eq!(again.castling_rooks(), position.castling_rooks(), "{text} in {style:?}");
    }
}

#[test]
fn castling_letters_in_both_styles() {
    let shredder = START.replace("KQkq", "HAha");
    check(START, [START, START, &shredder, &shredder]);
    check(&shredder, [START, START, &shredder, &shredder]);
    check(&START.replace("KQkq", "qkQK"), [START, START, &shredder, &shredder]);
    check(&START.replace("KQkq", "HAkq"), [START, START, &shredder, &shredder]);
    let none = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";
    check(none, [none; 4]);
    let some = "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 17";
    check(
        some,
        [some, some, "r3k2r/8/8/8/8/8/8/R3K2R b Ha - 3 17", "r3k2r/8/8/8/8/8/8/R3K2R b Ha - 3 17"],
    );
}

/// X-FEN: `K` and `Q` mean the outermost rooks; an inner rook is named by its file.
#[test]
fn an_inner_rook_is_named_by_its_file() {
    let outer = "4k3/8/8/8/8/8/8/1RK2R1R w KQ - 0 1";
    let outer_by_file = "4k3/8/8/8/8/8/8/1RK2R1R w HB - 0 1";
    check(outer, [outer, outer, outer_by_file, outer_by_file]);
    let inner = "4k3/8/8/8/8/8/8/1RK2R1R w FQ - 0 1";
    let inner_by_file = "4k3/8/8/8/8/8/8/1RK2R1R w FB - 0 1";
    check(inner, [inner, inner, inner_by_file, inner_by_file]);
    check(inner_by_file, [inner, inner, inner_by_file, inner_by_file]);
}

#[test]
fn en_passant_squares_in_both_styles() {
    // Three cases: no pawn can capture, the capture is legal, the capturing pawn is pinned.
    let idle = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let quiet = idle.replace("e3", "-");
    let (idle_files, quiet_files) = (idle.replace("KQkq", "HAha"), quiet.replace("KQkq", "HAha"));
    check(idle, [&quiet, idle, &quiet_files, &idle_files]);
    let legal = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
    check(legal, [legal; 4]);
    let pinned = "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
    let silent = "4r1k1/8/8/3pP3/8/8/8/4K3 w - - 0 2";
    check(pinned, [silent, pinned, silent, pinned]);
}

#[test]
fn four_fields_have_clocks_of_0_and_1() {
    let setup = fen::parse("4k3/8/8/8/8/8/8/4K3 b - -").expect("four fields are enough");
    assert_eq!(setup.clocks, None);
    assert_eq!(fen::write(&setup, CastlingLetters::XFen), "4k3/8/8/8/8/8/8/4K3 b - -");
    let position = setup.position().expect("two kings can play");
    assert_eq!((position.halfmove_clock(), position.fullmove_number()), (0, 1));
    assert_eq!(position.to_fen(), "4k3/8/8/8/8/8/8/4K3 b - - 0 1");
}

#[test]
fn clocks_are_read_and_counted_on() {
    let position = support::fen("4k3/8/8/8/8/8/4P3/4K3 b - - 37 1000000");
    assert_eq!((position.halfmove_clock(), position.fullmove_number()), (37, 1_000_000));
    let quiet = support::after(&position, "e8e7 e1d1");
    assert_eq!((quiet.halfmove_clock(), quiet.fullmove_number()), (39, 1_000_001));
    let pawn = support::after(&quiet, "e7e8 e2e3");
    assert_eq!((pawn.halfmove_clock(), pawn.fullmove_number()), (0, 1_000_002));
    // Leading zeros are accepted, and a move number of 0 becomes 1.
    assert_eq!(
        support::fen("4k3/8/8/8/8/8/8/4K3 w - - 007 0030").to_fen(),
        "4k3/8/8/8/8/8/8/4K3 w - - 7 30"
    );
    assert_eq!(
        support::fen("4k3/8/8/8/8/8/8/4K3 w - - 0 0").to_fen(),
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1"
    );
}

#[test]
fn clocks_at_their_limits_stay_there() {
    let position = support::fen("4k3/8/8/8/8/8/8/4K3 b - - 65535 4294967295");
    let next = support::after(&position, "e8e7");
    assert_eq!((next.halfmove_clock(), next.fullmove_number()), (65_535, 4_294_967_295));
}

/// FIDE Guidelines II.2: the 960 start positions; 518 is the standard one.
#[test]
fn the_start_positions_of_chess960() {
    for number in 0..960 {
        let expected = start_fen(number).expect("there are 960");
        let position = Position::chess960(number).expect("there are 960");
        assert_eq!(position.to_fen(), expected, "number {number}");
        let files = position.to_fen_in(STYLES[2]);
        check(&expected, [&expected, &expected, &files, &files]);
    }
    assert_eq!(Position::chess960(960), None);
    assert_eq!(Position::chess960(u16::MAX), None);
    assert_eq!(Position::start().to_fen(), START);
    assert_eq!(Position::default().to_fen(), START);
    assert_eq!(Position::chess960(518), Some(Position::start()));
    assert_eq!(Position::chess960(0).map(|p| p.to_fen().starts_with("bbqnnrkr/")), Some(true));
    assert_eq!(Position::chess960(959).map(|p| p.to_fen().starts_with("rkrnnqbb/")), Some(true));
}

/// Checks that every style describes the same position, and that the output is stable.
fn round_trip(positions: impl Iterator<Item = Position>) {
    for position in positions {
        for style in STYLES {
            let text = position.to_fen_in(style);
            let again = support::fen(&text);
            assert_eq!(again, position, "{text}");
            assert_eq!(again.hash(), position.hash(), "{text}");
            assert_eq!(again.to_fen_in(style), text);
            let setup = fen::parse(&text).expect("what is written is read");
            assert_eq!(fen::write(&setup, style.castling), text);
        }
    }
}

#[test]
fn positions_make_the_round_trip_in_games() {
    for game in games(41, 100, GameShape::default()) {
        round_trip(game.positions());
    }
}

#[test]
fn positions_make_the_round_trip_in_chess960_games() {
    for game in games(42, 100, CHESS960) {
        round_trip(game.positions());
    }
}

#[test]
fn scattered_positions_make_the_round_trip() {
    round_trip(scattered_positions(43).take(20_000).map(|oracle| support::fen(&oracle.to_fen())));
}

#[track_caller]
fn refuse(text: &str, at: usize, expected: ExpectedInFen, said: &str) {
    let error = ParseFenError { at, expected };
    assert_eq!(fen::parse(text), Err(error), "{text:?}");
    assert_eq!(error.to_string(), format!("at byte {at}: expected {said}"), "{text:?}");
    assert_eq!(Position::from_fen(text), Err(FenError::Syntax(error)), "{text:?}");
    let full = Position::from_fen(text).expect_err("just seen").to_string();
    assert_eq!(full, error.to_string(), "{text:?}");
}

#[test]
fn the_pieces_must_fill_eight_ranks_of_eight() {
    use ExpectedInFen::{EightSquares, PieceAfterDigit, PieceOrDigit, Slash, Space};
    let letter = "a piece letter (KQRBNP, kqrbnp) or a digit from 1 to 8";
    for (text, at) in [("x", 0), ("ppp9pppp", 3), ("0", 0), ("\u{265a}", 0), ("8/-", 2)] {
        refuse(text, at, PieceOrDigit, letter);
    }
    let squares = |found: u8| {
        (EightSquares { found }, format!("a rank of 8 squares, but this one has {found}"))
    };
    let cases =
        [("", 0, 0), ("8/", 2, 0), ("/8", 0, 0), ("8/7", 3, 7), ("7/8", 1, 7), ("8/pp p", 4, 2)];
    let long = [("ppppppppp", 8, 9), ("p8", 1, 9), ("ppppp5", 5, 10), ("8p", 1, 9)];
    for (text, at, found) in cases.into_iter().chain(long) {
        let (expected, said) = squares(found);
        refuse(text, at, expected, &said);
    }
    for text in ["44/8", "71/8", "81/8", "82/8", "88"] {
        refuse(text, 1, PieceAfterDigit, "a piece letter, not a second digit in a row");
    }
    refuse("8/8/8/8/8/8/8 w - -", 13, Slash, "'/' and another rank (there must be 8)");
    refuse("8/8/8/8/8/8/8", 13, Slash, "'/' and another rank (there must be 8)");
    refuse("8/8/8/8/8/8/8/8/8", 15, Space, "a single space and the next field");
}

#[test]
fn the_other_fields_must_be_there_and_right() {
    use ExpectedInFen::{
        Castling, EnPassant, End, FullmoveNumber, HalfmoveClock, NewCastling, SmallerNumber, Space,
        Turn,
    };
    const EMPTY: &str = "8/8/8/8/8/8/8/8";
    let refuse = |tail: &str, at, expected, said: &str| {
        refuse(&format!("{EMPTY}{tail}"), EMPTY.len() + at, expected, said);
    };
    let space = "a single space and the next field";
    refuse("", 0, Space, space);
    for tail in [" ", "  w", " W", " -", " x - -"] {
        refuse(tail, 1, Turn, "the side to move, 'w' or 'b'");
    }
    refuse(" w", 2, Space, space);
    refuse(" white - -", 2, Space, space);
    let castling = "castling rights, '-' or letters such as KQkq or HAha";
    refuse(" w ", 3, Castling, castling);
    refuse(" w  -", 3, Castling, castling);
    refuse(" w i -", 3, Castling, castling);
    refuse(" w K- -", 4, Castling, castling);
    refuse(" w K1 -", 4, Castling, castling);
    refuse(" w -K -", 4, Space, space);
    refuse(" w KK -", 4, NewCastling, "each castling right only once");
    // Without a king and rooks the letters mean the corners, so `K` and `H` are the same right.
    refuse(" w KQkqH -", 7, NewCastling, "each castling right only once");
    refuse(" w -", 4, Space, space);
    let en_passant = "the en passant square or '-'";
    refuse(" w - ", 5, EnPassant, en_passant);
    refuse(" w - x6", 5, EnPassant, en_passant);
    refuse(" w - e", 6, EnPassant, en_passant);
    refuse(" w - e9", 6, EnPassant, en_passant);
    refuse(" w - e66", 7, Space, space);
    refuse(" w - -0 1", 6, Space, space);
    refuse(" w - - ", 7, HalfmoveClock, "the half-move clock, a number");
    refuse(" w - - -", 7, HalfmoveClock, "the half-move clock, a number");
    refuse(" w - - +1 1", 7, HalfmoveClock, "the half-move clock, a number");
    refuse(" w - - 0", 8, Space, space);
    refuse(" w - - 0 ", 9, FullmoveNumber, "the move number");
    refuse(" w - - 0 -1", 9, FullmoveNumber, "the move number");
    refuse(" w - - 65536 1", 7, SmallerNumber, "a smaller number");
    refuse(" w - - 0 4294967296", 9, SmallerNumber, "a smaller number");
    refuse(" w - - 0 99999999999999999999999999", 9, SmallerNumber, "a smaller number");
    refuse(" w - - 0 1 ", 10, End, "the end of the text");
    refuse(" w - - 0 1;", 10, End, "the end of the text");
}
