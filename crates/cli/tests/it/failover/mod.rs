//! Kills one node of a cluster after the other with `kill -9` during many games.
//!
//! Three real servers share a PostgreSQL database and a NATS server. The players of a game are at
//! different nodes; those of a killed node reconnect to another one, and all games continue. At the
//! end, the stored games are compared with everything that was ever announced, and the time that
//! was charged with the time that the players themselves measured.
//!
//! `CASTELLAN_FAILOVER_FAULTS` says what goes wrong, again and again in this order, separated by
//! commas: `node` (one node is killed), `all` (every node is killed), `bus` (the NATS server is
//! killed), `store` (no event can be stored or read). By default a fault begins and ends when every
//! game has had a few moves. For a load test, set `CASTELLAN_FAILOVER_SECONDS` to the time from one
//! fault to the next, of which it lasts a quarter, and `CASTELLAN_FAILOVER_ROUNDS` and
//! `CASTELLAN_FAILOVER_GAMES` to their numbers. `CASTELLAN_FAILOVER_PROGRAM` names another build of
//! the program. The results are printed (`--no-capture`).

mod player;
mod report;

use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use castellan_store::postgres;
use castellan_testkit::online::{OnlineGame, Process};
use castellan_testkit::random::SplitMix64;
use castellan_testkit::waiting::LIMIT;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::crash::cluster::Cluster;
use crate::nats::Nats;
use crate::nodes::node_command;
use player::Player;
use report::Report;

const NODES: usize = 3;
/// Number of moves that every game has before a fault and, if games go on, before its end.
const FEW_MOVES: usize = 3;
/// Number of moves that every game has after the last fault.
const LAST_MOVES: usize = 6;
/// How long a fault lasts that stops all games, unless faults follow the clock.
const STANDSTILL: Duration = Duration::from_secs(2);
const SCHEMA: &str = "failover";

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// A node is killed.
    Node,
    /// All nodes are killed.
    All,
    /// The nodes hear nothing of each other.
    Bus,
    /// No event can be stored or read.
    Store,
}

impl Fault {
    fn parse(word: &str) -> Fault {
        match word {
            "node" => Fault::Node,
            "all" => Fault::All,
            "bus" => Fault::Bus,
            "store" => Fault::Store,
            _ => panic!("unknown fault {word:?}; the faults are node, all, bus and store"),
        }
    }
}

/// What to do.
struct Plan {
    games: usize,
    rounds: usize,
    faults: Vec<Fault>,
    /// Time from one fault to the next; `None` if faults wait for moves instead.
    pace: Option<Duration>,
    program: PathBuf,
}

impl Plan {
    fn from_environment() -> Plan {
        let text = |name: &str| env::var(format!("CASTELLAN_FAILOVER_{name}")).ok();
        let number = |name: &str| {
            let text = text(name)?;
            Some(text.parse::<usize>().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
        };
        let faults = text("FAULTS").unwrap_or_else(|| "node,all".to_owned());
        Plan {
            games: number("GAMES").unwrap_or(12),
            rounds: number("ROUNDS").unwrap_or(4),
            faults: faults.split(',').map(Fault::parse).collect(),
            pace: number("SECONDS").map(|it| Duration::from_secs(it as u64)),
            program: text("PROGRAM")
                .map_or_else(|| env!("CARGO_BIN_EXE_castellan").into(), PathBuf::from),
        }
    }
}

/// The addresses of the nodes; `None` for one that is dead.
struct Nodes(Mutex<[Option<SocketAddr>; NODES]>);

impl Nodes {
    fn set(&self, node: usize, address: Option<SocketAddr>) {
        self.0.lock().expect("no test has panicked")[node] = address;
    }

    fn address(&self, node: usize) -> SocketAddr {
        self.0.lock().expect("no test has panicked")[node].expect("it is running")
    }

    /// Returns one of the living nodes, if there is one.
    fn pick(&self, rng: &mut SplitMix64) -> Option<SocketAddr> {
        let nodes = self.0.lock().expect("no test has panicked");
        let living: Vec<SocketAddr> = nodes.iter().copied().flatten().collect();
        living.get(rng.below(living.len().max(1))).copied()
    }
}

/// What the two players of a game share besides the game.
struct Table {
    plies: AtomicUsize,
    is_stopping: AtomicBool,
    /// The number of moves, once no more will be made.
    last_ply: watch::Sender<Option<usize>>,
}

impl Table {
    fn new() -> Table {
        Table {
            plies: AtomicUsize::new(0),
            is_stopping: AtomicBool::new(false),
            last_ply: watch::Sender::new(None),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_go_on_when_nodes_are_killed() {
    let (Some(cluster), Some(nats)) = (Cluster::start().await, Nats::start()) else { return };
    let database = cluster.create_schema(SCHEMA).await;
    let plan = Plan::from_environment();
    let mut site = Site::start(&plan, cluster, nats, database).await;
    let (tables, players) = sit_down(&plan, &site.nodes).await;
    println!("{} games have begun", tables.len());

    let began = Instant::now();
    for round in 0..plan.rounds {
        match plan.pace {
            Some(pace) => sleep(pace * 3 / 4).await,
            None => wait_for_moves(&tables, FEW_MOVES).await,
        }
        let fault = plan.faults[round % plan.faults.len()];
        println!("{:.0} s: {fault:?}", began.elapsed().as_secs_f64());
        site.suffer(fault, plan.pace, &tables).await;
    }
    println!("{:.0} s: the last fault is over", began.elapsed().as_secs_f64());
    wait_for_moves(&tables, LAST_MOVES).await;
    tables.iter().for_each(|table| table.is_stopping.store(true, Ordering::SeqCst));
    let mut players = players.join_all().await;
    let time = began.elapsed();
    players.sort_by_key(Player::seat);
    for server in site.servers.into_iter().flatten() {
        server.stop().expect("it stops gracefully");
    }

    let options = postgres::PostgresOptions::default();
    let store = postgres::connect(&site.database, options).await.expect("the database is sound");
    let mut report = Report::new(site.kills, time);
    for pair in players.chunks(2) {
        let stored = store.load_game(pair[0].game()).await.expect("the game can be read");
        report.add(pair, &stored.expect("the game is stored"));
    }
    store.close().await.expect("it closes");
    println!("{report}");
}

/// The nodes and what they depend on.
struct Site {
    cluster: Cluster,
    nats: Nats,
    database: String,
    program: PathBuf,
    servers: [Option<Process>; NODES],
    nodes: Arc<Nodes>,
    /// Number of nodes that were killed.
    kills: usize,
}

impl Site {
    async fn start(plan: &Plan, cluster: Cluster, nats: Nats, database: String) -> Site {
        let (servers, nodes) = ([None, None, None], Arc::new(Nodes(Mutex::new([None; NODES]))));
        let program = plan.program.clone();
        let mut site = Site { cluster, nats, database, program, servers, nodes, kills: 0 };
        site.start_nodes().await;
        site
    }

    /// Starts the nodes that are not running, all at once.
    async fn start_nodes(&mut self) {
        let mut starting = JoinSet::new();
        for node in (0..NODES).filter(|&node| self.servers[node].is_none()) {
            let mut command = node_command(&self.program, &self.database, &self.nats.url());
            starting.spawn_blocking(move || (node, Process::start(&mut command)));
        }
        while let Some(started) = starting.join_next().await {
            let (node, server) = started.expect("no panic");
            let server = server.expect("the node starts");
            self.nodes.set(node, Some(server.address()));
            self.servers[node] = Some(server);
        }
    }

    async fn kill(&mut self, node: usize) {
        let server = self.servers[node].take().expect("it was started again");
        self.nodes.set(node, None);
        let killed = tokio::task::spawn_blocking(|| server.kill()).await;
        killed.expect("no panic").expect("it is our process");
        self.kills += 1;
    }

    /// Makes something go wrong, and then repairs it.
    async fn suffer(&mut self, fault: Fault, pace: Option<Duration>, tables: &[Arc<Table>]) {
        let time = pace.map(|pace| pace / 4);
        match fault {
            Fault::Node => {
                self.kill(self.kills % NODES).await;
                match time {
                    Some(time) => sleep(time).await,
                    None => wait_for_moves(tables, FEW_MOVES).await,
                }
                self.start_nodes().await;
            }
            Fault::All => {
                for node in 0..NODES {
                    self.kill(node).await;
                }
                sleep(time.unwrap_or(STANDSTILL)).await;
                self.start_nodes().await;
            }
            Fault::Bus => {
                self.nats.stop();
                sleep(time.unwrap_or(STANDSTILL)).await;
                tokio::task::block_in_place(|| self.nats.run());
            }
            Fault::Store => {
                let seconds = time.unwrap_or(STANDSTILL).as_secs();
                let lock = "LOCK TABLE events IN ACCESS EXCLUSIVE MODE";
                let sql = format!("DO $$ BEGIN {lock}; PERFORM pg_sleep({seconds}); END $$");
                self.cluster.say_in(SCHEMA, &sql).await;
            }
        }
    }
}

/// Starts all games, each between players at different nodes.
async fn sit_down(plan: &Plan, nodes: &Arc<Nodes>) -> (Vec<Arc<Table>>, JoinSet<Player>) {
    let mut starting = JoinSet::new();
    for number in 0..plan.games {
        let at = [nodes.address(number % NODES), nodes.address((number + 1) % NODES)];
        starting.spawn(async move { (number, OnlineGame::start_at(at, number).await) });
    }
    let (mut tables, mut players) = (Vec::new(), JoinSet::new());
    while let Some(started) = starting.join_next().await {
        let (number, online) = started.expect("no panic");
        let table = Arc::new(Table::new());
        let online = online.expect("the game starts");
        for player in Player::both(number, online, plan.pace.is_some()) {
            players.spawn(player.play(Arc::clone(nodes), Arc::clone(&table)));
        }
        tables.push(table);
    }
    (tables, players)
}

/// Waits until every game has had some more moves.
async fn wait_for_moves(tables: &[Arc<Table>], moves: usize) {
    let plies = |table: &Arc<Table>| table.plies.load(Ordering::SeqCst);
    let goals: Vec<usize> = tables.iter().map(|table| plies(table) + moves).collect();
    for (table, goal) in tables.iter().zip(goals) {
        let deadline = Instant::now() + LIMIT;
        while plies(table) < goal && table.last_ply.borrow().is_none() {
            assert!(Instant::now() < deadline, "a game has stopped at ply {}", plies(table));
            sleep(Duration::from_millis(5)).await;
        }
    }
}
