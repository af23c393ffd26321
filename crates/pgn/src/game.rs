//! A game as a value: tags, a start, a tree of legal moves, a result.

use std::fmt;
use std::ops::Range;

use castellan_rules::{EnPassantField, FenStyle, IllegalMove, Line, Move, Position};

use crate::{
    GameResult, MAX_NESTING, MAX_TREE_MOVES, NodeId, Notes, Played, Problem, Tags, Tree, writer,
};

/// Why a move cannot be added to a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayError {
    /// It is not legal there.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// The turn cannot be passed in check.
    #[error("the turn cannot be passed in check")]
    PassInCheck,
    /// There are [`MAX_TREE_MOVES`] moves.
    #[error("a game holds no more than {MAX_TREE_MOVES} moves")]
    TooManyMoves,
    /// There are [`MAX_NESTING`] variations in one another.
    #[error("variations lie no more than {MAX_NESTING} deep in one another")]
    TooDeep,
}

/// A game with all its variations and notes. Every move in it is legal where it is played.
///
/// ```
/// use castellan_pgn::{Game, GameResult, NodeId};
/// use castellan_rules::{Color, Line, San};
///
/// let mut game = Game::default();
/// let mut at = NodeId::ROOT;
/// for text in ["f3", "e5", "g4", "Qh4#"] {
///     let mv = San::parse(text)?.resolve(&game.position(at))?;
///     at = game.play(at, mv)?;
/// }
/// game.result = GameResult::Win(Color::Black);
/// assert!(game.to_string().ends_with("\n1. f3 e5 2. g4 Qh4# 0-1\n\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    /// The tags. `Result`, `SetUp` and `FEN` are written as the game has it, whatever they say
    /// here.
    pub tags: Tags,
    /// How it ended.
    pub result: GameResult,
    /// What is wrong with the text it was read from: the first
    /// [`MAX_PROBLEMS`](crate::MAX_PROBLEMS).
    pub problems: Vec<Problem>,
    /// How many problems there are, with those not kept.
    pub problem_count: usize,
    /// Where it stands in the bytes it was read from.
    pub range: Range<usize>,
    start: Position,
    tree: Tree,
}

impl Game {
    /// A game without moves.
    pub fn new(start: Position) -> Game {
        Game {
            tags: Tags::default(),
            result: GameResult::Open,
            problems: Vec::new(),
            problem_count: 0,
            range: 0..0,
            start,
            tree: Tree::new(),
        }
    }

    /// A game with the moves of a line, up to the limit of moves.
    pub fn from_line(line: &Line) -> Game {
        let mut game = Game::new(*line.start());
        let mut at = NodeId::ROOT;
        for mv in line.moves().iter().take(MAX_TREE_MOVES) {
            at = game.tree.add(at, Played::Move(*mv));
        }
        game
    }

    /// The position it starts from.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Whether it is Chess960: its tags say so, or somebody may castle as only Chess960 knows.
    pub fn is_chess960(&self) -> bool {
        let variant = self.tags.get("Variant").unwrap_or_default().to_ascii_lowercase();
        let is_named = ["960", "fischer", "freestyle"].iter().any(|name| variant.contains(name));
        is_named || self.start.is_chess960()
    }

    /// The moves.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The notes on a move, to be changed; at the root, on the start.
    pub fn notes_mut(&mut self, at: NodeId) -> &mut Notes {
        self.tree.notes_mut(at)
    }

    /// The moves of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> {
        self.tree.line_from(NodeId::ROOT)
    }

    /// The last move of the main line; the root if there is none.
    pub fn last(&self) -> NodeId {
        self.main_line().last().unwrap_or(NodeId::ROOT)
    }

    /// The moves of the main line, each with the position after it.
    pub fn positions(&self) -> impl Iterator<Item = (NodeId, Position)> {
        let mut position = self.start;
        self.main_line().map(move |at| {
            position = self.after(&position, at);
            (at, position)
        })
    }

    /// The position at a place, worked out from the start.
    pub fn position(&self, at: NodeId) -> Position {
        let path = self.tree.path(at);
        path.into_iter().fold(self.start, |position, at| self.after(&position, at))
    }

    /// The main line with its repetitions, up to the first null move.
    pub fn to_line(&self) -> Line {
        let mut line = Line::new(self.start);
        for at in self.main_line() {
            let Some(Played::Move(mv)) = self.tree.played(at) else { break };
            if line.play(mv).is_err() {
                break;
            }
        }
        line
    }

    /// Plays a move: follows the one that is there, or adds it as the last alternative.
    pub fn play(&mut self, at: NodeId, mv: Move) -> Result<NodeId, PlayError> {
        let played = Played::Move(mv);
        let known = self.tree.children(at).find(|child| self.tree.played(*child) == Some(played));
        known.map_or_else(|| self.add(at, played), Ok)
    }

    /// Adds a move, or a null move, as the last alternative, even if it is there already.
    pub fn add(&mut self, at: NodeId, played: Played) -> Result<NodeId, PlayError> {
        let position = self.position(at);
        match played {
            Played::Move(mv) => position.play(mv).map(|_| ())?,
            Played::Null => position.pass().map(|_| ()).ok_or(PlayError::PassInCheck)?,
        }
        self.add_legal(at, played)
    }

    /// Makes the variation that a move lies in the line it is an alternative to, and that line
    /// the first of its variations. Nothing happens in the main line.
    ///
    /// ```
    /// use castellan_pgn::{Mode, parse_games};
    /// let mut game = parse_games(b"1. e4 (1. d4 d5) e5 *", Mode::Lenient).remove(0);
    /// let d4 = game.tree().sibling(game.tree().next(castellan_pgn::NodeId::ROOT).unwrap()).unwrap();
    /// game.promote(d4)?;
    /// assert!(game.to_string().ends_with("\n1. d4 (1. e4 e5) 1... d5 *\n\n"));
    /// # Ok::<(), castellan_pgn::PlayError>(())
    /// ```
    pub fn promote(&mut self, at: NodeId) -> Result<(), PlayError> {
        self.tree.promote(at)
    }

    /// Makes a move and all that lead to it part of the main line. If that would put other lines
    /// too deep, what could be done is done.
    pub fn make_main(&mut self, at: NodeId) -> Result<(), PlayError> {
        while self.tree.variation_head(at).is_some() {
            self.tree.promote(at)?;
        }
        Ok(())
    }

    /// Takes a move away with all that follows it; an alternative to it takes its place. Says
    /// where it was played. Every other [`NodeId`] of this game may mean another move afterwards.
    pub fn delete(&mut self, at: NodeId) -> NodeId {
        self.tree.delete(at)
    }

    /// Adds a move that has been found legal.
    pub(crate) fn add_legal(&mut self, at: NodeId, played: Played) -> Result<NodeId, PlayError> {
        if self.tree.move_count() >= MAX_TREE_MOVES {
            return Err(PlayError::TooManyMoves);
        }
        if self.tree.nesting_after(at) > MAX_NESTING {
            return Err(PlayError::TooDeep);
        }
        Ok(self.tree.add(at, played))
    }

    /// Puts the game on another start, which only one without moves can be.
    pub(crate) fn set_start(&mut self, start: Position) {
        debug_assert_eq!(self.tree.move_count(), 0);
        self.start = start;
    }

    /// The position after a move of the tree, from the one before it.
    pub(crate) fn after(&self, before: &Position, at: NodeId) -> Position {
        let after = self.tree.played(at).and_then(|played| played.after(before));
        after.unwrap_or(*before)
    }
}

impl Default for Game {
    /// A game from the start position.
    fn default() -> Game {
        Game::new(Position::start())
    }
}

/// Writes the game in export format, with an empty line at the end.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writer::write_game(self, f)
    }
}

/// Everything that counts about a start, the clocks included, which positions leave out when they
/// are compared.
pub(crate) fn full_fen(position: &Position) -> String {
    position.to_fen_in(FenStyle { en_passant: EnPassantField::Always, ..FenStyle::default() })
}
