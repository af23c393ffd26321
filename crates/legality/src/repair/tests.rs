//! Properties of repairs over damaged texts, then examples.

use castellan_rules::{Position, Setup};
use castellan_testkit::random::SplitMix64;

use super::{Repair, RepairContext, reading};
use crate::reading::Fields;
use crate::{Case, Field, Finding, Severity, Stage, basics, clocks};

/// Returns the findings that need no search, which is enough to judge repairs.
fn examined(text: &str) -> Vec<Finding> {
    let reading = reading::read(text, false);
    let has_board = reading.has_board();
    let mut findings = reading.findings;
    let Some(setup) = reading.setup.filter(|_| has_board) else { return findings };
    basics::examine(&setup, reading.letters, &mut findings);
    let castling_rooks = basics::sound_rights(&setup, reading.letters);
    let case = Case::of(&Setup { castling_rooks, ..setup });
    if let (Some(case), Some(clocks), false) = (case, setup.clocks, reading.is_malformed) {
        clocks::examine(&case, clocks, &mut findings);
    }
    for finding in findings.iter_mut().filter(|finding| finding.column == 0) {
        finding.column = reading::column_of(text, finding, false);
    }
    findings
}

fn repairs(text: &str) -> Vec<Repair> {
    let reading = reading::read(text, false);
    let (setup, letters, findings) = (reading.setup.as_ref(), reading.letters, examined(text));
    let context =
        RepairContext { text, fields: Fields::of(text), setup, letters, findings: &findings };
    super::repairs(&context, &examined)
}

fn repaired(text: &str) -> Option<String> {
    super::repaired(text, false, &examined)
}

/// Returns FENs of random games with correct clocks.
fn texts(rng: &mut SplitMix64) -> Vec<String> {
    let mut texts = Vec::new();
    for _ in 0..8 {
        let mut position = Position::start();
        for _ in 0..60 {
            texts.push(position.to_fen());
            let moves = position.legal_moves();
            let Some(&mv) = rng.pick(&moves) else { break };
            position = position.play_unchecked(mv);
        }
    }
    texts
}

/// Returns a text with one or a few characters changed.
fn damaged(text: &str, rng: &mut SplitMix64) -> String {
    let letters: Vec<char> = "KQRBNPkqrbnp12345678/ -wbahe0x♞_ß".chars().collect();
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=rng.below(2) {
        let at = rng.below(chars.len());
        match rng.below(3) {
            0 => chars.insert(at, letters[rng.below(letters.len())]),
            1 => chars[at] = letters[rng.below(letters.len())],
            _ => drop(chars.remove(at)),
        }
    }
    chars.into_iter().collect()
}

/// Counts how often a finding occurs, comparing codes and squares only.
fn count(findings: &[Finding], finding: &Finding) -> usize {
    let is_same = |other: &&Finding| other.code == finding.code && other.squares == finding.squares;
    findings.iter().filter(is_same).count()
}

/// Returns the text of all fields except the one a finding is about.
fn other_fields(text: &str, field: Field) -> Vec<&str> {
    let fields = Fields::of(text);
    let others = reading::ALL_FIELDS.into_iter().filter(|other| *other != field);
    others.map(|other| fields.get(other)).collect()
}

/// Returns whether there are more errors than before. As long as a text cannot be read, only
/// errors of the text itself count.
fn is_worse(before: &[Finding], after: &[Finding]) -> bool {
    let is_error = |finding: &&Finding| finding.severity() == Severity::Error;
    let text_errors = |findings: &[Finding]| {
        findings.iter().filter(is_error).filter(|it| it.code.stage() == Stage::Text).count()
    };
    let errors = |findings: &[Finding]| findings.iter().filter(is_error).count();
    let was_readable = text_errors(before) == 0;
    text_errors(after) > text_errors(before) || was_readable && errors(after) > errors(before)
}

#[test]
fn a_repair_takes_its_finding_away_and_brings_no_error() {
    let mut rng = SplitMix64::new(1);
    let texts = texts(&mut rng);
    let mut seen = 0;
    for round in 0..6_000 {
        let text = damaged(&texts[round % texts.len()], &mut rng);
        let findings = examined(&text);
        for repair in repairs(&text) {
            let after = examined(&repair.fen);
            for index in repair.findings {
                let finding = &findings[index];
                seen += 1;
                let context = || format!("{text:?} {:?} {:?}", repair.fen, finding.code);
                assert!(count(&after, finding) < count(&findings, finding), "{}", context());
                assert!(!is_worse(&findings, &after), "{}", context());
                if finding.code.stage() != Stage::Text {
                    let field = finding.code.field();
                    let [before, after] = [&text, &repair.fen].map(|it| other_fields(it, field));
                    assert_eq!(before, after, "{}", context());
                }
            }
        }
    }
    assert!(seen > 3_000, "{seen}");
}

#[test]
fn a_repaired_text_needs_no_more_repairs() {
    let mut rng = SplitMix64::new(2);
    let texts = texts(&mut rng);
    for round in 0..2_000 {
        let text = damaged(&texts[round % texts.len()], &mut rng);
        if let Some(repaired) = repaired(&text) {
            assert!(!is_worse(&examined(&text), &examined(&repaired)), "{text:?} {repaired:?}");
            assert_eq!(super::repaired(&repaired, false, &examined), None, "{text:?} {repaired:?}");
        }
    }
}

#[test]
fn nothing_is_repaired_where_nothing_is_wrong() {
    let mut rng = SplitMix64::new(3);
    for text in texts(&mut rng) {
        assert_eq!(repaired(&text), None, "{text}");
        assert_eq!(repairs(&text), [], "{text}");
    }
}

#[test]
fn no_text_is_too_odd_to_be_looked_at() {
    let mut rng = SplitMix64::new(5);
    let letters: Vec<char> = "Kk8/ -wbe3_0ß♔🦀\u{301}\u{a0}".chars().collect();
    for _ in 0..3_000 {
        let length = rng.below(60);
        let text: String = (0..length).map(|_| letters[rng.below(letters.len())]).collect();
        let findings = examined(&text);
        assert!(!findings.is_empty(), "{text:?}");
        repairs(&text);
        repaired(&text);
    }
    assert_eq!(repaired(&"K/".repeat(2000)), None);
}

/// Damages a text in a way that leaves no doubt what it was.
fn damaged_plainly(text: &str, kind: usize) -> String {
    let fields: Vec<&str> = text.split(' ').collect();
    let with = |index: usize, word: String| {
        let mut fields = fields.clone();
        fields[index] = &word;
        fields.join(" ")
    };
    match kind {
        0 => text.replacen(' ', "  ", 1),
        1 => text.replace(' ', "_"),
        2 => with(1, fields[1].to_uppercase()),
        3 => with(1, if fields[1] == "w" { "white".into() } else { "black".into() }),
        4 => with(2, format!("{}x", fields[2].replace('-', ""))),
        5 => with(3, fields[3].to_uppercase()),
        6 => format!("{text} ; said somebody"),
        7 => with(0, fields[0].replace('8', "44").replace('3', "12")),
        8 => with(0, fields[0].replace('K', "♔").replace('n', "♞")),
        9 => with(0, fields[0].replace("/8/", "//").replace("/8/", "/9/")),
        _ => with(0, format!("{}/", fields[0])),
    }
}

#[test]
fn plain_damage_is_undone() {
    let mut rng = SplitMix64::new(4);
    for text in texts(&mut rng) {
        for kind in 0..11 {
            let damaged = damaged_plainly(&text, kind);
            let undone = repaired(&damaged).unwrap_or_else(|| damaged.clone());
            assert_eq!(undone, text, "{damaged}");
        }
    }
}

/// Checks the repairs, in the order of the findings, and the text with everything fixed together.
#[track_caller]
fn check(text: &str, expected: &[&str], together: Option<&str>) {
    let found = repairs(text);
    let fens: Vec<&str> = found.iter().map(|repair| repair.fen.as_str()).collect();
    assert_eq!(fens, expected, "{text}");
    assert_eq!(repaired(text).as_deref(), together, "{text}");
}

/// Checks the same for a text with a single repair.
#[track_caller]
fn check_one(text: &str, expected: &str) {
    check(text, &[expected], Some(expected));
}

const KINGS: &str = "4k3/8/8/8/8/8/8/4K3";

#[test]
fn ranks_are_fixed_where_it_is_obvious_how() {
    let rank = |rank: &str| format!("4k3/8/8/8/8/{rank}/8/4K3 w - -");
    check_one(&rank("7"), &rank("8"));
    check_one(&rank("pp4p"), &rank("pp5p"));
    check_one(&rank("pp6p"), &rank("pp5p"));
    check_one(&rank("ppp"), &rank("ppp5"));
    check(&rank("p2p2p"), &[], None);
    check(&rank("ppppppppp"), &[], None);
    check_one(&rank("p6p;"), &rank("p6p"));
    check(&rank("px5p"), &[], None);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    check_one(&start.replacen("8/", "", 1), start);
    check_one(&start.replacen("8/", "8/8/8/", 1), start);
    // The missing rank may be above, between or below the kings, so no repair is obvious.
    check("4k3/8/8/8/8/8/4K3 w - -", &[], None);
}

#[test]
fn missing_and_superfluous_fields_are_fixed() {
    check_one(KINGS, &format!("{KINGS} w - -"));
    check_one(&format!("{KINGS} b"), &format!("{KINGS} b - -"));
    check_one(&format!("{KINGS} - - 0 90"), &format!("{KINGS} w - - 0 90"));
    let half = format!("{KINGS} w - - 0");
    check(&half, &[&format!("{half} 1")], Some(&format!("{half} 16")));
    check_one(&format!("{KINGS} w - - 0 90 # kings"), &format!("{KINGS} w - - 0 90"));
    // Black is in check, so it is Black's turn.
    check_one("4k3/8/8/8/8/8/8/4RK2", "4k3/8/8/8/8/8/8/4RK2 b - -");
}

#[test]
fn rights_that_nothing_bears_out_are_dropped() {
    check_one("4k3/8/8/8/8/8/8/R3K3 w KQ -", "4k3/8/8/8/8/8/8/R3K3 w Q -");
    check_one("4k3/8/8/8/8/8/4K3/R6R w KQ -", "4k3/8/8/8/8/8/4K3/R6R w - -");
    check_one("4k3/8/8/8/8/8/8/KR6 w K -", "4k3/8/8/8/8/8/8/KR6 w - -");
    check_one("4k3/8/8/8/8/8/8/R2K3R w KQ -", "4k3/8/8/8/8/8/8/R2K3R w - -");
    check_one("r3k3/8/8/8/8/8/8/1R2K3 w Qq -", "r3k3/8/8/8/8/8/8/1R2K3 w q -");
    check_one("r3k2r/8/8/8/8/8/8/R2K3R w KQkq -", "r3k2r/8/8/8/8/8/8/R2K3R w kq -");
    check_one("4k3/8/8/8/8/8/8/4K3 w - e6", "4k3/8/8/8/8/8/8/4K3 w - -");
    let twice = "4k3/8/8/8/8/8/8/R3K2R w KKQx -";
    let repairs = ["4k3/8/8/8/8/8/8/R3K2R w KQx -", "4k3/8/8/8/8/8/8/R3K2R w KKQ -"];
    check(twice, &repairs, Some("4k3/8/8/8/8/8/8/R3K2R w KQ -"));
    // A note gets a repair, although nothing is wrong.
    let order = ["r3k3/8/8/8/8/8/8/R3K2R w KQq -"];
    check("r3k3/8/8/8/8/8/8/R3K2R w qQK -", &order, None);
    check("4k3/8/8/4p3/8/8/8/4K3 w - e6", &["4k3/8/8/4p3/8/8/8/4K3 w - -"], None);
}

#[test]
fn the_turn_is_changed_if_that_helps() {
    check_one("4k3/8/8/1B6/8/8/8/4K3 w - -", "4k3/8/8/1B6/8/8/8/4K3 b - -");
    check("4k3/8/8/1B6/8/8/4r3/4K3 w - -", &[], None);
    // With the other side to move, the en passant square would be wrong.
    let noted = ["4k3/8/8/1B2p3/8/8/8/4K3 w - -"];
    check("4k3/8/8/1B2p3/8/8/8/4K3 w - e6", &noted, None);
}

#[test]
fn clocks_are_set_to_something_that_fits() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    check_one(&format!("{start} 5 1"), &format!("{start} 0 1"));
    check_one(&format!("{start} 1 20"), &format!("{start} 38 20"));
    check_one(&format!("{start} 0 0"), &format!("{start} 0 1"));
    check_one(&format!("{start} x 1"), &format!("{start} 0 1"));
    check_one(&start.replace("KQkq -", "KQk - 0 1"), &format!("{start} 0 1"));
    check_one(&start.replace("w KQkq -", "b KQkq - 0 1"), &format!("{start} 0 1"));
    check_one("4k3/3P4/8/8/8/8/8/4K3 b - - 3 60", "4k3/3P4/8/8/8/8/8/4K3 b - - 0 60");
    check_one("8/8/4k3/8/8/4K3/8/8 w - - 7 60", "8/8/4k3/8/8/4K3/8/8 w - - 0 60");
    check("8/8/4k3/8/8/3QK3/8/8 b - - 151 200", &[], None);
    let italian = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -";
    let setup = reading::read(&format!("{italian} 4 2"), false).setup;
    assert!(setup.is_some());
    assert_eq!(repaired(&format!("{italian} 4 2")), Some(format!("{italian} 4 4")));
}
