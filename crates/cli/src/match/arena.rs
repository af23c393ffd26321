//! Plays several games at once, each on its own board with two engine processes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::MatchResults;
use super::game::{self, PlayedGame};
use super::player::EnginePlayer;
use super::settings::MatchSettings;

/// How often the score is shown while no game ends.
const TICK: Duration = Duration::from_secs(1);

/// Plays these games, roughly in this order, until all are played or the match is over.
pub(super) fn play_all(
    settings: &MatchSettings,
    numbers: &[u32],
    is_over: &AtomicBool,
    score: &mut MatchResults<'_>,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, results) = sync_channel(settings.concurrency);
        for _ in 0..settings.concurrency.min(numbers.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || board(settings, numbers, next, is_over, &sender));
        }
        drop(sender);
        let collected = collect_results(&results, is_over, score);
        // After an error no board starts another game, and the results are drained until every
        // board has finished.
        if collected.is_err() {
            is_over.store(true, Ordering::Relaxed);
            results.iter().for_each(drop);
        }
        collected
    })
}

/// Plays one game after another.
fn board(
    settings: &MatchSettings,
    numbers: &[u32],
    next: &AtomicUsize,
    is_over: &AtomicBool,
    results: &SyncSender<anyhow::Result<PlayedGame>>,
) {
    let [a, b] = &settings.engines;
    let mut players = [EnginePlayer::new(a), EnginePlayer::new(b)];
    while !is_over.load(Ordering::Relaxed) {
        let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
        let played = game::play(*number, settings, &mut players, is_over).transpose();
        let Some(played) = played else { return };
        let is_failure = played.is_err();
        if results.send(played).is_err() || is_failure {
            return;
        }
    }
}

fn collect_results(
    results: &Receiver<anyhow::Result<PlayedGame>>,
    is_over: &AtomicBool,
    score: &mut MatchResults<'_>,
) -> anyhow::Result<()> {
    loop {
        match results.recv_timeout(TICK) {
            Ok(Ok(game)) => score.add(game)?,
            Ok(Err(error)) => {
                is_over.store(true, Ordering::Relaxed);
                return Err(error);
            }
            Err(RecvTimeoutError::Timeout) => score.show(),
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
