//! The complete diagnosis of a FEN.
//!
//! This module decides the order of the arguments, how much effort each is worth, and the
//! verdict. "Illegal" needs an argument and "legal" needs a game; everything else is unknown.

use castellan_rules::{Move, Position, Setup};

use crate::reading::{Letters, Reading};
use crate::refuter::Refuter;
use crate::repair::Repair;
use crate::{
    Budget, Case, Effort, Finding, Severity, Value, basics, clocks, history, pawn_captures,
    proof_game, reading, repair, retro,
};

/// The result of examining a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The text as given.
    pub fen: String,
    /// The setup the text describes, with guesses where the text is faulty. `None` if the text
    /// does not look like a FEN.
    pub setup: Option<Setup>,
    /// The position, or `None` if it cannot be played from.
    pub position: Option<Position>,
    /// Whether the castling rights were read as Chess960 rights, because the caller asked for it
    /// or because the letters allow no other reading.
    pub is_chess960: bool,
    /// Whether a game leads to the position.
    pub verdict: Verdict,
    /// All findings. Errors come first unless the text is malformed; apart from that, the order
    /// is that of the text and then of the arguments.
    pub findings: Vec<Finding>,
}

/// Whether a game leads to a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The text is not a FEN.
    Malformed,
    /// No game leads there; an error among the findings says why.
    Illegal,
    /// This game, played from the start position, leads there.
    Legal {
        /// The moves of the game.
        moves: Vec<Move>,
    },
    /// Neither an argument nor a game was found.
    Unknown {
        /// How many positions and partial assignments were examined.
        nodes: u64,
    },
}

/// How many nodes each search may spend.
struct NodeLimits {
    pawn_captures: u64,
    /// For the forced moves before the position.
    past: u64,
    /// For the game that leads to the position.
    game: u64,
    /// If a game needs more moves than this in total, the search for it is skipped.
    game_moves: u32,
}

impl NodeLimits {
    /// Returns the limits for an effort, or `None` for `Effort::Quick`, which runs no search.
    fn of(effort: Effort) -> Option<NodeLimits> {
        match effort {
            Effort::Quick => None,
            // Together these take at most a tenth of a second.
            Effort::Normal => Some(NodeLimits {
                pawn_captures: 20_000,
                past: 2_000,
                game: 250_000,
                game_moves: 60,
            }),
            // The caller decides when to stop.
            Effort::Deep => Some(NodeLimits {
                pawn_captures: u64::MAX,
                past: u64::MAX,
                game: u64::MAX,
                game_moves: u32::MAX,
            }),
        }
    }
}

/// A doctor for FENs, which examines them and suggests repairs.
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
    /// How much work each examination may take.
    pub effort: Effort,
    /// Whether to read FENs as Chess960: `KQkq` then mean the outermost rooks wherever they
    /// stand, and the game may have begun from any start position. Otherwise a FEN is read as
    /// standard chess, unless its castling letters name a file that standard chess cannot mean.
    pub is_chess960: bool,
}

impl Doctor {
    /// Creates a doctor for standard chess.
    pub fn new(effort: Effort) -> Doctor {
        Doctor { effort, is_chess960: false }
    }

    /// Examines a text. `should_stop` is called now and then during searches and ends them when
    /// it returns `true`.
    pub fn examine(&self, text: &str, should_stop: &dyn Fn() -> bool) -> Report {
        let (reading, case, mut budget) = self.read_and_run_arguments(text, should_stop);
        let Reading { setup, findings, is_malformed, letters } = reading;
        let verdict = if is_malformed {
            Verdict::Malformed
        } else if has_error(&findings) {
            Verdict::Illegal
        } else {
            case.map_or(Verdict::Unknown { nodes: 0 }, |case| self.search(&case, &mut budget))
        };
        // `Setup::position` would accept Chess960 rights, which a standard FEN cannot claim.
        let is_playable = |setup: &Setup| {
            let has_sound_rights = || basics::sound_rights(setup, letters) == setup.castling_rooks;
            !is_malformed && (letters == Letters::Chess960 || has_sound_rights())
        };
        let position = setup.filter(is_playable).and_then(|setup| setup.position().ok());
        let is_chess960 = letters == Letters::Chess960;
        Report { fen: text.into(), setup, position, is_chess960, verdict, findings }
    }

    /// Returns all findings about a text, without searching for a game that would prove it legal.
    pub fn findings(&self, text: &str) -> Vec<Finding> {
        self.read_and_run_arguments(text, &|| false).0.findings
    }

    /// Reads a text and runs all arguments.
    fn read_and_run_arguments<'a>(
        &self,
        text: &str,
        should_stop: &'a dyn Fn() -> bool,
    ) -> (Reading, Option<Case>, Budget<'a>) {
        let mut reading = reading::read(text, self.is_chess960);
        let mut budget = Budget::new(u64::MAX, should_stop);
        let case =
            if reading.has_board() { self.run_arguments(&mut reading, &mut budget) } else { None };
        set_columns(text, self.is_chess960, &mut reading.findings);
        if !reading.is_malformed {
            reading.findings.sort_by_key(Finding::severity);
        }
        (reading, case, budget)
    }

    /// Suggests repairs for the findings of a report: a changed FEN for each finding that can be
    /// fixed and, if it differs from these, a FEN with every possible fix applied. Repairs that fix
    /// every error and warning come first.
    pub fn repairs(&self, report: &Report) -> Vec<Repair> {
        let arguments = |text: &str| self.findings(text);
        let mut repairs = repair::repairs(&repair::RepairContext::new(report), &arguments);
        repairs.iter_mut().for_each(|repair| self.judge(repair, report));
        let is_enough = repairs.is_empty() || repairs.iter().any(|repair| repair.is_sound);
        if !is_enough
            && let Some(fen) = repair::repaired(&report.fen, self.is_chess960, &arguments)
            && repairs.iter().all(|repair| repair.fen != fen)
        {
            let mut all = Repair { findings: Vec::new(), fen, is_sound: false };
            self.judge(&mut all, report);
            repairs.push(all);
        }
        repairs.sort_by_key(|repair| !repair.is_sound);
        // A partial repair of findings that another repair fixes completely would only confuse.
        if let Some(best) = repairs.first().filter(|best| best.is_sound).cloned() {
            repairs.retain(|repair| repair.is_sound || repair.findings != best.findings);
        }
        repairs
    }

    /// Records which findings a repair fixes and whether only notes are left.
    fn judge(&self, repair: &mut Repair, report: &Report) {
        let left = self.findings(&repair.fen);
        repair.findings = repaired_findings(report, &left);
        repair.is_sound = left.iter().all(|finding| finding.severity() == Severity::Note);
    }

    /// Runs all arguments that the effort allows on a text whose board could be read.
    fn run_arguments(&self, reading: &mut Reading, budget: &mut Budget<'_>) -> Option<Case> {
        let Reading { setup, findings, is_malformed, letters } = reading;
        let (setup, letters) = (setup.as_ref()?, *letters);
        basics::examine(setup, letters, findings);
        let castling_rooks = basics::sound_rights(setup, letters);
        let mut case = Case::of(&Setup { castling_rooks, ..*setup })?;
        case.is_standard &= letters == Letters::Standard;
        run_quick_arguments(&case, findings);
        // If another field is a guess, the clocks would be judged by that guess.
        if let Some(clocks) = setup.clocks.filter(|_| !*is_malformed) {
            clocks::examine(&case, clocks, findings);
        }
        if let Some(limits) = NodeLimits::of(self.effort).filter(|_| !has_error(findings)) {
            run_slow_arguments(&case, &limits, budget, findings);
        }
        Some(case)
    }

    /// Searches for a game that leads to a case.
    fn search(&self, case: &Case, budget: &mut Budget<'_>) -> Verdict {
        let limits = NodeLimits::of(self.effort).filter(|_| case.is_standard);
        let game = limits.and_then(|limits| {
            let [white, black] = proof_game::lower_bound(case)?;
            let is_near = white + black <= limits.game_moves;
            let find = |budget: &mut Budget<'_>| proof_game::find(case, None, budget);
            is_near.then(|| budget.with_part(limits.game, find))?
        });
        match game {
            Some(moves) => Verdict::Legal { moves },
            None => Verdict::Unknown { nodes: budget.spent() },
        }
    }
}

/// Returns the indices of those findings of a report that are gone, or occur less often, in
/// `left`.
fn repaired_findings(report: &Report, left: &[Finding]) -> Vec<usize> {
    let is_repaired = |finding: &Finding| {
        let is_same = |it: &&Finding| it.code == finding.code && it.squares == finding.squares;
        let count = |list: &[Finding]| list.iter().filter(is_same).count();
        count(left) < count(&report.findings)
    };
    let findings = report.findings.iter().enumerate();
    findings.filter(|(_, finding)| is_repaired(finding)).map(|(index, _)| index).collect()
}

/// Runs the arguments that take less than a microsecond.
fn run_quick_arguments(case: &Case, findings: &mut Vec<Finding>) {
    retro::examine(case, findings);
    let before = findings.len();
    history::examine_quickly(case, findings);
    // Pawns that are already impossible need not be counted once more.
    if findings.len() == before {
        pawn_captures::examine_quickly(case, findings);
    }
}

/// Runs the slower arguments, from cheap to expensive. The first that succeeds is enough: a
/// position that is impossible for one reason is usually impossible for others that follow from
/// it.
fn run_slow_arguments(
    case: &Case,
    limits: &NodeLimits,
    budget: &mut Budget<'_>,
    findings: &mut Vec<Finding>,
) {
    history::examine(case, findings);
    if !has_error(findings) {
        budget.with_part(limits.pawn_captures, |budget| {
            pawn_captures::examine(case, budget, findings)
        });
    }
    if !has_error(findings) {
        let mut refuter = Refuter::default();
        let refute = &mut |case: &Case| refuter.refutes(case);
        let past = |budget: &mut Budget<'_>| retro::refute_by_past(case, budget, refute);
        if let Some(refutation) = budget.with_part(limits.past, past) {
            let reason = refutation.before.and_then(|before| reason_against(&before));
            findings.push(match reason {
                Some(reason) => refutation.finding.with_value(Value::Reason(Box::new(reason))),
                None => refutation.finding,
            });
        }
    }
}

/// Returns why an earlier position is impossible, as far as the quick arguments show.
fn reason_against(case: &Case) -> Option<Finding> {
    let mut findings = Vec::new();
    run_quick_arguments(case, &mut findings);
    if findings.is_empty() {
        history::examine(case, &mut findings);
    }
    findings.into_iter().next()
}

fn has_error(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity() == Severity::Error)
}

/// Sets the column of the findings that have none yet.
fn set_columns(text: &str, is_chess960: bool, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.column == 0) {
        finding.column = reading::column_of(text, finding, is_chess960);
    }
}
