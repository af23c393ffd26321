//! `kill -9` in the middle of many games, and nothing that was acknowledged is lost.
//!
//! A real server is killed at random moments and started again on the same data. Players come back
//! by themselves with their sessions. What they have been told must all be there: every move,
//! every offer, and clocks that have not run while the server was away. At the end the record in
//! the store is compared with everything that was ever announced.
//!
//! `CASTELLAN_CRASH_ROUNDS` says how often the server is killed, 20 times if nobody says so.

#[allow(dead_code, reason = "the tests of the store ask for more")]
#[path = "../../../../store/tests/it/cluster.rs"]
pub(crate) mod cluster;
mod pair;
mod proof;

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
/// A server lives so long at most, and at least long enough to be reached now and then.
const LONGEST_LIFE: Duration = Duration::from_millis(900);
/// And it is away so long at most.
const LONGEST_PAUSE: Duration = Duration::from_millis(400);
/// After the last start every pair plays so many moves undisturbed.
const LAST_MOVES: usize = 6;

/// What the whole test has been through.
#[derive(Default, Debug)]
struct Figures {
    kills: usize,
    announced_moves: usize,
    announced_offers: usize,
    returns: usize,
    /// Moves that were stored although the server died before it could say so.
    kept_unannounced: usize,
}

/// Where a server keeps its games.
enum Place {
    Folder(PathBuf),
    Database(String),
}

impl Place {
    /// Starts a server there, on whatever the last one left.
    fn start(&self) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_castellan"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--unlimited", "127.0.0.1"]);
        match self {
            Place::Folder(folder) => command.arg("--data").arg(folder),
            Place::Database(url) => command.arg("--database").arg(url),
        };
        Process::start(command.env("CASTELLAN_LOG", "warn")).expect("the server starts")
    }

    /// Opens what is stored there, as a server would.
    async fn open(&self) -> Arc<dyn Store> {
        let store = match self {
            Place::Folder(folder) => {
                sqlite::open(folder.join("castellan.db"), sqlite::SqliteOptions::default())
            }
            Place::Database(url) => {
                postgres::connect(url, postgres::PostgresOptions::default()).await
            }
        };
        store.expect("the database is sound")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    prove(&Place::Folder(folder.path().to_owned()), rounds()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_with_postgresql() {
    let Some(cluster) = Cluster::start().await else { return };
    let url = cluster.create_schema("crash").await;
    // What differs is the store, which has its own tests; a few kills show that it is used well.
    prove(&Place::Database(url), rounds().div_ceil(5)).await;
}

async fn prove(place: &Place, rounds: usize) {
    let (pairs, figures) = kill_and_return(place, rounds).await;
    let store = place.open().await;
    for pair in &pairs {
        let stored = store.load_game(pair.game()).await.expect("the game can be read");
        proof::assert_recorded(pair, &stored.expect("the game is stored"));
    }
    store.close().await.expect("it can be closed");
    println!("{} games: {figures:?}", pairs.len());
    assert_eq!(figures.kills, rounds);
    assert!(figures.announced_moves > pairs.len() * LAST_MOVES, "{figures:?}");
    assert!(figures.announced_offers > 0 && figures.returns > 0, "{figures:?}");
}

fn rounds() -> usize {
    match env::var("CASTELLAN_CRASH_ROUNDS") {
        Ok(text) => text.parse().expect("CASTELLAN_CRASH_ROUNDS is a number"),
        Err(_) => ROUNDS,
    }
}

/// Kills the server so many times, then lets the games go on and stops it in order.
async fn kill_and_return(place: &Place, rounds: usize) -> (Vec<Pair>, Figures) {
    let mut rng = SplitMix64::new(seed());
    let mut figures = Figures::default();
    let mut pairs: Vec<Pair> = (0..PAIRS).map(|number| Pair::new(number, rounds)).collect();
    let mut server = place.start();
    for round in 0..rounds {
        let address = server.address();
        // The first life is long enough for every pair to sit down.
        let stop = if round == 0 { Stop::AfterMoves(2) } else { Stop::Never };
        let games = play(pairs, address, stop);
        let life = up_to(&mut rng, LONGEST_LIFE);
        pairs = if round == 0 {
            let pairs = games.await;
            kill(server);
            pairs
        } else {
            let (pairs, ()) = tokio::join!(games, async {
                tokio::time::sleep(life).await;
                kill(server);
            });
            pairs
        };
        let killed = Instant::now();
        figures.kills += 1;
        tokio::time::sleep(up_to(&mut rng, LONGEST_PAUSE)).await;
        // From here on the clocks may run: the new server takes the games up as it starts.
        pairs.iter_mut().for_each(|pair| pair.was_away(killed.elapsed()));
        server = place.start();
    }
    pairs = play(pairs, server.address(), Stop::AfterMoves(LAST_MOVES)).await;
    server.stop().expect("it stops in order");
    for pair in &pairs {
        figures.announced_moves += pair.count_moves();
        figures.announced_offers += pair.count_offers();
        figures.returns += pair.returns();
        figures.kept_unannounced += pair.kept_unannounced();
    }
    (pairs, figures)
}

fn up_to(rng: &mut SplitMix64, longest: Duration) -> Duration {
    Duration::from_millis(rng.below(longest.as_millis() as usize) as u64)
}

/// A fixed seed makes the choices the same, though not the moments at which they fall.
fn seed() -> u64 {
    env::var("CASTELLAN_CRASH_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn kill(server: Process) {
    server.kill().expect("a process of ours can be killed");
}

/// All pairs at once, each until the server is gone or it has had enough.
async fn play(pairs: Vec<Pair>, address: std::net::SocketAddr, stop: Stop) -> Vec<Pair> {
    let mut games = JoinSet::new();
    for pair in pairs {
        games.spawn(pair.live(address, stop));
    }
    let mut pairs = games.join_all().await;
    pairs.sort_by_key(Pair::number);
    pairs
}
