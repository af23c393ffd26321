//! No position of a game is reported as wrong.

use castellan_legality::{Doctor, Effort, Severity};
use castellan_testkit::play::{GameShape, Start, random_game};
use castellan_testkit::random::SplitMix64;

/// Returns how many games to play; an environment variable can ask for more.
fn games() -> u64 {
    std::env::var("CASTELLAN_DOCTOR_GAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Returns the codes of the findings that are more than a note.
fn complaints(doctor: Doctor, fen: &str) -> Vec<&'static str> {
    let findings = doctor.findings(fen).into_iter().filter(|one| one.severity() != Severity::Note);
    findings.map(|finding| finding.code.name()).collect()
}

/// Findings about a game that had ended. The random players continue past the end of the game,
/// and from there on these findings are right.
const GAME_IS_OVER: [&str; 2] = ["already-dead", "seventy-five-moves"];

#[track_caller]
fn check(start: Start, effort: Effort, games: u64) {
    let doctor = Doctor { effort, is_chess960: start == Start::Chess960 };
    let shape = GameShape { start, ..GameShape::default() };
    let mut positions = 0;
    for seed in 0..games {
        let game = random_game(&mut SplitMix64::new(seed), &shape);
        for position in game.positions() {
            let fen = position.to_fen();
            let complaints = complaints(doctor, &fen);
            if complaints.iter().any(|code| GAME_IS_OVER.contains(code)) {
                break;
            }
            assert!(complaints.is_empty(), "seed {seed}: {fen}: {complaints:?}");
            positions += 1;
        }
    }
    assert!(positions > 50 * games, "{positions} positions of {games} games");
}

#[test]
fn at_a_glance() {
    check(Start::Standard, Effort::Quick, games());
}

#[test]
fn at_a_glance_in_chess960() {
    check(Start::Chess960, Effort::Quick, games());
}

#[test]
fn with_all_arguments() {
    check(Start::Standard, Effort::Normal, games() / 3);
}

#[test]
fn with_all_arguments_in_chess960() {
    check(Start::Chess960, Effort::Normal, games() / 3);
}
