//! The store fails: players are told, nothing is announced that is not stored, and the game
//! continues where it was.

use core::time::Duration;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex};

use castellan_game::{Event, Moment};
use castellan_protocol::{ClientMessage, GameRef, ServerMessage};
use castellan_server::{Bus, Clock};
use castellan_store::{Store, sqlite};
use tempfile::TempDir;

use super::client::{Client, play, play_from};
use super::faulty_store::{Faults, FaultyStore};
use super::server::{MINUTE, Setup, TestServer, wait_until};

/// How long a write may wait for its turn. It is enough for writes that are not blocked.
const WRITE_PATIENCE: Duration = Duration::from_secs(2);

/// A gate that can stop the writer before its commits.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    is_shut: bool,
    is_holding: bool,
}

impl Gate {
    fn hook(&self) -> sqlite::Hook {
        let gate = self.clone();
        sqlite::Hook::new(move || {
            let (state, changed) = &*gate.0;
            let mut state = state.lock().unwrap();
            while state.is_shut {
                state.is_holding = true;
                state = changed.wait(state).unwrap();
            }
            state.is_holding = false;
        })
    }

    fn shut(&self) {
        self.0.0.lock().unwrap().is_shut = true;
    }

    fn open(&self) {
        self.0.0.lock().unwrap().is_shut = false;
        self.0.1.notify_all();
    }

    /// Waits until the writer is stopped at the gate.
    async fn holds(&self) {
        let is_holding = async || self.0.0.lock().unwrap().is_holding;
        wait_until("the writer stands before the gate", is_holding).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_client_receives_a_move_before_it_is_stored() {
    let gate = Gate::default();
    let store = sqlite::SqliteOptions {
        before_commit: Some(gate.hook()),
        ..sqlite::SqliteOptions::default()
    };
    let server = Setup { store, ..Setup::default() }.start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4"]).await;
    gate.shut();
    black.make_move(game, 1, "e7e5").await;
    // While the disk is slow, no client receives the move, and the connections still respond.
    gate.holds().await;
    for client in [&mut white, &mut black] {
        let heard = client.heard().await;
        let is_event = |message: &ServerMessage| matches!(message, ServerMessage::Event(_));
        assert!(!heard.iter().any(is_event), "{heard:?}");
    }
    gate.open();
    for client in [&mut white, &mut black] {
        assert!(matches!(client.event().await.event, Event::Moved { ply: 1, .. }));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_cannot_be_kept_has_not_happened_and_can_be_made_again() {
    let gate = Gate::default();
    let store = sqlite::SqliteOptions {
        before_commit: Some(gate.hook()),
        timeout: WRITE_PATIENCE,
        ..sqlite::SqliteOptions::default()
    };
    let server = Setup { store, ..Setup::default() }.start().await;
    let (mut white, mut black, game) = server.game().await;
    let mut bystander = server.guest("Bystander").await;
    bystander.watch(game).await;
    // A chat line blocks the writer, so that the move does not get its turn.
    gate.shut();
    white
        .say_text(&format!(r#"{{"type": "chat", "data": {{"game": "{game}", "text": "hi"}}}}"#))
        .await;
    gate.holds().await;
    white.make_move(game, 0, "e2e4").await;
    wait_until("the move waits", async || server.store.metrics().queued == 1).await;
    // Waits for longer than a write may wait.
    tokio::time::sleep(WRITE_PATIENCE).await;
    gate.open();
    let refused = white.refused().await;
    assert_eq!(refused.code.to_string(), "not_stored");
    // No other client has received the move.
    bystander.settle().await;
    assert_eq!(bystander.version(game), 3);
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    assert_eq!(server.record(game).await.len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_said_and_moves_go_on_when_there_is_space() {
    let server = Setup::default().start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    let sessions = [white.session(), black.session()];
    let now_ms = server.now().as_millis();
    let folder = server.stop().await;
    let size = std::fs::metadata(folder.path().join("games.db")).unwrap().len();
    let store = sqlite::SqliteOptions { max_bytes: Some(size), ..sqlite::SqliteOptions::default() };
    let server = Setup { store, now_ms, ..Setup::default() }.start_in(folder).await;
    let [mut white, mut black] = [
        Client::back(&server, sessions[0].clone()).await,
        Client::back(&server, sessions[1].clone()).await,
    ];
    white.watch(game).await;
    black.watch(game).await;
    let (kept, refused) = play_until_full(&mut white, &mut black, game).await;
    assert_eq!(refused, "not_stored");
    assert_eq!(server.record(game).await.len() as u32, kept);
    let now_ms = server.now().as_millis();
    let folder = server.stop().await;

    let server = Setup { now_ms, ..Setup::default() }.start_in(folder).await;
    let [mut white, mut black] = [
        Client::back(&server, sessions[0].clone()).await,
        Client::back(&server, sessions[1].clone()).await,
    ];
    let snapshot = white.watch(game).await;
    black.watch(game).await;
    assert_eq!(snapshot.version, kept);
    let ply = snapshot.moves.0.len() as u32;
    let mv = shuffle(ply);
    play_from(&mut white, &mut black, game, ply, &[mv]).await;
}

/// Returns a move of a long game. After two pawn moves, knights go back and forth, and a pawn
/// moves now and then, so that no position repeats too often.
fn shuffle(ply: u32) -> &'static str {
    const KNIGHTS: [&str; 8] = ["g1f3", "g8f6", "f3g1", "f6g8", "b1c3", "b8c6", "c3b1", "c6b8"];
    const PAWNS: [&str; 16] = [
        "a2a3", "a7a6", "b2b3", "b7b6", "h2h3", "h7h6", "g2g3", "g7g6", "d2d3", "d7d6", "a3a4",
        "a6a5", "h3h4", "h6h5", "b3b4", "b6b5",
    ];
    let step = ply - 2;
    match step % 10 {
        rest @ 0..8 => KNIGHTS[rest as usize],
        rest => PAWNS[(step / 10 * 2 + rest - 8) as usize % PAWNS.len()],
    }
}

/// Plays until the server refuses a move. Returns the last version received, and the error code.
async fn play_until_full(
    white: &mut Client,
    black: &mut Client,
    game: castellan_game::GameId,
) -> (u32, String) {
    for ply in 2..82 {
        let (mover, other) =
            if ply % 2 == 0 { (&mut *white, &mut *black) } else { (&mut *black, &mut *white) };
        let talk = "x".repeat(200);
        let chat = format!(r#"{{"type": "chat", "data": {{"game": "{game}", "text": "{talk}"}}}}"#);
        mover.say_text(&chat).await;
        mover.make_move(game, ply, shuffle(ply)).await;
        let refused = mover
            .until(|message| match message {
                ServerMessage::Event(_) => Some(None),
                ServerMessage::Refused(refused) if refused.of.as_str() == "make move" => {
                    Some(Some(refused.code.to_string()))
                }
                _ => None,
            })
            .await;
        if let Some(code) = refused {
            return (mover.version(game), code);
        }
        other.until(|message| matches!(message, ServerMessage::Event(_)).then_some(())).await;
    }
    panic!("the disk never becomes full");
}

/// Starts a server on a store with faults in a folder.
async fn faulty_server(folder: &TempDir) -> (TestServer, Arc<Faults>) {
    let inner =
        sqlite::open(folder.path().join("games.db"), sqlite::SqliteOptions::default()).unwrap();
    let faults = Arc::<Faults>::default();
    let store: Arc<dyn Store> = Arc::new(FaultyStore { inner, faults: Arc::clone(&faults) });
    let clock = Clock::manual(Moment::from_millis(1_800_000_000_000));
    (Setup::default().start_node(&store, &clock, Bus::alone()).await, faults)
}

/// A room that waits for the store takes no more calls, but a spectator who leaves has left.
#[tokio::test]
async fn a_spectator_who_leaves_a_busy_game_receives_no_more_events() {
    let folder = TempDir::new().unwrap();
    let (server, faults) = faulty_server(&folder).await;
    let (mut white, mut black, game) = server.game().await;
    let (mut leaver, mut crowd) = (server.guest("Leaver").await, server.guest("Crowd").await);
    leaver.watch(game).await;
    faults.hold();
    white.make_move(game, 0, "e2e4").await;
    faults.holds(1).await;
    // More requests than the room's inbox holds.
    for _ in 0..100 {
        crowd.say(&ClientMessage::Watch(GameRef { game })).await;
    }
    assert_eq!(crowd.refusal().await, "busy");
    let metrics = server.get("/metrics").await;
    assert!(metrics.contains("castellan_room_inbox 64\n"), "{metrics}");
    assert!(!metrics.contains("castellan_busy_total 0\n"), "{metrics}");
    leaver.say(&ClientMessage::Leave(GameRef { game })).await;
    leaver.settle().await;
    faults.release();
    white.event().await;
    black.event().await;
    wait_until("the game takes calls again", async || {
        black.make_move(game, 1, "e7e5").await;
        let moved = black.until(|message| match message {
            ServerMessage::Event(event) => Some(matches!(event.event, Event::Moved { ply: 1, .. })),
            ServerMessage::Refused(_) => Some(false),
            _ => None,
        });
        moved.await
    })
    .await;
    let heard = leaver.heard().await;
    let moves = heard.iter().filter(|message| matches!(message, ServerMessage::Event(_))).count();
    assert_eq!(moves, 1, "the move before and none after: {heard:?}");
}

async fn cancel_seek(client: &mut Client) {
    client.say_text(r#"{"type": "cancel seek"}"#).await;
    client.until(|message| matches!(message, ServerMessage::SeekEnded(_)).then_some(())).await;
}

/// If a player cancels while a game is being started for them, it does not start, and the other
/// player is paired again.
#[tokio::test]
async fn a_player_who_cancels_before_the_game_is_stored_has_no_game() {
    for is_first in [true, false] {
        let folder = TempDir::new().unwrap();
        let (server, faults) = faulty_server(&folder).await;
        let (mut anna, mut ben) = (server.guest("Anna").await, server.guest("Ben").await);
        let mut cleo = server.guest("Cleo").await;
        anna.seek(MINUTE).await;
        anna.queued().await;
        faults.hold();
        ben.seek(MINUTE).await;
        faults.holds(1).await;
        cleo.seek(MINUTE).await;
        cleo.queued().await;
        let (quitter, other) = if is_first { (&mut anna, &mut ben) } else { (&mut ben, &mut anna) };
        cancel_seek(quitter).await;
        faults.release();
        let game = cleo.game().await.game;
        assert_eq!(other.game().await.game, game);
        assert_eq!(server.store.unfinished().await.unwrap(), [game]);
        let heard = quitter.heard().await;
        assert!(
            !heard.iter().any(|message| matches!(message, ServerMessage::Game(_))),
            "{heard:?}"
        );
    }
}

#[tokio::test]
async fn a_damaged_game_does_not_prevent_others() {
    let folder = TempDir::new().unwrap();
    let (server, faults) = faulty_server(&folder).await;
    let (_anna, _ben, damaged) = server.game().await;
    let (white, black, game) = server.game().await;
    let sessions = [white.session(), black.session()];
    let clock = server.clock.clone();
    let (store, _) = server.leave().await;
    *faults.damaged.lock().unwrap() = Some(damaged);
    let server = Setup::default().start_node(&store, &clock, Bus::alone()).await;
    let [white, black] = sessions;
    let mut white = Client::back(&server, white).await;
    let mut black = Client::back(&server, black).await;
    white.watch(game).await;
    black.watch(game).await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
}

/// As when all players of a node that died connect to another one.
#[tokio::test]
async fn many_may_come_back_to_their_games_at_once() {
    let folder = TempDir::new().unwrap();
    let (server, _) = faulty_server(&folder).await;
    let mut games = Vec::new();
    for _ in 0..24 {
        let (mut white, _black, game) = server.game().await;
        white.resign(game).await;
        white.end().await;
        games.push(game);
    }
    let store = server.leave().await.0;
    store.close().await.unwrap();
    let (server, faults) = faulty_server(&folder).await;
    faults.is_reading_stuck.store(true, Ordering::SeqCst);
    let mut watcher = server.guest("Watcher").await;
    for game in &games {
        watcher.say(&ClientMessage::Watch(GameRef { game: *game })).await;
    }
    watcher.settle().await;
    faults.is_reading_stuck.store(false, Ordering::SeqCst);
    for _ in &games {
        let game = watcher.game().await.game;
        assert!(games.contains(&game));
    }
}

/// A bug in the task of one game makes its players reconnect, and affects no other client.
#[tokio::test]
async fn a_game_whose_task_panics_goes_on_in_a_new_one() {
    let folder = TempDir::new().unwrap();
    let (server, faults) = faulty_server(&folder).await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    let mut bystander = server.guest("Bystander").await;
    let (white_session, black_session) = (white.session(), black.session());
    faults.is_panicking.store(true, Ordering::SeqCst);
    white.make_move(game, 2, "g1f3").await;
    for client in [white, black] {
        let frame = client.closed().await.expect("the players are told to connect again");
        assert_eq!(u16::from(frame.code), 1011);
        assert_eq!(frame.reason.as_str(), "internal error; reconnect and resync");
    }
    faults.is_panicking.store(false, Ordering::SeqCst);
    bystander.settle().await;
    let metrics = server.get("/metrics").await;
    assert!(metrics.contains("castellan_panics_total 1\n"), "{metrics}");
    assert!(metrics.contains("castellan_games 0\n"), "{metrics}");
    let mut white = Client::back(&server, white_session).await;
    let mut black = Client::back(&server, black_session).await;
    white.watch(game).await;
    black.watch(game).await;
    play_from(&mut white, &mut black, game, 2, &["g1f3", "b8c6"]).await;
    assert_eq!(server.record(game).await.len(), 7);
    assert!(server.get("/metrics").await.contains("castellan_games 1\n"));
}

/// Reads work while the disk hangs, but no move could be stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_says_whether_a_move_could_be_stored() {
    let gate = Gate::default();
    let before_commit = Some(gate.hook());
    let store = sqlite::SqliteOptions { before_commit, ..sqlite::SqliteOptions::default() };
    let server = Setup { store, ..Setup::default() }.start().await;
    assert!(server.get("/healthz").await.starts_with("HTTP/1.1 200"));
    gate.shut();
    let answers = tokio::join!(server.get("/healthz"), server.get("/healthz"));
    for answer in [answers.0, answers.1] {
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        assert!(answer.contains(r#"{"is_well":false,"store":"slow""#), "{answer}");
    }
    assert!(server.get("/api/games").await.starts_with("HTTP/1.1 200"), "reads work");
    gate.open();
    wait_until("a move could be stored", async || {
        server.get("/healthz").await.contains(r#"{"is_well":true,"store":"works""#)
    })
    .await;
}
