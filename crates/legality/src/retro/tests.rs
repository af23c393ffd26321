//! Properties: the true last move is always found, everything found is true, and games are never
//! refuted. Then examples.

use castellan_rules::{Bitboard, Color, Move, Position, Role, Setup, SetupProblem, fen};
use castellan_testkit::play::{GameShape, RandomGame, Start, random_games};
use castellan_testkit::scatter::scattered_positions;

use super::*;
use crate::Budget;
use crate::tests_common::{case, found, summaries};

/// Returns the case of a position, without its clocks.
fn case_of(position: &Position, is_standard: bool) -> Case {
    let setup = Setup { clocks: None, ..position.to_setup() };
    Case { setup, is_standard }
}

/// Returns the positions of a game.
fn positions(game: &RandomGame) -> Vec<Position> {
    game.positions().map(|oracle| Position::from_fen(&oracle.to_fen()).unwrap()).collect()
}

/// Returns games of all kinds, with whether they began from the standard start position.
fn games(seed: u64, count: usize) -> impl Iterator<Item = (RandomGame, bool)> {
    let shape = GameShape { max_plies: 150, ..GameShape::default() };
    let wild = GameShape { by_kind_percent: 90, ..shape };
    let shuffled = GameShape { start: Start::Chess960, ..shape };
    let usual = random_games(seed, shape).zip(random_games(seed + 1, wild));
    let shuffled = random_games(seed + 2, shuffled);
    usual
        .zip(shuffled)
        .take(count)
        .flat_map(|((one, other), shuffled)| [(one, true), (other, true), (shuffled, false)])
}

/// Checks that the last move is found, whether or not the position records a double step.
#[track_caller]
fn check_found(before: &Position, mv: Move, is_standard: bool) {
    let mut case = case_of(&before.play(mv).unwrap(), is_standard);
    for _ in 0..2 {
        let is_true = |(retro_move, found): &(RetroMove, Case)| {
            let lacks = found.setup.castling_rooks & !before.castling_rooks();
            retro_move.mv == mv
                && found.setup.pieces == *before.pieces()
                && found.setup.turn == before.turn()
                && lacks.is_empty()
                && (found.setup.en_passant.is_none()
                    || found.setup.en_passant == before.en_passant())
        };
        let count = predecessors(&case).filter(is_true).count();
        assert_eq!(count, 1, "{before:?} {mv:?}");
        case.setup.en_passant = None;
    }
}

/// Checks that every last move found leads here by the rules.
#[track_caller]
fn check_true(case: &Case) {
    for (retro_move, found) in predecessors(case) {
        let reasons = found.setup.problems();
        assert!(!reasons.is_unplayable(), "{case:?} {retro_move}: {reasons}");
        let after =
            found.setup.position().unwrap().play(retro_move.mv).expect("it is legal").to_setup();
        assert_eq!(after.pieces, case.setup.pieces, "{retro_move}");
        assert_eq!(after.turn, case.setup.turn);
        assert_eq!(after.castling_rooks, case.setup.castling_rooks, "{retro_move}");
        assert!(case.setup.en_passant.is_none() || case.setup.en_passant == after.en_passant);
    }
}

#[test]
fn the_last_move_of_a_game_is_found() {
    for (game, is_standard) in games(1, 60) {
        for pair in positions(&game).windows(2) {
            let after = |mv: &&Move| pair[0].play_unchecked(**mv) == pair[1];
            let moves = pair[0].legal_moves();
            let mv = moves.iter().find(after).expect("the game went on");
            check_found(&pair[0], *mv, is_standard);
        }
    }
}

#[test]
fn every_move_of_any_position_is_found_from_behind() {
    let is_overfull = |setup: &Setup| {
        let reasons = setup.problems();
        reasons.contains(SetupProblem::TooManyWhitePromotions)
            || reasons.contains(SetupProblem::TooManyBlackPromotions)
    };
    for oracle in scattered_positions(2).take(2000) {
        let before = Position::from_fen(&oracle.to_fen()).unwrap();
        if is_overfull(&before.to_setup()) {
            continue;
        }
        for mv in &before.legal_moves() {
            check_found(&before, *mv, false);
        }
    }
}

#[test]
fn every_last_move_found_leads_here() {
    for (game, is_standard) in games(3, 10) {
        for position in positions(&game) {
            check_true(&case_of(&position, is_standard));
        }
    }
    for oracle in scattered_positions(4).take(1000) {
        let position = Position::from_fen(&oracle.to_fen()).unwrap();
        let mut case = case_of(&position, false);
        check_true(&case);
        case.setup.en_passant = None;
        check_true(&case);
    }
}

#[test]
fn castling_is_taken_back_with_its_right() {
    let case = case_of(&Position::from_fen("4k3/8/8/8/8/8/8/5RK1 b - - 1 1").unwrap(), true);
    let (retro_move, before) = predecessors(&case)
        .find(|(retro_move, _)| retro_move.mv.castling_side().is_some())
        .unwrap();
    assert_eq!(retro_move.to_string(), "O-O");
    assert_eq!(fen::parse("4k3/8/8/8/8/8/8/4K2R w K -").unwrap(), before.setup);
    assert!(predecessors(&before).all(|(_, before)| before.setup.castling_rooks == Bitboard(128)));
}

#[test]
fn nothing_is_found_in_games() {
    let mut findings = Vec::new();
    for (game, is_standard) in games(5, 150) {
        for position in positions(&game) {
            let case = case_of(&position, is_standard);
            examine(&case, &mut findings);
            assert_eq!(findings, [], "{position:?}");
        }
    }
}

/// Returns whether the pawns of a side made more captures than pieces are gone: an argument such
/// as a caller supplies.
fn lacks_captures(case: &Case) -> bool {
    Color::ALL.into_iter().any(|color| {
        let pawns = case.piece(color, Role::Pawn);
        min_captures(color, pawns).is_none_or(|captures| captures > case.missing(!color))
    })
}

/// Returns the fewest captures with which the pawns can have come from different files. The table
/// is indexed by the set of files that are taken.
fn min_captures(color: Color, pawns: Bitboard) -> Option<usize> {
    let mut fewest = vec![None; 256];
    fewest[0] = Some(0);
    for pawn in pawns {
        let steps = pawn.rank().relative_to(color).index() - 1;
        let mut next: Vec<Option<usize>> = vec![None; 256];
        for (taken, file) in (0..256).flat_map(|taken| (0..8).map(move |file| (taken, file))) {
            let Some(captures) = fewest[taken] else { continue };
            let sideways = pawn.file().index().abs_diff(file);
            let with_file = taken | 1 << file;
            if with_file != taken && sideways <= steps {
                let all = captures + sideways;
                next[with_file] = Some(next[with_file].map_or(all, |best| best.min(all)));
            }
        }
        fewest = next;
    }
    fewest.into_iter().flatten().min()
}

#[test]
fn no_game_is_refuted_by_its_past() {
    for (game, is_standard) in games(6, 20) {
        for position in positions(&game) {
            let mut budget = Budget::of_nodes(3000);
            let case = case_of(&position, is_standard);
            let found = refute_by_past(&case, &mut budget, &mut lacks_captures);
            assert_eq!(found, None, "{position:?}");
        }
    }
}

#[test]
fn ordinary_positions_are_given_up_at_once() {
    let mut count = 0;
    let mut asked = 0;
    for (game, is_standard) in games(7, 10) {
        for position in positions(&game) {
            count += 1;
            let mut budget = Budget::of_nodes(3000);
            let mut refute = |_: &Case| {
                asked += 1;
                false
            };
            refute_by_past(&case_of(&position, is_standard), &mut budget, &mut refute);
        }
    }
    assert!(asked < count / 2, "{asked} questions for {count} positions");
}

#[track_caller]
fn check_past(text: &str, expected: Option<&str>) {
    let found = refute_by_past(&case(text), &mut Budget::of_nodes(3000), &mut lacks_captures);
    let found: Vec<Finding> = found.map(|refutation| refutation.finding).into_iter().collect();
    assert_eq!(summaries(&found), expected.as_slice(), "{text}");
}

#[test]
fn a_forced_move_may_have_no_past() {
    // An en passant capture opened both lines, but the pawn on f2 already attacked e3 before it
    // made its double step.
    check_past("1b4r1/8/8/8/8/4kpK1/8/8 w - -", Some("forced-past g4xf3 e.p."));
    check_past("kb4r1/8/8/8/8/5pK1/8/8 w - -", None);
    // The bishop has captured, and so has a pawn, but only one piece is gone.
    let text = "r1bqkbnr/ppp1pppp/2Bp4/1Q6/4P3/2P5/P1PP1PPP/RNB1K1NR b KQkq -";
    check_past(text, Some("forced-past Bd5xc6"));
    let text = "r1bqkbnr/ppp1pppp/2Bp4/1Q6/8/2P5/P1PPPPPP/RNB1K1NR b KQkq -";
    check_past(text, Some("no-past-moves white Bf3xc6, Be4xc6, Bd5xc6 c6"));
    check_past("r1bqkbnr/ppp1pppp/2Bp4/1Q6/4P3/2P5/PP1P1PPP/RNB1K1NR b KQkq -", None);
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let findings = found(|findings| examine(&case(text), findings));
    let names: Vec<&str> = findings.iter().map(|finding| finding.code.name()).collect();
    assert_eq!(names, expected, "{text}");
}

#[test]
fn one_move_gives_two_checks_at_most() {
    check("4k3/5P2/3N4/8/8/8/4R3/4K3 b - -", &["triple-check"]);
    check("8/8/N7/2k5/N7/8/8/3K4 b - -", &["impossible-double-check"]);
    check("5R2/2P5/8/4k3/8/3rK2r/8/8 w - -", &["impossible-double-check"]);
    check("8/8/8/3k4/2P5/8/6B1/4K3 b - -", &["impossible-double-check"]);
    check("4k2R/8/8/8/4R3/8/8/3K4 b - -", &["impossible-double-check"]);
    // The pawn from e7 captured on d8 and opened the file.
    check("3Qk3/8/8/8/8/8/4R3/4K3 b - -", &[]);
    // Both pawns have left the fifth rank: en passant opens two lines at once.
    check("3R3B/8/4P3/8/3k4/8/8/K7 b - -", &[]);
    check("3R3B/4p3/4P3/8/3k4/8/8/K7 b - -", &["impossible-double-check"]);
}

#[test]
fn a_check_needs_a_way_to_come_about() {
    check("8/8/8/8/8/3k4/4P3/4K3 b - -", &["impossible-check"]);
    check("8/8/8/8/3k4/4P3/8/4K3 b - -", &[]);
    check("1r4R1/4rp2/Pk2B1Qp/B2n3r/qb1r2Q1/2Q1NKbn/2BR1R1N/2R2Q1n b - -", &["impossible-check"]);
    check("rnbqkbnr/ppp1pppp/2Bp4/1Q6/4P3/8/PPPP1PPP/RNB1K1NR b KQkq -", &["impossible-check"]);
    // With a piece missing, the bishop can have captured it on c6.
    check("r1bqkbnr/ppp1pppp/2Bp4/1Q6/4P3/8/PPPP1PPP/RNB1K1NR b KQkq -", &[]);
}

#[test]
fn kings_and_rooks_that_can_castle_have_not_given_check() {
    check("8/8/8/8/8/8/8/k3K2R b - -", &[]);
    check("8/8/8/8/8/8/5P2/4K1kR b - -", &[]);
    check("8/8/8/8/8/8/5P2/4K1kR b K -", &["impossible-check"]);
}

#[test]
fn a_double_step_explains_its_check_or_there_was_none() {
    check("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3", &["en-passant-check"]);
    check("8/8/8/1k6/2Pp4/8/8/4K3 b - c3", &[]);
    check("8/8/8/8/k1PR4/8/8/4K3 b - c3", &["en-passant-check"]);
}

#[test]
fn a_walled_in_piece_has_not_moved() {
    check("8/8/8/8/8/8/N7/k1K5 w - -", &["no-last-move"]);
    check("8/8/8/8/8/8/N7/k2K4 w - -", &[]);
    check("Knrk4/BpppRp2/1p2p3/8/8/8/8/8 b - -", &["no-last-move"]);
}

#[test]
fn the_start_needs_no_last_move() {
    check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", &[]);
    check("rkbqrbnn/pppppppp/8/8/8/8/PPPPPPPP/RKBQRBNN w EAea -", &[]);
}
