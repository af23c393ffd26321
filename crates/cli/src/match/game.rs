//! Playing one game of a match.

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

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub(super) struct PlayedGame {
    /// Which game of the match, counted from 1.
    pub(super) number: u32,
    pub(super) line: Line,
    /// How many of the moves were given by the opening.
    pub(super) opening_plies: usize,
    /// One for each move that was not.
    pub(super) notes: Vec<MoveNote>,
    pub(super) result: GameResult,
    pub(super) ending: Ending,
}

/// What is known about a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveNote {
    /// From the mover's side.
    pub(super) score: Option<Score>,
    pub(super) depth: Option<u32>,
    pub(super) time: Duration,
    /// What is left on the clock, if there is one.
    pub(super) left: Option<Duration>,
}

/// The color of the first engine: it has White in the first game of each pair.
pub(super) fn color_of_a(number: u32) -> Color {
    if number % 2 == 1 { Color::White } else { Color::Black }
}

/// Plays a game; nothing if it was interrupted. An engine that cannot be started is an error.
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
        // Mate on the board is better than the opinion that it will come.
        if let (None, Some(call)) = (game.line.outcome(), call) {
            let result = match call {
                Call::Win(color) => GameResult::Win(color),
                Call::Draw => GameResult::Draw,
            };
            return Ok(Some(game.end(result, Ending::Adjudicated)));
        }
    }
}

/// Which of the two players has a color.
fn seat(number: u32, color: Color) -> usize {
    usize::from(color != color_of_a(number))
}

impl PlayedGame {
    fn end(mut self, result: GameResult, ending: Ending) -> PlayedGame {
        self.result = result;
        self.ending = ending;
        self
    }

    /// The game lost by a color; nothing if it was nobody's fault.
    fn lose(self, color: Color, trouble: Trouble) -> Option<PlayedGame> {
        match trouble {
            Trouble::Interrupted => None,
            Trouble::Fault(fault, what) => {
                Some(self.end(GameResult::Win(!color), Ending::Fault(fault, what)))
            }
        }
    }
}
