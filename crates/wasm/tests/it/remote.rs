//! Differential test: the page's view of a followed game equals the server's game, whatever events
//! happen.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use castellan_game::{Actor, Command, Game, GameId, Moment, Proposal, Recorded, Settings};
use castellan_protocol::{ClocksView, GameEvent, Snapshot};
use castellan_rules::{Color, UciMove};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::page::Page;
use crate::support::player;
use crate::tries::{any_seats, any_settings, any_step, meant};

const CREATED: Moment = Moment::from_millis(50_000);

fn id() -> GameId {
    "k3ZfQ81xWpLm".parse().unwrap()
}

/// The server's game and a page that follows it.
struct Followed {
    server: Game,
    now: Moment,
    page: Page,
    last: Option<Recorded>,
    /// The page's view; null until the page has opened the game.
    view: Value,
}

impl Followed {
    fn new(settings: Settings) -> Followed {
        let server = Game::new(settings, CREATED);
        Followed { server, now: CREATED, page: Page::default(), last: None, view: Value::Null }
    }

    fn now(&self) -> Moment {
        self.now.max(self.server.last_at())
    }

    fn follow_request(&self) -> Value {
        let snapshot = Snapshot::of(id(), &self.server, None, self.now());
        json!({"do": "follow_game", "snapshot": snapshot, "game": null, "now": self.now()})
    }

    fn open(&mut self) {
        let request = self.follow_request();
        self.view = self.page.reply(&request)["ok"].clone();
    }

    fn query(&self, name: &str) -> Value {
        json!({"do": name, "game": self.view["game"], "now": self.now()})
    }

    /// Carries a command out on the server and sends its events to the page.
    fn act(&mut self, by: Actor, command: &Command) -> Result<(), TestCaseError> {
        let Ok(events) = self.server.decide(by, command, self.now) else { return Ok(()) };
        let records = self.server.record(events, self.now);
        for (index, recorded) in records.iter().enumerate() {
            let pending = self.view["pending"].clone();
            self.server.evolve(recorded).unwrap();
            self.last = Some(recorded.clone());
            self.send(recorded, index + 1 == records.len())?;
            self.check_pending(&pending)?;
        }
        Ok(())
    }

    fn send(&mut self, recorded: &Recorded, is_last: bool) -> Result<(), TestCaseError> {
        if self.view.is_null() {
            return Ok(());
        }
        // When several events are sent at once, only the last one has clocks.
        let now = self.now();
        let clocks = is_last.then(|| ClocksView::new(self.server.clocks(now), now));
        let event = GameEvent::new(id(), recorded, clocks);
        let request = json!({"do": "follow_event", "game": self.view["game"], "event": event,
            "now": now});
        let reply = self.page.reply(&request);
        prop_assert!(reply.get("ok").is_some(), "{}: {}", request, reply);
        self.view = reply["ok"].clone();
        // The same event again changes nothing.
        if is_last {
            let again = self.page.reply(&request)["ok"].clone();
            prop_assert_eq!(&again, &self.view);
        }
        Ok(())
    }

    /// Sends the last event again, with the current clocks.
    fn refresh(&mut self) -> Result<(), TestCaseError> {
        match self.last.clone() {
            Some(recorded) => self.send(&recorded, true),
            None => Ok(()),
        }
    }

    /// Checks that a pending move stays until its ply is played or taken back or the game is over.
    fn check_pending(&self, before: &Value) -> Result<(), TestCaseError> {
        if before.is_null() || self.view.is_null() {
            return Ok(());
        }
        let is_open = self.server.is_running() && before["ply"] == self.server.ply();
        let castling = self.server.settings().castling();
        let allowed = self.server.allowed_moves();
        let uci = |mv: &castellan_rules::Move| UciMove::from_move(*mv, castling).to_string();
        let is_allowed = allowed.iter().any(|mv| before["uci"] == uci(mv));
        let expected = if is_open && is_allowed { before.clone() } else { Value::Null };
        prop_assert_eq!(&self.view["pending"], &expected);
        Ok(())
    }

    /// Shows a move, compares it with the move played on the server, and takes it back or leaves it.
    fn show_move(&mut self, choice: usize, stays: bool) -> Result<(), TestCaseError> {
        let moves = self.server.allowed_moves();
        if self.view.is_null() || !self.view["pending"].is_null() || moves.is_empty() {
            return Ok(());
        }
        let mv = moves[choice % moves.len()];
        let uci = UciMove::from_move(mv, self.server.settings().castling()).to_string();
        let before = self.view.clone();
        let mut request = self.query("show_move");
        request["uci"] = uci.clone().into();
        let shown = self.page.reply(&request)["ok"].clone();
        let after = self.server.line().position().play_unchecked(mv);
        prop_assert_eq!(&shown["position"]["fen"], &after.to_fen());
        prop_assert_eq!(&shown["pending"], &json!({"ply": self.server.ply(), "uci": uci}));
        let count = shown["plies"].as_array().unwrap().len();
        prop_assert_eq!(count, self.server.line().moves().len() + 1);
        self.view = shown;
        if !stays {
            self.hide_move();
            prop_assert_eq!(&self.view, &before);
        }
        Ok(())
    }

    fn hide_move(&mut self) {
        let request = self.query("hide_move");
        self.view = self.page.reply(&request)["ok"].clone();
    }

    /// Checks that the page shows the same as the server's game, and as a page that opens it now.
    fn compare(&mut self) -> Result<(), TestCaseError> {
        let mut clocks = self.query("clocks");
        self.hide_move();
        prop_assert_eq!(&visible(&self.view), &expected(&self.server, self.now()));
        let mut opened = Page::default().reply(&self.follow_request())["ok"].clone();
        opened["game"] = self.view["game"].clone();
        prop_assert_eq!(&opened, &self.view);
        // The clocks keep running in the same way.
        let later = self.now().plus_ms(777);
        clocks["now"] = json!(later);
        let shown = self.page.reply(&clocks)["ok"].clone();
        let server = ClocksView::new(self.server.clocks(later), later);
        for (color, clock) in [("white", server.white), ("black", server.black)] {
            prop_assert_eq!(&shown[color]["used_ms"], clock.used_ms);
            let delay_ms = match self.server.settings().time_control {
                castellan_game::TimeControl::Delay { delay_ms, .. } => u64::from(delay_ms),
                _ => 0,
            };
            // A page that opened the game in the middle of a turn does not know how much of the delay
            // is left.
            let left_ms = clock.remaining_ms.unwrap_or(0);
            let shown_ms = shown[color]["remaining_ms"].as_u64().unwrap_or(0);
            let range = left_ms.saturating_sub(delay_ms)..=left_ms;
            prop_assert!(
                range.contains(&shown_ms),
                "{color}: {shown_ms} shown, {range:?} expected"
            );
        }
        Ok(())
    }
}

/// Returns the parts of the page's view that the server's game determines.
fn visible(view: &Value) -> Value {
    let ucis = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|mv| mv["uci"].clone()).collect()
    };
    let field = |name: &str| view[name].clone();
    json!({
        "version": field("version"), "ply": field("ply"), "settings": field("settings"),
        "white": field("white"), "black": field("black"), "is_running": field("is_running"),
        "can_abort": field("can_abort"), "turn": field("turn"), "end": field("end"),
        "repetition": view["claims"]["repetition"], "fifty": view["claims"]["fifty"],
        "offers": field("offers"), "fen": view["position"]["fen"],
        "moves": ucis(&view["position"]["moves"]), "plies": ucis(&view["plies"]),
        "last": view["plies"].as_array().unwrap().last().map(|ply| ply["fen"].clone()),
        "touched": field("touched"), "duration_ms": field("duration_ms"),
        "clocks": field("clocks"),
    })
}

/// Returns the same parts, computed from the server's game.
fn expected(game: &Game, now: Moment) -> Value {
    let word = |color: Color| color.fold("white", "black");
    let name = |color| game.seats().get(color).map_or(String::new(), |it| it.name.clone());
    let uci = |mv| UciMove::from_move(mv, game.settings().castling()).to_string();
    let clocks = game.clocks(now);
    let clock_view = |color| {
        let clock = clocks.of(color);
        json!({"remaining_ms": clock.remaining_ms, "used_ms": clock.used_ms})
    };
    let moves: Vec<_> = game.allowed_moves().into_iter().map(uci).collect();
    let plies: Vec<_> = game.line().moves().iter().copied().map(uci).collect();
    let touched: Vec<_> = game.touched().iter().map(ToString::to_string).collect();
    let until = game.ended_at().unwrap_or(now);
    let fen = game.line().position().to_fen();
    json!({
        "version": game.version(), "ply": game.ply(), "settings": game.settings(),
        "white": name(Color::White), "black": name(Color::Black),
        "is_running": game.is_running(), "can_abort": game.can_abort(),
        "turn": word(game.line().turn()),
        "end": game.end().map(|end| json!({
            "reason": end.reason, "winner": end.winner.map(word), "score": end.score(),
        })),
        "repetition": game.claims().threefold_repetition, "fifty": game.claims().fifty_moves,
        "offers": {
            "draw": game.offer(Proposal::Draw).map(word),
            "takeback": game.offer(Proposal::Takeback).map(word),
            "rematch": game.offer(Proposal::Rematch).map(word),
        },
        "fen": fen, "moves": moves, "last": plies.last().map(|_| fen.clone()), "plies": plies,
        "touched": touched,
        "duration_ms": game.started_at().map_or(0, |began| until.since_ms(began)),
        "clocks": {
            "white": clock_view(Color::White), "black": clock_view(Color::Black),
            "running": clocks.running.map(word), "is_up": false,
        },
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_followed_game_is_the_servers_game(
        settings in any_settings(),
        seats in any_seats(),
        steps in proptest::collection::vec(
            (any_step(), proptest::option::of(any::<(usize, bool)>())), 0..60,
        ),
        opened_at in 0..30_usize,
    ) {
        let mut game = Followed::new(settings);
        if opened_at == 0 {
            game.open();
        }
        for (color, id) in Color::ALL.into_iter().zip(seats) {
            game.act(Actor::Server, &Command::Seat { color, player: player(id) })?;
        }
        for (index, (step, shown)) in steps.iter().enumerate() {
            if index + 1 == opened_at {
                game.open();
            }
            let now = game.now.as_millis().saturating_add_signed(step.passed_ms);
            game.now = Moment::from_millis(now);
            if let Some((choice, stays)) = *shown {
                // Brings the clocks up to date, so that both views are of the same moment.
                game.refresh()?;
                game.show_move(choice, stays)?;
            }
            if let Some((by, command)) = meant(&game.server, step) {
                game.act(by, &command)?;
            }
        }
        game.refresh()?;
        if !game.view.is_null() {
            game.compare()?;
        }
    }
}

#[test]
fn events_that_do_not_fit_change_nothing() {
    let settings = crate::support::settings(crate::START, castellan_game::TimeControl::CountUp {});
    let mut game = Followed::new(settings);
    for (color, id) in Color::ALL.into_iter().zip([1, 2]) {
        game.act(Actor::Server, &Command::Seat { color, player: player(id) }).unwrap();
    }
    game.open();
    let view = game.view.clone();
    let moved = |version: u32, mv: &str| {
        let event = json!({"type": "moved", "ply": 0, "mv": mv, "spent_ms": 5,
            "compensated_ms": 0});
        json!({"do": "follow_event", "game": view["game"], "now": CREATED, "event": {
            "game": id(), "version": version, "at": CREATED, "event": event}})
    };
    assert_eq!(game.page.reply(&moved(5, "e2e4"))["ok"], json!({"type": "missing"}));
    assert_eq!(game.page.reply(&moved(2, "e2e4"))["ok"], json!({"type": "old"}));
    assert_eq!(game.page.reply(&moved(4, "e2e5"))["error"]["code"], "bad_event");
    let unknown = moved(4, "e2e4").to_string().replace("moved", "levitated");
    assert_eq!(game.page.respond(unknown.as_bytes())["error"]["code"], "bad_request");
    let played = game.page.reply(&moved(4, "e2e4"))["ok"].clone();
    assert_eq!((&played["version"], &played["plies"][0]["san"]), (&json!(4), &json!("e4")));
    let action = json!({"type": "resign"});
    let refused = game.page.reply(&crate::act(&view["game"], true, &action, 60_000));
    assert_eq!(refused["error"]["code"], "not_local");
}

#[test]
fn a_snapshot_that_describes_no_game_is_refused() {
    let settings = crate::support::settings(crate::START, castellan_game::TimeControl::CountUp {});
    let game = Followed::new(settings);
    for (field, value) in [
        ("moves", json!("e2e5")),
        ("moves", json!("e2e4 d2d4")),
        ("moves", json!(["a2a3"; 2001].join(" "))),
        ("end", json!({"reason": "checkmate"})),
    ] {
        let mut request = game.follow_request();
        request["snapshot"][field] = value;
        assert_eq!(Page::default().reply(&request)["error"]["code"], "bad_snapshot", "{field}");
    }
}

#[test]
fn the_page_writes_a_followed_game_without_the_times_it_does_not_know() {
    let control = castellan_game::TimeControl::Increment { initial_ms: 60_000, increment_ms: 0 };
    let mut game = Followed::new(crate::support::settings(crate::START, control));
    let engine = castellan_protocol::Level::from_elo(1500).unwrap().player_id();
    let computer =
        castellan_game::Player { id: engine, name: "Castellan 1500".to_owned(), rating: None };
    game.act(Actor::Server, &Command::Seat { color: Color::White, player: player(1) }).unwrap();
    game.act(Actor::Server, &Command::Seat { color: Color::Black, player: computer }).unwrap();
    game.open();
    assert_eq!(game.view["program"], json!({"is_white": false, "level": 1500}));
    game.act(Actor::Player(castellan_game::PlayerId(1)), &crate::support::move_at(0, "e2e4"))
        .unwrap();
    game.act(Actor::Player(engine), &Command::Resign).unwrap();
    let write = json!({"do": "write_pgn", "game": game.view["game"], "event": "Online game",
        "now": game.now()});
    let text = game.page.reply(&write)["ok"].as_str().unwrap().to_owned();
    for part in ["[Black \"Computer\"]", "[BlackElo \"1500\"]", "[TimeControl \"-\"]", "1. e4 1-0"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
