//! Everything that can be said about a FEN.
//!
//! Owns: the order in which the arguments are asked, how much effort each is worth, and the
//! verdict. Illegal needs an argument, legal needs a game; everything else is unknown.

use castellan_rules::{Move, Position, Setup};

use crate::reading::Reading;
use crate::refuter::Refuter;
use crate::repair::Repair;
use crate::{
    Budget, Case, Effort, Finding, Severity, basics, clocks, history, kernel, proof_game, reading,
    repair, retro,
};

/// What came of looking at a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The text as it was given.
    pub fen: String,
    /// What the text says, with guesses where it is faulty; none if it does not look like a FEN.
    pub setup: Option<Setup>,
    /// The position, if one can play from there.
    pub position: Option<Position>,
    /// Whether a game leads there.
    pub verdict: Verdict,
    /// All that was found, in the order of the text and then of the arguments.
    pub findings: Vec<Finding>,
}

/// Whether a game leads to a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The text is not a FEN.
    Malformed,
    /// No game does: an error among the findings says why.
    Illegal,
    /// This one does, from the start position.
    Legal {
        /// Its moves.
        moves: Vec<Move>,
    },
    /// Neither an argument nor a game was found.
    Unknown {
        /// How many positions and partial answers were looked at.
        nodes: u64,
    },
}

/// How many nodes each search may take.
struct Allowance {
    kernel: u64,
    past: u64,
    game: u64,
    /// A game that needs more moves than this is not even looked for.
    game_moves: u32,
}

impl Allowance {
    /// None for a glance.
    fn of(effort: Effort) -> Option<Allowance> {
        match effort {
            Effort::Quick => None,
            // Together a tenth of a second at most.
            Effort::Normal => {
                Some(Allowance { kernel: 20_000, past: 2_000, game: 250_000, game_moves: 60 })
            }
            // As long as the caller likes.
            Effort::Deep => Some(Allowance {
                kernel: u64::MAX,
                past: u64::MAX,
                game: u64::MAX,
                game_moves: u32::MAX,
            }),
        }
    }
}

/// Somebody who looks at FENs.
///
/// ```
/// use castellan_legality::{Doctor, Effort, Verdict};
/// let doctor = Doctor::new(Effort::Quick);
/// let fen = "4k3/8/8/8/8/8/4Q3/4K3 w - - 0 40";
/// let report = doctor.examine(fen, &|| false);
/// assert_eq!(report.verdict, Verdict::Illegal);
/// assert_eq!(report.findings[0].code.name(), "opponent-in-check");
/// assert_eq!(doctor.repairs(&report)[0].fen, "4k3/8/8/8/8/8/4Q3/4K3 b - - 0 40");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Doctor {
    /// How hard to look.
    pub effort: Effort,
    /// Whether the game may have begun from any start of Chess960, also where no castling right
    /// tells so. Otherwise a FEN without such a right is one of normal chess.
    pub is_chess960: bool,
}

impl Doctor {
    /// A doctor for normal chess.
    pub fn new(effort: Effort) -> Doctor {
        Doctor { effort, is_chess960: false }
    }

    /// Looks at a text. `should_stop` is asked now and then during searches and may end them.
    pub fn examine(&self, text: &str, should_stop: &dyn Fn() -> bool) -> Report {
        let reading = reading::read(text);
        let (is_malformed, has_board) = (reading.is_malformed, reading.has_board());
        let Reading { setup, mut findings, .. } = reading;
        let mut verdict = Verdict::Unknown { nodes: 0 };
        if let Some(setup) = setup.filter(|_| has_board) {
            let mut budget = Budget::new(u64::MAX, should_stop);
            let case = self.argue(&setup, is_malformed, &mut budget, &mut findings);
            let is_open = !is_malformed && !has_error(&findings);
            if let Some(case) = case.filter(|_| is_open) {
                verdict = self.search(&case, &mut budget);
            }
        }
        if is_malformed {
            verdict = Verdict::Malformed;
        } else if has_error(&findings) {
            verdict = Verdict::Illegal;
        }
        place(text, &mut findings);
        let position = setup.filter(|_| !is_malformed).and_then(|setup| setup.position().ok());
        Report { fen: text.into(), setup, position, verdict, findings }
    }

    /// All findings of a text, without the search for a game that would make it legal.
    pub fn findings(&self, text: &str) -> Vec<Finding> {
        let reading = reading::read(text);
        let (is_malformed, has_board) = (reading.is_malformed, reading.has_board());
        let mut findings = reading.findings;
        if let Some(setup) = reading.setup.filter(|_| has_board) {
            let mut budget = Budget::of_nodes(u64::MAX);
            self.argue(&setup, is_malformed, &mut budget, &mut findings);
        }
        place(text, &mut findings);
        findings
    }

    /// What would mend the findings of a report: for each that can be mended a changed FEN, and
    /// last, if that is another one, a FEN with everything mended that can be.
    pub fn repairs(&self, report: &Report) -> Vec<Repair> {
        let arguments = |text: &str| self.findings(text);
        let (text, setup) = (report.fen.as_str(), report.setup.as_ref());
        let mut repairs = repair::repairs(text, setup, &report.findings, &arguments);
        for repair in &mut repairs {
            repair.findings = self.mended_findings(report, &repair.fen);
        }
        if repairs.len() > 1
            && let Some(fen) = repair::mended(text, &arguments)
            && repairs.iter().all(|repair| repair.fen != fen)
        {
            let findings = self.mended_findings(report, &fen);
            repairs.push(Repair { findings, fen });
        }
        repairs
    }

    /// Which findings of a report are gone from another FEN, or fewer there.
    fn mended_findings(&self, report: &Report, fen: &str) -> Vec<usize> {
        let left = self.findings(fen);
        let is_mended = |finding: &Finding| {
            let is_same = |it: &&Finding| it.code == finding.code && it.squares == finding.squares;
            let count = |list: &[Finding]| list.iter().filter(is_same).count();
            count(&left) < count(&report.findings)
        };
        let findings = report.findings.iter().enumerate();
        findings.filter(|(_, finding)| is_mended(finding)).map(|(index, _)| index).collect()
    }

    /// Asks all arguments that the effort allows.
    fn argue(
        &self,
        setup: &Setup,
        is_malformed: bool,
        budget: &mut Budget<'_>,
        findings: &mut Vec<Finding>,
    ) -> Option<Case> {
        basics::examine(setup, findings);
        let mut case = Case::of(setup)?;
        case.is_standard &= !self.is_chess960;
        glance(&case, findings);
        // Beside a field that is a guess the clocks would be judged by guesses.
        if let Some(clocks) = setup.clocks.filter(|_| !is_malformed) {
            clocks::examine(&case, clocks, findings);
        }
        if let Some(allowance) = Allowance::of(self.effort).filter(|_| !has_error(findings)) {
            argue_at_length(&case, &allowance, budget, findings);
        }
        Some(case)
    }

    /// Looks for a game that leads to a case.
    fn search(&self, case: &Case, budget: &mut Budget<'_>) -> Verdict {
        let allowance = Allowance::of(self.effort).filter(|_| case.is_standard);
        let game = allowance.and_then(|allowance| {
            let [white, black] = proof_game::lower_bound(case)?;
            let is_near = white + black <= allowance.game_moves;
            let find = |budget: &mut Budget<'_>| proof_game::find(case, None, budget);
            is_near.then(|| budget.with_part(allowance.game, find))?
        });
        match game {
            Some(moves) => Verdict::Legal { moves },
            None => Verdict::Unknown { nodes: budget.spent() },
        }
    }
}

/// Arguments that take less than a microsecond.
fn glance(case: &Case, findings: &mut Vec<Finding>) {
    retro::examine(case, findings);
    history::examine_quickly(case, findings);
    kernel::examine_quickly(case, findings);
}

/// Arguments that take longer, from cheap to expensive. One is enough, because what is impossible
/// for one reason is soon so for others that follow from it.
fn argue_at_length(
    case: &Case,
    allowance: &Allowance,
    budget: &mut Budget<'_>,
    findings: &mut Vec<Finding>,
) {
    history::examine(case, findings);
    if !has_error(findings) {
        budget.with_part(allowance.kernel, |budget| kernel::examine(case, budget, findings));
    }
    if !has_error(findings) {
        let mut refuter = Refuter::default();
        let refute = &mut |case: &Case| refuter.refutes(case);
        let past = |budget: &mut Budget<'_>| retro::refute_by_past(case, budget, refute);
        findings.extend(budget.with_part(allowance.past, past));
    }
}

fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity() == Severity::Error)
}

/// Gives a column to the findings that have none yet.
fn place(text: &str, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.column == 0) {
        finding.column = reading::column_of(text, finding.code.field(), finding.squares);
    }
}
