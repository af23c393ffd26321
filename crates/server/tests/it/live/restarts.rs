//! Class: events are lost when the server restarts.

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::sync::Arc;

use castellan_game::{Event, Game, Proposal};
use castellan_protocol::{OfferView, ServerMessage};
use castellan_rules::Color;

use super::client::{Client, play, play_from};
use super::server::{Setup, TestServer, wait_until};

#[tokio::test]
async fn nothing_is_lost_and_no_player_is_charged_for_the_outage() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    server.pass(Duration::from_secs(5));
    white.offer(game, Proposal::Draw).await;
    let (white_heard, black_heard) = (white.event().await, black.event().await);
    assert_eq!(white_heard, black_heard);
    server.pass(Duration::from_secs(1));
    let (sessions, stopped_at) = ([white.session(), black.session()], server.now());
    let record = server.record(game).await;
    let folder = server.stop().await;
    for client in [white, black] {
        let (shutting_down, code) = until_closed(client).await;
        assert!(shutting_down);
        assert_eq!(code, Some(1001));
    }

    // The server is down for an hour.
    let now_ms = stopped_at.plus_ms(3_600_000).as_millis();
    let server = Setup { now_ms, ..Setup::default() }.start_in(folder).await;
    let [mut white, mut black] = [
        Client::back(&server, sessions[0].clone()).await,
        Client::back(&server, sessions[1].clone()).await,
    ];
    for client in [&mut white, &mut black] {
        assert_eq!(client.welcome.games, [game]);
        let snapshot = client.watch(game).await;
        let moves: Vec<String> = snapshot.moves.0.iter().map(ToString::to_string).collect();
        assert_eq!(moves, ["e2e4", "e7e5"]);
        assert_eq!(snapshot.offers, [OfferView { by: Color::White, what: Proposal::Draw }]);
        // White had used six seconds before the restart, and still has.
        assert_eq!(snapshot.clocks.white.remaining_ms, Some(54_000));
        assert_eq!(snapshot.clocks.running, Some(Color::White));
    }
    let after = server.record(game).await;
    assert_eq!(after[..record.len()], record);
    assert!(matches!(after[record.len()].event, Event::Resumed { credited_ms: 3_600_000 }));
    play_from(&mut white, &mut black, game, 2, &["g1f3", "b8c6"]).await;
}

/// Returns whether the server announced the shutdown, and the code with which it closed.
async fn until_closed(mut client: Client) -> (bool, Option<u16>) {
    let mut has_told = false;
    loop {
        match super::client::next(&mut client.socket).await {
            Ok(message) => has_told |= matches!(message, ServerMessage::ShuttingDown(_)),
            Err(frame) => return (has_told, frame.map(|frame| frame.code.into())),
        }
    }
}

/// The server stops while moves arrive in many games: every announced move is in the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_announced_before_a_shutdown_are_there_after_it() {
    let server = TestServer::start().await;
    let announced = Arc::new(AtomicU32::new(0));
    let mut tasks = Vec::new();
    for _ in 0..8 {
        let (white, black, game) = server.game().await;
        tasks.push(tokio::spawn(play_until_closed(white, black, game, announced.clone())));
    }
    // The moves are counted by the clients. Counted from here on, they might not be enough: on a
    // slow machine the first games are over before the last one begins.
    wait_until("some moves", async || announced.load(Ordering::Relaxed) >= 60).await;
    let folder = server.stop().await;
    let server = Setup::default().start_in(folder).await;
    for task in tasks {
        let (game, heard) = task.await.unwrap();
        let record = server.record(game).await;
        assert!(heard <= record.len() as u32, "{game}: {heard} of {}", record.len());
        let stored = server.store.load_game(game).await.unwrap().unwrap();
        Game::replay(stored.settings, stored.created, &stored.events).unwrap();
    }
}

/// Plays until the server closes the connections. Returns the last version that a client
/// received, and counts the moves in `announced`.
async fn play_until_closed(
    mut white: Client,
    mut black: Client,
    game: castellan_game::GameId,
    announced: Arc<AtomicU32>,
) -> (castellan_game::GameId, u32) {
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8", "b1c3", "b8c6", "c3b1", "c6b8"];
    let pawns = ["a2a3", "a7a6", "h2h3", "h7h6", "b2b3", "b7b6", "g2g3", "g7g6"];
    let mut heard = white.version(game);
    for (ply, mv) in (0..).zip(shuffle.iter().chain(&pawns).chain(&shuffle).chain(&shuffle)) {
        let mover = if ply % 2 == 0 { &mut white } else { &mut black };
        let text = format!(
            r#"{{"type": "make move", "data": {{"game": "{game}", "ply": {ply}, "mv": "{mv}"}}}}"#
        );
        if !mover.try_say_text(&text).await {
            return (game, heard);
        }
        loop {
            match super::client::next(&mut mover.socket).await {
                Ok(ServerMessage::Event(event)) if event.version > heard => {
                    heard = event.version;
                    announced.fetch_add(1, Ordering::Relaxed);
                    break;
                }
                Ok(_) => {}
                Err(_) => return (game, heard),
            }
        }
        let other = if ply % 2 == 0 { &mut black } else { &mut white };
        let mut version = 0;
        while version < heard {
            match super::client::next(&mut other.socket).await {
                Ok(ServerMessage::Event(event)) => version = event.version,
                Ok(_) => {}
                Err(_) => return (game, heard),
            }
        }
    }
    (game, heard)
}

#[tokio::test]
async fn while_the_server_stops_nothing_new_begins() {
    let server = TestServer::start().await;
    let (white, mut black, game) = server.game().await;
    let mut waiting = server.guest("Waiting").await;
    waiting.seek(super::server::MINUTE).await;
    waiting.queued().await;
    black.settle().await;
    let folder = server.stop().await;
    let (has_told, code) = until_closed(waiting).await;
    assert!(has_told && code == Some(1001));
    drop((white, black));
    // A player who was waiting has to ask again; a player in a game still has the game.
    let server = Setup::default().start_in(folder).await;
    assert_eq!(server.store.unfinished().await.unwrap(), [game]);
}
