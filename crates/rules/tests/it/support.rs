//! Helpers that several modules use: positions and moves from text, and random games.

use castellan_rules::{CastlingSpelling, Move, Position, UciMove};
use castellan_testkit::play::{GameShape, Start, random_game};
use castellan_testkit::random::SplitMix64;

/// Chess960 games in which every second move is of a special kind.
pub(crate) const CHESS960: GameShape =
    GameShape { start: Start::Chess960, max_plies: 200, by_kind_percent: 50 };

/// Parses a FEN that must be valid.
#[track_caller]
pub(crate) fn fen(text: &str) -> Position {
    match Position::from_fen(text) {
        Ok(position) => position,
        Err(error) => panic!("{text}: {error}"),
    }
}

/// Resolves a UCI move, with castling in either spelling.
#[track_caller]
pub(crate) fn uci(position: &Position, text: &str) -> Move {
    let spelled = UciMove::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    spelled.resolve(position).unwrap_or_else(|refusal| panic!("{position:?} {text}: {refusal}"))
}

/// Returns the position after some UCI moves.
#[track_caller]
pub(crate) fn after(start: &Position, moves: &str) -> Position {
    let mut position = *start;
    for text in moves.split_whitespace() {
        position = position.play_unchecked(uci(&position, text));
    }
    position
}

/// Writes a move in the spelling that is unambiguous in every game.
pub(crate) fn spell(mv: Move) -> String {
    UciMove::from_move(mv, CastlingSpelling::KingTakesRook).to_string()
}

/// Returns every legal move in UCI, sorted by bytes.
pub(crate) fn legal_uci(position: &Position) -> Vec<String> {
    let mut texts: Vec<String> = position.legal_moves().iter().map(|&mv| spell(mv)).collect();
    texts.sort_unstable();
    texts
}

/// A game that the oracle played at random.
pub(crate) struct RandomGame {
    /// The start position.
    pub(crate) start: Position,
    /// The moves in the types of the rules crate.
    pub(crate) moves: Vec<Move>,
}

impl RandomGame {
    /// Iterates over the moves, each with the position it is played in.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (Position, Move)> + '_ {
        let mut position = self.start;
        self.moves.iter().map(move |&mv| {
            let before = position;
            position = position.play_unchecked(mv);
            (before, mv)
        })
    }

    /// Iterates over all positions, including the first and the last.
    pub(crate) fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        let mut position = self.start;
        let later = self.moves.iter().map(move |&mv| {
            position = position.play_unchecked(mv);
            position
        });
        std::iter::once(self.start).chain(later)
    }
}

/// Generates `count` random games, determined by the seed.
pub(crate) fn games(seed: u64, count: usize, shape: GameShape) -> impl Iterator<Item = RandomGame> {
    let mut rng = SplitMix64::new(seed);
    std::iter::repeat_with(move || {
        let game = random_game(&mut rng, &shape);
        let start = fen(&game.start.to_fen());
        let mut position = start;
        let moves = game
            .uci()
            .map(|text| {
                let mv = uci(&position, &text);
                position = position.play_unchecked(mv);
                mv
            })
            .collect();
        RandomGame { start, moves }
    })
    .take(count)
}
