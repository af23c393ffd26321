//! Builds [`Game`]s from the calls of the reader.

use std::borrow::Cow;
use std::ops::Range;

use castellan_rules::{Position, Role, San};

use crate::game::PlayError;
use crate::start::start_of;
use crate::{
    Comment, Flow, Game, GameResult, MAX_NESTING, MAX_PROBLEMS, MAX_TREE_MOVES, NodeId, Notes,
    Played, Problem, ProblemKind, Resolved, Severity, Visitor, read, resolve, tag_value, text,
};

/// Whether forgivable problems are reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Games keep only the problems that are [`Broken`](Severity::Broken).
    #[default]
    Lenient,
    /// Games also keep the problems that were [`Forgiven`](Severity::Forgiven), and the reader
    /// checks more: check marks, move numbers, the result. The game trees are the same.
    Strict,
}

/// Parses all games of a source.
///
/// ```
/// use castellan_pgn::{Mode, parse_games};
/// let games = parse_games(b"1. e4 e5 2. Ke3 Nf6 * 1. d4 (1. c4 c5) d5 *", Mode::Lenient);
/// assert_eq!(games[0].main_line().count(), 2);
/// assert_eq!(games[0].problems[0].token, "Ke3");
/// assert_eq!(games[1].tree().move_count(), 4);
/// ```
pub fn parse_games(source: &[u8], mode: Mode) -> Vec<Game> {
    let mut games = Vec::new();
    for_each_game(source, mode, |game| {
        games.push(game);
        Flow::Continue
    });
    games
}

/// Passes the games of a source to `take`, one after the other, until it returns [`Flow::Stop`].
pub fn for_each_game(source: &[u8], mode: Mode, take: impl FnMut(Game) -> Flow) {
    read(source, &mut Builder::new(mode, take));
}

/// Returns the game with this index, counted from 0, or `None` if the source has fewer games.
// Inlined so that the reader is compiled with the settings of the caller: the modules of the page are
// optimized for size, and this crate for speed.
#[inline]
pub fn nth_game(source: &[u8], mode: Mode, index: usize) -> Option<Game> {
    let mut left = index;
    let mut found = None;
    let mut take = |game| {
        if left == 0 {
            found = Some(game);
            return Flow::Stop;
        }
        left -= 1;
        Flow::Continue
    };
    // A caller that also passes a trait object shares the compiled reader.
    for_each_game(source, mode, &mut take as &mut dyn FnMut(Game) -> Flow);
    found
}

/// A [`Visitor`] that builds [`Game`]s.
///
/// A move that cannot be understood ends its line: the game or variation stops at the move before
/// it, and everything else is read. Comments and glyphs of a variation without moves are attached
/// to the move that the variation was an alternative to.
#[derive(Debug)]
pub struct Builder<F> {
    mode: Mode,
    take: F,
    game: Game,
    /// The main line and its open variations, innermost last.
    lines: Vec<OpenLine>,
    note_count: usize,
    result: Option<(GameResult, usize)>,
}

/// A line of moves that is being read.
#[derive(Debug)]
struct OpenLine {
    /// The last move, or the node where the line starts if it has no move yet.
    at: NodeId,
    position: Position,
    /// The position before the last move, where a variation would start. `None` while the line
    /// has no move.
    before: Option<Position>,
    /// Notes that precede the first move of a variation.
    waiting: Notes,
    /// Whether a move could not be understood. The rest of the line is then ignored, except for
    /// the result at its end.
    is_broken: bool,
}

impl OpenLine {
    fn new(at: NodeId, position: Position) -> OpenLine {
        OpenLine { at, position, before: None, waiting: Notes::default(), is_broken: false }
    }
}

impl<F: FnMut(Game) -> Flow> Builder<F> {
    /// Creates a builder that passes each complete game to `take`.
    pub fn new(mode: Mode, take: F) -> Builder<F> {
        let game = Game::default();
        Builder { mode, take, game, lines: Vec::new(), note_count: 0, result: None }
    }

    fn report(&mut self, at: usize, token: &[u8], kind: ProblemKind) {
        self.problem(Problem::new(at, token, kind));
    }

    /// Reports a problem and ends the innermost line.
    fn break_line(&mut self, at: usize, token: &[u8], kind: ProblemKind) -> Flow {
        self.report(at, token, kind);
        if let Some(line) = self.lines.last_mut() {
            line.is_broken = true;
        }
        Flow::Continue
    }

    /// Decodes bytes as text. In strict mode, reports bytes that are not valid UTF-8.
    fn decode<'a>(&mut self, raw: &'a [u8], at: usize) -> Cow<'a, str> {
        if self.mode == Mode::Strict && std::str::from_utf8(raw).is_err() {
            self.report(at, raw, ProblemKind::Latin1);
        }
        text(raw)
    }

    /// Counts a glyph or comment and returns `true` if there is still room for it.
    fn has_room_for_note(&mut self, at: usize) -> bool {
        self.note_count += 1;
        if self.note_count == MAX_TREE_MOVES + 1 {
            self.report(at, b"", ProblemKind::OverLimit("the number of comments and glyphs"));
        }
        self.note_count <= MAX_TREE_MOVES
    }

    /// Appends a move to the innermost line.
    fn add(&mut self, resolved: &Resolved) -> Result<(), PlayError> {
        let Some(line) = self.lines.last_mut() else { return Ok(()) };
        let after = resolved.played.after(&line.position).ok_or(PlayError::PassInCheck)?;
        line.at = self.game.add_legal(line.at, resolved.played)?;
        if !line.waiting.is_empty() {
            *self.game.notes_mut(line.at) = std::mem::take(&mut line.waiting);
        }
        line.before = Some(std::mem::replace(&mut line.position, after));
        Ok(())
    }

    /// Returns the notes that glyphs and comments now belong to, and whether they precede a move.
    fn open_notes(&mut self) -> Option<(&mut Notes, bool)> {
        let is_variation = self.lines.len() > 1;
        let line = self.lines.last_mut().filter(|line| !line.is_broken)?;
        if is_variation && line.before.is_none() {
            Some((&mut line.waiting, true))
        } else {
            Some((self.game.notes_mut(line.at), false))
        }
    }

    /// Ends the innermost line. A variation without moves passes its notes to the enclosing line.
    fn close_line(&mut self) {
        let Some(closed) = self.lines.pop() else { return };
        if let Some(around) = self.lines.last()
            && !closed.waiting.is_empty()
        {
            let notes = self.game.notes_mut(around.at);
            notes.nags.extend(closed.waiting.nags);
            notes.after.extend(closed.waiting.before);
        }
    }

    /// Determines the result: the result token counts, or the tag if the token is `*` or missing.
    fn settle_result(&mut self) {
        let tag = self.game.tags.get("Result").map(str::to_owned);
        let tag_result =
            tag.as_deref().and_then(|tag| GameResult::from_bytes(tag.trim().as_bytes()));
        self.game.result = match self.result {
            Some((result, _)) if result != GameResult::Open => result,
            _ => tag_result.unwrap_or_default(),
        };
        if let Some((result, at)) = self.result.take()
            && tag.is_some()
            && tag_result != Some(result)
        {
            self.report(at, result.as_str().as_bytes(), ProblemKind::ResultMismatch);
        }
    }
}

impl<F: FnMut(Game) -> Flow> Visitor for Builder<F> {
    fn begin_game(&mut self, _at: usize) -> Flow {
        self.game = Game::default();
        self.lines.clear();
        self.note_count = 0;
        self.result = None;
        Flow::Continue
    }

    fn tag(&mut self, name: &[u8], value: &[u8], at: usize) -> Flow {
        let name = text(name);
        self.decode(value, at);
        let value = tag_value(value);
        self.game.tags.push(&name, &value);
        if name == "FEN" {
            // Checked here, so that a problem is reported with its position.
            match start_of(&self.game.tags) {
                Ok(start) => self.game.set_start(start),
                Err(kind) => self.report(at, value.as_bytes(), kind),
            }
        }
        Flow::Continue
    }

    fn begin_moves(&mut self, _at: usize) -> Flow {
        self.lines.clear();
        let mut line = OpenLine::new(NodeId::ROOT, *self.game.start());
        line.is_broken = start_of(&self.game.tags).is_err();
        self.lines.push(line);
        Flow::Continue
    }

    fn move_number(&mut self, number: u32, at: usize) {
        if self.mode == Mode::Strict
            && let Some(line) = self.lines.last()
            && !line.is_broken
            && line.position.fullmove_number() != number
        {
            self.report(at, number.to_string().as_bytes(), ProblemKind::MoveNumber);
        }
    }

    fn mv(&mut self, text: &[u8], at: usize) -> Flow {
        let Some(line) = self.lines.last().filter(|line| !line.is_broken) else {
            return Flow::Continue;
        };
        let resolved = match resolve(&line.position, text) {
            Ok(resolved) => resolved,
            Err(kind) => return self.break_line(at, text, kind),
        };
        if self.mode == Mode::Strict
            && let Some(kind) = complaint(&line.position, &resolved, text)
        {
            self.report(at, text, kind);
        }
        match self.add(&resolved) {
            Ok(()) => Flow::Continue,
            Err(_) => self.break_line(at, text, ProblemKind::OverLimit("the number of moves")),
        }
    }

    fn nag(&mut self, nag: u8, at: usize) {
        if self.has_room_for_note(at)
            && let Some((notes, _)) = self.open_notes()
        {
            notes.nags.push(nag);
        }
    }

    fn comment(&mut self, raw: &[u8], at: usize) {
        let text = self.decode(raw, at);
        if let Some(comment) = Comment::new(&text)
            && self.has_room_for_note(at)
            && let Some((notes, is_before)) = self.open_notes()
        {
            let place = if is_before { &mut notes.before } else { &mut notes.after };
            place.push(comment);
        }
    }

    fn begin_variation(&mut self, at: usize) -> Flow {
        let Some(line) = self.lines.last().filter(|line| !line.is_broken) else {
            return Flow::Skip;
        };
        let parent = self.game.tree().parent(line.at);
        let Some((parent, before)) = parent.zip(line.before) else {
            self.report(at, b"(", ProblemKind::VariationWithoutMove);
            return Flow::Skip;
        };
        if self.lines.len() > MAX_NESTING {
            self.report(at, b"(", ProblemKind::OverLimit("the depth of variations"));
            return Flow::Skip;
        }
        self.lines.push(OpenLine::new(parent, before));
        Flow::Continue
    }

    fn end_variation(&mut self, _at: usize) {
        if self.lines.len() > 1 {
            self.close_line();
        }
    }

    fn result(&mut self, result: GameResult, at: usize) {
        self.result = Some((result, at));
    }

    fn problem(&mut self, problem: Problem) {
        let is_broken = problem.kind.severity() == Severity::Broken;
        if !is_broken && self.mode == Mode::Lenient {
            return;
        }
        self.game.problem_count += 1;
        let problems = &mut self.game.problems;
        if problems.len() == MAX_PROBLEMS && is_broken {
            // Broken parts matter more than forgiven ones.
            let is_forgiven = |old: &Problem| old.kind.severity() == Severity::Forgiven;
            if let Some(last) = problems.iter().rposition(is_forgiven) {
                problems.remove(last);
            }
        }
        if problems.len() < MAX_PROBLEMS {
            problems.push(problem);
        }
    }

    fn end_game(&mut self, range: Range<usize>) -> Flow {
        while !self.lines.is_empty() {
            self.close_line();
        }
        self.settle_result();
        self.game.range = range;
        (self.take)(std::mem::take(&mut self.game))
    }
}

/// Returns the objection of a strict reader to the spelling of a move that was understood.
fn complaint(position: &Position, resolved: &Resolved, text: &[u8]) -> Option<ProblemKind> {
    if resolved.forgiven.is_some() {
        return resolved.forgiven.clone();
    }
    let Played::Move(mv) = resolved.played else { return None };
    let exact = San::from_move(position, mv).to_string();
    if text == exact.as_bytes() {
        return None;
    }
    let bare = exact.trim_end_matches(['+', '#']).as_bytes();
    let marks = text.strip_prefix(bare);
    let is_bare = marks.is_some_and(|marks| marks.iter().all(|mark| b"+#".contains(mark)));
    let is_long = mv.role() == Role::Pawn && text.starts_with(mv.from().to_string().as_bytes());
    Some(match (is_bare, is_long) {
        (true, _) => ProblemKind::CheckMark,
        (false, true) => ProblemKind::LongAlgebraic,
        (false, false) => ProblemKind::OverSpecified,
    })
}
