//! Games, events and people for the tests.

use castellan_game::{
    ClockStart, End, EndReason, Event, GameId, Moment, Player, PlayerId, Proposal, Recorded,
    Settings, TimeControl,
};
use castellan_rules::{Color, Position};
use castellan_store::{
    Account, Batch, ChatLine, Invitation, NewGame, RatingChange, Session, Store, StoreError,
    StoredRating, Summary, TokenDigest,
};

pub(crate) fn at(millis: u64) -> Moment {
    Moment::from_millis(1_700_000_000_000 + millis)
}

pub(crate) fn game(number: u32) -> GameId {
    GameId::from_random(u128::from(number).to_le_bytes())
}

pub(crate) fn settings() -> Settings {
    Settings {
        start: Position::start(),
        is_chess960: false,
        time_control: TimeControl::Increment { initial_ms: 180_000, increment_ms: 2_000 },
        clock_start: ClockStart::Game,
        is_rated: true,
        is_touch_move: false,
        allows_takeback: true,
    }
}

pub(crate) fn new_game(number: u32) -> NewGame {
    NewGame { id: game(number), settings: settings(), created: at(number.into()) }
}

pub(crate) fn recorded(version: u32, event: Event) -> Recorded {
    Recorded { version, at: at(u64::from(version) * 1000), event }
}

/// A move that carries its version, so that it can be told from all others.
pub(crate) fn moved(version: u32) -> Recorded {
    let event = Event::Moved {
        ply: version,
        mv: "e2e4".parse().expect("a move"),
        spent_ms: u64::from(version) * 17,
        compensated_ms: 3,
        remaining_ms: Some(180_000),
    };
    recorded(version, event)
}

pub(crate) fn seated(version: u32, color: Color, name: &str) -> Recorded {
    let player = Player { id: PlayerId(u64::from(version)), name: name.to_owned(), rating: None };
    recorded(version, Event::Seated { color, player })
}

/// One event of every kind.
pub(crate) fn every_event() -> Vec<Recorded> {
    let white = Player { id: PlayerId(u64::MAX), name: "Réti".to_owned(), rating: Some(2550) };
    let events = [
        Event::Seated { color: Color::White, player: white },
        Event::Started {},
        Event::Moved {
            ply: 0,
            mv: "a7a8q".parse().expect("a move"),
            spent_ms: 0,
            compensated_ms: u64::MAX,
            remaining_ms: None,
        },
        Event::Touched { square: "e2".parse().expect("a square") },
        Event::Offered { by: Color::Black, what: Proposal::Draw },
        Event::Declined { by: Color::White, what: Proposal::Draw },
        Event::TakenBack { ply: 0 },
        Event::TimeAdded { to: Color::White, added_ms: 15_000 },
        Event::Resumed { credited_ms: 2_500 },
        Event::Ended(End::win(EndReason::Resignation, Color::White)),
        Event::RematchAgreed {},
    ];
    (1..).zip(events).map(|(version, event)| recorded(version, event)).collect()
}

pub(crate) fn summary(end: End, plies: u32, finished: u64) -> Summary {
    Summary { end, plies, finished: at(finished) }
}

/// Stores a game between two people that ended.
pub(crate) async fn finished_game(
    store: &dyn Store,
    number: u32,
    names: [&str; 2],
    summary: Summary,
) -> Result<(), StoreError> {
    store.create_game(new_game(number)).await?;
    let events = vec![
        seated(1, Color::White, names[0]),
        seated(2, Color::Black, names[1]),
        recorded(3, Event::Ended(summary.end)),
    ];
    let batch = Batch { finish: Some(summary), ..Batch::new(game(number), events) };
    store.append(batch).await
}

pub(crate) fn account(player: u64, name: &str) -> Account {
    Account {
        player: PlayerId(player),
        name: name.to_owned(),
        password_hash: format!("$argon2id$v=19$of {name}"),
        created: at(player),
    }
}

pub(crate) fn session(token: &str, player: u64) -> Session {
    Session {
        digest: TokenDigest::of(token.as_bytes()),
        player: PlayerId(player),
        name: format!("player {player}"),
        is_account: false,
        created: at(0),
        seen: at(1),
        expires: at(1_000_000),
        device: "a browser".to_owned(),
    }
}

pub(crate) fn invitation(id: &str, host: u64) -> Invitation {
    Invitation {
        id: id.to_owned(),
        host: PlayerId(host),
        host_name: "Host".to_owned(),
        host_color: Some(Color::Black),
        settings: settings(),
        created: at(5),
        expires: at(500_000),
    }
}

pub(crate) fn chat_line(number: u32, text: &str) -> ChatLine {
    ChatLine {
        game: game(number),
        at: at(9),
        player: PlayerId(4),
        name: "Tal".to_owned(),
        text: text.to_owned(),
    }
}

pub(crate) fn rating_change(player: u64, games_before: u32, rating: f64) -> RatingChange {
    RatingChange {
        player: PlayerId(player),
        category: castellan_store::Category::Blitz,
        games_before,
        after: StoredRating {
            rating,
            deviation: 151.52,
            volatility: 0.059_996,
            games: games_before + 1,
        },
    }
}
