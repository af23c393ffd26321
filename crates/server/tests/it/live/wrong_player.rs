//! Class: a move by the wrong user, of the wrong color, or in the wrong state.

use castellan_game::{GameId, Proposal};
use castellan_protocol::{Claim, ClientMessage, GameRef, MakeMove, ProposalRef, Touch};

use super::client::{Client, play};
use super::server::TestServer;

/// Returns every action in a game, with moves that are legal for White or Black in the first
/// plies.
fn actions(game: GameId, ply: u32) -> Vec<ClientMessage> {
    let moves = ["e2e4", "e7e5", "d2d4", "d7d5"];
    let mut actions: Vec<_> = moves
        .iter()
        .map(|mv| ClientMessage::MakeMove(MakeMove { game, ply, mv: mv.parse().unwrap() }))
        .collect();
    for what in Proposal::ALL {
        let proposal = ProposalRef { game, what };
        actions.push(ClientMessage::Offer(proposal));
        actions.push(ClientMessage::Accept(proposal));
        actions.push(ClientMessage::Decline(proposal));
    }
    actions.push(ClientMessage::Touch(Touch { game, ply, square: "e2".parse().unwrap() }));
    actions.push(ClientMessage::Claim(Claim { game, ply, announced: None }));
    actions.push(ClientMessage::Resign(GameRef { game }));
    actions.push(ClientMessage::Abort(GameRef { game }));
    actions.push(ClientMessage::AddTime(GameRef { game }));
    actions
}

/// Asserts that users without a seat cannot act, in whatever state the game is.
async fn others_cannot_act(server: &TestServer, game: GameId, others: &mut [Client], ply: u32) {
    let before = server.record(game).await;
    for other in others {
        for action in actions(game, ply) {
            other.say(&action).await;
            assert_eq!(other.refusal().await, "not_seated", "{action:?}");
        }
    }
    assert_eq!(server.record(game).await, before);
}

#[tokio::test]
async fn watchers_and_strangers_do_nothing_in_any_state() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let mut watcher = server.guest("Watcher").await;
    watcher.watch(game).await;
    // A guest with the same name is another user.
    let namesake = server.guest("Anna").await;
    let mut others = [watcher, namesake];
    others_cannot_act(&server, game, &mut others, 0).await;
    play(&mut white, &mut black, game, &["e2e4"]).await;
    others[0].event().await;
    others_cannot_act(&server, game, &mut others, 1).await;
    white.resign(game).await;
    white.end().await;
    others[0].end().await;
    others_cannot_act(&server, game, &mut others, 1).await;
}

#[tokio::test]
async fn no_player_moves_for_the_opponent_or_out_of_turn() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    for mv in ["e2e4", "e7e5"] {
        black.make_move(game, 0, mv).await;
        assert_eq!(black.refusal().await, "not_your_turn", "{mv}");
    }
    white.make_move(game, 0, "e7e5").await;
    assert_eq!(white.refusal().await, "illegal_move");
    white.make_move(game, 1, "e2e4").await;
    assert_eq!(white.refusal().await, "ahead");
    play(&mut white, &mut black, game, &["e2e4"]).await;
    white.make_move(game, 1, "e7e5").await;
    assert_eq!(white.refusal().await, "not_your_turn");
    assert_eq!(server.record(game).await.len(), 4, "two seats, the start and one move");
}

#[tokio::test]
async fn after_the_end_nothing_moves() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    black.resign(game).await;
    white.end().await;
    black.end().await;
    let before = server.record(game).await;
    for client in [&mut white, &mut black] {
        for action in actions(game, 2) {
            let is_rematch = matches!(
                action,
                ClientMessage::Offer(it) | ClientMessage::Accept(it) | ClientMessage::Decline(it)
                    if it.what == Proposal::Rematch
            );
            if !is_rematch {
                client.say(&action).await;
                assert_eq!(client.refusal().await, "over", "{action:?}");
            }
        }
    }
    assert_eq!(server.record(game).await, before);
}

#[tokio::test]
async fn no_client_acts_before_hello_or_as_another_player() {
    use super::client::{next, open};
    use castellan_protocol::ServerMessage;
    use futures_util::SinkExt;
    use tokio_tungstenite::tungstenite::Message;

    let server = TestServer::start().await;
    let (_white, _black, game) = server.game().await;
    let mut socket = open(&server, "/ws", &[]).await.unwrap();
    for action in actions(game, 0) {
        socket.send(Message::text(action.to_json())).await.unwrap();
        let Ok(ServerMessage::Error(error)) = next(&mut socket).await else { panic!("{action:?}") };
        assert_eq!(error.code.to_string(), "hello_first");
    }
    let forged = "0".repeat(64);
    let hello = format!(r#"{{"type": "hello", "data": {{"version": 1, "session": "{forged}"}}}}"#);
    socket.send(Message::text(hello)).await.unwrap();
    let Ok(ServerMessage::Error(error)) = next(&mut socket).await else { panic!() };
    assert_eq!(error.code.to_string(), "session_over");
}

#[tokio::test]
async fn the_name_of_an_account_belongs_to_its_owner() {
    use super::client::{next, open};
    use castellan_protocol::ServerMessage;
    use futures_util::SinkExt;
    use tokio_tungstenite::tungstenite::Message;

    let server = TestServer::start().await;
    server.account("Réti").await;
    for name in ["Réti", "RETI", "reti"] {
        let mut socket = open(&server, "/ws", &[]).await.unwrap();
        let hello = format!(r#"{{"type": "hello", "data": {{"version": 1, "name": "{name}"}}}}"#);
        socket.send(Message::text(hello)).await.unwrap();
        let Ok(ServerMessage::Error(error)) = next(&mut socket).await else { panic!("{name}") };
        assert_eq!(error.code.to_string(), "name_taken");
    }
    let mut plain = super::simple_client::SimpleClient::connect(&server).await;
    plain.matchmake("reti").await;
    plain.expect("error").await;
}
