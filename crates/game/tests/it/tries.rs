//! Commands that any player might try in a game, at any time.

use std::time::Duration;

use castellan_game::{Actor, ClockStart, Command, Game, PlayerId, Proposal, Settings, TimeControl};
use castellan_rules::{CastlingSpelling, Color, Square, UciMove};
use proptest::prelude::*;

use crate::support::{START, player, settings};

/// A command to try, described so that it fits any state of the game.
#[derive(Clone, Debug)]
enum Try {
    /// The move with this number among the legal ones, so many plies late or early.
    Legal {
        choice: usize,
        plies_off: i32,
        lag_ms: u64,
    },
    /// A move from anywhere to anywhere.
    Any {
        from: usize,
        to: usize,
    },
    /// A move that was made, once more.
    Again {
        choice: usize,
    },
    Touch {
        square: usize,
        plies_off: i32,
    },
    Claim {
        announced: Option<usize>,
    },
    Plain(Command),
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    actor: usize,
    attempt: Try,
    /// The clock may go back.
    pub(crate) passed_ms: i64,
}

pub(crate) const ACTORS: [Actor; 4] = [
    Actor::Player(PlayerId(1)),
    Actor::Player(PlayerId(2)),
    Actor::Player(PlayerId(3)),
    Actor::Server,
];

fn any_plain() -> impl Strategy<Value = Command> {
    let what = || proptest::sample::select(Proposal::ALL.to_vec());
    let color = || prop_oneof![Just(Color::White), Just(Color::Black)];
    prop_oneof![
        4 => what().prop_map(Command::Offer),
        4 => what().prop_map(Command::Accept),
        2 => what().prop_map(Command::Decline),
        2 => Just(Command::AddTime),
        2 => Just(Command::Flag),
        2 => (0..4_000_u64)
            .prop_map(|ms| Command::Resume { away: Duration::from_millis(ms) }),
        1 => Just(Command::Abort),
        1 => Just(Command::Resign),
        1 => color().prop_map(|color| Command::Abandon { color }),
        1 => (color(), 1..4_u64)
            .prop_map(|(color, id)| Command::Seat { color, player: player(id) }),
    ]
}

fn any_try() -> impl Strategy<Value = Try> {
    let off = || prop_oneof![8 => Just(0), 1 => -2..3_i32];
    let lag_ms = prop_oneof![3 => 0..300_u64, 1 => 0..5_000_u64, 1 => any::<u64>()];
    prop_oneof![
        12 => (any::<usize>(), off(), lag_ms)
            .prop_map(|(choice, plies_off, lag_ms)| Try::Legal { choice, plies_off, lag_ms }),
        1 => (0..64_usize, 0..64_usize).prop_map(|(from, to)| Try::Any { from, to }),
        1 => any::<usize>().prop_map(|choice| Try::Again { choice }),
        2 => (0..64_usize, off()).prop_map(|(square, plies_off)| Try::Touch { square, plies_off }),
        1 => proptest::option::of(any::<usize>()).prop_map(|announced| Try::Claim { announced }),
        3 => any_plain().prop_map(Try::Plain),
    ]
}

/// Usually the player to move, which is index 4.
pub(crate) fn any_step() -> impl Strategy<Value = Step> {
    let actor = prop_oneof![3 => Just(4_usize), 2 => 0..4_usize];
    let passed_ms = prop_oneof![6 => 0..900_i64, 1 => 0..6_000_i64, 1 => -3_000..0_i64];
    (actor, any_try(), passed_ms).prop_map(|(actor, attempt, passed_ms)| Step {
        actor,
        attempt,
        passed_ms,
    })
}

fn any_control() -> impl Strategy<Value = TimeControl> {
    let times = || (0..20_000_u32, 0..1_500_u32);
    prop_oneof![
        1 => Just(TimeControl::Unlimited {}),
        1 => Just(TimeControl::CountUp {}),
        4 => times().prop_map(|(initial_ms, increment_ms)| {
            TimeControl::Increment { initial_ms, increment_ms }
        }),
        4 => times().prop_map(|(initial_ms, delay_ms)| {
            TimeControl::Delay { initial_ms, delay_ms }
        }),
    ]
}

/// Start positions, positions near the end of a game, and positions with castling, promotions and
/// en passant captures.
const STARTS: [&str; 6] = [
    START,
    START,
    "r3k2r/pP6/8/3pP3/8/8/1p5P/R3K2R w KQkq d6 0 1",
    "4k3/8/4K3/8/8/8/8/7R b - - 90 60",
    "8/8/4k3/8/3bK3/8/7p/8 w - - 0 1",
    "7k/5Q2/8/6K1/8/8/8/8 b - - 3 9",
];

pub(crate) fn any_settings() -> impl Strategy<Value = Settings> {
    (proptest::sample::select(STARTS.to_vec()), any_control(), any::<[bool; 5]>()).prop_map(
        |(fen, control, [is_local, is_chess960, is_rated, is_touch_move, allows_takeback])| {
            let clock_start = if is_local { ClockStart::FirstMove } else { ClockStart::Game };
            Settings {
                is_chess960,
                clock_start,
                is_rated,
                is_touch_move,
                allows_takeback,
                ..settings(fen, control)
            }
        },
    )
}

/// Who sits at White and Black: usually two, sometimes one at both.
pub(crate) fn any_seats() -> impl Strategy<Value = [u64; 2]> {
    prop_oneof![4 => Just([1, 2]), 1 => Just([1, 1])]
}

fn spelled(game: &Game, ply: u32, choice: usize) -> Option<UciMove> {
    let position = game.line().positions().get(ply as usize)?;
    let moves = position.legal_moves();
    let mv = moves.get(choice % moves.len().max(1))?;
    Some(UciMove::from_move(*mv, CastlingSpelling::KingTakesRook))
}

/// The command that is meant, and who gives it.
pub(crate) fn meant(game: &Game, step: &Step) -> Option<(Actor, Command)> {
    let next = game.ply();
    let square = |index| Square::from_index(index).expect("below 64");
    let command = match step.attempt {
        Try::Legal { choice, plies_off, lag_ms } => Command::Move {
            ply: next.saturating_add_signed(plies_off),
            mv: spelled(game, next, choice)?,
            lag: Duration::from_millis(lag_ms),
        },
        Try::Any { from, to } => {
            let mv = UciMove::Normal { from: square(from), to: square(to), promotion: None };
            Command::Move { ply: next, mv, lag: Duration::ZERO }
        }
        Try::Again { choice } => {
            let ply = u32::try_from(choice).ok()?.checked_rem(next)?;
            let mv = game.line().moves()[ply as usize];
            let mv = UciMove::from_move(mv, CastlingSpelling::KingTakesRook);
            Command::Move { ply, mv, lag: Duration::ZERO }
        }
        Try::Touch { square: index, plies_off } => {
            Command::Touch { ply: next.saturating_add_signed(plies_off), square: square(index) }
        }
        Try::Claim { announced } => Command::Claim {
            ply: next,
            announced: announced.and_then(|choice| spelled(game, next, choice)),
            lag: Duration::ZERO,
        },
        Try::Plain(ref command) => command.clone(),
    };
    let mover = game.seats().get(game.line().turn()).map(|player| Actor::Player(player.id));
    Some((ACTORS.get(step.actor).copied().or(mover)?, command))
}
