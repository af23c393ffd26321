//! Kills the server with `kill -9` during many games, and checks that nothing acknowledged is lost.
//!
//! A real server is killed at random moments and restarted on the same data. The players reconnect
//! with their sessions and must find everything that was announced to them: every move, every
//! offer, and clocks that did not run while the server was down. At the end, the stored events are
//! compared with everything that was ever announced.
//!
//! `CASTELLAN_CRASH_ROUNDS` sets how often the server is killed; the default is 20.

#[allow(dead_code, reason = "the tests of the store use more of it")]
#[path = "../../../../store/tests/it/cluster.rs"]
pub(crate) mod cluster;
pub(crate) mod memory;
mod pair;
pub(crate) mod proof;

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use castellan_store::{Store, postgres, sqlite};
use castellan_testkit::online::Process;
use castellan_testkit::random::SplitMix64;
use tokio::task::JoinSet;

use cluster::Cluster;
use pair::{Pair, Stop};

const ROUNDS: usize = 20;
const PAIRS: usize = 24;
/// Maximum time for which a server runs before it is killed.
const MAX_UPTIME: Duration = Duration::from_millis(900);
/// Maximum time between a kill and the restart.
const MAX_DOWNTIME: Duration = Duration::from_millis(400);
/// Number of moves that every pair plays undisturbed after the last restart.
const LAST_MOVES: usize = 6;

/// Counts for the whole test.
#[derive(Default, Debug)]
struct Counts {
    kills: usize,
    announced_moves: usize,
    announced_offers: usize,
    returns: usize,
    /// Moves that were stored, but not announced before the server was killed.
    stored_unannounced: usize,
}

/// The storage of a server.
enum Storage {
    Folder(PathBuf),
    Database(String),
}

impl Storage {
    /// Starts a server on the data that the last one left.
    fn start(&self) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_castellan"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--unlimited", "127.0.0.1"]);
        match self {
            Storage::Folder(folder) => command.arg("--data").arg(folder),
            Storage::Database(url) => command.arg("--database").arg(url),
        };
        Process::start(command.env("CASTELLAN_LOG", "warn")).expect("the server starts")
    }

    /// Opens the store, as a server would.
    async fn open(&self) -> Arc<dyn Store> {
        let store = match self {
            Storage::Folder(folder) => {
                sqlite::open(folder.join("castellan.db"), sqlite::SqliteOptions::default())
            }
            Storage::Database(url) => {
                postgres::connect(url, postgres::PostgresOptions::default()).await
            }
        };
        store.expect("the database is sound")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    prove(&Storage::Folder(folder.path().to_owned()), rounds()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_with_postgresql() {
    let Some(cluster) = Cluster::start().await else { return };
    let url = cluster.create_schema("crash").await;
    // Only the store differs, and it has tests of its own, so a few kills are enough.
    prove(&Storage::Database(url), rounds().div_ceil(5)).await;
}

async fn prove(storage: &Storage, rounds: usize) {
    let (pairs, counts) = kill_and_return(storage, rounds).await;
    let store = storage.open().await;
    for pair in &pairs {
        let stored = store.load_game(pair.game()).await.expect("the game can be read");
        proof::assert_recorded(pair, &stored.expect("the game is stored"));
    }
    store.close().await.expect("it can be closed");
    println!("{} games: {counts:?}", pairs.len());
    assert_eq!(counts.kills, rounds);
    assert!(counts.announced_moves > pairs.len() * LAST_MOVES, "{counts:?}");
    assert!(counts.announced_offers > 0 && counts.returns > 0, "{counts:?}");
}

fn rounds() -> usize {
    match env::var("CASTELLAN_CRASH_ROUNDS") {
        Ok(text) => text.parse().expect("CASTELLAN_CRASH_ROUNDS is a number"),
        Err(_) => ROUNDS,
    }
}

/// Kills the server `rounds` times, then lets the games continue and stops the server gracefully.
async fn kill_and_return(storage: &Storage, rounds: usize) -> (Vec<Pair>, Counts) {
    let mut rng = SplitMix64::new(seed());
    let mut counts = Counts::default();
    let mut pairs: Vec<Pair> = (0..PAIRS).map(|number| Pair::new(number, rounds)).collect();
    let mut server = storage.start();
    for round in 0..rounds {
        let address = server.address();
        // The first server runs until every pair has started its game.
        let stop = if round == 0 { Stop::AfterMoves(2) } else { Stop::Never };
        let games = play(pairs, address, stop);
        let uptime = up_to(&mut rng, MAX_UPTIME);
        pairs = if round == 0 {
            let pairs = games.await;
            kill(server);
            pairs
        } else {
            let (pairs, ()) = tokio::join!(games, async {
                tokio::time::sleep(uptime).await;
                kill(server);
            });
            pairs
        };
        let killed = Instant::now();
        counts.kills += 1;
        tokio::time::sleep(up_to(&mut rng, MAX_DOWNTIME)).await;
        // From here on the clocks may run, because the new server resumes the games as it starts.
        pairs.iter_mut().for_each(|pair| pair.add_downtime(killed.elapsed()));
        server = storage.start();
    }
    pairs = play(pairs, server.address(), Stop::AfterMoves(LAST_MOVES)).await;
    server.stop().expect("it stops gracefully");
    for pair in &pairs {
        counts.announced_moves += pair.count_moves();
        counts.announced_offers += pair.count_offers();
        counts.returns += pair.returns();
        counts.stored_unannounced += pair.stored_unannounced();
    }
    (pairs, counts)
}

fn up_to(rng: &mut SplitMix64, longest: Duration) -> Duration {
    Duration::from_millis(rng.below(longest.as_millis() as usize) as u64)
}

/// Returns the seed, which determines the choices, but not the moments at which they take effect.
fn seed() -> u64 {
    env::var("CASTELLAN_CRASH_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn kill(server: Process) {
    server.kill().expect("we may kill our own process");
}

/// Lets all pairs play at once, each until the server is gone or `stop` is reached.
async fn play(pairs: Vec<Pair>, address: std::net::SocketAddr, stop: Stop) -> Vec<Pair> {
    let mut games = JoinSet::new();
    for pair in pairs {
        games.spawn(pair.play(address, stop));
    }
    let mut pairs = games.join_all().await;
    pairs.sort_by_key(Pair::number);
    pairs
}
