//! Starts many games on the server.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use castellan_testkit::online::Table;
use castellan_testkit::random::SplitMix64;
use futures_util::{StreamExt, TryStreamExt, stream};

/// Number of games that are started at the same time.
const AT_ONCE: usize = 32;

/// A game whose moves are determined by its number.
pub(super) struct ActiveGame {
    pub(super) table: Table,
    pub(super) rng: SplitMix64,
}

/// Starts `count` games, each between two guests.
pub(super) async fn start_games(address: SocketAddr, count: usize) -> Result<Vec<ActiveGame>> {
    stream::iter(0..count)
        .map(|number| async move {
            let table = Table::sit(address, number).await;
            let table = table.with_context(|| format!("table {number} of {count}"))?;
            Ok(ActiveGame { table, rng: SplitMix64::new(number as u64) })
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}
