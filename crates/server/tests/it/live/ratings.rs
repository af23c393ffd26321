//! Ratings of accounts.

use castellan_game::rating::{RatedGame, Rating, Score};
use castellan_protocol::{ClientMessage, Ratings, Seek, ServerMessage};

use super::client::{Client, play};
use super::server::{MINUTE, TestServer, in_order};

async fn ratings(client: &mut Client) -> Ratings {
    client
        .until(|message| match message {
            ServerMessage::Ratings(ratings) => Some(*ratings),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn a_rated_game_moves_both_ratings_at_its_end() {
    let server = TestServer::start().await;
    let cookies = [server.account("Carla").await, server.account("Dora").await];
    let mut one = Client::with_cookie(&server, &cookies[0]).await;
    let mut other = Client::with_cookie(&server, &cookies[1]).await;
    let seek = ClientMessage::Seek(Seek { time_control: MINUTE, is_rated: true });
    one.say(&seek).await;
    one.queued().await;
    other.say(&seek).await;
    let snapshot = one.game().await;
    other.game().await;
    let game = snapshot.game;
    assert!(snapshot.settings.is_rated);
    assert_eq!(snapshot.white.unwrap().rating, Some(1500));
    let (mut white, mut black) = in_order(one, other, game);
    play(&mut white, &mut black, game, &["f2f3", "e7e5", "g2g4"]).await;
    black.make_move(game, 3, "d8h4").await;
    let told = ratings(&mut white).await;
    assert_eq!(ratings(&mut black).await, told);
    assert_eq!((told.white.before, told.white.after), (1500, 1338));
    assert_eq!((told.black.before, told.black.after), (1500, 1662));
    let again = Client::with_cookie(&server, &cookies[0]).await;
    assert!([Some(1338), Some(1662)].contains(&again.welcome.you.rating));
}

#[tokio::test]
async fn an_aborted_or_casual_game_moves_none() {
    let server = TestServer::start().await;
    let cookies = [server.account("Carla").await, server.account("Dora").await];
    let mut one = Client::with_cookie(&server, &cookies[0]).await;
    let mut other = Client::with_cookie(&server, &cookies[1]).await;
    for is_rated in [true, false] {
        let seek = ClientMessage::Seek(Seek { time_control: MINUTE, is_rated });
        one.say(&seek).await;
        one.queued().await;
        other.say(&seek).await;
        let game = one.game().await.game;
        other.game().await;
        let last = match is_rated {
            true => ClientMessage::Abort(castellan_protocol::GameRef { game }),
            false => ClientMessage::Resign(castellan_protocol::GameRef { game }),
        };
        one.say(&last).await;
        one.end().await;
        other.end().await;
    }
    let again = Client::with_cookie(&server, &cookies[0]).await;
    assert_eq!(again.welcome.you.rating, None);
}

/// Lets two accounts play a rated game that White resigns. Returns the players' ratings after it.
async fn white_resigns(server: &TestServer, cookies: &[String; 2]) -> [Rating; 2] {
    let mut one = Client::with_cookie(server, &cookies[0]).await;
    let mut other = Client::with_cookie(server, &cookies[1]).await;
    let seek = ClientMessage::Seek(Seek { time_control: MINUTE, is_rated: true });
    one.say(&seek).await;
    one.queued().await;
    other.say(&seek).await;
    let snapshot = one.game().await;
    other.game().await;
    let (mut white, mut black) = in_order(one, other, snapshot.game);
    play(&mut white, &mut black, snapshot.game, &["e2e4", "e7e5"]).await;
    white.resign(snapshot.game).await;
    ratings(&mut white).await;
    ratings(&mut black).await;
    let mut after = Vec::new();
    for player in [snapshot.white.unwrap().id, snapshot.black.unwrap().id] {
        let (_, stored) = server.store.ratings_of(player).await.unwrap()[0];
        after.push(Rating::new(stored.rating, stored.deviation, stored.volatility).unwrap());
    }
    [after[0], after[1]]
}

#[tokio::test]
async fn the_rating_of_an_absent_player_becomes_less_certain() {
    let server = TestServer::start().await;
    let cookies = [server.account("Carla").await, server.account("Dora").await];
    let first = white_resigns(&server, &cookies).await;
    server.pass(core::time::Duration::from_hours(20 * 24));
    let [white, _] = white_resigns(&server, &cookies).await;
    // The colors of the second game are random.
    let loses = |own: Rating, opponent: Rating, days: f64| {
        let game = RatedGame { opponent: opponent.after_days(days), score: Score::Loss };
        own.after_game(game, days).points()
    };
    let [loser, winner] = first;
    let expected = |days| [loses(loser, winner, days), loses(winner, loser, days)];
    let is_among = |days| expected(days).iter().any(|it| (white.points() - it).abs() < 1e-6);
    assert!(is_among(20.0) && !is_among(0.0), "{} {:?}", white.points(), expected(20.0));
}
