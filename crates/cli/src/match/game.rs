//! Plays one game of a match.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use castellan_game::EndReason;
use castellan_pgn::GameResult;
use castellan_rules::{Color, Line};
use castellan_uci::Score;

use super::adjudication::{Adjudicated, ScoreRuns};
use super::ending::{MatchEnding, by_rules};
use super::player::{EnginePlayer, MoveFailure};
use super::search_limit::Clocks;
use super::settings::MatchSettings;

/// A game that has ended.
#[derive(Clone, Debug)]
pub(super) struct PlayedGame {
    /// The number of the game in the match, from 1.
    pub(super) number: u32,
    pub(super) line: Line,
    /// How many of the moves come from the opening.
    pub(super) opening_plies: usize,
    /// One note for each move after the opening.
    pub(super) notes: Vec<MoveNote>,
    pub(super) result: GameResult,
    pub(super) ending: MatchEnding,
}

/// What the engine reported about a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveNote {
    /// From the point of view of the side that moved.
    pub(super) score: Option<Score>,
    pub(super) depth: Option<u32>,
    pub(super) time: Duration,
    /// The time left on the clock; `None` without a clock.
    pub(super) left: Option<Duration>,
}

/// Returns the color of the first engine: it plays White in the first game of each pair.
pub(super) fn color_of_a(number: u32) -> Color {
    if number % 2 == 1 { Color::White } else { Color::Black }
}

/// Plays a game. Returns `None` if it was interrupted. Fails if an engine cannot be started.
pub(super) fn play(
    number: u32,
    settings: &MatchSettings,
    players: &mut [EnginePlayer<'_>; 2],
    is_over: &AtomicBool,
) -> anyhow::Result<Option<PlayedGame>> {
    let line = settings.opening(number).clone();
    let opening_plies = line.moves().len();
    let result = GameResult::Open;
    let ending = MatchEnding::Rules(EndReason::PlyLimit);
    let mut game = PlayedGame { number, line, opening_plies, notes: Vec::new(), result, ending };
    for color in Color::ALL {
        if let Err(failure) = players[seat(number, color)].prepare()? {
            return Ok(game.lose(color, failure));
        }
    }
    let mut clocks = Clocks::new(settings.search_limit, settings.margin);
    let mut runs = ScoreRuns::default();
    loop {
        if let Some((result, ending)) = by_rules(&game.line) {
            return Ok(Some(game.end(result, ending)));
        }
        let turn = game.line.turn();
        let player = &mut players[seat(number, turn)];
        let go = clocks.go(turn);
        match player.think(&game.line, &go, clocks.limit(turn), is_over) {
            Ok(engine_move) => {
                let left = clocks.spend(turn, engine_move.time);
                let (score, depth, time) = (engine_move.score, engine_move.depth, engine_move.time);
                game.notes.push(MoveNote { score, depth, time, left });
                if game.line.play(engine_move.mv).is_err() {
                    return Ok(Some(
                        game.end(GameResult::Draw, MatchEnding::Rules(EndReason::PlyLimit)),
                    ));
                }
            }
            Err(failure) => return Ok(game.lose(turn, failure)),
        }
        let rules = &settings.adjudication;
        runs.note(rules, turn, game.notes.last().and_then(|note| note.score));
        let call = runs.call(rules, game.line.position().fullmove_number());
        // A mate on the board takes precedence over the prediction that it will come.
        if let (None, Some(call)) = (game.line.outcome(), call) {
            let result = match call {
                Adjudicated::Win(color) => GameResult::Win(color),
                Adjudicated::Draw => GameResult::Draw,
            };
            return Ok(Some(game.end(result, MatchEnding::Adjudicated)));
        }
    }
}

/// Returns the index of the player with this color.
fn seat(number: u32, color: Color) -> usize {
    usize::from(color != color_of_a(number))
}

impl PlayedGame {
    fn end(mut self, result: GameResult, ending: MatchEnding) -> PlayedGame {
        self.result = result;
        self.ending = ending;
        self
    }

    /// Ends the game as a loss for a color; `None` if the game was interrupted.
    fn lose(self, color: Color, failure: MoveFailure) -> Option<PlayedGame> {
        match failure {
            MoveFailure::Interrupted => None,
            MoveFailure::Fault(fault, what) => {
                Some(self.end(GameResult::Win(!color), MatchEnding::Fault(fault, what)))
            }
        }
    }
}
