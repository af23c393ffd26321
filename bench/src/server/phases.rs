//! The two ways to load a server.
//!
//! The closed loop answers every move at once and measures throughput. The open loop plays by a
//! schedule and measures latency. It counts from the scheduled time, so a server that stalls for a
//! second is charged for all moves of that second.

use std::time::Duration;

use anyhow::{Context, Result};
use castellan_rules::Move;
use castellan_testkit::online::{OnlineGame, lasting_move};
use futures_util::future::try_join_all;
use tokio::time::{Instant, sleep_until};

use super::driver::ActiveGame;
use super::latency::Latencies;

/// Time before the measurement begins, in which caches fill and all games start.
const WARM_UP: Duration = Duration::from_secs(2);

/// Returns how many moves the opponents saw within `time`, and the latency of each.
pub(super) async fn closed(games: Vec<ActiveGame>, time: Duration) -> Result<(usize, Latencies)> {
    let from = Instant::now() + WARM_UP;
    let until = from + time;
    let games = games.into_iter().map(|game| tokio::spawn(closed_loop_game(game, from, until)));
    let mut all = Vec::new();
    for latencies in try_join_all(games).await.context("a game task panicked")? {
        all.extend(latencies?);
    }
    Ok((all.len(), Latencies::new(all)))
}

/// Plays one game in which every move is answered at once.
async fn closed_loop_game(
    mut game: ActiveGame,
    from: Instant,
    until: Instant,
) -> Result<Vec<Duration>> {
    let mut latencies = Vec::new();
    loop {
        let mv = choose(&mut game).await?;
        let sent = Instant::now();
        let seen = step(&mut game.online, mv, sent).await?;
        if seen >= until {
            return Ok(latencies);
        }
        if seen >= from {
            latencies.push(seen - sent);
        }
    }
}

/// Returns the latencies of moves that are scheduled every `pause`, for `time`.
pub(super) async fn open(
    games: Vec<ActiveGame>,
    pause: Duration,
    time: Duration,
) -> Result<Latencies> {
    let from = Instant::now() + WARM_UP;
    let until = from + time;
    let count = games.len();
    let games = games.into_iter().enumerate().map(|(number, game)| {
        // The games are spread evenly over each pause.
        let first = from - WARM_UP + pause.mul_f64(number as f64 / count as f64);
        tokio::spawn(scheduled_game(game, Timetable { first, pause, from, until }))
    });
    let mut all = Vec::new();
    for latencies in try_join_all(games).await.context("a game task panicked")? {
        all.extend(latencies?);
    }
    Ok(Latencies::new(all))
}

/// When the moves of one game are scheduled, and which of them are measured.
struct Timetable {
    first: Instant,
    pause: Duration,
    from: Instant,
    until: Instant,
}

async fn scheduled_game(mut game: ActiveGame, timetable: Timetable) -> Result<Vec<Duration>> {
    let mut latencies = Vec::new();
    let mut scheduled = timetable.first;
    while scheduled < timetable.until {
        let mv = choose(&mut game).await?;
        sleep_until(scheduled).await;
        let seen = step(&mut game.online, mv, scheduled).await?;
        if scheduled >= timetable.from {
            latencies.push(seen - scheduled);
        }
        scheduled += timetable.pause;
    }
    Ok(latencies)
}

/// Returns the next move of a game. If the game cannot continue, a new one starts: on a disk with a
/// fast fsync, a game can end within one phase.
async fn choose(game: &mut ActiveGame) -> Result<Move> {
    let ActiveGame { online, rng } = game;
    if let Some(mv) = lasting_move(&mut online.line, rng) {
        return Ok(mv);
    }
    online.start_another().await.context("cannot start another game")?;
    lasting_move(&mut online.line, rng).context("the game is over before its first move")
}

/// Plays one move and waits until both players have seen it. Returns when the opponent saw it.
async fn step(game: &mut OnlineGame, mv: Move, scheduled: Instant) -> Result<Instant> {
    game.send_move(mv).await?;
    game.wait_for_opponent().await?;
    let seen = Instant::now().max(scheduled);
    game.wait_for_mover(mv).await?;
    Ok(seen)
}
