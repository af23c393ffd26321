//! Plays one game of a match.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use castellan_pgn::GameResult;
use castellan_rules::{Color, Line};
use castellan_uci::Score;

use super::adjudication::{Call, Opinions};
use super::ending::{Ending, by_rules};
use super::pace::Clocks;
use super::player::{Player, Trouble};
use super::settings::Settings;

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
    pub(super) ending: Ending,
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
    settings: &Settings,
    players: &mut [Player<'_>; 2],
    is_over: &AtomicBool,
) -> anyhow::Result<Option<PlayedGame>> {
    let line = settings.opening(number).clone();
    let opening_plies = line.moves().len();
    let result = GameResult::Open;
    let ending = Ending::Length;
    let mut game = PlayedGame { number, line, opening_plies, notes: Vec::new(), result, ending };
    for color in Color::ALL {
        if let Err(trouble) = players[seat(number, color)].prepare()? {
            return Ok(game.lose(color, trouble));
        }
    }
    let mut clocks = Clocks::new(settings.pace, settings.margin);
    let mut opinions = Opinions::default();
    loop {
        if let Some((result, ending)) = by_rules(&game.line) {
            return Ok(Some(game.end(result, ending)));
        }
        let turn = game.line.turn();
        let player = &mut players[seat(number, turn)];
        let go = clocks.go(turn);
        match player.think(&game.line, &go, clocks.limit(turn), is_over) {
            Ok(thought) => {
                let left = clocks.spend(turn, thought.time);
                let (score, depth, time) = (thought.score, thought.depth, thought.time);
                game.notes.push(MoveNote { score, depth, time, left });
                if game.line.play(thought.mv).is_err() {
                    return Ok(Some(game.end(GameResult::Draw, Ending::Length)));
                }
            }
            Err(trouble) => return Ok(game.lose(turn, trouble)),
        }
        let rules = &settings.adjudication;
        opinions.note(rules, turn, game.notes.last().and_then(|note| note.score));
        let call = opinions.call(rules, game.line.position().fullmove_number());
        // A mate on the board takes precedence over the prediction that it will come.
        if let (None, Some(call)) = (game.line.outcome(), call) {
            let result = match call {
                Call::Win(color) => GameResult::Win(color),
                Call::Draw => GameResult::Draw,
            };
            return Ok(Some(game.end(result, Ending::Adjudicated)));
        }
    }
}

/// Returns the index of the player with this color.
fn seat(number: u32, color: Color) -> usize {
    usize::from(color != color_of_a(number))
}

impl PlayedGame {
    fn end(mut self, result: GameResult, ending: Ending) -> PlayedGame {
        self.result = result;
        self.ending = ending;
        self
    }

    /// Ends the game as a loss for a color; `None` if the game was interrupted.
    fn lose(self, color: Color, trouble: Trouble) -> Option<PlayedGame> {
        match trouble {
            Trouble::Interrupted => None,
            Trouble::Fault(fault, what) => {
                Some(self.end(GameResult::Win(!color), Ending::Fault(fault, what)))
            }
        }
    }
}
