//! Idle sockets: the memory that they take, and whether they slow down games played at the same time.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use castellan_testkit::online::{Client, ClientError, Process};
use futures_util::{StreamExt, TryStreamExt, stream};
use rustix::process::{Resource, getrlimit};
use tokio::task::JoinHandle;

use super::latency::Latencies;
use super::{driver, phases};

/// Number of clients that connect at the same time.
const AT_ONCE: usize = 64;
/// Pause in which the server can release memory that it needed only for connecting.
const SETTLE_TIME: Duration = Duration::from_secs(3);
/// Number of sockets from each address of this machine; a system has about 28,000 ports for them.
const PER_ADDRESS: usize = 20_000;
/// Number of games played while the sockets are open.
const GAMES: usize = 50;
/// Files that a process has open apart from the idle sockets.
const OTHER_FILES: usize = 2 * GAMES + 2 * AT_ONCE + 100;

/// What a phase with idle sockets has shown.
pub(super) struct IdleReport {
    /// Memory of the server process for each socket.
    pub(super) bytes: f64,
    /// Memory of the kernel for each end of a connection, as far as the whole machine's has grown.
    pub(super) kernel_bytes: Option<f64>,
    /// Latencies of games before the sockets were opened, and while they are open.
    pub(super) latencies: [Latencies; 2],
}

/// Returns the addresses from which the clients connect.
pub(super) fn sources(count: usize) -> Vec<IpAddr> {
    let last = u8::try_from((AT_ONCE + count) / PER_ADDRESS).expect("the options limit the number");
    (0..=last).map(|number| IpAddr::V4(Ipv4Addr::new(127, 0, 1, number))).collect()
}

/// Checks that a process may open as many sockets.
pub(super) fn check_limit(count: usize) -> Result<()> {
    let limit = getrlimit(Resource::Nofile).current;
    let max = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    ensure!(
        count + OTHER_FILES <= max,
        "{count} idle sockets need {} open files in each process, and the limit is {max}; raise it \
         as root with `ulimit -n {}`, or measure fewer with --idle {}",
        count + OTHER_FILES,
        count + OTHER_FILES,
        max.saturating_sub(OTHER_FILES)
    );
    Ok(())
}

/// Opens `count` sockets of guests who do nothing, and plays games before that and while they are open.
pub(super) async fn measure(
    server: &Process,
    count: usize,
    pause: Duration,
    time: Duration,
) -> Result<IdleReport> {
    let address = server.address();
    // The first guests make the server allocate what it needs only once.
    let first = connect(server, 0..AT_ONCE).await?;
    let alone = phases::open(driver::start_games(address, GAMES).await?, pause, time).await?;
    tokio::time::sleep(SETTLE_TIME).await;
    let (before, kernel_before) = (server.resident_bytes()?, kernel_bytes());
    let clients = connect(server, AT_ONCE..AT_ONCE + count).await?;
    tokio::time::sleep(SETTLE_TIME).await;
    let (after, kernel_after) = (server.resident_bytes()?, kernel_bytes());
    let with_sockets =
        phases::open(driver::start_games(address, GAMES).await?, pause, time).await?;
    for client in first.into_iter().chain(clients) {
        ensure!(!client.is_finished(), "a socket was lost: {}", client.await?);
        client.abort();
    }
    let per_socket = |before: u64, after: u64| after.saturating_sub(before) as f64 / count as f64;
    Ok(IdleReport {
        bytes: per_socket(before, after),
        // Both ends are on this machine.
        kernel_bytes: kernel_before
            .zip(kernel_after)
            .map(|(before, after)| per_socket(before, after) / 2.0),
        latencies: [alone, with_sockets],
    })
}

/// Connects guests, who stay connected and answer pings.
async fn connect(server: &Process, numbers: Range<usize>) -> Result<Vec<JoinHandle<ClientError>>> {
    let (address, sources) = (server.address(), sources(numbers.end));
    stream::iter(numbers)
        .map(|number| {
            let source = sources[number / PER_ADDRESS];
            async move {
                let name = format!("Idle {number}").parse().context("a name")?;
                let connected = Client::guest_from(source, address, &name).await;
                let (client, _) = connected.with_context(|| format!("socket {number}"))?;
                Ok(tokio::spawn(client.idle()))
            }
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}

/// Returns the memory for objects of the kernel, sockets among them, on the whole machine.
fn kernel_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Slab:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_socket_has_an_address_with_a_free_port() {
        for count in [1, 10_000, 19_936, 50_000, 500_000] {
            let sources = sources(count);
            assert!(sources.len() > (AT_ONCE + count - 1) / PER_ADDRESS, "{count}");
            assert!(sources.iter().all(IpAddr::is_loopback));
        }
    }
}
