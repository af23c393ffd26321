//! Turns any text into a report of the doctor.

use std::time::Duration;

use castellan_legality::message::Language;
use castellan_legality::picture::{Highlights, checked_kings};
use castellan_legality::{Code, Doctor, Finding, Report, Severity, Value, Verdict};
use castellan_rules::{Bitboard, Setup};

use super::deadline::Deadline;
use crate::input_lines::InputLine;
use crate::limits;

/// How to examine a FEN, and the language of the answer.
#[derive(Clone, Copy)]
pub(super) struct FenRequest {
    pub(super) doctor: Doctor,
    /// The time limit for one FEN; `None` for no limit.
    pub(super) time: Option<Duration>,
    pub(super) language: Language,
}

/// Examines a line of input.
pub(super) fn of_line(line: &InputLine, doctor: Doctor, deadline: &Deadline) -> Report {
    match line {
        InputLine::Text(text) => of_text(text, doctor, deadline),
        InputLine::NotUtf8(text) => of_broken_text(text),
        InputLine::TooLong(beginning) => of_long_text(beginning),
    }
}

/// Examines a text.
pub(super) fn of_text(text: &str, doctor: Doctor, deadline: &Deadline) -> Report {
    if text.len() > limits::FEN_BYTES {
        return of_long_text(text);
    }
    doctor.examine(text, &|| deadline.is_over())
}

/// Creates the report for a text that is too long to be examined.
fn of_long_text(beginning: &str) -> Report {
    let kept = &beginning[..beginning.floor_char_boundary(limits::FEN_BYTES)];
    let limit = Value::Number(limits::FEN_BYTES as u64);
    refused(
        kept,
        Finding::new(Code::TooLong, Bitboard::EMPTY).with_value(limit),
        kept.chars().count(),
    )
}

/// Creates the report for a text that is not UTF-8; its invalid bytes have been replaced.
fn of_broken_text(text: &str) -> Report {
    let before = text.chars().take_while(|&c| c != char::REPLACEMENT_CHARACTER).count();
    refused(text, Finding::new(Code::NotUtf8, Bitboard::EMPTY), before)
}

fn refused(fen: &str, finding: Finding, columns_before: usize) -> Report {
    Report {
        fen: fen.into(),
        setup: None,
        position: None,
        is_chess960: false,
        verdict: Verdict::Malformed,
        findings: vec![Finding { column: columns_before + 1, ..finding }],
    }
}

/// Returns the status of the command: notes do not count as problems.
pub(super) fn command_status(report: &Report) -> crate::CommandStatus {
    let is_serious = |finding: &Finding| finding.severity() <= Severity::Warning;
    crate::CommandStatus::found_if(report.findings.iter().any(is_serious))
}

/// Returns the squares to mark on the board: those of errors and warnings, and of kings in check.
pub(super) fn marks(report: &Report, setup: &Setup) -> Highlights {
    let serious = report.findings.iter().filter(|one| one.severity() <= Severity::Warning);
    let wrong = serious.fold(Bitboard::EMPTY, |all, finding| all | finding.squares);
    Highlights { checked: checked_kings(setup), wrong, last_move: Bitboard::EMPTY }
}

#[cfg(test)]
mod tests {
    use castellan_legality::Effort;

    use super::*;

    fn of(text: &str) -> Report {
        of_text(text, Doctor::new(Effort::Quick), &Deadline::new(None, None))
    }

    #[test]
    fn a_long_text_is_refused_between_letters() {
        let report = of(&"ß".repeat(limits::FEN_BYTES));
        assert_eq!(report.findings[0].code, Code::TooLong);
        assert_eq!(report.findings[0].column, limits::FEN_BYTES / 2 + 1);
        assert_eq!(report.fen.len(), limits::FEN_BYTES);
        assert_eq!(report.verdict, Verdict::Malformed);
    }

    #[test]
    fn a_broken_text_is_refused_where_it_breaks() {
        let line = InputLine::NotUtf8("4k3\u{fffd}/8".into());
        let report = of_line(&line, Doctor::new(Effort::Quick), &Deadline::new(None, None));
        assert_eq!((report.findings[0].code, report.findings[0].column), (Code::NotUtf8, 4));
    }

    #[test]
    fn errors_and_warnings_count_and_notes_do_not() {
        let with = |codes: &[Code]| Report {
            findings: codes.iter().map(|&code| Finding::new(code, Bitboard::EMPTY)).collect(),
            ..of("4k3/8/8/8/8/8/4P3/4K3 w - -")
        };
        assert_eq!(command_status(&with(&[])), crate::CommandStatus::Success);
        assert_eq!(command_status(&with(&[Code::FiftyMoves])), crate::CommandStatus::Success);
        assert_eq!(command_status(&with(&[Code::ClockZero])), crate::CommandStatus::Found);
        assert_eq!(
            command_status(&with(&[Code::FiftyMoves, Code::Empty])),
            crate::CommandStatus::Found
        );
    }
}
