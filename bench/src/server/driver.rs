//! Starts many games on the server.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use castellan_testkit::online::OnlineGame;
use castellan_testkit::random::SplitMix64;
use futures_util::{StreamExt, TryStreamExt, stream};

/// Number of games that are started at the same time.
const AT_ONCE: usize = 32;

/// A game whose moves are determined by its number.
pub(super) struct ActiveGame {
    pub(super) online: OnlineGame,
    pub(super) rng: SplitMix64,
}

/// Starts `count` games, each between two guests.
pub(super) async fn start_games(address: SocketAddr, count: usize) -> Result<Vec<ActiveGame>> {
    stream::iter(0..count)
        .map(|number| async move {
            let online = OnlineGame::start(address, number).await;
            let online = online.with_context(|| format!("game {number} of {count}"))?;
            Ok(ActiveGame { online, rng: SplitMix64::new(number as u64) })
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}
