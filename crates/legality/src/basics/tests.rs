//! Properties over games and random boards, then examples.

use castellan_rules::{File, Position, SetupProblem, fen};
use castellan_testkit::oracle::Oracle;
use castellan_testkit::play::{GameShape, Start, random_games};
use castellan_testkit::random::SplitMix64;

use super::*;
use crate::{Severity, reading, tests_common};

fn found(setup: &Setup) -> Vec<Finding> {
    tests_common::found(|findings| examine(setup, Letters::Chess960, findings))
}

#[test]
fn no_position_of_a_game_has_an_error() {
    for (start, seed) in [(Start::Standard, 1), (Start::Chess960, 2)] {
        let shape = GameShape { start, ..GameShape::default() };
        for position in random_games(seed, shape)
            .take(150)
            .flat_map(|game| game.positions().collect::<Vec<Oracle>>())
        {
            let fen = position.to_fen();
            let findings = found(&fen::parse(&fen).unwrap());
            let is_note = |finding: &Finding| finding.severity() == Severity::Note;
            assert!(findings.iter().all(is_note), "{fen} {findings:?}");
        }
    }
}

#[test]
fn a_useless_en_passant_square_is_one_that_the_rules_leave_out() {
    let mut seen = [0; 2];
    for number in [518, 0, 959] {
        let mut rng = SplitMix64::new(number.into());
        for _ in 0..300 {
            let mut position = Position::chess960(number).unwrap();
            for _ in 0..120 {
                let moves = position.legal_moves();
                let Some(&mv) = rng.pick(&moves) else { break };
                position = position.play_unchecked(mv);
                let Some(passed) = position.passed_square() else { continue };
                let is_useless = position.en_passant() != Some(passed);
                let codes: Vec<Code> =
                    found(&position.to_setup()).iter().map(|finding| finding.code).collect();
                let expected = if is_useless { vec![Code::EnPassantUseless] } else { vec![] };
                assert_eq!(codes, expected, "{position:?}");
                seen[usize::from(is_useless)] += 1;
            }
        }
    }
    assert!(seen.into_iter().all(|count| count > 100), "{seen:?}");
}

/// Returns the codes that correspond to a reason of the rules crate.
fn codes_of(reason: SetupProblem) -> &'static [Code] {
    match reason {
        SetupProblem::NoWhiteKing => &[Code::NoWhiteKing],
        SetupProblem::NoBlackKing => &[Code::NoBlackKing],
        SetupProblem::TooManyWhiteKings => &[Code::TooManyWhiteKings],
        SetupProblem::TooManyBlackKings => &[Code::TooManyBlackKings],
        SetupProblem::KingsAdjacent => &[Code::KingsAdjacent],
        SetupProblem::TooManyWhitePieces => &[Code::TooManyWhitePieces],
        SetupProblem::TooManyBlackPieces => &[Code::TooManyBlackPieces],
        SetupProblem::PawnOnBackRank => &[Code::PawnOnBackRank],
        SetupProblem::OpponentInCheck => &[Code::OpponentInCheck, Code::BothKingsInCheck],
        SetupProblem::CastlingWithoutRook => {
            &[Code::CastlingWithoutKing, Code::CastlingWithoutRook, Code::CastlingSameSide]
        }
        SetupProblem::EnPassantWithoutStep => {
            &[Code::EnPassantRank, Code::EnPassantWithoutPawn, Code::EnPassantBlocked]
        }
        SetupProblem::TooManyWhitePawns => &[Code::TooManyWhitePawns],
        SetupProblem::TooManyBlackPawns => &[Code::TooManyBlackPawns],
        SetupProblem::TooManyWhitePromotions => &[Code::TooManyWhitePromotions],
        SetupProblem::TooManyBlackPromotions => &[Code::TooManyBlackPromotions],
        SetupProblem::TooManyCheckers
        | SetupProblem::ClockBeyondGame
        | SetupProblem::ClockAfterStep
        | SetupProblem::MoveNumberZero => &[],
    }
}

/// Returns a random board with random fields.
fn random_setup(rng: &mut SplitMix64) -> Setup {
    let mut setup = Setup::empty();
    for _ in 0..rng.below(36) {
        let color = Color::ALL[rng.below(2)];
        let role = Role::ALL[rng.below(6)];
        // Few kings, so that often each side has exactly one.
        if role != Role::King || rng.chance(20) {
            setup.pieces.put(Piece { color, role }, Square::ALL[rng.below(64)]);
        }
    }
    for color in Color::ALL {
        if rng.chance(90) {
            let king = Square::ALL[rng.below(64)];
            setup.pieces.put(Piece { color, role: Role::King }, king);
        }
    }
    setup.turn = Color::ALL[rng.below(2)];
    if rng.chance(30) {
        let home = [0, 56][rng.below(2)];
        setup.castling_rooks =
            (0..rng.below(3)).map(|_| Square::ALL[home + rng.below(8)]).collect();
    }
    setup.en_passant = rng.chance(30).then(|| Square::ALL[rng.below(64)]);
    setup
}

#[test]
fn the_doctor_and_the_rules_refuse_the_same_setups() {
    let mut rng = SplitMix64::new(7);
    for _ in 0..100_000 {
        let setup = random_setup(&mut rng);
        let findings = found(&setup);
        let has = |code: &Code| findings.iter().any(|finding| finding.code == *code);
        let reasons = setup.problems();
        for reason in SetupProblem::ALL {
            let codes = codes_of(reason);
            // The rules look for checks only if each side has one king; here a single king is
            // enough.
            let kings = Color::ALL
                .map(|color| setup.pieces.piece(Piece { color, role: Role::King }).count());
            let is_wider = reason == SetupProblem::OpponentInCheck && kings != [1, 1];
            // For the rules, adjacent kings check each other; here they are reported as adjacent.
            let is_near = reason == SetupProblem::OpponentInCheck && has(&Code::KingsAdjacent);
            if reasons.contains(reason) {
                let is_named = is_near || codes.is_empty() || codes.iter().any(has);
                assert!(is_named, "{reason} {setup:?}");
            } else if !is_wider && !codes.is_empty() {
                assert!(!codes.iter().any(has), "{reason} {setup:?} {findings:?}");
            }
        }
    }
}

/// Formats findings as `code squares: values`.
fn lines(findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        let squares: Vec<String> = finding.squares.into_iter().map(|it| it.to_string()).collect();
        let values: Vec<String> = finding.values.iter().map(ToString::to_string).collect();
        format!("{} {}: {}", finding.code.name(), squares.join(","), values.join(" "))
    };
    findings.iter().map(line).collect()
}

/// Checks the findings if the rights are read as Chess960.
#[track_caller]
fn check(fen: &str, expected: &[&str]) {
    assert_eq!(lines(&found(&fen::parse(fen).unwrap())), expected, "{fen}");
}

/// Checks the findings in standard chess.
#[track_caller]
fn check_standard(fen: &str, expected: &[&str]) {
    let reading = reading::read(fen, false);
    assert_eq!(reading.letters, Letters::Standard, "{fen}");
    let setup = reading.setup.unwrap();
    let findings = tests_common::found(|all| examine(&setup, Letters::Standard, all));
    assert_eq!(lines(&findings), expected, "{fen}");
}

#[test]
fn kings_are_counted_and_kept_apart() {
    check("8/8/8/8/8/8/8/8 w - -", &["no-white-king : ", "no-black-king : "]);
    check("4k3/8/8/8/8/8/8/K3K3 w - -", &["many-white-kings a1,e1: 2 a1,e1"]);
    check("8/8/8/3kK3/8/8/8/8 w - -", &["kings-adjacent d5,e5: d5,e5"]);
    let fen = "k7/1P6/8/3kK3/8/8/8/8 w - -";
    check(fen, &["many-black-kings d5,a8: 2 d5,a8"]);
}

#[test]
fn pieces_pawns_and_promotions_are_counted() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP";
    check(
        "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq -",
        &["many-white-men : 17", "many-white-promotions b1,g1,a3: 1 8 b1,g1,a3"],
    );
    check(
        "rnbqkbnr/pppppppp/p7/8/8/8/8/RNBQKB2 w Qkq -",
        &["many-black-men : 17", "many-black-pawns a6,a7,b7,c7,d7,e7,f7,g7,h7: 9"],
    );
    check(&format!("{start}/RNBQKBQR w KQkq -"), &["many-white-promotions d1,g1: 1 8 d1,g1"]);
    check(&format!("{start}/RNBQKNBR w KQkq -"), &["many-white-promotions c1,g1: 1 8 c1,g1"]);
    check("4k3/8/8/8/8/8/P7/QQQQKQQQ w - -", &[]);
    check("4k3/8/8/8/8/8/PP6/QQQQKQQQ w - -", &[]);
    check(
        "4k3/8/8/8/8/Q7/PPP5/QQQQKQQQ w - -",
        &["many-white-promotions a1,b1,c1,d1,f1,g1,h1,a3: 7 3 a1,b1,c1,d1,f1,g1,h1,a3"],
    );
    check("P3k2p/8/8/8/8/8/8/4K3 w - -", &["pawn-on-back-rank a8,h8: a8,h8"]);
}

#[test]
fn checks_of_the_side_that_moved_are_found() {
    check("4k3/8/8/1B6/8/8/8/4K3 w - -", &["opponent-in-check b5,e8: white e8 b5"]);
    check("4k3/8/8/1B6/8/8/8/4K3 b - -", &[]);
    check("4k3/8/8/1B6/8/8/4r3/4K3 w - -", &["both-kings-in-check e1,e2,b5,e8: e1 e2 e8 b5"]);
}

#[test]
fn castling_needs_king_and_rook_on_their_rank_in_chess960() {
    check("4k3/8/8/8/8/8/8/R3K2R w KQ -", &[]);
    check("4k3/8/8/8/8/8/8/R3K3 w KQ -", &["castling-without-rook h1: white h1"]);
    check("4k3/8/8/8/8/8/4K3/R6R w KQ -", &["castling-without-king e2: white  e2"]);
    check("4k3/8/8/8/8/8/8/4K1RR w GH -", &["castling-same-side g1,h1: g1,h1"]);
    check("4k3/8/8/8/8/8/8/KR6 w K -", &["castling-king-in-corner a1: white a1"]);
    check("r3k2r/8/8/8/8/8/8/R2K3R w KQkq -", &["castling-different-files d1,e8: d1,e8"]);
    check("r3k2r/8/8/8/8/8/8/R3K1R1 w KQkq -", &["castling-different-files g1,h8: g1,h8"]);
    check("r3k2r/8/8/8/8/8/8/R3K1R1 w Qkq -", &[]);
    check("r3k3/8/8/8/8/8/8/4K1R1 w Kq -", &[]);
}

#[test]
fn castling_needs_king_and_rook_at_home_in_standard_chess() {
    check_standard("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", &[]);
    check_standard("4k3/8/8/8/8/8/8/R3K3 w KQ -", &["castling-without-rook h1: white h1"]);
    check_standard(
        "4k3/8/8/8/8/8/8/R2K3R w KQ -",
        &["castling-king-elsewhere d1,e1: white e1 d1 HA"],
    );
    check_standard(
        "r3k3/8/8/8/8/8/8/1R2K3 w Q -",
        &["castling-rook-elsewhere a1,b1: white a1 b1 B"],
    );
    check_standard("4k3/8/8/8/8/8/4K3/R6R w KQ -", &["castling-without-king e1,e2: white e1 e2"]);
    check_standard(
        "8/8/8/8/8/8/4k3/RK5R w KQ -",
        &["castling-king-elsewhere b1,e1: white e1 b1 HA"],
    );
    // In Chess960 both kings start on the same file, so this is not Chess960 either.
    check_standard(
        "r3k2r/8/8/8/8/8/8/R2K3R w KQkq -",
        &["castling-without-king d1,e1: white e1 d1"],
    );
    check_standard(
        "r2k3r/8/8/8/8/8/8/R2K3R w KQkq -",
        &[
            "castling-king-elsewhere d1,e1: white e1 d1 HA",
            "castling-king-elsewhere d8,e8: black e8 d8 ha",
        ],
    );
    // No game begins with a king in the corner.
    check_standard("4k3/8/8/8/8/8/8/KR6 w K -", &["castling-without-king a1,e1: white e1 a1"]);
}

#[test]
fn sound_rights_are_those_without_a_finding() {
    let mut rng = SplitMix64::new(11);
    let mut seen = [0; 2];
    for _ in 0..50_000 {
        let mut setup = random_setup(&mut rng);
        if rng.chance(50) {
            for square in [Square::A1, Square::H1] {
                setup.pieces.put(Piece { color: Color::White, role: Role::Rook }, square);
            }
            let kings = setup.pieces.piece(Piece { color: Color::White, role: Role::King });
            kings.into_iter().for_each(|king| setup.pieces.clear(king));
            setup.pieces.put(Piece { color: Color::White, role: Role::King }, Square::E1);
        }
        let corners = Bitboard::file(File::A) | Bitboard::file(File::H);
        for letters in [Letters::Standard, Letters::Chess960] {
            // Standard chess has no letters for other rooks.
            let usual = setup.castling_rooks & corners;
            let is_standard = letters == Letters::Standard;
            let castling_rooks = if is_standard { usual } else { setup.castling_rooks };
            let setup = Setup { castling_rooks, ..setup };
            let findings = tests_common::found(|all| castling::check(&setup, letters, all));
            let is_general = |finding: &Finding| finding.code == Code::CastlingDifferentFiles;
            let is_sound = findings.iter().all(is_general);
            let rights = sound_rights(&setup, letters);
            assert_eq!(rights == setup.castling_rooks, is_sound, "{setup:?} {findings:?}");
            seen[usize::from(is_sound)] += usize::from(setup.castling_rooks.any());
        }
    }
    assert!(seen.into_iter().all(|count| count > 100), "{seen:?}");
}

#[test]
fn the_en_passant_square_needs_a_step() {
    check("4k3/8/8/4pP2/8/8/8/4K3 w - e6", &[]);
    check("4k3/8/8/4p3/8/8/8/4K3 w - e6", &["en-passant-useless e6: e6"]);
    check("4k3/8/8/4pP2/8/8/8/4K3 b - e6", &["en-passant-rank e6: e6 3 black"]);
    check("4k3/8/8/5P2/8/8/8/4K3 w - e6", &["en-passant-without-pawn e5,e6: e6 e5"]);
    check("4k3/4r3/8/4pP2/8/8/8/4K3 w - e6", &["en-passant-blocked e6,e7: e6 e7"]);
    let fen = "4k3/4r3/4r3/5P2/8/8/8/4K3 w - e6";
    check(fen, &["en-passant-without-pawn e5,e6: e6 e5", "en-passant-blocked e6,e7: e6 e6,e7"]);
    // Both pawns leave the rank at once, and the rook attacks the king.
    check("4k3/8/8/K3pP1r/8/8/8/8 w - e6", &["en-passant-useless e6: e6"]);
}
