//! Class: private links can be guessed, or the responses tell guesses apart.

use core::time::Duration;

use castellan_protocol::{ClientMessage, CreateInvitation, InvitationRef, ServerMessage, Terms};

use super::client::Client;
use super::server::{MINUTE, TestServer};

async fn invite(host: &mut Client) -> String {
    let wanted = CreateInvitation { terms: Terms::new(MINUTE), color: None };
    host.say(&ClientMessage::CreateInvitation(wanted)).await;
    host.until(|message| match message {
        ServerMessage::Invitation(invitation) => Some(invitation.invitation.to_string()),
        ServerMessage::Refused(refused) => panic!("{refused:?}"),
        _ => None,
    })
    .await
}

fn about(id: &str) -> InvitationRef {
    InvitationRef { invitation: id.parse().unwrap() }
}

#[tokio::test]
async fn links_have_128_bits_and_differ_everywhere() {
    let server = TestServer::start().await;
    let mut host = server.guest("Host").await;
    let (one, other) = (invite(&mut host).await, invite(&mut host).await);
    assert_eq!(one.len() * 4, 128);
    let same = one.bytes().zip(other.bytes()).filter(|(a, b)| a == b).count();
    assert!(same < 12, "{one} {other}");
}

#[tokio::test]
async fn never_made_taken_withdrawn_and_expired_look_alike() {
    let server = TestServer::start().await;
    let (mut host, mut guest) = (server.guest("Host").await, server.guest("Guest").await);
    let mut prober = server.guest("Prober").await;
    let taken = invite(&mut host).await;
    guest.say(&ClientMessage::AcceptInvitation(about(&taken))).await;
    guest.game().await;
    let withdrawn = invite(&mut host).await;
    host.say(&ClientMessage::CancelInvitation(about(&withdrawn))).await;
    let gone = |message: &ServerMessage| match message {
        ServerMessage::InvitationGone(it) if it.invitation.to_string() == withdrawn => Some(()),
        _ => None,
    };
    host.until(gone).await;
    let expired = invite(&mut host).await;
    prober.settle().await;
    server.pass(Duration::from_secs(25 * 3600));
    let never = "0123456789abcdef".repeat(2);
    let mut answers = Vec::new();
    for id in [&taken, &withdrawn, &expired, &never] {
        for request in [
            ClientMessage::ShowInvitation(about(id)),
            ClientMessage::AcceptInvitation(about(id)),
            ClientMessage::CancelInvitation(about(id)),
        ] {
            prober.say(&request).await;
            let refused = prober.refused().await;
            answers.push((refused.code.to_string(), refused.message));
        }
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0].0, "unknown_invitation");
}

#[tokio::test]
async fn a_player_cannot_withdraw_the_invitation_of_another() {
    let server = TestServer::start().await;
    let (mut host, mut other) = (server.guest("Host").await, server.guest("Other").await);
    let id = invite(&mut host).await;
    other.say(&ClientMessage::CancelInvitation(about(&id))).await;
    assert_eq!(other.refusal().await, "unknown_invitation");
    other.say(&ClientMessage::AcceptInvitation(about(&id))).await;
    other.game().await;
}

#[tokio::test]
async fn a_game_that_does_not_exist_says_so() {
    let server = TestServer::start().await;
    let mut prober = server.guest("Prober").await;
    for request in [
        r#"{"type": "watch", "data": {"game": "000000000000"}}"#,
        r#"{"type": "resign", "data": {"game": "zzzzzzzzzzzz"}}"#,
    ] {
        prober.say_text(request).await;
        assert_eq!(prober.refusal().await, "unknown_game");
    }
}
