//! A game as a value: tags, a starting position, a tree of legal moves, a result.

use std::fmt;
use std::ops::Range;

use castellan_rules::{EnPassantField, FenStyle, IllegalMove, Line, Move, Position};

use crate::{
    GameResult, MAX_NESTING, MAX_TREE_MOVES, NodeId, Notes, Played, Problem, Tags, Tree, writer,
};

/// Why a move cannot be added to a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayError {
    /// The move is not legal in this position.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A player in check cannot pass.
    #[error("a null move is not possible in check")]
    PassInCheck,
    /// The game already has [`MAX_TREE_MOVES`] moves.
    #[error("a game can have at most {MAX_TREE_MOVES} moves")]
    TooManyMoves,
    /// Variations would be nested more than [`MAX_NESTING`] deep.
    #[error("variations can be nested at most {MAX_NESTING} deep")]
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
    /// The tags. `Result`, `SetUp` and `FEN` are written according to the game, whatever they
    /// contain here.
    pub tags: Tags,
    /// The result of the game.
    pub result: GameResult,
    /// Problems found in the text the game was read from, at most
    /// [`MAX_PROBLEMS`](crate::MAX_PROBLEMS).
    pub problems: Vec<Problem>,
    /// Total number of problems, including those not kept.
    pub problem_count: usize,
    /// The game's bytes in the source it was read from.
    pub range: Range<usize>,
    start: Position,
    tree: Tree,
}

impl Game {
    /// Creates a game without moves.
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

    /// Creates a game with the moves of a line, up to the limit on moves.
    pub fn from_line(line: &Line) -> Game {
        let mut game = Game::new(*line.start());
        let mut at = NodeId::ROOT;
        for mv in line.moves().iter().take(MAX_TREE_MOVES) {
            at = game.tree.add(at, Played::Move(*mv));
        }
        game
    }

    /// Returns the starting position.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Returns `true` for a Chess960 game: the tags say so, or the starting position has castling
    /// rights that only Chess960 allows.
    pub fn is_chess960(&self) -> bool {
        let variant = self.tags.get("Variant").unwrap_or_default().to_ascii_lowercase();
        let is_named = ["960", "fischer", "freestyle"].iter().any(|name| variant.contains(name));
        is_named || self.start.is_chess960()
    }

    /// Returns the tree of moves.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the notes on a move for editing; for the root, those before the first move.
    pub fn notes_mut(&mut self, at: NodeId) -> &mut Notes {
        self.tree.notes_mut(at)
    }

    /// Returns the moves of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> {
        self.tree.line_from(NodeId::ROOT)
    }

    /// Returns the last move of the main line, or the root if there are no moves.
    pub fn last(&self) -> NodeId {
        self.main_line().last().unwrap_or(NodeId::ROOT)
    }

    /// Returns the moves of the main line, each with the position after it.
    pub fn positions(&self) -> impl Iterator<Item = (NodeId, Position)> {
        let mut position = self.start;
        self.main_line().map(move |at| {
            position = self.after(&position, at);
            (at, position)
        })
    }

    /// Returns the position at a node, computed from the start.
    pub fn position(&self, at: NodeId) -> Position {
        let path = self.tree.path(at);
        path.into_iter().fold(self.start, |position, at| self.after(&position, at))
    }

    /// Returns the main line with its repetitions, up to the first null move.
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

    /// Plays a move: follows it if the tree already has it, or adds it as the last alternative.
    pub fn play(&mut self, at: NodeId, mv: Move) -> Result<NodeId, PlayError> {
        let played = Played::Move(mv);
        let known = self.tree.children(at).find(|child| self.tree.played(*child) == Some(played));
        known.map_or_else(|| self.add(at, played), Ok)
    }

    /// Adds a move or a null move as the last alternative, even if the tree already has it.
    pub fn add(&mut self, at: NodeId, played: Played) -> Result<NodeId, PlayError> {
        let position = self.position(at);
        match played {
            Played::Move(mv) => position.play(mv).map(|_| ())?,
            Played::Null => position.null_move().map(|_| ()).ok_or(PlayError::PassInCheck)?,
        }
        self.add_legal(at, played)
    }

    /// Swaps the variation that contains a move with the line it is an alternative to; that line
    /// becomes the first of its variations. Does nothing for a move in the main line.
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

    /// Makes a move and all moves leading to it part of the main line. If that would nest other
    /// lines too deeply, stops there and returns an error; the steps already taken are kept.
    pub fn make_main(&mut self, at: NodeId) -> Result<(), PlayError> {
        while self.tree.variation_head(at).is_some() {
            self.tree.promote(at)?;
        }
        Ok(())
    }

    /// Deletes a move with everything that follows it; the next alternative takes its place.
    /// Returns the node it was played from. Afterward, every other [`NodeId`] of this game may
    /// denote a different move.
    pub fn delete(&mut self, at: NodeId) -> NodeId {
        self.tree.delete(at)
    }

    /// Adds a move that is known to be legal.
    pub(crate) fn add_legal(&mut self, at: NodeId, played: Played) -> Result<NodeId, PlayError> {
        if self.tree.move_count() >= MAX_TREE_MOVES {
            return Err(PlayError::TooManyMoves);
        }
        if self.tree.nesting_after(at) > MAX_NESTING {
            return Err(PlayError::TooDeep);
        }
        Ok(self.tree.add(at, played))
    }

    /// Changes the starting position, which is possible only for a game without moves.
    pub(crate) fn set_start(&mut self, start: Position) {
        debug_assert_eq!(self.tree.move_count(), 0);
        self.start = start;
    }

    /// Returns the position after a move of the tree, given the position before it.
    pub(crate) fn after(&self, before: &Position, at: NodeId) -> Position {
        let after = self.tree.played(at).and_then(|played| played.after(before));
        after.unwrap_or(*before)
    }
}

impl Default for Game {
    /// Creates a game from the standard starting position.
    fn default() -> Game {
        Game::new(Position::start())
    }
}

/// Writes the game in export format, followed by an empty line.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writer::write_game(self, f)
    }
}

/// Returns a FEN with everything that matters about a starting position, including the move
/// counters, which are ignored when positions are compared.
pub(crate) fn full_fen(position: &Position) -> String {
    position.to_fen_in(FenStyle { en_passant: EnPassantField::Always, ..FenStyle::default() })
}
