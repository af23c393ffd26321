//! Laws about accounts, sessions, ratings, invitations and chat.

use std::collections::HashSet;

use castellan_game::PlayerId;
use castellan_store::{Batch, Category, Session, StoreError, TokenDigest};

use crate::fixtures::*;
use crate::rig::Rig;

pub(super) async fn a_name_belongs_to_one_account(rig: &Rig) {
    let store = rig.open().await;
    store.create_account(account(1, "José")).await.expect("an account");
    for taken in ["José", "jose", "JOSE", "Jo\u{200B}sé", " josé "] {
        let refused = store.create_account(account(2, taken)).await;
        assert_eq!(refused, Err(StoreError::NameTaken { name: taken.to_owned() }));
    }
    store.create_account(account(2, "Josefa")).await.expect("another name");
    assert_eq!(store.account_by_name("JOSÉ").await, Ok(Some(account(1, "José"))));
    assert_eq!(store.account_of(PlayerId(2)).await, Ok(Some(account(2, "Josefa"))));
    assert_eq!(store.account_of(PlayerId(3)).await, Ok(None));

    let hash = "$argon2id$another".to_owned();
    store.change_password(PlayerId(1), hash.clone()).await.expect("a new password");
    let changed = store.account_of(PlayerId(1)).await.expect("no error").expect("the account");
    assert_eq!(changed.password_hash, hash);
    let nobody = store.change_password(PlayerId(3), hash).await;
    assert_eq!(nobody, Err(StoreError::NoSuchAccount { player: PlayerId(3) }));
}

pub(super) async fn ratings_change_only_from_what_they_were(rig: &Rig) {
    let store = rig.open().await;
    store.create_account(account(1, "Tal")).await.expect("an account");
    for number in 1..=3 {
        store.create_game(new_game(number)).await.expect("a game");
    }
    let rate = |number, change| {
        let batch = Batch { ratings: vec![change], ..Batch::new(game(number), vec![moved(1)]) };
        store.append(batch)
    };
    rate(1, rating_change(1, 0, 1600.5)).await.expect("the first game");
    // Computed before the first game was rated, so it would undo that game.
    let player = PlayerId(1);
    let stale = rate(2, rating_change(1, 0, 1400.0)).await;
    let conflict = StoreError::RatingConflict { player, category: Category::Blitz };
    assert_eq!(stale, Err(conflict));
    rate(2, rating_change(1, 1, 1700.25)).await.expect("computed from the current rating");
    let other =
        castellan_store::RatingChange { category: Category::Bullet, ..rating_change(1, 0, 1500.0) };
    rate(3, other).await.expect("categories are independent");
    assert_eq!(store.last_rated(player, Category::Blitz).await, Ok(Some(at(1000))));
    assert_eq!(store.last_rated(player, Category::Rapid).await, Ok(None));
    let ratings = store.ratings_of(player).await.expect("ratings");
    let expected =
        [(Category::Bullet, other.after), (Category::Blitz, rating_change(1, 1, 1700.25).after)];
    assert_eq!(ratings, expected);
}

pub(super) async fn sessions_are_kept_rotated_and_ended(rig: &Rig) {
    let store = rig.open().await;
    store.create_account(account(7, "Tal")).await.expect("an account");
    let of_account = Session { is_account: true, ..session("one", 7) };
    store.put_session(of_account.clone()).await.expect("a session");
    assert_eq!(store.session(of_account.digest).await, Ok(Some(of_account.clone())));
    assert_eq!(store.session(TokenDigest::of(b"other")).await, Ok(None));
    assert!(store.put_session(of_account.clone()).await.is_err(), "a token is used once");
    let stray = Session { is_account: true, ..session("stray", 8) };
    assert!(store.put_session(stray).await.is_err(), "player 8 has no account");

    store.touch_session(of_account.digest, at(50), at(60)).await.expect("it was used");
    let new = Session { seen: at(70), is_account: true, ..session("two", 7) };
    store.rotate_session(of_account.digest, new.clone()).await.expect("a new token");
    assert_eq!(store.session(of_account.digest).await, Ok(None));
    assert_eq!(store.session(new.digest).await, Ok(Some(new.clone())));
    let gone = store.rotate_session(of_account.digest, session("three", 7)).await;
    assert_eq!(gone, Err(StoreError::NoSuchSession));
    assert_eq!(store.session(TokenDigest::of(b"three")).await, Ok(None));
    let gone = store.touch_session(of_account.digest, at(80), at(90)).await;
    assert_eq!(gone, Err(StoreError::NoSuchSession));

    let older = session("older", 7);
    store.put_session(older.clone()).await.expect("a session");
    store.put_session(session("of another player", 9)).await.expect("a session");
    assert_eq!(store.sessions_of(PlayerId(7)).await, Ok(vec![new.clone(), older.clone()]));
    assert_eq!(store.delete_sessions_of(PlayerId(7), Some(new.digest)).await, Ok(1));
    assert_eq!(store.sessions_of(PlayerId(7)).await, Ok(vec![new.clone()]));
    assert_eq!(store.delete_session(new.digest).await, Ok(true));
    assert_eq!(store.delete_session(new.digest).await, Ok(false));
    assert_eq!(store.delete_sessions_of(PlayerId(9), None).await, Ok(1));
}

pub(super) async fn expired_rows_are_deleted(rig: &Rig) {
    let store = rig.open().await;
    let short = Session { expires: at(100), ..session("short", 1) };
    let long = Session { expires: at(200), ..session("long", 1) };
    store.put_session(short.clone()).await.expect("a session");
    store.put_session(long.clone()).await.expect("a session");
    let mut soon_over = invitation("soon over", 1);
    soon_over.expires = at(100);
    store.put_invitation(soon_over).await.expect("an invitation");
    store.put_invitation(invitation("open", 1)).await.expect("an invitation");
    // Claims are remembered for a week.
    let long_ago = castellan_game::Moment::from_millis(at(100).as_millis() - 7 * 86_400_000);
    assert_eq!(store.withdraw("old", long_ago).await, Ok(true));
    assert_eq!(store.withdraw("new", at(0)).await, Ok(true));
    assert_eq!(store.delete_expired(at(100)).await, Ok(0));
    assert_eq!(store.delete_expired(at(101)).await, Ok(3));
    assert_eq!(store.withdraw("old", at(0)).await, Ok(true));
    assert_eq!(store.withdraw("new", at(0)).await, Ok(false));
    assert_eq!(store.sessions_of(PlayerId(1)).await, Ok(vec![long]));
    assert!(store.invitation("soon over").await.expect("no error").is_none());
    assert!(store.invitation("open").await.expect("no error").is_some());
}

pub(super) async fn an_invitation_is_taken_once(rig: &Rig) {
    let store = rig.open().await;
    store.put_invitation(invitation("abc", 1)).await.expect("an invitation");
    let open = store.invitations_of(PlayerId(1)).await.expect("no error");
    assert_eq!(open.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["abc"]);
    let takers = (0..8).map(|_| {
        let store = std::sync::Arc::clone(&store);
        tokio::spawn(async move { store.take_invitation("abc").await.expect("no error") })
    });
    let mut winners = 0;
    for taker in takers.collect::<Vec<_>>() {
        winners += u32::from(taker.await.expect("no panic"));
    }
    assert_eq!(winners, 1);
    assert!(store.invitation("abc").await.expect("no error").is_none());
    assert!(store.invitations_of(PlayerId(1)).await.expect("no error").is_empty());
}

pub(super) async fn chat_comes_in_order(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    store.create_game(new_game(2)).await.expect("a game");
    for text in ["one", "two", "<b>three</b>", "vier 🐎"] {
        store.add_chat(chat_line(1, text)).await.expect("a line");
    }
    store.add_chat(chat_line(2, "elsewhere")).await.expect("a line");
    let texts = |lines: Vec<castellan_store::ChatLine>| -> Vec<String> {
        lines.into_iter().map(|line| line.text).collect()
    };
    let all = store.chat(game(1), 100).await.expect("no error");
    assert_eq!(texts(all), ["one", "two", "<b>three</b>", "vier 🐎"]);
    let last = store.chat(game(1), 2).await.expect("no error");
    assert_eq!(texts(last), ["<b>three</b>", "vier 🐎"]);
    let nowhere = store.add_chat(chat_line(3, "hello?")).await;
    assert_eq!(nowhere, Err(StoreError::NoSuchGame { game: game(3) }));
}

pub(super) async fn the_heartbeat_never_goes_back(rig: &Rig) {
    let store = rig.open().await;
    assert_eq!(store.last_heartbeat().await, Ok(None));
    store.heartbeat(at(10)).await.expect("a beat");
    store.heartbeat(at(5)).await.expect("the clock was set back");
    assert_eq!(store.last_heartbeat().await, Ok(Some(at(10))));
    store.heartbeat(at(11)).await.expect("a beat");
    assert_eq!(store.last_heartbeat().await, Ok(Some(at(11))));
}

pub(super) async fn an_outage_is_written_down_once(rig: &Rig) {
    let store = rig.open().await;
    let begin = async |now_ms, silence_ms| {
        let silence = core::time::Duration::from_millis(silence_ms);
        store.begin_service(at(now_ms), silence).await.expect("a beginning");
        store.last_outage().await.expect("an answer").map(|it| (it.from, it.until))
    };
    assert_eq!(begin(1_000, 0).await, None, "this is the first server");
    assert_eq!(store.last_heartbeat().await, Ok(Some(at(1_000))));
    store.heartbeat(at(5_000)).await.expect("a beat");
    assert_eq!(begin(6_000, 2_000).await, None, "another server was there");
    assert_eq!(begin(90_000, 2_000).await, Some((at(5_000), at(90_000))));
    // A server that starts right after it finds a heartbeat, and the same outage.
    assert_eq!(begin(91_000, 2_000).await, Some((at(5_000), at(90_000))));
    // If none of them lived until its first heartbeat, the outage goes on.
    assert_eq!(begin(95_000, 2_000).await, Some((at(5_000), at(95_000))));
    assert_eq!(begin(95_500, 0).await, Some((at(5_000), at(95_500))));
    // A few seconds of service do not end it, either.
    store.heartbeat(at(115_500)).await.expect("a beat");
    assert_eq!(begin(116_000, 0).await, Some((at(5_000), at(116_000))));
    store.heartbeat(at(136_001)).await.expect("a beat");
    assert_eq!(begin(137_000, 0).await, Some((at(136_001), at(137_000))));
}

pub(super) async fn a_database_server_has_a_clock(rig: &Rig) {
    let store = rig.open().await;
    let now = store.now().await.expect("an answer");
    let Rig::Postgres { .. } = rig else {
        return assert_eq!(now, None, "a file has no clock");
    };
    // The server of the test runs on this machine.
    let since_1970 = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a date after 1970");
    let system_ms = u64::try_from(since_1970.as_millis()).expect("a date");
    let server_ms = now.expect("a server has a clock").as_millis();
    assert!(server_ms.abs_diff(system_ms) < 600_000, "{server_ms} and {system_ms}");
}

pub(super) async fn player_ids_are_given_once(rig: &Rig) {
    let store = rig.open().await;
    let reserved = (1..=20).map(|count| {
        let store = std::sync::Arc::clone(&store);
        tokio::spawn(async move {
            let first = store.reserve_player_ids(count).await.expect("ids").0;
            first..first + u64::from(count)
        })
    });
    let mut seen = HashSet::new();
    for range in reserved.collect::<Vec<_>>() {
        for id in range.await.expect("no panic") {
            assert!(id > 0 && seen.insert(id), "{id} was given twice");
        }
    }
    assert_eq!(seen.len(), 210);
}
