//! Properties over games, then examples.

use castellan_rules::fen;
use castellan_testkit::random::SplitMix64;

use super::*;
use crate::tests_common::{self, case, summaries};

/// Plays random games that end by the rules, so that no position comes after the end of its game.
/// Some games prefer captures and pawn moves, others quiet moves. `visit` is told whether the
/// last move reset the clock.
fn walk(number: u16, seed: u64, games: usize, mut visit: impl FnMut(&Position, bool)) {
    let mut rng = SplitMix64::new(seed);
    for game in 0..games {
        let mut position = Position::chess960(number).unwrap();
        for _ in 0..400 {
            let moves = position.legal_moves();
            let is_liked = |position: &Position| position.halfmove_clock() == 0;
            let liking = [30, 80, 5][game % 3];
            let mut mv = rng.pick(&moves).copied();
            for _ in 0..6 {
                let Some(candidate) = mv else { break };
                let next = position.play_unchecked(candidate);
                if is_liked(&next) == rng.chance(liking) {
                    break;
                }
                mv = rng.pick(&moves).copied();
            }
            let Some(mv) = mv else { break };
            position = position.play_unchecked(mv);
            visit(&position, position.halfmove_clock() == 0);
            if position.halfmove_clock() >= 150 || case_of(&position).is_dead() {
                break;
            }
        }
    }
}

fn case_of(position: &Position) -> Case {
    Case::of(&position.to_setup()).unwrap()
}

fn found(position: &Position) -> Vec<Finding> {
    let clocks = position.to_setup().clocks.unwrap();
    let mut findings =
        tests_common::found(|findings| examine(&case_of(position), clocks, findings));
    findings.retain(|finding| finding.severity() != Severity::Note);
    findings
}

#[test]
fn nothing_is_said_of_true_clocks() {
    walk(518, 1, 900, |position, _| {
        let findings = found(position);
        assert!(findings.is_empty(), "{position:?} {findings:?}");
    });
}

#[test]
fn nothing_is_said_of_true_clocks_in_chess960_while_it_shows() {
    // Once neither side may castle, it may have been a standard game.
    let by_start =
        [Code::TooFewWhiteMoves, Code::TooFewBlackMoves, Code::NotSoEarly, Code::CastlingLostEarly];
    let mut seen = 0;
    for number in 0..120 {
        walk(number * 8, u64::from(number), 8, |position, _| {
            let mut findings = found(position);
            if case_of(position).is_standard {
                findings.retain(|finding| !by_start.contains(&finding.code));
            } else {
                seen += 1;
            }
            assert!(findings.is_empty(), "{position:?} {findings:?}");
        });
    }
    assert!(seen > 10_000, "{seen}");
}

#[test]
fn the_last_move_is_among_those_that_can_have_been() {
    let mut seen = [0; 2];
    walk(518, 3, 300, |position, is_zeroing| {
        let case = case_of(position);
        seen[usize::from(is_zeroing)] += 1;
        let can_be = if is_zeroing { retro::can_be_zeroing } else { retro::can_be_quiet };
        assert!(can_be(&case), "{position:?}");
    });
    assert!(seen.into_iter().all(|count| count > 5_000), "{seen:?}");
}

#[test]
fn castling_can_have_been_the_last_move() {
    let mut seen = 0;
    for number in 0..960 {
        let mut rng = SplitMix64::new(number.into());
        let mut position = Position::chess960(number).unwrap();
        for _ in 0..60 {
            let moves = position.legal_moves();
            let castling = moves.iter().find(|mv| mv.castling_side().is_some());
            let Some(&mv) = castling.or_else(|| rng.pick(&moves)) else { break };
            position = position.play_unchecked(mv);
            if castling.is_some() {
                seen += 1;
                let case = Case { is_standard: false, ..case_of(&position) };
                assert!(retro::can_be_quiet(&case), "{position:?}");
            }
        }
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn no_game_is_shorter_than_the_lower_bound() {
    walk(518, 4, 600, |position, _| {
        let case = case_of(position);
        let played = Played::of(&case, position.to_setup().clocks.unwrap());
        let bound = lower_bound_plies(&case);
        for color in Color::ALL {
            let glance = QuickBounds::of(&case, color);
            let needed = bound[color.index()];
            assert!(needed <= played.by(color), "{position:?} {bound:?}");
            assert!(glance.zeroing <= played.by(color), "{position:?}");
            let is_enough = |plies| glance.is_enough(&case, color, plies);
            assert!((0..needed).all(|plies| !is_enough(plies)), "{position:?} {bound:?}");
        }
    });
}

/// Checks the findings, formatted as `code values`.
#[track_caller]
fn check(fen: &str, expected: &[&str]) {
    let clocks = fen::parse(fen).unwrap().clocks.unwrap();
    let findings = tests_common::found(|findings| examine(&case(fen), clocks, findings));
    assert_eq!(summaries(&findings), expected, "{fen}");
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[test]
fn the_clock_counts_no_more_than_was_played() {
    check(&format!("{START} w KQkq - 0 1"), &[]);
    check(&format!("{START} w KQkq - 5 1"), &["clock-beyond-game 5 0"]);
    check(&format!("{START} w KQkq - 4 3"), &[]);
    check(&format!("{START} w KQkq - 5 3"), &["clock-beyond-game 5 4"]);
    check("4k3/8/8/8/8/8/4P3/4K3 w - - 60000 4000000000", &["seventy-five-moves 60000"]);
}

#[test]
fn the_clock_counts_everything_while_nothing_is_gone_and_no_pawn_has_moved() {
    check(&format!("{START} w KQkq - 38 20"), &[]);
    check(&format!("{START} w KQkq - 1 20"), &["clock-not-whole 38 1"]);
    check(&format!("{START} w KQkq - 0 3"), &["clock-not-whole 4 0"]);
    let knights = "rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R";
    check(&format!("{knights} w KQkq - 2 2"), &[]);
    check(&format!("{knights} w KQkq - 2 12"), &["clock-not-whole 22 2"]);
    // A pawn has moved or a piece is gone, but it is unknown when.
    let pawn = "rnbqkb1r/pppppppp/5n2/8/8/5NP1/PPPPPP1P/RNBQKB1R";
    check(&format!("{pawn} b KQkq - 0 12"), &[]);
    let gone = "rnbqkb1r/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R";
    check(&format!("{gone} b KQkq - 0 12"), &[]);
}

#[test]
fn the_clock_is_zero_after_a_pawn_move_or_a_capture_only() {
    let stepped = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3";
    check(&format!("{stepped} 0 9"), &[]);
    check(&format!("{stepped} 5 9"), &["clock-after-step e3 5"]);
    // A pawn gives check, so it has just arrived.
    check("4k3/3P4/8/8/8/8/8/4K3 b - - 3 60", &["clock-not-zero 3 white d7"]);
    check("4k3/3P4/8/8/8/8/8/4K3 b - - 0 60", &[]);
    // The rook may have arrived, or a piece may have left the line in front of it.
    check("4k3/8/8/8/8/8/4R3/4K3 b - - 3 60", &[]);
    check("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1", &["clock-not-whole 1 0"]);
    check("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1", &[]);
    // A knight gives check that cannot have captured, because all black pieces are on the board.
    let fen = "rnbqkb1r/pppppppp/5N2/8/4n3/8/PPPPPPPP/R1BQKBNR b KQkq - 0 9";
    check(fen, &["clock-not-whole 17 0"]);
    let fen = "rnbqkb1r/pppppppp/5N2/8/4n3/P7/1PPPPPPP/R1BQKBNR b KQkq - 0 9";
    check(fen, &["clock-zero white 0"]);
}

#[test]
fn double_steps_and_castling_are_thought_of() {
    // From e3 the pawn would already have given check. The en passant square is not always
    // written.
    check("rnbq1bnr/ppp1pppp/8/3p4/3kP3/8/PPPP1PPP/RNBQKBNR b KQ - 0 9", &[]);
    // The rook on d1 came by castling in Chess960, or the pawn from d2 captured something.
    let text = "8/8/8/8/8/3kP3/8/2KRR3 b - -";
    check(&format!("{text} 3 60"), &["clock-not-zero 3 white d1"]);
    assert!(retro::can_be_quiet(&Case { is_standard: false, ..case(text) }));
    check("8/8/8/8/8/3kP3/8/K1RRR3 b - - 3 60", &["clock-not-zero 3 white d1"]);
}

#[test]
fn captures_in_passing_are_thought_of() {
    // A pawn on e5 blocked the bishop's line, and a white pawn there would have given check.
    let case = case("8/8/4Pk2/8/1P6/2B5/1P1P4/7K b - -");
    assert!(retro::can_be_zeroing(&case));
    assert!(!retro::can_be_quiet(&case));
}

#[test]
fn a_position_without_any_last_move_has_no_wrong_clock() {
    check("8/8/8/8/8/8/N7/k1K5 w - - 0 40", &[]);
    check("8/8/N7/2k5/N7/8/8/3K4 b - - 4 40", &[]);
}

#[test]
fn before_the_quiet_moves_there_was_room_for_the_others() {
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
    check(&format!("{fen} 0 2"), &[]);
    check(&format!("{fen} 2 3"), &[]);
    let both = ["clock-leaves-too-few white 4 0 1", "clock-leaves-too-few black 4 0 1"];
    check(&format!("{fen} 4 3"), &both);
    check(&format!("{fen} 3 3"), &["clock-leaves-too-few black 3 0 1"]);
}

#[test]
fn pieces_need_time_to_get_where_they_are() {
    let italian = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -";
    check(&format!("{italian} 4 4"), &[]);
    check(&format!("{italian} 2 3"), &["too-few-white-moves 3 2", "too-few-black-moves 3 2"]);
}

#[test]
fn the_first_moves_are_known() {
    check(&format!("{START} b KQkq - 0 1"), &["black-at-move-one"]);
    check(&format!("{START} b KQkq - 1 1"), &["black-at-move-one"]);
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    check(&format!("{fen} b KQkq - 0 1"), &[]);
    check(&format!("{fen} b KQkq e3 0 1"), &[]);
    check(&format!("{fen} w KQkq - 0 2"), &["clock-zero black 1", "not-so-early 2"]);
    check(&format!("{fen} w KQkq - 1 2"), &["not-so-early 2"]);
    check(
        "rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR w KQkq - 0 1",
        &["too-few-white-moves 1 0"],
    );
}

#[test]
fn castling_is_not_lost_without_a_move() {
    check(&format!("{START} w KQk - 0 1"), &["castling-lost-early e8 a8"]);
    check(
        &format!("{START} w - - 0 1"),
        &["castling-lost-early e1 a1,h1", "castling-lost-early e8 a8,h8"],
    );
    check(&format!("{START} w Qkq - 8 5"), &[]);
    check(&format!("{START} w Qkq - 6 4"), &["castling-lost-early e1 h1"]);
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
    check(&format!("{fen} KQ - 0 3"), &["castling-lost-early e8 a8,h8"]);
    check(&format!("{fen} KQ - 2 4"), &[]);
}

#[test]
fn rights_that_are_wrong_are_not_lost_as_well() {
    let case = case("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq - 0 9");
    let clocks = Clocks { halfmove_clock: 0, fullmove_number: 2 };
    let mut findings = vec![Finding::new(Code::CastlingWithoutRook, Bitboard::EMPTY)];
    examine(&case, clocks, &mut findings);
    assert_eq!(findings.len(), 1, "{findings:?}");
}

#[test]
fn games_that_were_over_are_named() {
    check("8/8/4k3/8/8/3QK3/8/8 b - - 99 200", &[]);
    check("8/8/4k3/8/8/3QK3/8/8 b - - 100 200", &["fifty-moves 100"]);
    check("8/8/4k3/8/8/3QK3/8/8 b - - 150 200", &["fifty-moves 150"]);
    check("8/8/4k3/8/8/3QK3/8/8 b - - 151 200", &["seventy-five-moves 151"]);
    check("8/8/4k3/8/8/4K3/8/8 w - - 7 60", &["already-dead"]);
    check("8/8/4k3/8/8/4K3/8/8 w - - 0 60", &[]);
    check("8/8/4k3/8/8/3NK3/8/8 w - - 7 60", &["already-dead"]);
    check("8/8/4k3/4n3/8/3NK3/8/8 w - - 7 60", &[]);
    check("8/8/b3k3/8/8/3BK3/8/8 w - - 7 60", &["already-dead"]);
    check("8/8/b3k3/8/8/2B1K3/8/8 w - - 7 60", &[]);
}

#[test]
fn the_usual_start_is_not_supposed_of_chess960() {
    check("bqnb1rkr/pppppppp/2n5/8/8/2N5/PPPPPPPP/BQ1BNRKR w HFhf - 2 2", &[]);
    let fen = "bqnb1rkr/pppp1ppp/2n5/4p3/8/2N5/PPPPPPPP/BQ1BNRKR w HFhf - 0 1";
    check(fen, &["too-few-black-moves 1 0"]);
}

#[test]
fn the_lower_bound_knows_the_shortest_ways() {
    #[track_caller]
    fn check(fen: &str, expected: [u32; 2]) {
        assert_eq!(lower_bound_plies(&case(fen)), expected, "{fen}");
    }
    check(&format!("{START} w KQkq -"), [0, 0]);
    check(&format!("{START} w - -"), [4, 4]);
    check("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -", [3, 3]);
    // Castling is a single move and moves the rook at no extra cost.
    check("rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQ1RK1 b kq -", [4, 0]);
    // One of the two pawns comes from another file and could not use the double step.
    check("rnbqkbnr/pp1ppppp/8/8/2P5/8/P1PPPPPP/RNBQKBNR w KQkq -", [2, 0]);
    check("rnbqkbnr/pp1ppppp/8/2P5/2P5/8/P2PPPPP/RNBQKBNR w KQkq -", [3, 0]);
    // The third knight is a promoted pawn.
    check("rnbqkbnr/pppppppp/8/8/8/8/8/1N2K1NN w kq -", [9, 12]);
    check("Nnbqkbnr/pppppppp/8/8/8/8/8/RNBQKBNR w KQk -", [5, 7]);
    check("4k3/8/8/8/8/8/8/4K3 w - -", [15, 15]);
}
