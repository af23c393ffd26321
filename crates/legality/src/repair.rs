//! What would mend a FEN: for each finding the smallest change of the text that makes it go away.
//!
//! A repair is tried before it is offered: the changed text is examined again, and unless the
//! finding is gone and nothing worse has come the repair is not shown. Only what a finding speaks
//! of is changed. Where there is more than one obvious way there is no repair.

mod edit;
mod fields;
mod placement;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use castellan_rules::Setup;

use crate::reading::{Fields, Letters, is_textual};
use crate::{Code, Field, Finding, Report, Severity, reading};
use edit::{Edit, applied};

/// A text with more faults than this is not a FEN with slips of the pen; mending would only take
/// long.
const MOST_FINDINGS: usize = 24;

/// And one whose fields are longer than this has other things in them.
const MOST_BYTES: usize = 250;

/// Whether a text is near enough to a FEN.
fn is_worth_it(fields: &Fields<'_>, findings: &[Finding]) -> bool {
    findings.len() <= MOST_FINDINGS && fields.end() <= MOST_BYTES
}

/// A text with something mended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// Which of the findings it mends.
    pub findings: Vec<usize>,
    /// The changed text.
    pub fen: String,
    /// Whether the changed text has neither errors nor warnings.
    pub is_sound: bool,
}

/// All repairs, in the order of the findings, judged by an examination of the caller's. It must be
/// the one that gave the findings.
pub(crate) fn repairs(
    patient: &Patient<'_>,
    examine: &dyn Fn(&str) -> Vec<Finding>,
) -> Vec<Repair> {
    let mut repairs: Vec<Repair> = Vec::new();
    if !is_worth_it(&patient.fields, patient.findings) {
        return repairs;
    }
    for (index, finding) in patient.findings.iter().enumerate() {
        let Some(fen) = patient.mended(finding, examine) else { continue };
        match repairs.iter_mut().find(|repair| repair.fen == fen) {
            Some(repair) => repair.findings.push(index),
            None => repairs.push(Repair { findings: vec![index], fen, is_sound: false }),
        }
    }
    repairs
}

/// The text with everything mended that can be, errors first, judged in the same way; none if that
/// is nothing. What is only worth knowing is left as it is.
pub(crate) fn mended(
    text: &str,
    is_chess960: bool,
    examine: &dyn Fn(&str) -> Vec<Finding>,
) -> Option<String> {
    let mut mended: Option<String> = None;
    // Each round takes a fault away, and may uncover a few that could not be seen before.
    for _ in 0..4 * MOST_FINDINGS {
        let current = mended.as_deref().unwrap_or(text);
        let mut findings = examine(current);
        let fields = Fields::of(current);
        if !is_worth_it(&fields, &findings) {
            break;
        }
        findings.retain(|finding| finding.severity() != Severity::Note);
        // Of two clocks that do not fit, the move number is the one that people leave at 1.
        let is_number = |finding: &Finding| finding.code.field() == Field::FullmoveNumber;
        findings.sort_by_key(|finding| (finding.severity(), !is_number(finding)));
        let reading = reading::read(current, is_chess960);
        let (setup, letters) = (reading.setup.as_ref(), reading.letters);
        let patient = Patient { text: current, fields, setup, letters, findings: &findings };
        let next = findings.iter().find_map(|finding| patient.mended(finding, examine));
        match next {
            Some(next) => mended = Some(next),
            None => break,
        }
    }
    mended
}

/// How late a fault is seen: those of the text first, arguments about the past last.
fn depth(code: Code) -> u8 {
    let is_of_past =
        code >= Code::PawnOrigin || matches!(code, Code::NoPastMoves | Code::ForcedPast);
    u8::from(!is_textual(code)) + u8::from(is_of_past)
}

/// What a repair has to work with.
pub(crate) struct Patient<'a> {
    text: &'a str,
    fields: Fields<'a>,
    setup: Option<&'a Setup>,
    letters: Letters,
    findings: &'a [Finding],
}

impl<'a> Patient<'a> {
    /// The text of a report.
    pub(crate) fn new(report: &'a Report) -> Patient<'a> {
        let letters = if report.is_chess960 { Letters::Chess960 } else { Letters::Standard };
        Patient {
            text: &report.fen,
            fields: Fields::of(&report.fen),
            setup: report.setup.as_ref(),
            letters,
            findings: &report.findings,
        }
    }
}

/// Ways to mend one finding.
enum Ways {
    /// The best is meant, and the earlier of two that are equally good.
    Best(Vec<Vec<Edit>>),
    /// The first that helps is meant.
    First(Vec<Vec<Edit>>),
    /// The best is meant if no other is as good.
    Only(Vec<Vec<Edit>>),
}

impl Patient<'_> {
    /// The text without a finding.
    fn mended(&self, finding: &Finding, examine: &dyn Fn(&str) -> Vec<Finding>) -> Option<String> {
        let try_out = |edits: &Vec<Edit>| {
            let fen = applied(self.text, edits);
            let score = self.score(finding, &examine(&fen))?;
            Some((score, fen))
        };
        match self.ways(finding) {
            Ways::First(ways) => ways.iter().find_map(try_out).map(|(_, fen)| fen),
            Ways::Best(ways) => {
                let tried = ways.iter().filter_map(try_out);
                tried.min_by_key(|(score, _)| *score).map(|(_, fen)| fen)
            }
            Ways::Only(ways) => {
                let mut tried: Vec<_> = ways.iter().filter_map(try_out).collect();
                tried.sort_by_key(|(score, _)| Reverse(*score));
                let (best, fen) = tried.pop()?;
                tried.last().is_none_or(|(next, _)| *next > best).then_some(fen)
            }
        }
    }

    /// How many errors and warnings are left, if the finding is gone and nothing has become worse.
    fn score(&self, finding: &Finding, after: &[Finding]) -> Option<(usize, usize)> {
        // The same fault with other numbers is still there.
        let is_same =
            |other: &&Finding| other.code == finding.code && other.squares == finding.squares;
        let is_gone =
            after.iter().filter(is_same).count() < self.findings.iter().filter(is_same).count();
        let faults = |findings: &[Finding]| {
            // A text has to be readable before it can be seen what else is wrong, and an argument
            // about the past is only asked if nothing simpler is wrong.
            let is_fault = |other: &&Finding| depth(other.code) <= depth(finding.code);
            let of = |severity| {
                let faults = findings.iter().filter(is_fault);
                faults.filter(|other| other.severity() == severity).count()
            };
            (of(Severity::Error), of(Severity::Warning))
        };
        let (had, has) = (faults(self.findings), faults(after));
        let is_better = match finding.severity() {
            Severity::Error => has.0 < had.0,
            Severity::Warning => has.0 <= had.0 && has.1 < had.1,
            Severity::Note => has.0 <= had.0 && has.1 <= had.1,
        };
        let count = |severity| after.iter().filter(|other| other.severity() == severity).count();
        (is_gone && is_better).then(|| (count(Severity::Error), count(Severity::Warning)))
    }

    /// The ways that are worth trying.
    fn ways(&self, finding: &Finding) -> Ways {
        match finding.code {
            Code::BadPiece => Ways::First(placement::without_bad_letters(self, finding)),
            Code::TwoDigits => Ways::First(placement::with_one_digit(self, finding)),
            Code::RankLength => Ways::First(placement::with_eight_squares(self, finding)),
            Code::ManyRanks | Code::MissingRank => Ways::Only(placement::with_eight_ranks(self)),
            _ => fields::ways(self, finding),
        }
    }
}
