//! Laws about games and their events.

use castellan_game::{End, EndReason, GameId};
use castellan_rules::Color;
use castellan_store::{Batch, NewGame, NewGameBatch, Store, StoreError, TokenDigest};

use crate::fixtures::*;
use crate::rig::{Rig, soon};

async fn versions(store: &dyn Store, id: GameId) -> Vec<u32> {
    let game = store.load_game(id).await.expect("a game").expect("it is there");
    game.events.iter().map(|event| event.version).collect()
}

pub(super) async fn stored_games_are_there_after_reopening(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    let mut events = every_event();
    let end = End::win(EndReason::Resignation, Color::White);
    let batch =
        Batch { finish: Some(summary(end, 1, 700)), ..Batch::new(game(1), events.split_off(2)) };
    store.append(Batch::new(game(1), events)).await.expect("the first events");
    store.append(batch).await.expect("the others");
    store.create_account(account(7, "Tal")).await.expect("an account");
    store.put_session(session("token", 7)).await.expect("a session");
    store.put_invitation(invitation("abc", 7)).await.expect("an invitation");
    store.add_chat(chat_line(1, "gl hf")).await.expect("a line");
    store.heartbeat(at(77)).await.expect("a beat");
    let id = store.reserve_player_ids(10).await.expect("ids");
    let identity = store.identity().await.expect("an identity");
    store.close().await.expect("it closes");
    drop(store);

    let store = rig.open().await;
    let stored = store.load_game(game(1)).await.expect("no error").expect("the game");
    assert_eq!(stored.events, every_event());
    assert_eq!(stored.settings, settings());
    assert_eq!((stored.id, stored.created), (game(1), at(1)));
    let page = store.history(castellan_store::HistoryQuery::default()).await.expect("a page");
    assert_eq!(page.games.len(), 1);
    assert_eq!(page.games[0].end, end);
    assert_eq!(page.games[0].white.as_ref().and_then(|seat| seat.rating), Some(2550));
    assert_eq!(page.games[0].black, None);
    let found = store.account_by_name("TAL").await.expect("no error");
    assert_eq!(found, Some(account(7, "Tal")));
    let found = store.session(TokenDigest::of(b"token")).await.expect("no error");
    assert_eq!(found, Some(session("token", 7)));
    let found = store.invitation("abc").await.expect("no error").expect("the invitation");
    assert_eq!(found.settings, settings());
    assert_eq!((found.host_color, found.expires), (Some(Color::Black), at(500_000)));
    let lines = store.chat(game(1), 10).await.expect("no error");
    assert_eq!(lines, [chat_line(1, "gl hf")]);
    assert_eq!(store.last_heartbeat().await, Ok(Some(at(77))));
    assert_eq!(store.reserve_player_ids(1).await.expect("ids").0, id.0 + 10);
    assert_eq!(store.identity().await, Ok(identity));
}

pub(super) async fn versions_follow_each_other(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    let append = |events: Vec<_>| store.append(Batch::new(game(1), events));
    let conflict = |stored, offered| Err(StoreError::Conflict { game: game(1), stored, offered });
    assert_eq!(append(vec![moved(2)]).await, conflict(0, 2));
    assert_eq!(append(vec![moved(1)]).await, Ok(()));
    assert_eq!(append(vec![moved(1)]).await, conflict(1, 1));
    assert_eq!(append(vec![moved(3)]).await, conflict(1, 3));
    assert_eq!(append(vec![moved(2), moved(3)]).await, Ok(()));
    assert_eq!(append(vec![moved(3), moved(4)]).await, conflict(3, 3));
    assert_eq!(append(vec![moved(u32::MAX)]).await, conflict(3, u32::MAX));
    // Seats are written with other statements; the law is the same.
    assert_eq!(append(vec![seated(3, Color::White, "Tal")]).await, conflict(3, 3));
    let nowhere = store.append(Batch::new(game(2), vec![moved(1)])).await;
    assert_eq!(nowhere, Err(StoreError::NoSuchGame { game: game(2) }));
    let nowhere = store.append(Batch::new(game(2), vec![seated(1, Color::White, "Tal")])).await;
    assert_eq!(nowhere, Err(StoreError::NoSuchGame { game: game(2) }));
    assert_eq!(versions(&*store, game(1)).await, [1, 2, 3]);
    assert!(store.load_game(game(2)).await.expect("no error").is_none());
}

pub(super) async fn the_events_after_a_version_are_the_rest_of_the_game(rig: &Rig) {
    let store = rig.open().await;
    assert_eq!(store.events_after(game(1), 0).await, Ok(None));
    for number in [1, 2] {
        store.create_game(new_game(number)).await.expect("a game");
    }
    assert_eq!(store.events_after(game(1), 0).await, Ok(Some(vec![])));
    assert_eq!(store.events_after(game(1), 1).await, Ok(None));
    store.append(Batch::new(game(1), every_event())).await.expect("events");
    store.append(Batch::new(game(2), vec![moved(1)])).await.expect("another game's event");
    let all = every_event();
    for version in 0..=all.len() {
        let rest = store.events_after(game(1), version as u32).await;
        assert_eq!(rest, Ok(Some(all[version..].to_vec())), "after {version}");
    }
    for version in [all.len() as u32 + 1, u32::MAX] {
        assert_eq!(store.events_after(game(1), version).await, Ok(None));
    }
}

pub(super) async fn malformed_batches_are_refused(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    let malformed = [
        vec![],
        vec![moved(0)],
        vec![moved(1), moved(3)],
        vec![moved(1), moved(1)],
        vec![moved(2), moved(1)],
    ];
    for events in malformed {
        let refused = store.append(Batch::new(game(1), events)).await;
        assert!(matches!(refused, Err(StoreError::MalformedBatch { .. })), "{refused:?}");
    }
    store.create_account(account(1, "Tal")).await.expect("an account");
    for rating in [f64::NAN, f64::INFINITY] {
        let ratings = vec![rating_change(1, 0, rating)];
        let batch = Batch { ratings, ..Batch::new(game(1), vec![moved(1)]) };
        let refused = store.append(batch).await;
        assert!(matches!(refused, Err(StoreError::MalformedBatch { .. })), "{refused:?}");
    }
    assert!(versions(&*store, game(1)).await.is_empty());
}

pub(super) async fn a_game_is_created_once(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    store.append(Batch::new(game(1), vec![moved(1)])).await.expect("a move");
    let again = NewGame { created: at(99), ..new_game(1) };
    assert_eq!(store.create_game(again).await, Err(StoreError::GameExists { game: game(1) }));
    let stored = store.load_game(game(1)).await.expect("no error").expect("the game");
    assert_eq!((stored.created, stored.events.len()), (at(1), 1));
}

pub(super) async fn a_batch_is_stored_as_a_whole(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    store.create_account(account(1, "White")).await.expect("an account");
    let end = End::win(EndReason::Checkmate, Color::White);
    let batch = |loser| Batch {
        game: game(1),
        events: vec![moved(1), seated(2, Color::White, "White"), moved(3)],
        finish: Some(summary(end, 40, 7)),
        ratings: vec![rating_change(1, 0, 1516.0), rating_change(loser, 0, 1484.0)],
    };
    // The last part of the batch fails, because player 2 has no account.
    let refused = store.append(batch(2)).await;
    assert!(matches!(refused, Err(StoreError::RatingConflict { .. })), "{refused:?}");
    assert!(versions(&*store, game(1)).await.is_empty());
    assert_eq!(store.ratings_of(account(1, "").player).await, Ok(vec![]));
    assert_eq!(store.unfinished().await, Ok(vec![game(1)]));

    store.create_account(account(2, "Black")).await.expect("an account");
    store.append(batch(2)).await.expect("now everything fits");
    assert_eq!(versions(&*store, game(1)).await, [1, 2, 3]);
    for player in [1, 2] {
        let ratings = store.ratings_of(account(player, "").player).await.expect("ratings");
        assert_eq!(ratings.len(), 1);
        assert_eq!(ratings[0].1.games, 1);
    }
    assert_eq!(store.unfinished().await, Ok(vec![]));
}

pub(super) async fn a_game_begins_with_all_it_claims_or_not_at_all(rig: &Rig) {
    let store = rig.open().await;
    let begin = |number, claims: &[&str]| {
        let events = vec![seated(1, Color::White, "Tal"), seated(2, Color::Black, "Bronstein")];
        let claims = claims.iter().map(ToString::to_string).collect();
        let claims_while_running = Vec::new();
        let game = new_game(number);
        store.begin_game(NewGameBatch { game, events, claims, claims_while_running })
    };
    let claimed = |claim: &str| Err(StoreError::AlreadyClaimed { claim: claim.to_owned() });
    begin(1, &["a", "b"]).await.expect("both are free");
    assert_eq!(versions(&*store, game(1)).await, [1, 2]);
    assert_eq!(store.claimed_by("a").await, Ok(Some(game(1))));
    assert_eq!(store.claimed_by("b").await, Ok(Some(game(1))));
    // Of the claims of a game that does not begin none is kept.
    assert_eq!(begin(2, &["c", "b"]).await, claimed("b"));
    assert_eq!(begin(2, &["a", "c"]).await, claimed("a"));
    assert!(store.load_game(game(2)).await.expect("no error").is_none());
    assert_eq!(store.claimed_by("c").await, Ok(None));
    // A withdrawn seek cannot be claimed, and a claimed one cannot be withdrawn.
    assert_eq!(store.withdraw("c", at(0)).await, Ok(true));
    assert_eq!(store.withdraw("c", at(0)).await, Ok(false));
    assert_eq!(store.withdraw("a", at(0)).await, Ok(false));
    assert_eq!(store.claimed_by("c").await, Ok(None));
    assert_eq!(begin(2, &["c"]).await, claimed("c"));
    assert_eq!(begin(1, &["d"]).await, Err(StoreError::GameExists { game: game(1) }));
    assert_eq!(store.claimed_by("d").await, Ok(None));
    begin(2, &["d"]).await.expect("a free claim");
    begin(3, &[]).await.expect("no claim at all");
    for claims in [&["1", "2", "3"][..], &["x".repeat(1000).as_str()]] {
        let refused = begin(4, claims).await;
        assert!(matches!(refused, Err(StoreError::TooLarge { .. })), "{refused:?}");
    }
    assert_eq!(store.unfinished().await, Ok(vec![game(1), game(2), game(3)]));
}

pub(super) async fn some_claims_are_free_again_when_the_game_ends(rig: &Rig) {
    let store = rig.open().await;
    let begin = |number, claims: &[&str]| {
        let events = vec![seated(1, Color::White, "Tal"), seated(2, Color::Black, "Bronstein")];
        let claims_while_running = claims.iter().map(ToString::to_string).collect();
        let (game, claims) = (new_game(number), vec![format!("seek {number}")]);
        store.begin_game(NewGameBatch { game, events, claims, claims_while_running })
    };
    let claimed = |claim: &str| Err(StoreError::AlreadyClaimed { claim: claim.to_owned() });
    begin(1, &["a", "b"]).await.expect("both are free");
    assert_eq!(begin(2, &["c", "b"]).await, claimed("b"));
    assert_eq!(store.claimed_by("c").await, Ok(None));
    assert_eq!(store.claimed_by("seek 2").await, Ok(None), "nothing of the game is stored");
    let end = summary(End::without_winner(EndReason::Aborted), 0, 5);
    let batch = Batch { finish: Some(end), ..Batch::new(game(1), vec![moved(3)]) };
    store.append(batch).await.expect("the end");
    assert_eq!(store.claimed_by("b").await, Ok(Some(game(1))), "until another game takes it");
    begin(2, &["c", "b"]).await.expect("the game that held it is over");
    assert_eq!(store.claimed_by("b").await, Ok(Some(game(2))));
    assert_eq!(begin(3, &["b"]).await, claimed("b"));
    begin(3, &["a"]).await.expect("it is free");
    // A game that cannot go on may give its claim away, but not that of another game.
    assert_eq!(store.release_claim("b", game(3)).await, Ok(false));
    assert_eq!(begin(4, &["b"]).await, claimed("b"));
    assert_eq!(store.release_claim("b", game(2)).await, Ok(true));
    assert_eq!(store.release_claim("b", game(2)).await, Ok(false));
    begin(4, &["b"]).await.expect("it was released");
    // The game that was seated first does not get its claims back.
    assert_eq!(begin(1, &["d"]).await, Err(StoreError::GameExists { game: game(1) }));
}

pub(super) async fn the_unfinished_games_of_a_player_are_found(rig: &Rig) {
    let store = rig.open().await;
    for number in [2, 1, 3] {
        store.create_game(new_game(number)).await.expect("a game");
    }
    let sit = |number, seats| store.append(Batch::new(game(number), seats));
    let (white, black) = (seated(1, Color::White, "Tal"), seated(2, Color::Black, "Bronstein"));
    sit(1, vec![white.clone(), black.clone()]).await.expect("seats");
    sit(2, vec![white]).await.expect("a seat");
    let of = |player| store.unfinished_of(castellan_game::PlayerId(player));
    assert_eq!(of(1).await, Ok(vec![game(2), game(1)]));
    assert_eq!(of(2).await, Ok(vec![game(1)]));
    assert_eq!(of(3).await, Ok(vec![]));
    let end = summary(End::without_winner(EndReason::Aborted), 0, 5);
    let batch = Batch { finish: Some(end), ..Batch::new(game(1), vec![moved(3)]) };
    store.append(batch).await.expect("the end");
    assert_eq!(of(1).await, Ok(vec![game(2)]));
    assert_eq!(of(2).await, Ok(vec![]));
}

pub(super) async fn a_game_ends_once(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    let win = End::win(EndReason::Timeout, Color::Black);
    let draw = End::without_winner(EndReason::Agreement);
    let ended = |version, end| Batch {
        finish: Some(summary(end, version, 7)),
        ..Batch::new(game(1), vec![moved(version)])
    };
    store.append(ended(1, win)).await.expect("the end");
    let again = store.append(ended(2, draw)).await;
    assert_eq!(again, Err(StoreError::AlreadyFinished { game: game(1) }));
    assert_eq!(versions(&*store, game(1)).await, [1]);
    let longest = store.longest(10).await.expect("games");
    assert_eq!((longest[0].end, longest[0].plies), (win, 1));
}

pub(super) async fn events_may_follow_the_end(rig: &Rig) {
    let store = rig.open().await;
    let end = End::without_winner(EndReason::Stalemate);
    finished_game(&*store, 1, ["a", "b"], summary(end, 9, 5)).await.expect("a game");
    let rematch = recorded(4, castellan_game::Event::RematchAgreed {});
    store.append(Batch::new(game(1), vec![rematch])).await.expect("a rematch is agreed");
    assert_eq!(versions(&*store, game(1)).await, [1, 2, 3, 4]);
}

pub(super) async fn unfinished_games_are_listed_until_they_end(rig: &Rig) {
    let store = rig.open().await;
    for number in [3, 1, 2] {
        store.create_game(new_game(number)).await.expect("a game");
    }
    assert_eq!(store.unfinished().await, Ok(vec![game(3), game(1), game(2)]));
    let end = summary(End::without_winner(EndReason::Aborted), 0, 5);
    let batch = Batch { finish: Some(end), ..Batch::new(game(1), vec![moved(1)]) };
    store.append(batch).await.expect("the end");
    assert_eq!(store.unfinished().await, Ok(vec![game(3), game(2)]));
}

pub(super) async fn values_that_are_too_large_are_refused(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    let huge = "x".repeat(1_000_000);
    let refused = [
        store.append(Batch::new(game(1), vec![seated(1, Color::White, &huge)])).await,
        store.append(Batch::new(game(1), (1..=1000).map(moved).collect())).await,
        store.create_account(account(1, &huge)).await,
        store.change_password(account(1, "").player, huge.clone()).await,
        store
            .put_session(castellan_store::Session { device: huge.clone(), ..session("t", 1) })
            .await,
        store.put_invitation(invitation(&huge, 1)).await,
        store.add_chat(chat_line(1, &huge)).await,
    ];
    for result in refused {
        assert!(matches!(result, Err(StoreError::TooLarge { .. })), "{result:?}");
    }
    assert_eq!(store.account_by_name(&huge).await, Ok(None));
    assert!(store.invitation(&huge).await.expect("no error").is_none());
    let nul = [
        store.add_chat(chat_line(1, "a\0b")).await,
        store.create_account(account(1, "a\0b")).await,
        store.append(Batch::new(game(1), vec![seated(1, Color::White, "a\0b")])).await,
    ];
    for result in nul {
        assert!(matches!(result, Err(StoreError::NulCharacter { .. })), "{result:?}");
    }
    assert!(versions(&*store, game(1)).await.is_empty());
}

pub(super) async fn a_closed_store_refuses(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    store.close().await.expect("it closes");
    let late = store.append(Batch::new(game(1), vec![moved(1)])).await;
    assert_eq!(late, Err(StoreError::Closed));
    assert!(matches!(store.load_game(game(1)).await, Err(StoreError::Closed)));
    soon("closing twice", store.close()).await.expect("it is closed");
}
