//! The property of the FEN doctor.

use castellan_legality::{Doctor, Effort, Finding, Language, Report, Severity, Verdict, message};
use castellan_rules::{Position, fen};

/// Checks the FEN doctor on any bytes, read as text. It reports as malformed exactly what the
/// rules cannot parse, returns the same position as the rules, points into the text, has a
/// complete sentence for each finding in every language, and repairs what it says it repairs.
pub fn doctor(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // The rules treat every FEN as a Chess960 FEN.
    let doctor = Doctor { effort: Effort::Quick, is_chess960: true };
    assert_same_reading(&doctor.examine(&text, &|| false));
    let doctor = Doctor::new(Effort::Quick);
    let report = doctor.examine(&text, &|| false);
    assert_described(&report);
    for repair in doctor.repairs(&report) {
        let left = doctor.findings(&repair.fen);
        for &index in &repair.findings {
            let mended = &report.findings[index];
            let is_same = |it: &&Finding| it.code == mended.code && it.squares == mended.squares;
            let count = |list: &[Finding]| list.iter().filter(is_same).count();
            let is_fewer = count(&left) < count(&report.findings);
            assert!(is_fewer, "{:?} is left in {}", mended.code, repair.fen);
        }
    }
    if report.verdict != Verdict::Malformed {
        let errors = |findings: &[Finding]| {
            findings.iter().any(|finding| finding.severity() == Severity::Error)
        };
        let slowly = Doctor::new(Effort::Normal).findings(&text);
        let is_worse = errors(&report.findings) && !errors(&slowly);
        assert!(!is_worse, "{text}: an error is gone at a longer look");
    }
}

fn assert_same_reading(report: &Report) {
    let is_margin = |c: char| c.is_whitespace() || c == '\u{feff}';
    let setup = fen::parse(report.fen.trim_matches(is_margin)).ok();
    let setup = setup.filter(|setup| setup.clocks.is_none_or(|clocks| clocks.fullmove_number > 0));
    assert_eq!(report.verdict == Verdict::Malformed, setup.is_none(), "{}", report.fen);
    if let Some(setup) = setup {
        assert_eq!(report.setup, Some(setup));
        let position: Option<Position> = setup.position().ok();
        assert_eq!(report.position, position);
        assert!(position.is_some() || report.verdict == Verdict::Illegal, "{}", report.fen);
    }
}

fn assert_described(report: &Report) {
    let columns = report.fen.chars().count();
    for finding in &report.findings {
        let column = finding.column;
        assert!((1..=columns + 1).contains(&column), "{:?} at {column}", finding.code);
        for language in Language::ALL {
            let sentence = message::sentence(finding, language);
            // The brace may come from the text itself.
            let is_whole = !sentence.contains('{') || report.fen.contains('{');
            assert!(is_whole && !sentence.is_empty(), "{language:?}: {sentence}");
        }
    }
}
