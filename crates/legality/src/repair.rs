//! Repairs of a FEN: for each finding, the smallest change of the text that makes it go away.
//!
//! Every repair is verified before it is offered: the changed text is examined again, and the
//! repair is dropped unless the finding is gone and nothing got worse. Only the part of the text
//! that a finding is about is changed. If there is more than one obvious way, no repair is
//! offered.

mod edit;
mod fields;
mod placement;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use castellan_rules::Setup;

use crate::reading::{Fields, Letters};
use crate::{Code, Field, Finding, Report, Severity, Stage, reading};
use edit::{Edit, applied};

/// The most findings for which repairs are tried. A text with more is not a FEN with typos, and
/// trying would only take long.
const MAX_FINDINGS: usize = 24;

/// The longest text, in bytes, for which repairs are tried. Longer fields contain something else.
const MAX_BYTES: usize = 250;

/// Returns whether a text is close enough to a FEN to be repaired.
fn is_repairable(fields: &Fields<'_>, findings: &[Finding]) -> bool {
    findings.len() <= MAX_FINDINGS && fields.end() <= MAX_BYTES
}

/// A changed text that fixes some findings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// The indices, in the report, of the findings it fixes.
    pub findings: Vec<usize>,
    /// The changed text.
    pub fen: String,
    /// Whether the changed text has neither errors nor warnings.
    pub is_sound: bool,
}

/// Returns all repairs, in the order of the findings. `examine` verifies them and must be the
/// examination that produced the findings.
pub(crate) fn repairs(
    context: &RepairContext<'_>,
    examine: &dyn Fn(&str) -> Vec<Finding>,
) -> Vec<Repair> {
    let mut repairs: Vec<Repair> = Vec::new();
    if !is_repairable(&context.fields, context.findings) {
        return repairs;
    }
    for (index, finding) in context.findings.iter().enumerate() {
        let Some(fen) = context.repaired(finding, examine) else { continue };
        match repairs.iter_mut().find(|repair| repair.fen == fen) {
            Some(repair) => repair.findings.push(index),
            None => repairs.push(Repair { findings: vec![index], fen, is_sound: false }),
        }
    }
    repairs
}

/// Returns the text with everything fixed that can be, errors first, or `None` if nothing can be
/// fixed. Each step is verified with `examine`. Notes are left as they are.
pub(crate) fn repaired(
    text: &str,
    is_chess960: bool,
    examine: &dyn Fn(&str) -> Vec<Finding>,
) -> Option<String> {
    let mut repaired: Option<String> = None;
    // Each round removes an error, which may reveal a few that were hidden before.
    for _ in 0..4 * MAX_FINDINGS {
        let current = repaired.as_deref().unwrap_or(text);
        let mut findings = examine(current);
        let fields = Fields::of(current);
        if !is_repairable(&fields, &findings) {
            break;
        }
        findings.retain(|finding| finding.severity() != Severity::Note);
        // If the clocks contradict each other, the move number is more likely wrong: people leave
        // it at 1.
        let is_number = |finding: &Finding| finding.code.field() == Field::FullmoveNumber;
        findings.sort_by_key(|finding| (finding.severity(), !is_number(finding)));
        let reading = reading::read(current, is_chess960);
        let (setup, letters) = (reading.setup.as_ref(), reading.letters);
        let context = RepairContext { text: current, fields, setup, letters, findings: &findings };
        let next = findings.iter().find_map(|finding| context.repaired(finding, examine));
        match next {
            Some(next) => repaired = Some(next),
            None => break,
        }
    }
    repaired
}

/// Returns how late a problem is detected: text errors first, arguments about the past last.
fn depth(code: Code) -> u8 {
    match code.stage() {
        Stage::Text => 0,
        _ if matches!(code, Code::NoPastMoves | Code::ForcedPast) => 2,
        Stage::Board | Stage::Clocks | Stage::LastMoves => 1,
        Stage::Origins | Stage::Captures => 2,
    }
}

/// A text to repair, with its findings.
pub(crate) struct RepairContext<'a> {
    text: &'a str,
    fields: Fields<'a>,
    setup: Option<&'a Setup>,
    letters: Letters,
    findings: &'a [Finding],
}

impl<'a> RepairContext<'a> {
    /// Creates the context from the text and the findings of a report.
    pub(crate) fn new(report: &'a Report) -> RepairContext<'a> {
        let letters = if report.is_chess960 { Letters::Chess960 } else { Letters::Standard };
        RepairContext {
            text: &report.fen,
            fields: Fields::of(&report.fen),
            setup: report.setup.as_ref(),
            letters,
            findings: &report.findings,
        }
    }
}

/// Candidate changes that may fix a finding, and how to choose among them.
enum Candidates {
    /// Takes the best one, and the earliest of equally good ones.
    Best(Vec<Vec<Edit>>),
    /// Takes the first one that helps.
    First(Vec<Vec<Edit>>),
    /// Takes the best one, but only if no other is equally good.
    Only(Vec<Vec<Edit>>),
}

impl RepairContext<'_> {
    /// Returns the text without a finding, or `None` if no candidate fixes it.
    fn repaired(
        &self,
        finding: &Finding,
        examine: &dyn Fn(&str) -> Vec<Finding>,
    ) -> Option<String> {
        let try_out = |edits: &Vec<Edit>| {
            let fen = applied(self.text, edits);
            let score = self.score(finding, &examine(&fen))?;
            Some((score, fen))
        };
        match self.candidates(finding) {
            Candidates::First(candidates) => {
                candidates.iter().find_map(try_out).map(|(_, fen)| fen)
            }
            Candidates::Best(candidates) => {
                let tried = candidates.iter().filter_map(try_out);
                tried.min_by_key(|(score, _)| *score).map(|(_, fen)| fen)
            }
            Candidates::Only(candidates) => {
                let mut tried: Vec<_> = candidates.iter().filter_map(try_out).collect();
                tried.sort_by_key(|(score, _)| Reverse(*score));
                let (best, fen) = tried.pop()?;
                tried.last().is_none_or(|(next, _)| *next > best).then_some(fen)
            }
        }
    }

    /// Returns how many errors and warnings are left, or `None` unless the finding is gone and
    /// nothing got worse.
    fn score(&self, finding: &Finding, after: &[Finding]) -> Option<(usize, usize)> {
        // The same problem with other numbers still counts as present.
        let is_same =
            |other: &&Finding| other.code == finding.code && other.squares == finding.squares;
        let is_gone =
            after.iter().filter(is_same).count() < self.findings.iter().filter(is_same).count();
        let errors = |findings: &[Finding]| {
            // Other problems only show once the text can be read, and arguments about the past
            // only run if nothing simpler is wrong. Problems detected later than this one
            // therefore do not count.
            let is_fault = |other: &&Finding| depth(other.code) <= depth(finding.code);
            let of = |severity| {
                let errors = findings.iter().filter(is_fault);
                errors.filter(|other| other.severity() == severity).count()
            };
            (of(Severity::Error), of(Severity::Warning))
        };
        let (had, has) = (errors(self.findings), errors(after));
        let is_better = match finding.severity() {
            Severity::Error => has.0 < had.0,
            Severity::Warning => has.0 <= had.0 && has.1 < had.1,
            Severity::Note => has.0 <= had.0 && has.1 <= had.1,
        };
        let count = |severity| after.iter().filter(|other| other.severity() == severity).count();
        (is_gone && is_better).then(|| (count(Severity::Error), count(Severity::Warning)))
    }

    /// Returns the candidate changes that are worth trying.
    fn candidates(&self, finding: &Finding) -> Candidates {
        match finding.code {
            Code::BadPiece => Candidates::First(placement::without_bad_letters(self, finding)),
            Code::TwoDigits => Candidates::First(placement::with_one_digit(self, finding)),
            Code::RankLength => Candidates::First(placement::with_eight_squares(self, finding)),
            Code::TooManyRanks | Code::MissingRank => {
                Candidates::Only(placement::with_eight_ranks(self))
            }
            _ => fields::candidates(self, finding),
        }
    }
}
