//! The memory that idle sockets take.

use std::time::Duration;

use anyhow::{Context, Result};
use castellan_testkit::online::{Client, Process};
use futures_util::{StreamExt, TryStreamExt, stream};

/// Number of clients that connect at the same time.
const AT_ONCE: usize = 64;
/// Pause in which the server can release memory that it needed only for connecting.
const SETTLE_TIME: Duration = Duration::from_secs(3);

/// Returns the server's memory for each of `count` idle guests that have sent `hello`.
pub(super) async fn bytes_per_socket(server: &Process, count: usize) -> Result<f64> {
    let address = server.address();
    // The first guests make the server allocate what it needs only once.
    let _first = connect(address, 0..AT_ONCE).await?;
    tokio::time::sleep(SETTLE_TIME).await;
    let before = server.resident_bytes()?;
    let clients = connect(address, AT_ONCE..AT_ONCE + count).await?;
    tokio::time::sleep(SETTLE_TIME).await;
    let after = server.resident_bytes()?;
    drop(clients);
    Ok(after.saturating_sub(before) as f64 / count as f64)
}

async fn connect(
    address: std::net::SocketAddr,
    numbers: std::ops::Range<usize>,
) -> Result<Vec<Client>> {
    stream::iter(numbers)
        .map(|number| async move {
            let name = format!("Idle {number}").parse().context("a name")?;
            let (client, _) =
                Client::guest(address, &name).await.with_context(|| format!("socket {number}"))?;
            Ok(client)
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}
