//! One example for every finding. Checks the properties of explanations, and generates the page
//! `docs/DOCTOR.md` from the examples.

use std::collections::BTreeSet;
use std::fmt::Write;

use castellan_legality::message::sentence;
use castellan_legality::{
    Code, Doctor, Effort, Finding, Language, Report, Severity, Value, Verdict,
};

use castellan_rules::{Bitboard, Square};

use crate::page::{board, capitalized, check_page};

/// The examples, one code and FEN per line. Lines that begin with `#` are section headings.
const EXAMPLES: &str = include_str!("../data/doctor_examples.txt");

/// Codes without an example: a text of thousands of bytes, and one that is not text.
const WITHOUT_EXAMPLE: [Code; 2] = [Code::TooLong, Code::NotUtf8];

/// Findings about so many squares that naming them all would explain nothing.
const WITHOUT_NAMES: [Code; 8] = [
    Code::RankLength,
    Code::TwoDigits,
    Code::BadPiece,
    Code::TooManyWhitePawns,
    Code::TooManyBlackPawns,
    Code::AlreadyDead,
    Code::TooFewCaptures,
    Code::NoCaptureOrder,
];

fn examine(fen: &str) -> Report {
    Doctor::new(Effort::Normal).examine(fen, &|| false)
}

/// Returns the codes with their FENs.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = EXAMPLES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').unwrap_or((line, "")))
}

/// Returns the finding with a name, or the finding that gives it as its reason.
fn find<'a>(findings: &'a [Finding], name: &str) -> Option<&'a Finding> {
    let is_reason = |value: &Value| match value {
        Value::Reason(reason) => reason.code.name() == name,
        _ => false,
    };
    let is_named = |finding: &&Finding| finding.code.name() == name;
    findings
        .iter()
        .find(is_named)
        .or_else(|| findings.iter().find(|it| it.values.iter().any(is_reason)))
}

#[test]
fn every_finding_has_an_example() {
    let shown: BTreeSet<&str> = examples().map(|(name, _)| name).collect();
    let missing: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !WITHOUT_EXAMPLE.contains(code))
        .map(|code| code.name())
        .filter(|name| !shown.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    for (name, fen) in examples() {
        let report = examine(fen);
        let names: Vec<&str> = report.findings.iter().map(|it| it.code.name()).collect();
        assert!(find(&report.findings, name).is_some(), "{fen}: {names:?} instead of {name}");
    }
}

/// Returns the squares that a text names, including those in moves.
fn named(text: &str) -> Bitboard {
    let pairs = text.char_indices().filter_map(|(at, _)| text.get(at..at + 2));
    pairs.filter_map(|pair| pair.parse::<Square>().ok()).collect()
}

/// Checks the properties of every explanation: it names the highlighted squares, and it is short
/// and complete in every language.
#[track_caller]
fn check_explanation(fen: &str, finding: &Finding) {
    for language in Language::ALL {
        let text = sentence(finding, language);
        assert!(!text.contains(['{', '}', '|']) && !text.contains("  "), "{fen}: {text}");
        let sentences = 1 + text.matches(". ").count();
        assert!(sentences <= 2 && text.chars().count() <= 400, "{fen}: {text}");
        let unnamed = finding.squares & !named(&text);
        let is_exempt = WITHOUT_NAMES.contains(&finding.code)
            || finding.values.iter().any(
                |value| matches!(value, Value::Reason(it) if WITHOUT_NAMES.contains(&it.code)),
            );
        assert!(unnamed.is_empty() || is_exempt, "{fen}: {text}: {unnamed:?} is marked");
    }
}

#[test]
fn marked_squares_are_named_in_every_language() {
    for (_, fen) in examples() {
        examine(fen).findings.iter().for_each(|finding| check_explanation(fen, finding));
    }
    let tromp = include_str!("../data/legality_tromp10k.txt").lines().step_by(7);
    let sherlock = include_str!("../data/legality_sherlock.txt").lines();
    for line in tromp.chain(sherlock).filter(|line| !line.starts_with('#')) {
        let fen = line.split(';').next().unwrap_or_default();
        let findings = Doctor::new(Effort::Normal).findings(fen);
        findings.iter().for_each(|finding| check_explanation(fen, finding));
    }
}

/// Returns the wrong FENs, each with the code of the finding that names the mistake and the
/// squares it highlights.
fn wrong_fens() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = include_str!("../data/wrong_fens.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let mut parts = line.splitn(3, ' ');
        let mut next = || parts.next().unwrap_or_default();
        (next(), next(), next())
    })
}

/// Twenty-eight kinds of mistakes in a hundred FENs, each with the finding that names it and the
/// squares it highlights.
#[test]
fn a_hundred_wrong_fens_are_explained() {
    assert_eq!(wrong_fens().count(), 100);
    let mut kinds = BTreeSet::new();
    let mut wrong = String::new();
    for (name, marked, fen) in wrong_fens() {
        let report = examine(fen);
        let names: Vec<&str> = report.findings.iter().map(|it| it.code.name()).collect();
        let finding = find(&report.findings, name);
        let found = finding.map_or_else(|| format!("{names:?}"), |finding| marks(finding.squares));
        if found != marked {
            writeln!(wrong, "{name} {found} {fen}").expect("a string takes everything");
        }
        report.findings.iter().for_each(|finding| check_explanation(fen, finding));
        kinds.insert(name);
    }
    assert!(wrong.is_empty(), "these are found instead:\n{wrong}");
    assert!(kinds.len() >= 28, "{}", kinds.len());
}

/// Formats squares with commas between them, or as `-` if there are none.
fn marks(squares: Bitboard) -> String {
    let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(",") }
}

/// A position that the rules refuse has a finding that prevents play. A position with such a
/// finding is refused by the rules, except for too many pieces, which the rules can handle.
#[test]
fn findings_that_prevent_play_are_those_that_the_rules_refuse() {
    let wrong = wrong_fens().map(|(_, _, fen)| fen);
    let sherlock = include_str!("../data/legality_sherlock.txt").lines();
    let tromp = include_str!("../data/legality_tromp10k.txt").lines().step_by(97);
    let sets = sherlock.chain(tromp).filter(|line| !line.starts_with('#'));
    let sets = sets.map(|line| line.split(';').next().unwrap_or_default());
    for fen in wrong.chain(examples().map(|(_, fen)| fen)).chain(sets) {
        let report = Doctor::new(Effort::Quick).examine(fen, &|| false);
        let of = |is_meant: &dyn Fn(Code) -> bool| -> Vec<&str> {
            let codes = report.findings.iter().map(|finding| finding.code);
            codes.filter(|&code| is_meant(code)).map(Code::name).collect()
        };
        let is_about_numbers = |code: Code| {
            matches!(
                code,
                Code::TooManyWhitePieces
                    | Code::TooManyBlackPieces
                    | Code::TooManyWhitePawns
                    | Code::TooManyBlackPawns
            )
        };
        let preventing = of(&|code| code.prevents_play() && !is_about_numbers(code));
        let is_refused = report.position.is_none();
        let all = of(&|code| code.prevents_play());
        assert!(!is_refused || !all.is_empty(), "{fen} cannot be played, and nothing says so");
        assert!(
            is_refused || preventing.is_empty(),
            "{fen} can be played in spite of {preventing:?}"
        );
    }
}

/// Returns the section of the page for one example.
fn section(name: &str, fen: &str) -> String {
    let doctor = Doctor::new(Effort::Normal);
    let report = examine(fen);
    let finding = find(&report.findings, name).expect("the examples are tested");
    let severity = match finding.severity() {
        Severity::Error => "an error",
        Severity::Warning => "a warning",
        Severity::Note => "a note",
    };
    let mut text = format!("### {name}\n\n");
    if finding.code.name() != name {
        let _ = writeln!(text, "As the reason for `{}`, {severity}:\n", finding.code.name());
    } else if finding.severity() != Severity::Error {
        let _ = writeln!(text, "{}:\n", capitalized(severity).trim_end_matches('.'));
    }
    let _ = writeln!(text, "> {}\n", capitalized(&sentence(finding, Language::English)));
    let _ = writeln!(text, "```text\n{fen}");
    if report.verdict == Verdict::Malformed {
        let _ = writeln!(text, "{}^", " ".repeat(finding.column - 1));
    }
    if let Some(setup) = &report.setup {
        let _ = write!(text, "\n{}", board(setup, finding.squares));
    }
    text.push_str("```\n");
    if let Some(repair) = doctor.repairs(&report).first().filter(|repair| repair.is_sound) {
        let _ = writeln!(text, "\nFixed: `{}`", repair.fen);
    }
    text.push('\n');
    text
}

const HEAD: &str = "# What the FEN doctor finds

`castellan fen` reports each problem in a FEN as a finding. This page has an example of every
finding. Squares in brackets are the ones the finding is about; a king in parentheses is in check.
An error means that the FEN is malformed or the position impossible. A warning means that the
position is possible, but not with these clocks, or only after the game was over.

This page is generated by a test. To regenerate it after a change:

```sh
CASTELLAN_WRITE_DOCS=1 cargo nextest run -p castellan-legality page
```

";

#[test]
fn the_page_of_examples_is_up_to_date() {
    let mut page = HEAD.to_string();
    for line in EXAMPLES.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("## ") {
            Some(title) => {
                let _ = writeln!(page, "## {title}\n");
            }
            None if line.starts_with('#') => {}
            None => {
                let (name, fen) = line.split_once(' ').unwrap_or((line, ""));
                page.push_str(&section(name, fen));
            }
        }
    }
    let page = format!("{}\n", page.trim_end());
    check_page("docs/DOCTOR.md", &page);
}
