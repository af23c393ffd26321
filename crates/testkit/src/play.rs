//! Random games played with the oracle.
//!
//! Uniformly random moves rarely castle, promote or capture en passant, so the choice is biased:
//! see [`GameShape::by_kind_percent`]. Everything is determined by the seed.
//!
//! ```
//! use castellan_testkit::play::{GameShape, random_game};
//! use castellan_testkit::random::SplitMix64;
//!
//! let game = random_game(&mut SplitMix64::new(1), &GameShape::default());
//! assert_eq!(game.positions().count(), game.moves.len() + 1);
//! ```

use crate::chess960;
use crate::oracle::{Color, Oracle, OracleMove, Role, Square};
use crate::random::SplitMix64;

/// Where a random game starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The starting position of standard chess.
    Standard,
    /// One of the 960 starting positions, chosen at random.
    Chess960,
}

/// Parameters of random games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameShape {
    /// Where the games start.
    pub start: Start,
    /// Maximum number of half-moves.
    pub max_plies: usize,
    /// How often, in percent, a move is chosen by its kind: first one of the kinds available
    /// (castling, en passant, a double step that allows en passant, promotion, check, capture,
    /// pawn move, any), then a move of that kind. Otherwise all moves are equally likely.
    pub by_kind_percent: u8,
}

impl Default for GameShape {
    /// Standard games of at most 200 half-moves, with every second move chosen by kind.
    fn default() -> GameShape {
        GameShape { start: Start::Standard, max_plies: 200, by_kind_percent: 50 }
    }
}

/// A randomly played game.
#[derive(Clone, Debug)]
pub struct RandomGame {
    /// The position before the first move.
    pub start: Oracle,
    /// The moves, each legal where it is played.
    pub moves: Vec<OracleMove>,
}

impl RandomGame {
    /// Returns the positions of the game, the starting position first.
    pub fn positions(&self) -> impl Iterator<Item = Oracle> {
        let mut position = self.start.clone();
        let later = self.moves.iter().map(move |mv| {
            position = position.play_unchecked(*mv);
            position.clone()
        });
        std::iter::once(self.start.clone()).chain(later)
    }

    /// Returns the moves in UCI, with castling as king takes rook.
    pub fn uci(&self) -> impl Iterator<Item = String> {
        self.moves.iter().map(ToString::to_string)
    }
}

/// Plays one game. It ends with mate, stalemate, bare kings or the ply limit.
pub fn random_game(rng: &mut SplitMix64, shape: &GameShape) -> RandomGame {
    let start = start_position(rng, shape.start);
    let mut position = start.clone();
    let mut moves = Vec::new();
    while moves.len() < shape.max_plies && !has_bare_kings(&position) {
        let Some(mv) = random_move(rng, &position, shape.by_kind_percent) else {
            break;
        };
        position = position.play_unchecked(mv);
        moves.push(mv);
    }
    RandomGame { start, moves }
}

/// Returns an endless sequence of games from one seed.
pub fn random_games(seed: u64, shape: GameShape) -> impl Iterator<Item = RandomGame> {
    let mut rng = SplitMix64::new(seed);
    std::iter::repeat_with(move || random_game(&mut rng, &shape))
}

/// Returns a random legal move, or `None` after mate or stalemate.
pub fn random_move(
    rng: &mut SplitMix64,
    position: &Oracle,
    by_kind_percent: u8,
) -> Option<OracleMove> {
    let moves = position.legal_moves();
    if !rng.chance(by_kind_percent) {
        return rng.pick(&moves).copied();
    }
    let kinds: Vec<Vec<OracleMove>> = KINDS
        .iter()
        .map(|is_kind| moves.iter().copied().filter(|mv| is_kind(position, *mv)).collect())
        .filter(|kind: &Vec<OracleMove>| !kind.is_empty())
        .collect();
    let kind = rng.pick(&kinds)?;
    rng.pick(kind).copied()
}

/// A predicate on a move in a position.
type IsKind = fn(&Oracle, OracleMove) -> bool;

/// The kinds of moves among which [`random_move`] chooses.
const KINDS: [IsKind; 8] = [
    Oracle::is_castling,
    Oracle::is_en_passant,
    |position, mv| position.play_unchecked(mv).legal_en_passant().is_some(),
    |_, mv| mv.promotion.is_some(),
    |position, mv| position.play_unchecked(mv).is_check(),
    Oracle::is_capture,
    |position, mv| position.piece_at(mv.from).is_some_and(|piece| piece.role == Role::Pawn),
    |_, _| true,
];

fn start_position(rng: &mut SplitMix64, start: Start) -> Oracle {
    match start {
        Start::Standard => Oracle::start(),
        Start::Chess960 => {
            let number = rng.below(usize::from(chess960::START_COUNT));
            let fen = u16::try_from(number).ok().and_then(chess960::start_fen);
            fen.and_then(|fen| Oracle::from_fen(&fen).ok())
                .expect("each of the 960 numbers has a start position")
        }
    }
}

fn has_bare_kings(position: &Oracle) -> bool {
    let kings = [Color::White, Color::Black].map(|color| position.king(color));
    Square::all().all(|square| position.piece_at(square).is_none() || kings.contains(&square))
}
