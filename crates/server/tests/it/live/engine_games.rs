//! Games against the engine, which is a player like any other.

use core::time::Duration;

use castellan_game::{EndReason, Event, GameId, Proposal, TimeControl};
use castellan_protocol::{ClientMessage, Level, PlayEngine, Seat, Terms};
use castellan_rules::{CastlingSpelling, Color, Line, Move, Position, UciMove};

use super::client::{Client, play};
use super::server::{MINUTE, Setup, TestServer, wait_until};

async fn play_engine(
    client: &mut Client,
    level: Level,
    color: Color,
) -> castellan_protocol::Snapshot {
    let terms = Terms { allows_takeback: true, ..Terms::new(MINUTE) };
    client.say(&ClientMessage::PlayEngine(PlayEngine { level, terms, color: Some(color) })).await;
    client.game().await
}

/// Lets the time pass that an engine with a level takes for a move in a game of a minute. The room has
/// asked the engine when it answers for the second time.
async fn let_think(server: &TestServer, client: &mut Client, game: GameId) {
    for _ in 0..2 {
        client.watch(game).await;
    }
    server.pass(Duration::from_secs(7));
}

#[tokio::test]
async fn the_engine_answers_moves_and_proposals() {
    let server = TestServer::start().await;
    let mut person = server.guest("Person").await;
    let level = Level::from_elo(600).unwrap();
    let snapshot = play_engine(&mut person, level, Color::White).await;
    let game = snapshot.game;
    assert_eq!((snapshot.level, snapshot.you), (Some(level), Some(Seat::White)));
    assert!(snapshot.presence.black, "an engine is always there");
    person.make_move(game, 0, "e2e4").await;
    let own = person.event().await;
    assert!(matches!(own.event, Event::Moved { ply: 0, .. }));
    let_think(&server, &mut person, game).await;
    let reply = person.event().await;
    assert!(matches!(reply.event, Event::Moved { ply: 1, .. }));
    // A level finds its move at once, but takes the time of a person.
    assert!(reply.at.since_ms(own.at) >= 350, "{:?} {:?}", own.at, reply.at);
    person.offer(game, Proposal::Draw).await;
    person.event().await;
    assert!(matches!(person.event().await.event, Event::Declined { what: Proposal::Draw, .. }));
    person.offer(game, Proposal::Takeback).await;
    person.event().await;
    assert!(matches!(person.event().await.event, Event::TakenBack { ply: 0 }));
    person.make_move(game, 0, "d2d4").await;
    person.event().await;
    let_think(&server, &mut person, game).await;
    assert!(matches!(person.event().await.event, Event::Moved { ply: 1, .. }));
    person.resign(game).await;
    person.end().await;
    person.offer(game, Proposal::Rematch).await;
    let rematch = person.game().await;
    assert_eq!((rematch.you, rematch.level), (Some(Seat::Black), Some(level)));
    // The engine has the first move now.
    let_think(&server, &mut person, rematch.game).await;
    assert!(matches!(person.event().await.event, Event::Moved { ply: 0, .. }));
}

#[tokio::test]
async fn the_engine_agrees_to_a_draw_when_it_is_lost() {
    let server = TestServer::start().await;
    let mut person = server.guest("Person").await;
    let fen = Some("8/8/8/2k5/8/8/3QK3/8 w - - 0 60".into());
    let terms = Terms { fen, ..Terms::new(MINUTE) };
    let level = Level::from_elo(1200).unwrap();
    let color = Some(Color::White);
    person.say(&ClientMessage::PlayEngine(PlayEngine { level, terms, color })).await;
    let game = person.game().await.game;
    person.offer(game, Proposal::Draw).await;
    assert!(matches!(person.event().await.event, Event::Offered { what: Proposal::Draw, .. }));
    let Event::Ended(end) = person.event().await.event else { panic!("the game goes on") };
    assert_eq!(end.reason, EndReason::Agreement);
}

/// Returns `true` if the side to move cannot capture anything, now or with its next move.
fn is_safe(position: &Position) -> bool {
    let can_capture = |position: &Position| {
        position.legal_moves().iter().any(|reply| position.is_capture(*reply))
    };
    let is_answered = |reply: &Move| {
        let after = position.play(*reply).unwrap();
        after.legal_moves().iter().any(|mv| !can_capture(&after.play(*mv).unwrap()))
    };
    !can_capture(position) && position.legal_moves().iter().all(is_answered)
}

/// Returns a quiet move of White, after which nothing can be captured. If possible, it captures
/// nothing, gives no check, and puts White's pieces where they have not been before, so that no
/// position is repeated.
fn quiet_move(line: &Line, seen: &mut Vec<String>) -> Move {
    let position = line.position();
    let pieces = |mv: Move| -> String {
        let fen = position.play(mv).unwrap().to_fen();
        let squares = fen.chars().take_while(|letter| *letter != ' ');
        squares
            .flat_map(|letter| {
                match letter.to_digit(10) {
                    Some(empty) => ".".repeat(empty as usize),
                    None if letter.is_ascii_lowercase() => ".".to_owned(),
                    None => letter.to_string(),
                }
                .chars()
                .collect::<Vec<_>>()
            })
            .collect()
    };
    let mut moves = position.legal_moves().to_vec();
    moves.sort_by_key(|mv| {
        let after = position.play(*mv).unwrap();
        let is_over = after.legal_moves().is_empty();
        (is_over, position.is_capture(*mv), seen.contains(&pieces(*mv)), after.is_check())
    });
    let mv = moves.iter().copied().find(|mv| is_safe(&position.play(*mv).unwrap()));
    let mv = mv.expect("the opponent has too few pieces to win one");
    seen.push(pieces(mv));
    mv
}

/// A game against the engine in which White makes only quiet moves.
struct QuietGame {
    server: TestServer,
    person: Client,
    game: GameId,
    line: Line,
    seen: Vec<String>,
}

impl QuietGame {
    async fn start(fen: &str) -> QuietGame {
        let server = TestServer::start().await;
        let mut person = server.guest("Person").await;
        let terms = Terms { fen: Some(fen.into()), ..Terms::new(TimeControl::Unlimited {}) };
        let (level, color) = (Level::from_elo(1800).unwrap(), Some(Color::White));
        person.say(&ClientMessage::PlayEngine(PlayEngine { level, terms, color })).await;
        let game = person.game().await.game;
        let line = Line::new(Position::from_fen(fen).unwrap());
        QuietGame { server, person, game, line, seen: Vec::new() }
    }

    /// Plays on until the engine does anything else than move. Returns that event, and the ply of the
    /// move that it answers.
    async fn until_event(&mut self) -> (u32, Event) {
        let QuietGame { server, person, game, line, seen } = self;
        for _ in 0..60 {
            let mv = quiet_move(line, seen);
            let ply = u32::try_from(line.moves().len()).unwrap();
            let uci = UciMove::from_move(mv, CastlingSpelling::for_game(false)).to_string();
            person.make_move(*game, ply, &uci).await;
            let own = person.event().await;
            assert!(
                matches!(own.event, Event::Moved { .. }),
                "{own:?} {}",
                line.position().to_fen()
            );
            line.play(mv).unwrap();
            let_think(server, person, *game).await;
            match person.event().await.event {
                Event::Moved { mv, .. } => line.play(mv.resolve(line.position()).unwrap()).unwrap(),
                other => return (ply, other),
            }
        }
        panic!("the engine plays on");
    }
}

#[tokio::test]
async fn the_engine_resigns_a_lost_game() {
    let mut game = QuietGame::start("4k3/8/8/8/8/8/6PP/R2Q2K1 w - - 0 1").await;
    // It does so when it has been lost for a few moves, and is not about to be mated.
    let (ply, event) = game.until_event().await;
    let Event::Ended(end) = event else { panic!("{event:?}") };
    assert_eq!((end.winner, end.reason), (Some(Color::White), EndReason::Resignation));
    assert!(ply >= 20, "not so early: {ply}");
    assert!(ply < 80, "so late: {ply}");
}

#[tokio::test]
async fn the_engine_offers_a_draw_when_nothing_happens_any_more() {
    // Bishops of opposite colors cannot capture each other, and neither side can make progress.
    let mut game = QuietGame::start("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1").await;
    let (ply, event) = game.until_event().await;
    assert_eq!(event, Event::Offered { by: Color::Black, what: Proposal::Draw });
    assert!(ply >= 58, "not so early: {ply}");
    // The offer comes with a move, and the opponent may accept it.
    let QuietGame { person, game, .. } = &mut game;
    assert!(matches!(person.event().await.event, Event::Moved { .. }));
    person.accept(*game, Proposal::Draw).await;
    let end = person.end().await;
    assert_eq!((end.winner, end.reason), (None, EndReason::Agreement));
}

#[tokio::test]
async fn a_thinking_engine_delays_no_other_game() {
    let server = TestServer::start().await;
    let mut person = server.guest("Person").await;
    // The only engine thread has more work than this test lasts.
    for _ in 0..server.services.config.live.max_games_per_player {
        play_engine(&mut person, Level::FULL, Color::Black).await;
    }
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5", "g1f3"]).await;
    person.settle().await;
}

/// A server with more engine games than its engine can serve: a room that asked again would feed the
/// overload, or lose its place in the queue.
#[tokio::test]
async fn a_game_that_waits_for_the_engine_waits_in_the_queue_once() {
    const GAMES: usize = 6;
    let server = TestServer::start().await;
    let mut person = server.guest("Person").await;
    let mut games = Vec::new();
    for _ in 0..GAMES {
        let terms = Terms::new(TimeControl::Unlimited {});
        let wanted = PlayEngine { level: Level::FULL, terms, color: Some(Color::Black) };
        person.say(&ClientMessage::PlayEngine(wanted)).await;
        games.push(person.game().await.game);
    }
    let metric = async |name: &str| {
        let text = server.get("/metrics").await;
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{text}")).trim().parse::<usize>().unwrap()
    };
    // The engine's thread may need a while to start.
    wait_until("all games ask, and the engine searches", async || {
        metric("castellan_engine_requests_total ").await == GAMES
            && metric("castellan_engine_queued ").await < GAMES
    })
    .await;
    for _ in 0..4 {
        server.pass(Duration::from_secs(31));
        // Each room has run its timers when it answers for the second time.
        for game in games.iter().chain(&games) {
            person.watch(*game).await;
        }
        assert_eq!(metric("castellan_engine_requests_total ").await, GAMES);
        let queued = metric("castellan_engine_queued ").await;
        assert!(queued < GAMES, "{queued} requests of {GAMES} games");
    }
}

#[tokio::test]
async fn a_server_without_an_engine_says_so() {
    let server = TestServer::start().await;
    assert!(server.guest("Person").await.welcome.features.contains("engine"));
    let mut setup = Setup::default();
    setup.config.live.engine_threads = 0;
    let server = setup.start().await;
    let mut person = server.guest("Person").await;
    assert!(person.welcome.features.is_empty());
    let wanted = PlayEngine { level: Level::FULL, terms: Terms::new(MINUTE), color: None };
    person.say(&ClientMessage::PlayEngine(wanted)).await;
    assert_eq!(person.refusal().await, "bad_terms");
}

#[tokio::test]
async fn engine_games_are_not_rated_and_levels_are_bounded() {
    let server = TestServer::start().await;
    let cookie = server.account("Carla").await;
    let mut carla = Client::with_cookie(&server, &cookie).await;
    let terms = Terms { is_rated: true, ..Terms::new(MINUTE) };
    let wanted = PlayEngine { level: Level::FULL, terms, color: None };
    carla.say(&ClientMessage::PlayEngine(wanted)).await;
    assert_eq!(carla.refusal().await, "bad_terms");
    for level in ["0", "399", "100000", "\"strong\"", "-1"] {
        carla
            .say_text(&format!(
                r#"{{"type": "play engine", "data": {{"level": {level}, "terms": {{"time_control": {{"type": "unlimited"}}}}}}}}"#
            ))
            .await;
        assert_eq!(carla.refusal().await, "malformed", "{level}");
    }
}
