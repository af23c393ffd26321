//! Class: a player is charged for time that the server needs, or that time decides a game.

use core::time::Duration;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use castellan_game::{Event, GameId, Moment, Proposal, TimeControl};
use castellan_protocol::{GameEvent, ServerMessage, SessionToken};
use castellan_rules::Color;
use castellan_server::{Bus, Clock};
use castellan_store::{Store, sqlite};
use tempfile::TempDir;

use super::client::{Client, play};
use super::faulty_store::{Faults, FaultyStore};
use super::server::{MINUTE, Setup, TestServer, in_order, wait_until};

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// A server whose store can be blocked.
struct Held {
    faults: Arc<Faults>,
    server: TestServer,
    _folder: TempDir,
}

/// Starts such a server, with a one-minute game in which both players have moved.
async fn held_game() -> (Held, Client, Client, GameId) {
    let folder = TempDir::new().unwrap();
    let inner =
        sqlite::open(folder.path().join("games.db"), sqlite::SqliteOptions::default()).unwrap();
    let faults = Arc::<Faults>::default();
    let store: Arc<dyn Store> = Arc::new(FaultyStore { inner, faults: Arc::clone(&faults) });
    let clock = Clock::manual(Moment::from_millis(1_800_000_000_000));
    let server = Setup::default().start_node(&store, &clock, Bus::alone()).await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    (Held { faults, server, _folder: folder }, white, black, game)
}

/// Receives the next move. Only time credits may come before it.
async fn moved(client: &mut Client) -> GameEvent {
    client
        .until(|message| match message {
            ServerMessage::Event(event) => match event.event {
                Event::Moved { .. } => Some(event.clone()),
                Event::Resumed { .. } | Event::Offered { .. } => None,
                _ => panic!("not a move: {event:?}"),
            },
            ServerMessage::Refused(refused) => panic!("{refused:?}"),
            _ => None,
        })
        .await
}

/// Waits until the server records a time credit, and returns it. A move that arrives before that is
/// not charged either, but then nothing is left to record.
async fn credited_ms(client: &mut Client) -> u64 {
    client
        .until(|message| match message {
            ServerMessage::Event(event) => match event.event {
                Event::Resumed { credited_ms } => Some(credited_ms),
                _ => panic!("not a credit: {event:?}"),
            },
            _ => None,
        })
        .await
}

/// Returns the time on the clock of the player who makes the next move.
async fn remaining_ms(client: &mut Client) -> u64 {
    match moved(client).await.event {
        Event::Moved { remaining_ms, .. } => remaining_ms.unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_player_is_charged_for_a_slow_commit() {
    let (Held { faults, server, _folder }, mut white, mut black, game) = held_game().await;
    faults.hold();
    white.make_move(game, 2, "g1f3").await;
    faults.holds(1).await;
    server.pass(seconds(4));
    faults.release();
    let heard = moved(&mut black).await;
    let clocks = heard.clocks.unwrap();
    assert_eq!((clocks.black.remaining_ms, clocks.at), (Some(60_000), server.now()));
    assert_eq!(credited_ms(&mut black).await, 4_000);
    // By the test's clock Black responds at once, so the move costs no time.
    black.make_move(game, 3, "b8c6").await;
    assert_eq!(remaining_ms(&mut black).await, 60_000);
    assert_eq!(remaining_ms(&mut white).await, 60_000);
    assert_eq!(remaining_ms(&mut white).await, 60_000);
    let record = server.record(game).await;
    let credits = record.iter().filter(|it| it.event == Event::Resumed { credited_ms: 4_000 });
    assert_eq!(credits.count(), 1, "{record:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_player_is_charged_until_the_game_is_stored() {
    let (Held { faults, server, _folder }, _white, _black, _) = held_game().await;
    let (mut one, mut other) = (server.guest("One").await, server.guest("Other").await);
    faults.hold();
    one.seek(MINUTE).await;
    one.queued().await;
    other.seek(MINUTE).await;
    faults.holds(1).await;
    server.pass(seconds(4));
    faults.release();
    let game = one.game().await;
    assert_eq!(game.clocks.white.remaining_ms, Some(60_000));
    other.game().await;
    let (mut white, _black) = in_order(one, other, game.game);
    white.make_move(game.game, 0, "e2e4").await;
    assert_eq!(remaining_ms(&mut white).await, 60_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_came_in_time_is_in_time_however_long_it_takes_to_be_stored() {
    let (Held { faults, server, _folder }, mut white, mut black, game) = held_game().await;
    answer_pings(&mut white, &mut black).await;
    server.pass(seconds(55));
    faults.hold();
    white.make_move(game, 2, "g1f3").await;
    faults.holds(1).await;
    server.pass(seconds(30));
    faults.release();
    check_time(remaining_ms(&mut white).await, 5_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_waits_behind_another_write_came_in_time() {
    let (Held { faults, server, _folder }, mut white, mut black, game) = held_game().await;
    answer_pings(&mut white, &mut black).await;
    server.pass(seconds(55));
    faults.hold();
    white.offer(game, Proposal::Draw).await;
    faults.holds(1).await;
    white.make_move(game, 2, "g1f3").await;
    white.settle().await;
    server.pass(seconds(30));
    faults.release();
    check_time(remaining_ms(&mut white).await, 5_000);
    check_time(remaining_ms(&mut black).await, 5_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_the_store_refused_gives_its_time_back() {
    let (Held { faults, server, _folder }, mut white, mut black, game) = held_game().await;
    answer_pings(&mut white, &mut black).await;
    server.pass(seconds(55));
    faults.is_unwritable.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        faults.hold();
        white.make_move(game, 2, "g1f3").await;
        faults.holds(1).await;
        server.pass(seconds(10));
        faults.release();
        assert_eq!(white.refusal().await, "not_stored");
    }
    faults.is_unwritable.store(false, Ordering::SeqCst);
    server.pass(seconds(1));
    white.make_move(game, 2, "g1f3").await;
    check_time(remaining_ms(&mut white).await, 4_000);
}

#[tokio::test]
async fn a_process_that_stood_still_decides_nothing() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    server.clock.stall(seconds(30));
    play_on(&mut white, &mut black, game, 0, "e2e4", 60_000).await;
    server.clock.stall(seconds(30));
    play_on(&mut black, &mut white, game, 1, "e7e5", 60_000).await;
    answer_pings(&mut white, &mut black).await;
    server.pass(seconds(50));
    server.clock.stall(seconds(30));
    server.pass(seconds(5));
    play_on(&mut white, &mut black, game, 2, "g1f3", 5_000).await;
    // Time that passes while the process runs counts as usual.
    answer_pings(&mut white, &mut black).await;
    server.pass(seconds(65));
    assert_eq!(white.end().await.winner, Some(Color::White));
}

/// Lets the clients answer the server's pings. A pong is sent together with the next message.
async fn answer_pings(white: &mut Client, black: &mut Client) {
    for client in [white, black] {
        client.settle().await;
        client.settle().await;
    }
}

async fn play_on(
    mover: &mut Client,
    other: &mut Client,
    game: GameId,
    ply: u32,
    mv: &str,
    left_ms: u64,
) {
    mover.make_move(game, ply, mv).await;
    check_time(remaining_ms(mover).await, left_ms);
    check_time(remaining_ms(other).await, left_ms);
}

/// Asserts that a clock shows at least the fair time. It may show more because of lag
/// compensation: a ping in transit while the test's clock is advanced looks like a slow network.
#[track_caller]
fn check_time(remaining_ms: u64, fair_ms: u64) {
    assert!((fair_ms..=fair_ms + 2_000).contains(&remaining_ms), "{remaining_ms} of {fair_ms}");
}

#[tokio::test]
async fn a_stalled_process_makes_no_player_absent() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    let session = white.session();
    drop(white);
    let presence = black.presence().await;
    let wait_ms = presence.abandoned_at.unwrap().since_ms(server.now());
    server.pass(Duration::from_millis(wait_ms - 1_000));
    server.clock.stall(seconds(35));
    black.settle().await;
    let mut white = Client::back(&server, session).await;
    assert_eq!(white.watch(game).await.end, None);
}

/// White, who has used six seconds of their turn, is the last to reconnect.
#[tokio::test]
async fn after_a_restart_the_clock_waits_for_the_player() {
    let (server, sessions, game) = restarted(MINUTE, &["e2e4", "e7e5"]).await;
    let [white, black] = sessions;
    server.pass(seconds(15));
    let mut black = Client::back(&server, black).await;
    assert_eq!(black.watch(game).await.clocks.white.remaining_ms, Some(54_000));
    server.pass(seconds(4));
    let mut white = Client::back(&server, white).await;
    assert_eq!(white.watch(game).await.clocks.white.remaining_ms, Some(54_000));
    white.make_move(game, 2, "g1f3").await;
    check_time(remaining_ms(&mut white).await, 54_000);
}

#[tokio::test]
async fn after_a_restart_the_clock_does_not_wait_for_ever() {
    let (server, sessions, game) = restarted(MINUTE, &["e2e4", "e7e5"]).await;
    server.pass(seconds(25));
    let [_, black] = sessions;
    let mut black = Client::back(&server, black).await;
    let shown = async |black: &mut Client| {
        black.watch(game).await.clocks.white.remaining_ms == Some(49_000)
    };
    wait_until("five of the seconds count", async || shown(&mut black).await).await;
}

#[tokio::test]
async fn a_game_without_a_clock_is_not_called_off_because_the_server_was_away() {
    let (server, sessions, game) = restarted(TimeControl::Unlimited {}, &["e2e4"]).await;
    let mut clients = Vec::new();
    for session in sessions {
        let mut client = Client::back(&server, session).await;
        assert_eq!(client.watch(game).await.end, None);
        client.settle().await;
        clients.push(client);
    }
    clients[1].make_move(game, 1, "e7e5").await;
    moved(&mut clients[1]).await;
}

/// Restarts a server that was down for an hour, beginning six seconds after these moves.
async fn restarted(
    time_control: TimeControl,
    moves: &[&str],
) -> (TestServer, [SessionToken; 2], GameId) {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game_of(time_control).await;
    play(&mut white, &mut black, game, moves).await;
    server.pass(seconds(6));
    white.settle().await;
    let sessions = [white.session(), black.session()];
    let now_ms = server.now().plus_ms(3_600_000).as_millis();
    let folder = server.stop().await;
    let server = Setup { now_ms, ..Setup::default() }.start_in(folder).await;
    // The server responds, so it has resumed the game.
    assert!(server.get("/metrics").await.contains("castellan_games 1\n"));
    (server, sessions, game)
}
