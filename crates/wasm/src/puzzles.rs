//! Puzzles of a game, found by the engine.

use castellan_engine::{Engine, Signals};
use castellan_puzzles::{Effort, Puzzle, find_puzzles};
use castellan_rules::{CastlingSpelling, Move, UciMove};
use serde::{Deserialize, Serialize};

use crate::api::Host;
use crate::error::{ApiError, ErrorCode};
use crate::position::parse_line;

/// Maximum number of nodes for the first check of a move.
const MAX_CHECK_NODES: u64 = 10_000_000;

/// A game to make puzzles from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PuzzleTask {
    start: String,
    moves: Vec<String>,
    /// Whether castling is written in Chess960 notation.
    is_chess960: bool,
    /// Positions to search for the first check of a move; `null` for the usual number.
    nodes: Option<u64>,
}

/// A puzzle of a game.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PuzzleView {
    /// The same for puzzles with the same position.
    key: String,
    /// The position before the mistake, and the mistake in UCI.
    before: String,
    mistake: String,
    /// The position to solve.
    fen: String,
    /// The number of moves of the game up to the position.
    ply: usize,
    /// The solution in UCI and in SAN.
    moves: Vec<String>,
    line: Vec<String>,
    #[cfg_attr(feature = "typescript", ts(type = "ThemeName[]"))]
    themes: Vec<&'static str>,
    /// An estimate of the rating of players who solve it half of the time.
    rating: u16,
}

/// How much of a game has been searched for puzzles.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PuzzleProgress {
    plies: usize,
}

/// Finds the puzzles of a game.
pub(crate) fn find(
    engine: &mut Engine,
    task: &PuzzleTask,
    host: &dyn Host,
) -> Result<Vec<PuzzleView>, ApiError> {
    let game = parse_line(&task.start, &task.moves)?;
    let castling = CastlingSpelling::for_game(task.is_chess960 || game.start().is_chess960());
    let nodes = task.nodes.unwrap_or(Effort::CHECK_NODES);
    if nodes > MAX_CHECK_NODES {
        return Err(ApiError::new(ErrorCode::BadNumber, format!("{nodes} nodes are too many")));
    }
    let mut progress = |plies| {
        if let Ok(text) = serde_json::to_string(&PuzzleProgress { plies }) {
            host.tell(&text);
        }
    };
    let effort = Effort::new(nodes);
    let found = find_puzzles(engine, &game, effort, &Signals::default(), &mut progress);
    // There is no signal here that could stop the search.
    let puzzles = found.unwrap_or_default();
    Ok(puzzles.iter().map(|puzzle| view(puzzle, castling)).collect())
}

fn view(puzzle: &Puzzle, castling: CastlingSpelling) -> PuzzleView {
    let uci = |mv: Move| UciMove::from_move(mv, castling).to_string();
    PuzzleView {
        key: format!("{:016x}", puzzle.key()),
        before: puzzle.before.to_fen(),
        mistake: uci(puzzle.mistake),
        fen: puzzle.start().to_fen(),
        ply: puzzle.ply,
        moves: puzzle.moves.iter().copied().map(uci).collect(),
        line: puzzle.solution(),
        themes: puzzle.themes.iter().map(|theme| theme.name()).collect(),
        rating: puzzle.rating,
    }
}
