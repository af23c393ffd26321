//! Moves in UCI notation: parsing, writing, resolving, and explaining why a move is illegal.

use castellan_rules::{
    CastlingSpelling, Color, IllegalMoveReason, MoveKind, ParseUciMoveError, Position, Square,
    UciMove,
};
use castellan_testkit::play::GameShape;

use crate::illegal_moves;
use crate::support::{CHESS960, fen, games, spell, uci};

#[track_caller]
fn refuse_text(text: &str, expected: ParseUciMoveError, said: &str) {
    let error = UciMove::parse(text).expect_err(text);
    assert_eq!(error, expected, "{text:?}");
    assert_eq!(error.to_string(), said, "{text:?}");
    assert_eq!(text.parse::<UciMove>(), Err(expected), "{text:?}");
}

#[test]
fn a_text_is_read_to_its_end_or_refused() {
    use ParseUciMoveError::{ExpectedPromotion, ExpectedSquare, TrailingText};
    let squares = [("", 0), ("e", 0), ("e9", 0), ("i4e4", 0), ("E2E4", 0), ("e2", 2), ("e2e", 2)];
    for (text, at) in squares.into_iter().chain([("e2e0", 2), ("e2-e4", 2), ("e2é4", 2)]) {
        let said = format!("at byte {at}: expected a square such as e2");
        refuse_text(text, ExpectedSquare { at }, &said);
    }
    for text in ["e7e8k", "e7e8p", "e7e8Q", "e7e8=q", "e2e4 ", "e7e8\u{fc}"] {
        refuse_text(text, ExpectedPromotion { at: 4 }, "at byte 4: expected q, r, b or n");
    }
    for text in ["e7e8qq", "e7e8q ", "e2e4q\u{fc}"] {
        refuse_text(text, TrailingText { at: 5 }, "at byte 5: expected the end of the text");
    }
    refuse_text("00000", ExpectedSquare { at: 0 }, "at byte 0: expected a square such as e2");
}

#[test]
fn every_pair_of_squares_is_read_and_written() {
    for from in Square::ALL {
        for to in Square::ALL {
            for letter in ["", "n", "b", "r", "q"] {
                let text = format!("{from}{to}{letter}");
                let spelled = UciMove::parse(&text).expect("two squares and a promotion");
                assert_eq!(spelled.to_string(), text);
            }
        }
    }
    assert_eq!(UciMove::parse("0000").map(|null| null.to_string()).as_deref(), Ok("0000"));
}

/// Moves that are written are parsed and resolved again; in standard chess, castling in both
/// spellings.
fn round_trip(seed: u64, shape: GameShape) {
    for game in games(seed, 100, shape) {
        for position in game.positions() {
            for &mv in &position.legal_moves() {
                assert_eq!(uci(&position, &spell(mv)), mv, "{position:?}");
                let short = UciMove::from_move(mv, CastlingSpelling::KingTwoSquares).to_string();
                let is_chess960 = shape == CHESS960;
                if mv.kind() != MoveKind::Castle || !is_chess960 {
                    assert_eq!(uci(&position, &short), mv, "{position:?}");
                }
            }
        }
    }
}

#[test]
fn legal_moves_make_the_round_trip_in_games() {
    round_trip(31, GameShape::default());
}

#[test]
fn legal_moves_make_the_round_trip_in_chess960_games() {
    round_trip(32, CHESS960);
}

#[track_caller]
fn check(start: &str, text: &str, kind: MoveKind, spellings: [&str; 2]) {
    let mv = uci(&fen(start), text);
    assert_eq!(mv.kind(), kind, "{start} {text}");
    let spelled = [CastlingSpelling::KingTwoSquares, CastlingSpelling::KingTakesRook]
        .map(|spelling| UciMove::from_move(mv, spelling).to_string());
    assert_eq!(spelled, spellings, "{start} {text}");
}

#[test]
fn castling_is_read_in_both_spellings() {
    let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    check(both, "e1g1", MoveKind::Castle, ["e1g1", "e1h1"]);
    check(both, "e1h1", MoveKind::Castle, ["e1g1", "e1h1"]);
    check(both, "e1c1", MoveKind::Castle, ["e1c1", "e1a1"]);
    check(both, "e1a1", MoveKind::Castle, ["e1c1", "e1a1"]);
    check(both, "e1f1", MoveKind::Normal, ["e1f1", "e1f1"]);
    let black = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
    check(black, "e8g8", MoveKind::Castle, ["e8g8", "e8h8"]);
    check(black, "e8a8", MoveKind::Castle, ["e8c8", "e8a8"]);
}

/// In Chess960 the king's path to its castled square may also be an ordinary king move.
#[test]
fn a_step_of_the_king_is_not_castling() {
    let f1 = "4k3/8/8/8/8/8/8/5K1R w K - 0 1";
    check(f1, "f1g1", MoveKind::Normal, ["f1g1", "f1g1"]);
    check(f1, "f1h1", MoveKind::Castle, ["f1g1", "f1h1"]);
    let d1 = "4k3/8/8/8/8/8/8/R2K4 w Q - 0 1";
    check(d1, "d1c1", MoveKind::Normal, ["d1c1", "d1c1"]);
    check(d1, "d1a1", MoveKind::Castle, ["d1c1", "d1a1"]);
    // Next to a rook on the king's castled square, castling is the only reading.
    let g1 = "4k3/8/8/8/8/8/8/5KR1 w K - 0 1";
    check(g1, "f1g1", MoveKind::Castle, ["f1g1", "f1g1"]);
    // The castled square is too far away for an ordinary king move.
    let b1 = "4k3/8/8/8/8/8/8/1K5R w K - 0 1";
    check(b1, "b1g1", MoveKind::Castle, ["b1g1", "b1h1"]);
}

#[test]
fn other_kinds_are_found() {
    check("4k3/8/8/8/8/8/4P3/4K3 w - -", "e2e4", MoveKind::DoubleStep, ["e2e4"; 2]);
    check("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", MoveKind::EnPassant, ["e5d6"; 2]);
    for promotion in castellan_rules::Promotion::ALL {
        let text = format!("b2a1{}", promotion.letter().to_ascii_lowercase());
        let kind = MoveKind::Promotion(promotion);
        check("4k3/8/8/8/8/8/1p6/R3K3 b - -", &text, kind, [&text; 2]);
    }
}

#[track_caller]
fn refuse(start: &str, text: &str, said: &str) {
    let position = fen(start);
    let spelled = UciMove::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let refusal = spelled.resolve(&position).expect_err(text);
    assert_eq!(refusal.to_string(), said, "{start} {text}");
    illegal_moves::assert_true(&position, spelled, refusal);
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn a_refusal_says_what_is_wrong_with_the_piece() {
    refuse(START, "0000", "a null move is not allowed");
    refuse(START, "e4e5", "there is no piece on e4");
    refuse(START, "e7e5", "the piece on e7 is the opponent's");
    refuse(START, "d1e1", "your own piece is on e1");
    refuse(START, "e2e2", "your own piece is on e2");
    refuse(START, "g1g3", "a knight cannot move from g1 to g3");
    refuse(START, "e2e5", "a pawn cannot move from e2 to e5");
    refuse(START, "a1a3", "the rook's path from a1 to a3 is blocked");
    refuse(START, "e2d3", "there is nothing to capture on d3");
    let blocked = "4k3/8/8/8/4n3/4p3/4P3/4K3 w - -";
    refuse(blocked, "e2e3", "the pawn's path from e2 to e3 is blocked");
    refuse(blocked, "e2e4", "the pawn's path from e2 to e4 is blocked");
    // En passant only on the very next move (FIDE 3.7.3.2).
    refuse("4k3/8/8/3pP3/8/8/8/4K3 w - -", "e5d6", "there is nothing to capture on d6");
}

#[test]
fn a_refusal_says_what_is_wrong_with_the_promotion() {
    let pawn = "7k/4P3/8/8/8/8/8/4K3 w - -";
    refuse(pawn, "e7e8", "the pawn must promote to a queen, rook, bishop or knight");
    let only = "only a pawn that reaches the last rank can promote";
    refuse(pawn, "e1e2q", only);
    refuse(START, "e2e4q", only);
}

/// FIDE 3.9.2.
#[test]
fn a_refusal_says_why_the_king_is_not_safe() {
    refuse("4r1k1/8/8/8/8/8/8/4K2B w - -", "h1g2", "the king would still be in check");
    let pinned = "4r1k1/8/8/8/8/8/4N3/4K3 w - -";
    refuse(pinned, "e2c3", "the knight on e2 is pinned to the king");
    refuse("8/8/8/K2pP2r/8/8/8/4k3 w - d6", "e5d6", "the pawn on e5 is pinned to the king");
    refuse("3r2k1/8/8/8/8/8/8/4K3 w - -", "e1d1", "the king would be in check on d1");
    refuse("4k3/8/4K3/8/8/8/8/8 w - -", "e6e7", "the king would be in check on e7");
    // The king gives itself no cover.
    refuse("6k1/8/8/8/r3K3/8/8/8 w - -", "e4f4", "the king would be in check on f4");
}

/// FIDE 3.8.2.
#[test]
fn a_refusal_says_why_the_king_cannot_castle() {
    let castle = |rights: &str, rank: &str| format!("{rank}/6k1/8/8/8/8/8/R3K2R w {rights} -");
    let gone = castle("Q", "8");
    refuse(&gone, "e1g1", "castling kingside is no longer possible");
    refuse(&gone, "e1h1", "castling kingside is no longer possible");
    let blocked = "4k3/8/8/8/8/8/8/RN2K2R w KQ -";
    refuse(blocked, "e1c1", "castling queenside is blocked by a piece");
    // The enemy rook on d1 is in the way of the king from b1 to g1.
    let enemy = "8/8/8/8/8/8/5k2/1K1rR3 w K -";
    refuse(enemy, "b1d1", "castling kingside is blocked by a piece");
    refuse(&castle("KQ", "4r3"), "e1g1", "the king is in check and cannot castle");
    let attacked = castle("KQ", "3r4");
    let said = "the king cannot castle queenside through or into check";
    refuse(&attacked, "e1c1", said);
    refuse(&attacked, "e1a1", said);
    assert_eq!(
        uci(&fen(&castle("KQ", "1r6")), "e1c1").kind(),
        MoveKind::Castle,
        "only b1 is attacked"
    );
}

/// Castling itself is legal in these positions, so the refusal must not be about castling.
#[test]
fn other_illegal_king_moves_are_not_explained_as_castling() {
    let only = "only a pawn that reaches the last rank can promote";
    let both = "4k3/8/8/8/8/8/8/R3K2R w KQ -";
    refuse(both, "e1g1q", only);
    refuse(both, "e1h1q", only);
    // The king castles from b1 to g1, not to d1.
    refuse("4k3/8/8/8/8/8/8/1K5R w K -", "b1d1", "a king cannot move from b1 to d1");
    // The rook on f1 may castle, the one on h1 may not.
    let inner = "4k3/8/8/8/8/8/8/4KR1R w F -";
    refuse(inner, "e1h1", "castling kingside is no longer possible");
}

/// Checks every refusal for every pair of squares, with and without a promotion.
fn refusals_are_true(positions: impl Iterator<Item = Position>) {
    for position in positions {
        for from in Square::ALL {
            for to in Square::ALL {
                for promotion in [None, Some(castellan_rules::Promotion::Queen)] {
                    let spelled = UciMove::Normal { from, to, promotion };
                    match spelled.resolve(&position) {
                        Ok(mv) => assert!(position.is_legal(mv), "{position:?} {spelled}"),
                        Err(refusal) => illegal_moves::assert_true(&position, spelled, refusal),
                    }
                }
            }
        }
    }
}

#[test]
fn refusals_are_true_in_games() {
    refusals_are_true(
        games(33, 10, GameShape::default())
            .flat_map(|game| game.positions().step_by(7).collect::<Vec<_>>()),
    );
}

#[test]
fn refusals_are_true_in_chess960_games() {
    refusals_are_true(
        games(34, 10, CHESS960).flat_map(|game| game.positions().step_by(7).collect::<Vec<_>>()),
    );
}

#[test]
fn refusals_are_true_in_scattered_positions() {
    let scattered = castellan_testkit::scatter::scattered_positions(35).take(300);
    refusals_are_true(scattered.map(|oracle| fen(&oracle.to_fen())));
}

#[test]
fn a_null_move_is_refused_everywhere() {
    for game in games(36, 5, GameShape::default()) {
        for position in game.positions() {
            assert_eq!(UciMove::Null.resolve(&position), Err(IllegalMoveReason::NullMove));
        }
    }
}

#[test]
fn only_kings_and_rooks_away_from_home_make_chess960() {
    let check = |text: &str, expected: bool| {
        let position = fen(text);
        assert_eq!(position.is_chess960(), expected, "{text}");
    };
    check("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", false);
    check("r2k3r/8/8/8/8/8/8/R2K3R w - -", false);
    check("r2k3r/8/8/8/8/8/8/R2K3R w K -", true);
    check("rk5r/8/8/8/8/8/8/R3K1R1 w G -", true);
    for number in 0..960 {
        let position = Position::chess960(number).unwrap();
        let is_usual = position.to_fen().starts_with('r')
            && position.king(Color::White) == Square::E1
            && position
                .castling_rooks()
                .into_iter()
                .all(|rook| "ah".contains(rook.file().letter()));
        assert_eq!(position.is_chess960(), !is_usual, "{number}");
    }
}
