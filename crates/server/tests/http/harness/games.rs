//! Games put into the store as live games would be.

use castellan_game::{
    Actor, ClockStart, Command, Game, GameId, Moment, Player, PlayerId, Settings, TimeControl,
};
use castellan_rules::{CastlingSpelling, Color, Position, San, UciMove};
use castellan_store::{Batch, NewGame, Store, Summary};

/// A game to store.
#[derive(Clone)]
pub(crate) struct PlayedGame {
    pub(crate) number: u8,
    pub(crate) white: &'static str,
    pub(crate) black: &'static str,
    pub(crate) black_id: u64,
    pub(crate) time_control: TimeControl,
    /// Moves in SAN, each a second and a half after the previous one.
    pub(crate) moves: &'static str,
    /// `true` if White resigns at the end.
    pub(crate) is_resigned: bool,
    pub(crate) created: Moment,
}

impl Default for PlayedGame {
    fn default() -> PlayedGame {
        PlayedGame {
            number: 1,
            white: "Anna",
            black: "Boris",
            black_id: 102,
            time_control: TimeControl::Increment { initial_ms: 300_000, increment_ms: 2_000 },
            moves: "f3 e5 g4 Qh4#",
            is_resigned: false,
            created: super::NOW,
        }
    }
}

/// Plays the game and stores it.
pub(crate) async fn store_game(store: &dyn Store, played: &PlayedGame) -> (GameId, Game) {
    let settings = Settings {
        start: Position::default(),
        is_chess960: false,
        time_control: played.time_control,
        clock_start: ClockStart::Game,
        is_rated: false,
        is_touch_move: false,
        allows_takeback: true,
    };
    let id = GameId::from_random([played.number; 16]);
    let created = played.created;
    store.create_game(NewGame { id, settings: settings.clone(), created }).await.unwrap();
    let mut game = Game::new(settings, created);
    let mut recorded = Vec::new();
    let mut now = created;
    let mut step = |game: &mut Game, by: Actor, command: &Command, now: Moment| {
        let events = game.decide(by, command, now).unwrap();
        for event in game.record(events, now) {
            game.evolve(&event).unwrap();
            recorded.push(event);
        }
    };
    for (color, name, id) in
        [(Color::White, played.white, 101), (Color::Black, played.black, played.black_id)]
    {
        let player = Player { id: PlayerId(id), name: name.to_owned(), rating: None };
        step(&mut game, Actor::Server, &Command::Seat { color, player }, now);
    }
    for text in played.moves.split_whitespace() {
        now = now.plus_ms(1_500);
        let mv = San::parse(text).unwrap().resolve(game.line().position()).unwrap();
        let mv = UciMove::from_move(mv, CastlingSpelling::KingTwoSquares);
        let by = PlayerId(game.line().position().turn().fold(101, played.black_id));
        let ply = u32::try_from(game.line().moves().len()).unwrap();
        step(
            &mut game,
            Actor::Player(by),
            &Command::Move { ply, mv, lag: Default::default() },
            now,
        );
    }
    if played.is_resigned {
        step(&mut game, Actor::Player(PlayerId(101)), &Command::Resign, now.plus_ms(700));
    }
    let plies = u32::try_from(game.line().moves().len()).unwrap();
    let finished = game.last_at();
    let finish = game.end().map(|end| Summary { end, plies, finished });
    let batch = Batch { game: id, events: recorded, finish, ratings: Vec::new() };
    store.append(batch).await.unwrap();
    (id, game)
}
