//! The labeled sets: what must be found, and what must not be reported.

use castellan_legality::{Doctor, Effort, Report, Severity, Verdict};
use castellan_rules::Line;

struct LabeledPosition<'a> {
    fen: &'a str,
    verdict: &'a str,
    note: &'a str,
}

fn lines(file: &str) -> impl Iterator<Item = LabeledPosition<'_>> {
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| {
        let mut parts = line.splitn(3, ';');
        let mut part = || parts.next().unwrap_or_default();
        LabeledPosition { fen: part(), verdict: part(), note: part() }
    })
}

const EXAMPLES: &str = include_str!("../data/legality_argument_examples.txt");
const TROMP: &str = include_str!("../data/legality_tromp10k.txt");
const SHERLOCK: &str = include_str!("../data/legality_sherlock.txt");
const EARLY: &str = include_str!("../data/ply8.txt");
const LICHESS: &str = include_str!("../data/legality_lichess_legal.txt");

fn look(fen: &str) -> Report {
    Doctor::new(Effort::Normal).examine(fen, &|| false)
}

fn names(report: &Report) -> Vec<&'static str> {
    report.findings.iter().map(|finding| finding.code.name()).collect()
}

fn has(report: &Report, severity: Severity) -> bool {
    report.findings.iter().any(|finding| finding.severity() == severity)
}

/// One example for each argument, except for two that need more than `Effort::Normal`.
#[test]
fn every_argument_finds_its_example() {
    for line in lines(EXAMPLES) {
        let report = look(line.fen);
        let is_right = match line.verdict {
            "syntax" => report.verdict == Verdict::Malformed,
            "illegal" => report.verdict == Verdict::Illegal,
            "clocks" | "gameover" => {
                has(&report, Severity::Warning) && !has(&report, Severity::Error)
            }
            _ => false,
        };
        let is_beyond = ["G10", "I3"].iter().any(|id| line.note.starts_with(id));
        assert!(is_right || is_beyond, "{} {}: {:?}", line.fen, line.note, names(&report));
    }
}

/// Covers positions that no game reaches: those that simple arguments refute, and those that need
/// a search, of which most must be found. No position that a game reaches may be refuted.
#[test]
fn random_positions_are_judged_right() {
    let (mut hard, mut hard_found) = (0, 0);
    for line in lines(TROMP).filter(|line| line.fen != "fen") {
        let report = look(line.fen);
        let is_illegal = report.verdict == Verdict::Illegal;
        match (line.verdict, line.note) {
            ("legal", _) => assert!(!is_illegal, "{} {:?}", line.fen, names(&report)),
            ("illegal", note) if note.starts_with("easy") => {
                assert!(is_illegal, "{} {note}", line.fen);
            }
            ("illegal", _) => {
                hard += 1;
                hard_found += usize::from(is_illegal);
            }
            _ => {}
        }
    }
    eprintln!("hard: {hard_found} of {hard}");
    assert!(hard_found * 100 >= hard * 98, "{hard_found} of {hard}");
}

#[test]
fn retro_problems_are_judged_right() {
    let (mut illegal, mut found) = (0, 0);
    for line in lines(SHERLOCK) {
        let report = look(line.fen);
        let is_illegal = report.verdict == Verdict::Illegal;
        if line.verdict == "illegal" {
            illegal += 1;
            found += usize::from(is_illegal);
            eprintln!("{is_illegal} {} {:?}", line.fen, names(&report));
        } else {
            assert!(!is_illegal, "{} {:?}", line.fen, names(&report));
        }
    }
    assert!(found >= 13, "{found} of {illegal}");
}

#[test]
fn positions_of_real_games_are_never_accused() {
    let doctor = Doctor::new(Effort::Normal);
    for line in lines(LICHESS) {
        let mut findings = doctor.findings(line.fen);
        findings.retain(|finding| finding.severity() != Severity::Note);
        assert!(findings.is_empty(), "{} {findings:?}", line.fen);
    }
}

/// A legal verdict comes with a game, and the game must lead to the position.
#[test]
fn early_positions_are_proved_by_games() {
    let (mut positions, mut proved) = (0, 0);
    for line in lines(EARLY) {
        positions += 1;
        let report = look(line.fen);
        let Verdict::Legal { moves } = &report.verdict else { continue };
        proved += 1;
        let mut reached = Line::default();
        for &mv in moves {
            reached.play(mv).expect("the game is legal");
        }
        assert_eq!(Some(*reached.position()), report.position, "{}", line.fen);
    }
    assert!(proved * 100 >= positions * 95, "{proved} of {positions}");
}
