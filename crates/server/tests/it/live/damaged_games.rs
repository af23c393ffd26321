//! Games that the database has damaged: they are set aside, their players are told, no clock decides
//! them, and everything else goes on.

use core::time::Duration;
use std::path::Path;
use std::sync::Arc;

use castellan_game::{EndReason, GameId, Moment};
use castellan_protocol::{ClientMessage, GameRef, ServerMessage, SessionToken};
use castellan_server::{AdminRequest, Bus, Clock};
use castellan_store::{Store, sqlite};
use tempfile::TempDir;

use super::client::{Client, play, play_from};
use super::faulty_store::{Faults, FaultyStore};
use super::nodes::Cluster;
use super::server::{MINUTE, Setup, TestServer, in_order, pair, wait_until};
use super::simple_client::SimpleClient;

/// Deletes the last event of a game, as somebody with access to the database could.
fn delete_last_event(folder: &Path, game: GameId) {
    let database = rusqlite::Connection::open(folder.join("games.db")).unwrap();
    database.busy_timeout(Duration::from_secs(60)).unwrap();
    let last = "SELECT MAX(events.version) FROM events JOIN games ON games.number = events.game
        WHERE games.id = ?1";
    let version: u32 = database.query_row(last, [game.to_string()], |row| row.get(0)).unwrap();
    let delete = "DELETE FROM events WHERE version = ?2
        AND game = (SELECT number FROM games WHERE id = ?1)";
    let deleted = database.execute(delete, rusqlite::params![game.to_string(), version]).unwrap();
    assert_eq!(deleted, 1);
}

/// Waits until a client is told that the game it follows is damaged.
async fn hears_of_damage(client: &mut Client, game: GameId) {
    let refused = client.until(|message| match message {
        ServerMessage::Refused(refused) if refused.of.as_str() == "watch" => Some(refused.clone()),
        ServerMessage::Event(event) => panic!("{event:?}"),
        _ => None,
    });
    let refused = refused.await;
    assert_eq!((refused.game, &*refused.code.to_string()), (Some(game), "damaged_game"));
}

async fn assert_damaged_games(server: &TestServer, count: u32) {
    let metrics = server.get("/metrics").await;
    assert!(metrics.contains(&format!("castellan_damaged_games {count}\n")), "{metrics}");
}

/// Returns how the store says that a game ended.
async fn stored_end(server: &TestServer, game: GameId) -> Option<EndReason> {
    let last = server.record(game).await.pop().unwrap();
    match last.event {
        castellan_game::Event::Ended(end) => Some(end.reason),
        _ => None,
    }
}

#[tokio::test]
async fn a_game_whose_last_event_was_deleted_is_aborted_and_its_players_are_told() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let mut watcher = server.guest("Watcher").await;
    watcher.watch(game).await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    watcher.settle().await;
    delete_last_event(server.folder(), game);
    white.make_move(game, 2, "g1f3").await;
    let refused = white.refused().await;
    assert_eq!((refused.of.as_str(), &*refused.code.to_string()), ("make move", "damaged_game"));
    for client in [&mut white, &mut black, &mut watcher] {
        hears_of_damage(client, game).await;
    }
    assert_damaged_games(&server, 1).await;
    assert!(server.get("/metrics").await.contains("castellan_games 0\n"));
    assert_eq!(stored_end(&server, game).await, Some(EndReason::Aborted));
    // What is left of the game can be looked at, and both players may begin another one.
    let snapshot = white.watch(game).await;
    assert_eq!(snapshot.end.map(|end| end.reason), Some(EndReason::Aborted));
    assert_eq!(snapshot.moves.0.len(), 1);
    assert_damaged_games(&server, 1).await;
    let next = pair(&mut white, &mut black, MINUTE).await;
    assert_ne!(next, game);
    let sessions = [white.session(), black.session()];
    // After a restart no player loses the game on time.
    let now_ms = server.now().as_millis();
    let folder = server.stop().await;
    let server = Setup { now_ms: now_ms + 3_600_000, ..Setup::default() }.start_in(folder).await;
    assert_eq!(server.store.unfinished().await.unwrap(), [next]);
    let [mut white, _black] = [
        Client::back(&server, sessions[0].clone()).await,
        Client::back(&server, sessions[1].clone()).await,
    ];
    assert_eq!(white.watch(game).await.end.map(|end| end.reason), Some(EndReason::Aborted));
}

#[tokio::test]
async fn no_clock_decides_a_game_that_lost_an_event() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    delete_last_event(server.folder(), game);
    server.pass(Duration::from_secs(61));
    for client in [&mut white, &mut black] {
        hears_of_damage(client, game).await;
    }
    assert_eq!(stored_end(&server, game).await, Some(EndReason::Aborted));
}

#[tokio::test]
async fn a_client_of_the_plain_protocol_is_told_in_its_words_and_may_play_again() {
    let server = TestServer::start().await;
    let (mut one, mut other) =
        (SimpleClient::connect(&server).await, SimpleClient::connect(&server).await);
    one.matchmake("Anna").await;
    other.matchmake("Ben").await;
    let color = one.expect("game start").await["color"].clone();
    other.expect("game start").await;
    let (mut white, mut black) = if color == "white" { (one, other) } else { (other, one) };
    white.make_move("e2e4").await;
    black.opponents_move().await;
    let [game] = server.store.unfinished().await.unwrap()[..] else { panic!("one game") };
    delete_last_event(server.folder(), game);
    black.make_move("e7e5").await;
    // The refused move, and the news about the game.
    black.expect("error").await;
    for client in [&mut black, &mut white] {
        let message = client.expect("error").await["message"].clone();
        assert!(message.as_str().unwrap().contains("damaged"), "{message}");
        assert_eq!(client.expect("game end").await["winner"], serde_json::Value::Null);
    }
    white.matchmake("Anna").await;
    black.matchmake("Ben").await;
    white.expect("game start").await;
    black.expect("game start").await;
}

/// The players are at different nodes, and each node has a room for the game.
#[tokio::test]
async fn every_node_notices_that_an_event_was_lost() {
    let cluster = Cluster::new(0);
    let (north, south) = (cluster.node().await, cluster.node().await);
    let (mut anna, mut ben) = (north.guest("Anna").await, south.guest("Ben").await);
    let game = pair(&mut anna, &mut ben, MINUTE).await;
    let (mut white, mut black) = in_order(anna, ben, game);
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    delete_last_event(cluster.folder(), game);
    white.make_move(game, 2, "g1f3").await;
    for client in [&mut white, &mut black] {
        hears_of_damage(client, game).await;
    }
    assert_eq!(stored_end(&north, game).await, Some(EndReason::Aborted));
    for node in [&north, &south] {
        assert_damaged_games(node, 1).await;
    }
}

#[tokio::test]
async fn one_broken_event_sets_one_game_aside() {
    check_broken_event(b"{\"moved\": ").await;
    // What a bad disk may leave: it is not even text.
    check_broken_event(b"{\"moved\": \xff\xfe}").await;
}

async fn check_broken_event(text: &[u8]) {
    let server = TestServer::start().await;
    let (mut anna, mut ben, broken) = server.game().await;
    play(&mut anna, &mut ben, broken, &["e2e4"]).await;
    let (white, black, sound) = server.game().await;
    let sessions = [white.session(), black.session()];
    let now_ms = server.now().as_millis();
    let folder = server.stop().await;
    let database = rusqlite::Connection::open(folder.path().join("games.db")).unwrap();
    let breaking = "UPDATE events SET event = CAST(?2 AS TEXT)
        WHERE version = 4 AND game = (SELECT number FROM games WHERE id = ?1)";
    let broken_event = rusqlite::params![broken.to_string(), text];
    assert_eq!(database.execute(breaking, broken_event).unwrap(), 1);
    drop(database);
    let server = Setup { now_ms, ..Setup::default() }.start_in(folder).await;
    assert_damaged_games(&server, 1).await;
    let [white, black] = sessions;
    let (mut white, mut black) =
        (Client::back(&server, white).await, Client::back(&server, black).await);
    white.watch(sound).await;
    black.watch(sound).await;
    play(&mut white, &mut black, sound, &["e2e4", "e7e5"]).await;
    white.say(&ClientMessage::Watch(GameRef { game: broken })).await;
    assert_eq!(white.refusal().await, "damaged_game");
}

/// Starts a server on a store with faults in a folder.
async fn start(folder: &TempDir) -> (TestServer, Arc<Faults>) {
    let options = sqlite::SqliteOptions::default();
    let inner = sqlite::open(folder.path().join("games.db"), options).unwrap();
    let faults = Arc::<Faults>::default();
    let store: Arc<dyn Store> = Arc::new(FaultyStore { inner, faults: Arc::clone(&faults) });
    let clock = Clock::manual(Moment::from_millis(1_800_000_000_000));
    (Setup::default().start_node(&store, &clock, Bus::alone()).await, faults)
}

/// Starts a game, stops the server, and starts another one that cannot read the game.
async fn start_with_damage(
    folder: &TempDir,
) -> (TestServer, Arc<Faults>, [SessionToken; 2], GameId) {
    let (server, faults) = start(folder).await;
    let (white, black, game) = server.game().await;
    let sessions = [white.session(), black.session()];
    let clock = server.clock.clone();
    let (store, _) = server.leave().await;
    *faults.damaged.lock().unwrap() = Some(game);
    let server = Setup::default().start_node(&store, &clock, Bus::alone()).await;
    (server, faults, sessions, game)
}

#[tokio::test]
async fn every_request_about_an_unreadable_game_is_refused_with_its_own_code() {
    let folder = TempDir::new().unwrap();
    let (server, faults, sessions, game) = start_with_damage(&folder).await;
    let mut white = Client::back(&server, sessions[0].clone()).await;
    assert_damaged_games(&server, 1).await;
    white.say(&ClientMessage::Watch(GameRef { game })).await;
    assert_eq!(white.refusal().await, "damaged_game");
    white.resync(game, 2).await;
    assert_eq!(white.refusal().await, "damaged_game");
    white.make_move(game, 0, "e2e4").await;
    assert_eq!(white.refusal().await, "damaged_game");
    white.resign(game).await;
    assert_eq!(white.refusal().await, "damaged_game");
    for path in [format!("/api/games/{game}"), format!("/api/games/{game}/pgn")] {
        let answer = server.get(&path).await;
        assert!(answer.starts_with("HTTP/1.1 500") && answer.contains("damaged_game"), "{answer}");
    }
    assert_damaged_games(&server, 1).await;
    // Once the database is repaired, the game goes on, and the time is nobody's.
    drop(white);
    server.pass(Duration::from_secs(300));
    *faults.damaged.lock().unwrap() = None;
    let [white, black] = sessions;
    let (mut white, mut black) =
        (Client::back(&server, white).await, Client::back(&server, black).await);
    let snapshot = white.watch(game).await;
    assert_eq!((snapshot.end, snapshot.clocks.white.remaining_ms), (None, Some(60_000)));
    black.watch(game).await;
    play_from(&mut white, &mut black, game, 0, &["e2e4", "e7e5"]).await;
    wait_until("it is no longer damaged", async || {
        server.get("/metrics").await.contains("castellan_damaged_games 0\n")
    })
    .await;
}

/// A player has at most one running game from a seek, but a damaged one never ends.
#[tokio::test]
async fn an_unreadable_game_does_not_keep_its_players_from_others() {
    let folder = TempDir::new().unwrap();
    let (server, _faults, [white, _], damaged) = start_with_damage(&folder).await;
    let mut white = Client::back(&server, white).await;
    let mut other = server.guest("Other").await;
    let game = pair(&mut white, &mut other, MINUTE).await;
    assert_ne!(game, damaged);
}

/// The owner of an account deletes it, although the database cannot read two of their games: one
/// that has ended, and one that never will.
#[tokio::test]
async fn an_account_with_unreadable_games_can_be_exported_and_deleted() {
    let server = TestServer::start().await;
    let cookie = server.account("Carla").await;
    let mut games = Vec::new();
    for number in 0..2 {
        let mut carla = Client::with_cookie(&server, &cookie).await;
        let mut other = server.guest("Other").await;
        let game = pair(&mut carla, &mut other, MINUTE).await;
        if number == 0 {
            carla.resign(game).await;
            carla.end().await;
        }
        games.push(game);
    }
    let now_ms = server.now().as_millis();
    let folder = server.stop().await;
    let database = rusqlite::Connection::open(folder.path().join("games.db")).unwrap();
    let breaking = "UPDATE events SET event = '{\"started\": ' WHERE event LIKE '%started%'";
    assert_eq!(database.execute(breaking, []).unwrap(), 2);
    let server = Setup { now_ms, ..Setup::default() }.start_in(folder).await;
    assert_damaged_games(&server, 1).await;

    let export = server.get_with_cookie("/api/me/export", &cookie).await;
    assert!(
        export.starts_with("HTTP/1.1 200") && export.contains(&games[0].to_string()),
        "{export}"
    );
    let proof = r#"{"password": "correct horse battery Carla"}"#;
    assert_eq!(server.post_with_cookie("/api/me/delete", proof, &cookie).await, 200);
    let names = "SELECT (SELECT group_concat(event) FROM events) || group_concat(white_name) \
        || group_concat(black_name) || (SELECT group_concat(folded) FROM name_endings) FROM games";
    let names: String = database.query_row(names, [], |row| row.get(0)).unwrap();
    assert!(names.contains("Other") && !names.to_lowercase().contains("carla"), "{names}");
    // The games are still there, for an operator who can repair the database.
    assert_eq!(server.store.unfinished().await.unwrap(), [games[1]]);
    for game in &games {
        let answer = server.get(&format!("/api/games/{game}")).await;
        assert!(answer.contains("damaged_game"), "{answer}");
    }
    assert_damaged_games(&server, 2).await;
    // Another one deletes them, although one has not ended.
    for game in games {
        server.command(&AdminRequest::DeleteGame { game }).await.expect("it is damaged");
        let answer = server.get(&format!("/api/games/{game}")).await;
        assert!(answer.contains("unknown_game"), "{answer}");
    }
    assert_damaged_games(&server, 0).await;
}
