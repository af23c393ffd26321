//! Laws about many concurrent writers.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use castellan_game::GameId;
use castellan_rules::Color;
use castellan_store::{Batch, Store, StoreError};

use crate::fixtures::*;
use crate::rig::{Rig, soon};

const GAMES: u32 = 60;
const MOVES: u32 = 25;

async fn check_whole(store: &dyn Store, id: GameId, last: u32) {
    let stored = store.load_game(id).await.expect("no error").expect("the game");
    let expected: Vec<_> = (1..=last).map(moved).collect();
    assert_eq!(stored.events, expected);
}

pub(super) async fn many_writers_lose_nothing_and_share_commits(rig: &Rig) {
    let store = rig.open().await;
    let players = (0..GAMES).map(|number| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            store.create_game(new_game(number)).await.expect("a game");
            for version in 1..=MOVES {
                let batch = Batch::new(game(number), vec![moved(version)]);
                store.append(batch).await.expect("a move");
            }
        })
    });
    for player in players.collect::<Vec<_>>() {
        soon("all moves", player).await.expect("no panic");
    }
    let metrics = store.metrics();
    let writes = u64::from(GAMES * (MOVES + 1));
    assert_eq!((metrics.writes, metrics.failures, metrics.queued), (writes, 0, 0));
    assert!(metrics.commits < writes, "{metrics:?}: nothing was grouped");
    store.close().await.expect("it closes");
    drop(store);
    let store = rig.open().await;
    for number in 0..GAMES {
        check_whole(&*store, game(number), MOVES).await;
    }
}

/// A caller may send the next event before the last is acknowledged.
pub(super) async fn writes_of_one_caller_keep_their_order(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    // Some of them need several statements and some do not.
    let event = |version| match version % 5 {
        0 => seated(version, Color::White, "a"),
        _ => moved(version),
    };
    let append = |version| Some(store.append(Batch::new(game(1), vec![event(version)])));
    let mut sent: Vec<_> = (1..=200).map(append).collect();
    // Polled in order, they are queued in order.
    let all = poll_fn(|context| {
        for slot in &mut sent {
            if let Some(append) = slot
                && let Poll::Ready(result) = append.as_mut().poll(context)
            {
                result.expect("in order");
                *slot = None;
            }
        }
        if sent.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
    });
    soon("all events", all).await;
    let stored = store.load_game(game(1)).await.expect("no error").expect("the game");
    assert_eq!(stored.events.len(), 200);
}

pub(super) async fn one_bad_batch_does_not_spoil_the_others(rig: &Rig) {
    let store = rig.open().await;
    for number in 0..GAMES {
        store.create_game(new_game(number)).await.expect("a game");
    }
    // Queued together, so that good and bad ones share transactions.
    let appends = (0..GAMES).map(|number| {
        let store = Arc::clone(&store);
        let batch = match number % 4 {
            // Fails at its second statement, after events were stored.
            0 => Batch {
                ratings: vec![rating_change(77, 0, 1500.0)],
                ..Batch::new(game(number), vec![moved(1), moved(2)])
            },
            1 => Batch::new(game(number), vec![moved(2)]),
            2 => Batch::new(game(number), vec![moved(1), moved(2)]),
            _ => Batch::new(game(number), vec![moved(1)]),
        };
        tokio::spawn(async move { (number, store.append(batch).await) })
    });
    for append in appends.collect::<Vec<_>>() {
        let (number, result) = soon("an answer", append).await.expect("no panic");
        match number % 4 {
            0 => assert!(matches!(result, Err(StoreError::RatingConflict { .. })), "{result:?}"),
            1 => assert!(matches!(result, Err(StoreError::Conflict { .. })), "{result:?}"),
            _ => assert_eq!(result, Ok(())),
        }
    }
    for number in 0..GAMES {
        let last = [0, 0, 2, 1][(number % 4) as usize];
        check_whole(&*store, game(number), last).await;
    }
}

pub(super) async fn of_conflicting_appends_one_wins(rig: &Rig) {
    let store = rig.open().await;
    store.create_game(new_game(1)).await.expect("a game");
    for version in 1..=20 {
        let rivals = (0..4).map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(
                async move { store.append(Batch::new(game(1), vec![moved(version)])).await },
            )
        });
        let mut winners = 0;
        for rival in rivals.collect::<Vec<_>>() {
            match soon("an answer", rival).await.expect("no panic") {
                Ok(()) => winners += 1,
                Err(StoreError::Conflict { stored, .. }) => assert_eq!(stored, version),
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(winners, 1);
    }
    check_whole(&*store, game(1), 20).await;
}
