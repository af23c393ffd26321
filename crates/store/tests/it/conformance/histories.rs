//! Laws about lists of finished games.

use std::sync::Arc;

use castellan_game::{End, EndReason, GameId};
use castellan_rules::Color;
use castellan_store::{HistoryQuery, ResultCounts, Results, Store};

use tokio::task::JoinSet;

use crate::fixtures::*;
use crate::rig::Rig;

const DRAW: End = End { reason: EndReason::Agreement, winner: None };

/// All pages, one after the other.
async fn pages(store: &dyn Store, name: &str, limit: u32) -> Vec<GameId> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let query = HistoryQuery { name: name.to_owned(), after, limit };
        let page = store.history(query).await.expect("a page");
        assert!(page.games.len() <= limit as usize);
        found.extend(page.games.iter().map(|game| game.id));
        match page.next {
            // A cursor survives the trip through an address.
            Some(next) => after = Some(next.to_string().parse().expect("a cursor")),
            None => return found,
        }
    }
}

pub(super) async fn history_goes_back_page_by_page(rig: &Rig) {
    let store = rig.open().await;
    assert!(pages(&*store, "", 5).await.is_empty());
    // Two finish in each moment, so that the moment alone would not tell where a page ends.
    for number in 0..12 {
        let summary = summary(DRAW, number, u64::from(number / 2));
        finished_game(&*store, number, ["Anna", "Bert"], summary).await.expect("a game");
    }
    store.create_game(new_game(99)).await.expect("a game that goes on");
    let newest_first: Vec<GameId> = (0..12).rev().map(game).collect();
    for limit in [1, 2, 3, 5, 11, 12, 13, 100] {
        assert_eq!(pages(&*store, "", limit).await, newest_first, "{limit} a page");
        assert_eq!(pages(&*store, "ann", limit).await, newest_first, "{limit} a page");
    }
    let whole = HistoryQuery { limit: u32::MAX, ..HistoryQuery::default() };
    let page = store.history(whole).await.expect("a page");
    assert_eq!(page.games.len(), 12);
    assert_eq!(page.next, None);
    let first = &page.games[0];
    assert_eq!((first.plies, first.finished, first.created), (11, at(5), at(11)));
    assert_eq!(first.white.as_ref().map(|seat| seat.name.as_str()), Some("Anna"));
    assert_eq!(first.black.as_ref().map(|seat| seat.name.as_str()), Some("Bert"));
}

pub(super) async fn pages_stay_in_place_while_games_finish(rig: &Rig) {
    let store = rig.open().await;
    for number in 0..6 {
        let summary = summary(DRAW, 1, number.into());
        finished_game(&*store, number, ["a", "b"], summary).await.expect("a game");
    }
    let query = HistoryQuery { limit: 3, ..HistoryQuery::default() };
    let first = store.history(query.clone()).await.expect("a page");
    finished_game(&*store, 6, ["a", "b"], summary(DRAW, 1, 6)).await.expect("one more");
    let second = HistoryQuery { after: first.next, ..query };
    let second = store.history(second).await.expect("a page");
    let seen = first.games.iter().chain(&second.games).map(|game| game.id);
    assert_eq!(seen.collect::<Vec<_>>(), (0..6).rev().map(game).collect::<Vec<_>>());
}

pub(super) async fn names_are_found_as_people_write_them(rig: &Rig) {
    let store = rig.open().await;
    let players = [["José Raúl", "Bobby"], ["Weiß", "bobby2"], ["100%", "x_y"], ["Ivan", "Łuk"]];
    for (number, names) in (0..).zip(players) {
        let summary = summary(DRAW, 1, number.into());
        finished_game(&*store, number, names, summary).await.expect("a game");
    }
    let cases: [(&str, &[u32]); 14] = [
        ("jose", &[0]),
        ("JOSÉ", &[0]),
        ("é r", &[0]),
        ("bob", &[1, 0]),
        ("weiss", &[1]),
        ("%", &[2]),
        ("_", &[2]),
        ("0%", &[2]),
        ("xay", &[]),
        ("!", &[]),
        ("luk", &[3]),
        ("Ivan", &[3]),
        ("  ", &[3, 2, 1, 0]),
        ("nobody", &[]),
    ];
    for (name, expected) in cases {
        let expected: Vec<GameId> = expected.iter().map(|number| game(*number)).collect();
        assert_eq!(pages(&*store, name, 2).await, expected, "games of {name:?}");
    }
}

/// More names than count as few contain `player`, and one of them is searched by its own part.
pub(super) async fn a_part_of_many_names_finds_all_their_games(rig: &Rig) {
    let store = rig.open().await;
    let mut playing = JoinSet::new();
    for number in 0..600 {
        let store = Arc::clone(&store);
        playing.spawn(async move {
            let name = format!("player{number}x");
            let summary = summary(DRAW, 1, u64::from(number));
            finished_game(&*store, number, [&name, "Rare"], summary).await.expect("a game");
        });
    }
    playing.join_all().await;
    assert_eq!(pages(&*store, "PLAYER", 100).await.len(), 600);
    assert_eq!(pages(&*store, "yer599", 100).await, [game(599)]);
    assert_eq!(pages(&*store, "rare", 100).await.len(), 600);
    let nines: Vec<GameId> = (0..600).rev().filter(|number| number % 10 == 9).map(game).collect();
    assert_eq!(pages(&*store, "9x", 7).await, nines);
}

pub(super) async fn hostile_names_are_only_names(rig: &Rig) {
    let store = rig.open().await;
    let names = [
        "'; DROP TABLE games; --",
        "\" OR \"\"=\"",
        "<script>alert(1)</script>",
        "%_%",
        "\\",
        "\u{202E}evil",
        "🏳️\u{200D}🌈 ♞",
        "$1 ?1 :name",
        "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}",
        "line\nbreak\ttab",
    ];
    for (number, name) in (0..).zip(names) {
        let summary = summary(DRAW, 1, number.into());
        finished_game(&*store, number, [name, "other"], summary).await.expect(name);
        store.create_account(account(1000 + u64::from(number), name)).await.expect(name);
    }
    for (number, name) in (0..).zip(names) {
        let expected = account(1000 + u64::from(number), name);
        assert_eq!(store.account_by_name(name).await, Ok(Some(expected)));
        let found = pages(&*store, name, 10).await;
        assert!(found.contains(&game(number)), "{name:?} is not found: {found:?}");
        let stored = store.load_game(game(number)).await.expect("no error").expect("a game");
        assert_eq!(stored.events[0], seated(1, Color::White, name));
        let results = store.results_of(name).await.expect("results");
        assert_eq!(
            results.as_white,
            ResultCounts { draws: 1, ..ResultCounts::default() },
            "{name:?}"
        );
    }
    assert_eq!(pages(&*store, "other", 3).await.len(), names.len());
}

pub(super) async fn the_longest_games_come_first(rig: &Rig) {
    let store = rig.open().await;
    for (number, plies) in (0..).zip([30, 200, 7, 200, 99, 1, 2, 3, 4, 5, 6, 8]) {
        let summary = summary(DRAW, plies, 5);
        finished_game(&*store, number, ["a", "b"], summary).await.expect("a game");
    }
    let aborted = End::without_winner(EndReason::Aborted);
    let resigned = End::win(EndReason::Resignation, Color::White);
    for (number, end, plies) in [(20, aborted, 900), (21, aborted, 0), (22, resigned, 0)] {
        let summary = summary(end, plies, 5);
        finished_game(&*store, number, ["a", "b"], summary).await.expect("a game");
    }
    let all = store.longest(100).await.expect("games");
    assert_eq!(all.len(), 12, "neither called-off games nor games without moves");
    let longest = store.longest(10).await.expect("games");
    let plies: Vec<u32> = longest.iter().map(|game| game.plies).collect();
    assert_eq!(plies, [200, 200, 99, 30, 8, 7, 6, 5, 4, 3]);
    assert_eq!((longest[0].id, longest[1].id), (game(1), game(3)));
}

pub(super) async fn results_are_counted_by_color(rig: &Rig) {
    let store = rig.open().await;
    let white = End::win(EndReason::Checkmate, Color::White);
    let black = End::win(EndReason::Resignation, Color::Black);
    let aborted = End::without_winner(EndReason::Aborted);
    let played = [
        (["Ana", "Bo"], white),
        (["Ana", "Bo"], white),
        (["Ana", "Bo"], DRAW),
        (["Ana", "Bo"], aborted),
        (["Bo", "ÁNA"], white),
        (["Bo", "ana"], black),
        (["Bo", "ana"], black),
        (["Anabel", "Bo"], white),
        (["ana", "Ana"], white),
    ];
    for (number, (names, end)) in (0..).zip(played) {
        finished_game(&*store, number, names, summary(end, 1, 1)).await.expect("a game");
    }
    store.create_game(new_game(99)).await.expect("a game that goes on");
    let expected = Results {
        as_white: ResultCounts { wins: 3, draws: 1, losses: 0 },
        as_black: ResultCounts { wins: 2, draws: 0, losses: 2 },
    };
    assert_eq!(store.results_of("ana").await, Ok(expected));
    assert_eq!(store.results_of("nobody").await, Ok(Results::default()));
}
