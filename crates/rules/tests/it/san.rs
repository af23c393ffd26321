//! Moves in SAN: canonical spelling, parsing, and why text does not name a move.

use castellan_rules::san::{ExpectedInSan, SanMove};
use castellan_rules::{Move, ParseSanError, Position, ResolveSanError, Role, San, san};
use castellan_testkit::play::{GameShape, random_games};
use castellan_testkit::random::SplitMix64;

use crate::support::{CHESS960, fen, games, uci};

#[track_caller]
fn check(start: &str, mv: &str, expected: &str) {
    let position = fen(start);
    let mv = uci(&position, mv);
    assert_eq!(san::write(&position, mv), expected, "{start}");
    assert_eq!(resolve(&position, expected), Ok(mv), "{start}");
}

#[track_caller]
fn resolve(position: &Position, text: &str) -> Result<Move, ResolveSanError> {
    let san = San::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    san.resolve(position)
}

#[test]
fn a_piece_is_told_from_its_rivals() {
    let knights = "4k3/8/8/8/8/5N2/8/1N2K3 w - -";
    check(knights, "b1c3", "Nc3");
    // Neither the file nor the rank is shared: the file is given.
    check(knights, "b1d2", "Nbd2");
    check(knights, "f3d2", "Nfd2");
    // The rank is shared: the file is given.
    let rank = "4k3/8/8/8/8/K7/8/R6R w - -";
    check(rank, "a1d1", "Rad1");
    check(rank, "h1d1", "Rhd1");
    // The file is shared: the rank is given.
    let file = "6k1/R7/8/8/8/8/8/R5K1 w - -";
    check(file, "a1a4", "R1a4");
    check(file, "a7a4", "R7a4");
    // Both are shared: both are given, but only for the queen in the corner of the three.
    let queens = "1k6/8/8/8/4Q2Q/8/8/K6Q w - -";
    check(queens, "h4e1", "Qh4e1");
    check(queens, "e4e1", "Qee1");
    check(queens, "h1e1", "Q1e1");
}

#[test]
fn a_rival_that_may_not_move_is_no_rival() {
    // The knight on e3 is pinned.
    check("4r1k1/8/8/8/8/4N3/8/N3K3 w - -", "a1c2", "Nc2");
    // A pinned rook can still move along its pin.
    let pinned = "4r1k1/8/8/8/R7/4R3/8/4K3 w - -";
    check(pinned, "a4e4", "Rae4");
    check(pinned, "e3e4", "Ree4");
    check(pinned, "a4a3", "Ra3");
    // In check, only the knight that can interpose counts.
    check("4r1k1/8/8/8/8/2N5/8/4K1N1 w - -", "g1e2", "Nge2");
    check("4r1k1/8/8/6N1/2N5/8/8/4K3 w - -", "c4e5", "Ne5");
}

#[test]
fn pawns() {
    check("4k3/8/8/8/8/8/4P3/4K3 w - -", "e2e4", "e4");
    check("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e4d5", "exd5");
    check("4k3/8/8/3p4/2P1P3/8/8/4K3 w - -", "c4d5", "cxd5");
    check("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", "exd6");
    let promotion = "3n3k/4P3/8/8/8/8/8/4K3 w - -";
    check(promotion, "e7e8n", "e8=N");
    check(promotion, "e7e8q", "e8=Q+");
    check(promotion, "e7d8b", "exd8=B");
    check(promotion, "e7d8r", "exd8=R+");
}

#[test]
fn castling_and_marks() {
    check("4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1h1", "O-O");
    check("4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1a1", "O-O-O");
    check("5k2/8/8/8/8/8/8/4K2R w K -", "e1h1", "O-O+");
    check("2rkr3/2p1p3/8/8/8/8/8/R3K3 w Q -", "e1a1", "O-O-O#");
    check("r3k2r/8/8/8/8/8/8/4K3 b kq -", "e8a8", "O-O-O");
    check("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "a1a8", "Ra8#");
    check("6k1/5pp1/8/8/8/8/8/R3K3 w - -", "a1a8", "Ra8+");
    // Stalemate has no mark.
    check("7k/8/5KQ1/8/8/8/8/8 w - -", "g6f7", "Qf7");
    // Chess960: a king move next to castling with the same target square.
    check("4k3/8/8/8/8/8/8/5K1R w K -", "f1g1", "Kg1");
    check("4k3/8/8/8/8/8/8/5K1R w K -", "f1h1", "O-O");
}

/// Every legal move is read back, no two moves are spelled alike, and no part of the origin could
/// have been left out (PGN standard 8.2.3.4).
fn round_trip(seed: u64, shape: GameShape) {
    for game in games(seed, 60, shape) {
        for position in game.positions() {
            let mut spelled = std::collections::HashSet::new();
            for &mv in &position.legal_moves() {
                let text = san::write(&position, mv);
                let san = San::parse(&text).expect("what is written is read");
                assert_eq!(san.to_string(), text, "{position:?}");
                assert_eq!(san, San::from_move(&position, mv), "{position:?} {text}");
                assert_eq!(san.resolve(&position), Ok(mv), "{position:?} {text}");
                assert_says_no_more_than_needed(&position, san);
                assert!(spelled.insert(text), "{position:?} {mv:?}");
            }
        }
    }
}

#[track_caller]
fn assert_says_no_more_than_needed(position: &Position, san: San) {
    let SanMove::Normal { role, file, rank, is_capture, to, promotion } = san.mv else {
        return;
    };
    let rivals = |file, rank| {
        let mv = SanMove::Normal { role, file, rank, is_capture, to, promotion };
        San { mv, mark: None }.candidates(position).len()
    };
    assert_eq!(rivals(file, rank), 1, "{position:?} {san}");
    if role == Role::Pawn {
        assert_eq!((file.is_some(), rank), (is_capture, None), "{position:?} {san}");
        return;
    }
    if file.is_some() || rank.is_some() {
        assert!(rivals(None, None) > 1, "{position:?} {san} says too much");
    }
    if rank.is_some() {
        // The file alone would have been tried first.
        let file = SanMove::Normal { role, file, rank, is_capture, to, promotion };
        let from = San { mv: file, mark: None }.candidates(position)[0].from();
        assert!(rivals(Some(from.file()), None) > 1, "{position:?} {san}: the file is enough");
    }
    if file.is_some() && rank.is_some() {
        assert!(rivals(None, rank) > 1, "{position:?} {san}: the rank is enough");
    }
}

#[test]
fn legal_moves_make_the_round_trip_in_games() {
    round_trip(51, GameShape::default());
}

#[test]
fn legal_moves_make_the_round_trip_in_chess960_games() {
    round_trip(52, CHESS960);
}

#[test]
fn legal_moves_make_the_round_trip_in_a_crowd() {
    let queens = "QQQQ2nk/Q5pp/Q5Q1/8/8/2Q5/8/K7 w - -";
    let knights = "NNNN2nk/N5pp/N7/8/2N5/1N6/N3N3/K7 w - -";
    let rooks = "RRR3nk/6pp/R7/8/2R5/8/R3R3/K7 w - -";
    for text in [queens, knights, rooks, "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"] {
        let position = fen(text);
        for &mv in &position.legal_moves() {
            let san = San::from_move(&position, mv);
            assert_eq!(san.resolve(&position), Ok(mv), "{text} {san}");
            assert_says_no_more_than_needed(&position, san);
        }
    }
}

#[test]
fn more_than_needed_is_understood() {
    let start = Position::start();
    let knight = uci(&start, "g1f3");
    for text in ["Nf3", "Ngf3", "N1f3", "Ng1f3", "Nf3+", "Nf3#"] {
        assert_eq!(resolve(&start, text), Ok(knight), "{text}");
    }
    for text in ["e4", "e2e4", "ee4"] {
        assert_eq!(resolve(&start, text), Ok(uci(&start, "e2e4")), "{text}");
    }
}

#[track_caller]
fn refuse_text(text: &str, at: usize, expected: ExpectedInSan, said: &str) {
    let error = ParseSanError { at, expected };
    assert_eq!(San::parse(text), Err(error), "{text:?}");
    assert_eq!(text.parse::<San>(), Err(error), "{text:?}");
    assert_eq!(error.to_string(), format!("at byte {at}: expected {said}"), "{text:?}");
}

#[test]
fn a_text_is_read_to_its_end_or_refused() {
    use ExpectedInSan::{End, Promotion, Square};
    for text in
        ["", " e4", "x", "4", "Pe4", "i4", "0-0", "o-o", "O", "O-", "OO", "--", "\u{2658}f3"]
    {
        refuse_text(text, 0, ExpectedInSan::Move, "a move such as e4, Nf3, exd5, e8=Q or O-O");
    }
    let squares = [("e", 1), ("N", 1), ("Nf", 2), ("N3", 2), ("ex", 2), ("exd", 3), ("Nx", 2)];
    for (text, at) in squares.into_iter().chain([("e4x", 3), ("Nf3x", 4), ("e9", 1), ("Ni3", 1)]) {
        refuse_text(text, at, Square, "a square such as e4");
    }
    for (text, at) in [("e8=", 3), ("e8=K", 3), ("e8=P", 3), ("e8=q", 3), ("exd8=x", 5)] {
        refuse_text(text, at, Promotion, "Q, R, B or N");
    }
    let tails = [("e4 ", 2), ("e4++", 3), ("e8Q", 2), ("Nf3=Q", 3), ("O-O-", 3), ("O-O-O-O", 5)];
    for (text, at) in tails.into_iter().chain([("Nf3!", 3), ("e4e5e6", 4), ("e4#+", 3)]) {
        refuse_text(text, at, End, "the end of the text");
    }
}

#[track_caller]
fn refuse(start: &str, text: &str, said: &str) {
    let error = resolve(&fen(start), text).expect_err(text);
    assert_eq!(error.to_string(), said, "{start} {text}");
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn a_text_that_names_no_move_is_refused_with_the_reason() {
    refuse(START, "Nd4", "no knight can move to d4");
    refuse(START, "Qd3", "the queen's path from d1 to d3 is blocked");
    refuse(START, "Nbf3", "a knight cannot move from b1 to f3");
    let rooks = "6k1/R7/8/8/8/8/8/R5K1 w - -";
    refuse(rooks, "Ra4", "ambiguous: the pieces on a1 and a7 can both go there");
    refuse(rooks, "Raa4", "ambiguous: the pieces on a1 and a7 can both go there");
    refuse(START, "Nxf3", "there is nothing to capture on f3");
    refuse(START, "exe4", "there is nothing to capture on e4");
    let capture = "4k3/8/8/3p4/4P3/5N2/8/4K3 w - -";
    refuse(capture, "ed5", "the move captures on d5, so write it with an x");
    refuse(
        "4k3/8/8/3p4/8/4N3/8/4K3 w - -",
        "Nd5",
        "the move captures on d5, so write it with an x",
    );
}

#[test]
fn a_single_candidate_is_explained() {
    refuse("4r1k1/8/8/8/8/8/4N3/4K3 w - -", "Nc3", "the knight on e2 is pinned to the king");
    refuse("4r1k1/8/8/8/8/8/8/4K1N1 w - -", "Nf3", "the king would still be in check");
    refuse("3r2k1/8/8/8/8/8/8/4K3 w - -", "Kd1", "the king would be in check on d1");
    refuse(START, "Rxa2", "your own piece is on a2");
    refuse(START, "exd3", "there is nothing to capture on d3");
    refuse(
        "7k/4P3/8/8/8/8/8/4K3 w - -",
        "e8",
        "the pawn must promote to a queen, rook, bishop or knight",
    );
    refuse(
        "7k/8/8/8/8/8/4P3/4K3 w - -",
        "e3=Q",
        "only a pawn that reaches the last rank can promote",
    );
    refuse("7k/8/8/8/8/4p3/4P3/4K3 w - -", "e4", "the pawn's path from e2 to e4 is blocked");
    refuse(START, "e5", "a pawn cannot move from e2 to e5");
    refuse(START, "O-O", "castling kingside is blocked by a piece");
    refuse("4k3/8/8/8/8/8/8/R3K2R w Q -", "O-O", "castling kingside is no longer possible");
    refuse("4r1k1/8/8/8/8/8/8/R3K2R w KQ -", "O-O", "the king is in check and cannot castle");
    let attacked = "3r2k1/8/8/8/8/8/8/R3K2R w KQ -";
    refuse(attacked, "O-O-O", "the king cannot castle queenside through or into check");
}

/// The distant pawn on the same file is not the one that is meant.
#[test]
fn a_second_pawn_on_the_file_does_not_hide_the_reason() {
    let pawns = "7k/4P3/8/8/8/8/4P3/4K3 w - -";
    refuse(pawns, "e8", "the pawn must promote to a queen, rook, bishop or knight");
    let blocked = "7k/8/8/4P3/8/4p3/4P3/4K3 w - -";
    refuse(blocked, "e4", "the pawn's path from e2 to e4 is blocked");
}

/// The fast parser may give up, but any move it finds is the one the full parser finds.
#[track_caller]
fn check_quick(position: &Position, text: &str) -> bool {
    let Some(mv) = position.quick_san(text.as_bytes()) else { return false };
    let careful = San::parse(text).map(|san| san.resolve(position));
    assert_eq!(careful, Ok(Ok(mv)), "{position:?} {text}");
    true
}

#[test]
fn the_quick_reader_finds_what_the_careful_one_finds() {
    const LETTERS: &[u8] = b"NBRQKabcdefgh12345678x+#=O-";
    let mut random = SplitMix64::new(63);
    let (mut all, mut found) = (0, 0);
    for game in random_games(63, GameShape::default()).take(60) {
        for fen in game.positions().map(|position| position.to_fen()) {
            let position = Position::from_fen(&fen).expect("games lead to playable positions");
            for &mv in &position.legal_moves() {
                let text = san::write(&position, mv);
                all += 1;
                found += u32::from(check_quick(&position, &text));
                let mut letters = text.into_bytes();
                let at = random.below(letters.len());
                letters[at] = LETTERS[random.below(LETTERS.len())];
                check_quick(&position, &String::from_utf8(letters).expect("all are ASCII"));
            }
        }
    }
    assert!(found * 10 > all * 8, "only {found} of {all} moves are found quickly");
}
