//! Invitations by link, in normal use.

use castellan_game::TimeControl;
use castellan_protocol::{
    ClientMessage, CreateInvitation, Invitation, InvitationRef, Seat, ServerMessage, Terms,
};
use castellan_rules::Color;

use super::client::Client;
use super::server::{MINUTE, TestServer};

async fn invite(host: &mut Client, terms: Terms, color: Option<Color>) -> Invitation {
    host.say(&ClientMessage::CreateInvitation(CreateInvitation { terms, color })).await;
    host.until(|message| match message {
        ServerMessage::Invitation(invitation) => Some(invitation.clone()),
        ServerMessage::Refused(refused) => panic!("{refused:?}"),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_friend_sees_the_terms_and_plays_on_them() {
    let server = TestServer::start().await;
    let (mut host, mut friend) = (server.guest("Host").await, server.guest("Friend").await);
    let terms = Terms {
        fen: Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned()),
        is_touch_move: true,
        allows_takeback: true,
        ..Terms::new(TimeControl::Delay { initial_ms: 30_000, delay_ms: 3_000 })
    };
    for (color, seat) in [(Color::White, Seat::White), (Color::Black, Seat::Black)] {
        let made = invite(&mut host, terms.clone(), Some(color)).await;
        let about = InvitationRef { invitation: made.invitation.clone() };
        friend.say(&ClientMessage::ShowInvitation(about.clone())).await;
        let shown = friend
            .until(|message| match message {
                ServerMessage::Invitation(invitation) => Some(invitation.clone()),
                _ => None,
            })
            .await;
        assert_eq!(shown, made);
        assert_eq!((shown.by.as_str(), &shown.terms), ("Host", &terms));
        friend.say(&ClientMessage::AcceptInvitation(about)).await;
        let (of_host, of_friend) = (host.game().await, friend.game().await);
        assert_eq!(of_host.game, of_friend.game);
        assert_eq!(of_host.you, Some(seat));
        assert_eq!(Terms::from(&of_friend.settings), terms);
    }
}

#[tokio::test]
async fn of_many_players_who_follow_a_link_one_plays() {
    let server = TestServer::start().await;
    let mut host = server.guest("Host").await;
    let made = invite(&mut host, Terms::new(MINUTE), None).await;
    let about = InvitationRef { invitation: made.invitation };
    host.say(&ClientMessage::AcceptInvitation(about.clone())).await;
    assert_eq!(host.refusal().await, "own_invitation");
    let mut friends = Vec::new();
    for number in 0..5 {
        friends.push(server.guest(&format!("Friend {number}")).await);
    }
    for friend in &mut friends {
        friend.say(&ClientMessage::AcceptInvitation(about.clone())).await;
    }
    let mut games = 0;
    for friend in &mut friends {
        let is_playing = friend
            .until(|message| match message {
                ServerMessage::Game(_) => Some(true),
                ServerMessage::Refused(refused) => {
                    assert_eq!(refused.code.to_string(), "unknown_invitation");
                    Some(false)
                }
                _ => None,
            })
            .await;
        games += u32::from(is_playing);
    }
    assert_eq!(games, 1);
}

#[tokio::test]
async fn invitations_are_bounded_and_need_a_host() {
    let server = TestServer::start().await;
    let (mut host, mut friend) = (server.guest("Host").await, server.guest("Friend").await);
    let most = server.services.config.live.max_invitations_per_player;
    let made = invite(&mut host, Terms::new(MINUTE), None).await;
    for _ in 1..most {
        invite(&mut host, Terms::new(MINUTE), None).await;
    }
    let wanted = CreateInvitation { terms: Terms::new(MINUTE), color: None };
    host.say(&ClientMessage::CreateInvitation(wanted)).await;
    assert_eq!(host.refusal().await, "too_many");
    let session = host.session();
    host.socket.close(None).await.unwrap();
    host.closed().await;
    let about = InvitationRef { invitation: made.invitation };
    friend.say(&ClientMessage::AcceptInvitation(about.clone())).await;
    assert_eq!(friend.refusal().await, "busy", "the host is not connected");
    let mut host = Client::back(&server, session).await;
    friend.say(&ClientMessage::AcceptInvitation(about)).await;
    assert_eq!(host.game().await.game, friend.game().await.game);
}

#[tokio::test]
async fn terms_on_which_there_is_no_game_are_refused() {
    let server = TestServer::start().await;
    let mut host = server.guest("Host").await;
    let with = |fen: &str| Terms { fen: Some(fen.to_owned()), ..Terms::new(MINUTE) };
    let rated = Terms { is_rated: true, ..Terms::new(MINUTE) };
    for (terms, code) in [
        (with("nonsense"), "bad_terms"),
        (with("8/8/8/8/8/8/8/8 w - - 0 1"), "bad_terms"),
        (with("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), "bad_terms"),
        (rated, "needs_account"),
    ] {
        let wanted = CreateInvitation { terms, color: None };
        host.say(&ClientMessage::CreateInvitation(wanted)).await;
        assert_eq!(host.refusal().await, code);
    }
}
