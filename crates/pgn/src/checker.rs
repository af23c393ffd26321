//! Plays every move of every game to check that it is legal.

use std::ops::Range;

use castellan_rules::san::SanMove;
use castellan_rules::{Position, Role, San};

use crate::{
    Branch, Flow, GameResult, MAX_NESTING, MAX_PROBLEMS, Mode, Played, Problem, ProblemKind,
    Severity, Visitor, resolve, start_position, tag_value,
};

/// A game that has been played through.
#[derive(Debug)]
pub struct CheckedGame<'a> {
    /// The game's bytes in the source.
    pub range: Range<usize>,
    /// Number of moves in the main line, up to the first broken one.
    pub plies: usize,
    /// The result token or, if there is none, the `Result` tag.
    pub result: GameResult,
    /// The problems found, at most [`MAX_PROBLEMS`](crate::MAX_PROBLEMS).
    pub problems: &'a [Problem],
    /// Number of further problems that were not kept.
    pub problems_left_out: usize,
    /// Whether any problem breaks the game.
    pub is_broken: bool,
}

/// Receives the findings of a [`Checker`].
pub trait Watcher {
    /// Called for each tag of the current game.
    fn tag(&mut self, _name: &[u8], _value: &[u8]) {}
    /// Called for each position of the main line, beginning with the starting position.
    fn position(&mut self, _position: &Position) {}
    /// Called for each move of the main line with the position after it, after `position`.
    fn played(&mut self, _played: Played, _after: &Position) {}
    /// Called at the end of each game.
    fn game(&mut self, game: &CheckedGame<'_>);
}

/// A visitor that plays the moves of all lines and collects problems.
pub struct Checker<W> {
    watcher: W,
    mode: Mode,
    start: Position,
    /// The main line and its open variations, innermost last.
    branches: Vec<Branch>,
    plies: usize,
    result: Option<GameResult>,
    result_tag: Option<GameResult>,
    problems: Vec<Problem>,
    problems_left_out: usize,
    is_broken: bool,
    is_fen_bad: bool,
}

impl<W: Watcher> Checker<W> {
    /// Creates a checker that reports to `watcher`.
    pub fn new(watcher: W, mode: Mode) -> Checker<W> {
        Checker {
            watcher,
            mode,
            start: Position::start(),
            branches: Vec::with_capacity(MAX_NESTING + 1),
            plies: 0,
            result: None,
            result_tag: None,
            problems: Vec::new(),
            problems_left_out: 0,
            is_broken: false,
            is_fen_bad: false,
        }
    }

    /// Returns the watcher with everything it has collected.
    pub fn into_watcher(self) -> W {
        self.watcher
    }

    #[cold]
    fn note(&mut self, kind: ProblemKind, token: &[u8], at: usize) {
        self.problem(Problem::new(at, token, kind));
    }

    fn is_strict(&self) -> bool {
        self.mode == Mode::Strict
    }

    /// Plays a move in the innermost line. Returns `false` if it cannot be played.
    #[inline]
    fn play(&mut self, text: &[u8], at: usize) -> bool {
        let is_main = self.branches.len() == 1;
        let Some(branch) = self.branches.last_mut() else { return false };
        let resolved = match resolve(branch.now(), text) {
            Ok(resolved) => resolved,
            Err(kind) => {
                self.note(kind, text, at);
                return false;
            }
        };
        branch.play(resolved.played);
        if is_main {
            self.plies += 1;
            self.watcher.position(branch.now());
            self.watcher.played(resolved.played, branch.now());
        }
        if self.is_strict() {
            self.check_spelling(resolved.forgiven, resolved.played, text, at);
        }
        true
    }

    /// Reports how the spelling of the move just played differs from the standard one.
    #[cold]
    fn check_spelling(
        &mut self,
        forgiven: Option<ProblemKind>,
        played: Played,
        text: &[u8],
        at: usize,
    ) {
        if let Some(kind) = forgiven {
            self.note(kind, text, at);
            return;
        }
        let before = self.branches.last().and_then(|branch| branch.before().copied());
        if let (Played::Move(mv), Some(before)) = (played, before) {
            let exact = San::from_move(&before, mv);
            let written = San::parse_bytes(text).ok();
            if let Some(kind) = written.and_then(|written| difference(written, exact)) {
                self.note(kind, text, at);
            }
        }
    }
}

/// Returns what is wrong with a SAN text that denotes the right move.
fn difference(written: San, exact: San) -> Option<ProblemKind> {
    let is_long = |san: San| match san.mv {
        SanMove::Normal { role, file, rank, .. } => {
            role == Role::Pawn && file.is_some() && rank.is_some()
        }
        SanMove::Castle(_) => false,
    };
    if is_long(written) {
        Some(ProblemKind::LongAlgebraic)
    } else if written.mark != exact.mark {
        Some(ProblemKind::CheckMark)
    } else {
        (written != exact).then_some(ProblemKind::OverSpecified)
    }
}

impl<W: Watcher> Visitor for Checker<W> {
    fn begin_game(&mut self, _at: usize) -> Flow {
        self.start = Position::start();
        self.branches.clear();
        self.plies = 0;
        self.result = None;
        self.result_tag = None;
        self.problems.clear();
        self.problems_left_out = 0;
        self.is_broken = false;
        self.is_fen_bad = false;
        Flow::Continue
    }

    fn tag(&mut self, name: &[u8], value: &[u8], at: usize) -> Flow {
        match name {
            b"FEN" => match start_position(&tag_value(value)) {
                Ok(position) => self.start = position,
                Err(kind) => {
                    self.is_fen_bad = true;
                    self.note(kind, value, at);
                }
            },
            b"Result" => self.result_tag = GameResult::from_bytes(value),
            _ => {}
        }
        self.watcher.tag(name, value);
        Flow::Continue
    }

    fn begin_moves(&mut self, _at: usize) -> Flow {
        if self.is_fen_bad {
            return Flow::Skip;
        }
        self.branches.push(Branch::new(self.start));
        self.watcher.position(&self.start);
        Flow::Continue
    }

    fn move_number(&mut self, number: u32, at: usize) {
        let expected = self.branches.last().map(|branch| branch.now().fullmove_number());
        if self.is_strict() && expected.is_some_and(|expected| expected != number) {
            self.note(ProblemKind::MoveNumber, number.to_string().as_bytes(), at);
        }
    }

    #[inline]
    fn mv(&mut self, text: &[u8], at: usize) -> Flow {
        if self.play(text, at) { Flow::Continue } else { Flow::Skip }
    }

    fn nag(&mut self, _nag: u8, _at: usize) {}

    fn comment(&mut self, _text: &[u8], _at: usize) {}

    fn begin_variation(&mut self, at: usize) -> Flow {
        let before = self.branches.last().and_then(|branch| branch.before().copied());
        let Some(before) = before else {
            self.note(ProblemKind::VariationWithoutMove, b"(", at);
            return Flow::Skip;
        };
        self.branches.push(Branch::new(before));
        Flow::Continue
    }

    fn end_variation(&mut self, _at: usize) {
        if self.branches.len() > 1 {
            self.branches.pop();
        }
    }

    fn result(&mut self, result: GameResult, at: usize) {
        if self.is_strict() && self.result_tag.is_some_and(|tag| tag != result) {
            self.note(ProblemKind::ResultMismatch, result.as_str().as_bytes(), at);
        }
        self.result = Some(result);
    }

    fn problem(&mut self, problem: Problem) {
        let is_broken = problem.kind.severity() == Severity::Broken;
        self.is_broken |= is_broken;
        if !is_broken && !self.is_strict() {
            return;
        }
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.problems_left_out += 1;
        }
    }

    fn end_game(&mut self, range: Range<usize>) -> Flow {
        let result = self.result.or(self.result_tag).unwrap_or_default();
        if self.result.is_none() && self.is_strict() {
            self.note(ProblemKind::NoResult, b"", range.end);
        }
        self.watcher.game(&CheckedGame {
            range,
            plies: self.plies,
            result,
            problems: &self.problems,
            problems_left_out: self.problems_left_out,
            is_broken: self.is_broken,
        });
        Flow::Continue
    }
}
