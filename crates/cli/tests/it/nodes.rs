//! Two servers with one PostgreSQL database, connected by a real NATS server. Players on different
//! nodes play each other, one node is killed, and the bus is stopped and restarted.

use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use castellan_game::{Event, GameId, TimeControl};
use castellan_protocol::{ClientMessage, GameRef, Seat, Seek, ServerMessage, SessionToken};
use castellan_store::postgres;
use castellan_testkit::online::{Client, Process};
use castellan_testkit::waiting::wait_until;

use crate::crash::cluster::Cluster;
use crate::nats::Nats;

const LONG: TimeControl = TimeControl::Increment { initial_ms: 3_600_000, increment_ms: 0 };

fn node(database: &str, nats: &Nats) -> Process {
    let program = Path::new(env!("CARGO_BIN_EXE_castellan"));
    Process::start(&mut node_command(program, database, &nats.url())).expect("the node starts")
}

/// Starts a node that trusts the authority of an encrypted bus.
fn trusting_node(database: &str, nats: &Nats) -> Process {
    let program = Path::new(env!("CARGO_BIN_EXE_castellan"));
    let authority = nats.authority().expect("the bus is encrypted");
    let mut command = node_command(program, database, &nats.url());
    Process::start(command.env("SSL_CERT_FILE", authority)).expect("the node starts")
}

/// Returns the command that starts a node of a cluster.
pub(crate) fn node_command(program: &Path, database: &str, bus: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["serve", "--listen", "127.0.0.1:0", "--unlimited", "127.0.0.1"]);
    command.args(["--database", database, "--bus", bus]).env("CASTELLAN_LOG", "warn");
    command
}

fn health(node: &Process) -> String {
    use std::io::{Read, Write};
    let mut stream = TcpStream::connect(node.address()).expect("the node listens");
    let request =
        format!("GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", node.address());
    stream.write_all(request.as_bytes()).expect("the node reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the node answers");
    answer
}

/// White and Black, each connected to some node.
struct Players {
    game: GameId,
    clients: [Client; 2],
    sessions: [SessionToken; 2],
    ply: usize,
    began: Instant,
}

/// The moves of the game.
const MOVES: [&str; 12] = [
    "e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "d2d3", "d7d6", "c2c3", "a7a6", "h2h3", "h7h6",
];

impl Players {
    /// Connects two guests to two nodes and pairs them.
    async fn pair_up(here: SocketAddr, there: SocketAddr) -> Players {
        let mut found = Vec::new();
        for (address, name) in [(here, "Anna"), (there, "Ben")] {
            let (mut client, welcome) =
                Client::guest(address, &name.parse().expect("a name")).await.expect("a guest");
            let seek = Seek { time_control: LONG, is_rated: false };
            client.send(&ClientMessage::Seek(seek)).await.expect("it is sent");
            found.push((client, welcome.session.expect("a session")));
        }
        let mut seated = Vec::new();
        for (mut client, session) in found {
            let snapshot = client.receive_game().await.expect("a game");
            seated.push((snapshot.you, snapshot.game, client, session));
        }
        seated.sort_by_key(|(seat, ..)| *seat != Some(Seat::White));
        let [(_, game, white, s), (_, other, black, t)] =
            <[_; 2]>::try_from(seated).unwrap_or_else(|_| panic!("two players"));
        assert_eq!(game, other);
        let (clients, sessions) = ([white, black], [s, t]);
        Players { game, clients, sessions, ply: 0, began: Instant::now() }
    }

    /// Plays the next moves. Returns how long each took to reach the opponent.
    async fn play(&mut self, count: usize) -> Vec<Duration> {
        let mut times = Vec::new();
        for _ in 0..count {
            let (mover, ply) = (self.ply % 2, u32::try_from(self.ply).expect("a short game"));
            let mv = MOVES[self.ply].parse().expect("a move");
            let start = Instant::now();
            self.clients[mover].make_move(self.game, ply, mv).await.expect("it is sent");
            for index in [1 - mover, mover] {
                self.receive_move(index, ply).await;
                if index != mover {
                    times.push(start.elapsed());
                }
            }
            self.ply += 1;
        }
        times
    }

    async fn receive_move(&mut self, index: usize, ply: u32) {
        loop {
            match self.clients[index].receive().await.expect("a message arrives") {
                ServerMessage::Event(event) => match event.event {
                    Event::Moved { ply: moved, .. } if moved == ply => return,
                    // The delay caused by a lost node is credited, but no more than that.
                    Event::Resumed { credited_ms } => {
                        let passed = self.began.elapsed();
                        assert!(Duration::from_millis(credited_ms) <= passed, "{credited_ms} ms");
                    }
                    _ => {}
                },
                ServerMessage::Refused(refused) => panic!("refused: {refused:?}"),
                _ => {}
            }
        }
    }

    /// Reconnects one of the players to a node.
    async fn reconnect(&mut self, index: usize, address: SocketAddr) {
        let back = Client::returning(address, &self.sessions[index]).await;
        let (mut client, welcome) = back.expect("the session is still valid");
        assert_eq!(welcome.games, [self.game]);
        client.send(&ClientMessage::Watch(GameRef { game: self.game })).await.expect("it is sent");
        let seen = client.receive_game().await.expect("the game");
        assert_eq!(seen.moves.0.len(), self.ply);
        self.clients[index] = client;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_serve_one_game() {
    let (Some(cluster), Some(mut nats)) = (Cluster::start().await, Nats::start()) else { return };
    let url = cluster.create_schema("nodes").await;
    let (here, there) = (node(&url, &nats), node(&url, &nats));
    let mut players = Players::pair_up(here.address(), there.address()).await;
    let times = players.play(4).await;
    println!("a move is seen at the other node after {times:?}");

    // A node is killed during the game; its player continues on the other node.
    there.kill().expect("we may kill our own process");
    for index in 0..2 {
        players.reconnect(index, here.address()).await;
    }
    players.play(2).await;
    // A new node finds the running game.
    let there = node(&url, &nats);
    players.reconnect(1, there.address()).await;
    players.play(2).await;

    // Without the bus, the nodes poll the store, and the game continues more slowly.
    nats.stop();
    wait_until("the loss is noticed", || health(&there).contains(r#""bus":"lost""#));
    assert!(health(&there).contains(r#""is_well":true"#));
    let times = players.play(1).await;
    println!("without the bus a move is seen after {times:?}");
    nats.run();
    for node in [&here, &there] {
        wait_until("the bus is back", || health(node).contains(r#""bus":"connected""#));
    }
    players.play(2).await;

    let game = players.game;
    for node in [here, there] {
        node.stop().expect("it stops gracefully");
    }
    let store =
        postgres::connect(&url, postgres::PostgresOptions::default()).await.expect("the store");
    let stored = store.load_game(game).await.expect("no error").expect("the game");
    let is_move = |event: &Event| matches!(event, Event::Moved { .. });
    assert_eq!(stored.events.iter().filter(|it| is_move(&it.event)).count(), players.ply);
    store.close().await.expect("it closes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_talk_over_an_encrypted_bus() {
    let folder = tempfile::tempdir().expect("a folder");
    let (Some(cluster), Some(nats)) = (Cluster::start().await, Nats::start_with_tls(folder.path()))
    else {
        return;
    };
    let url = cluster.create_schema("encrypted").await;
    // The authority is not one of the machine's.
    let program = Path::new(env!("CARGO_BIN_EXE_castellan"));
    let mut stranger = node_command(program, &url, &nats.url());
    let refused = stranger.env_remove("SSL_CERT_FILE").output().expect("it runs");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(error.contains("cannot connect to the NATS server at localhost:"), "{error}");
    assert!(error.contains("certificate") && !error.contains("cret"), "{error}");

    let (here, there) = (trusting_node(&url, &nats), trusting_node(&url, &nats));
    for node in [&here, &there] {
        assert!(health(node).contains(r#""bus":"connected""#), "{}", health(node));
    }
    let mut players = Players::pair_up(here.address(), there.address()).await;
    players.play(4).await;
    for node in [here, there] {
        node.stop().expect("it stops gracefully");
    }
}
