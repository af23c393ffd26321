//! Saving a game as PGN and opening it again restores its state, its comments and its tags.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::page::Page;
use crate::{START, act, ask, reply};

/// Pseudo-random numbers, which are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A page with a game, and the current time.
struct Table {
    page: Page,
    random: Random,
    view: Value,
    now: u64,
}

const SETUPS: [&str; 5] = [
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "8/P6k/8/8/8/8/7K/8 b - - 17 61",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 49 80",
    START,
];

impl Table {
    fn new(seed: u64) -> Table {
        let mut table = Table {
            page: Page::default(),
            random: Random(seed),
            view: Value::Null,
            now: 1_700_000_000_000 + seed * 1_234_567,
        };
        let request = table.new_game_request();
        table.view = ask(&mut table.page, &request);
        table
    }

    fn new_game_request(&mut self) -> Value {
        let random = &mut self.random;
        let controls = [
            json!({"type": "unlimited"}),
            json!({"type": "count_up"}),
            json!({"type": "increment", "initial_ms": 600_000, "increment_ms": 0}),
            json!({"type": "increment", "initial_ms": 180_500, "increment_ms": 2_000}),
            json!({"type": "delay", "initial_ms": 300_000, "delay_ms": 3_000}),
        ];
        let control = random.pick(&controls).clone();
        let number = random.below(960);
        let is_chess960 = random.one_in(3);
        let is_touch_move = random.one_in(3);
        let setup = *random.pick(&SETUPS);
        let program = match random.below(4) {
            0 => json!({"is_white": true, "level": 1200}),
            1 => json!({"is_white": false, "level": null}),
            _ => Value::Null,
        };
        let white = *random.pick(&["Anna", "", "O\"Brien \\ Šimon"]);
        let start = if is_chess960 {
            ask(&mut self.page, &json!({"do": "chess960", "number": number}))["fen"].clone()
        } else {
            setup.into()
        };
        let settings = json!({
            "start": start, "is_chess960": is_chess960, "time_control": control,
            "clock_start": "first_move", "is_rated": false, "is_touch_move": is_touch_move,
            "allows_takeback": true,
        });
        json!({"do": "new_game", "settings": settings, "white": white, "black": "Computer",
            "program": program, "now": self.now})
    }

    fn is_running(&self) -> bool {
        self.view["is_running"] == true
    }

    fn is_white_to_move(&self) -> bool {
        self.view["turn"] == "white"
    }

    /// Does something if the game allows it.
    fn try_act(&mut self, is_white: bool, what: &Value) {
        let request = act(&self.view["game"], is_white, what, self.now);
        let answer = reply(&mut self.page, &request);
        if answer.get("ok").is_some() {
            self.view = answer["ok"].clone();
        }
    }

    fn play(&mut self, plies: usize) {
        for _ in 0..plies {
            if !self.is_running() {
                return;
            }
            self.now += self.random.below(5_000) as u64;
            let is_white = self.is_white_to_move();
            if self.random.one_in(12) {
                // If both players offer a draw, they have agreed on it.
                self.try_act(is_white, &json!({"type": "offer", "what": "draw"}));
                if !self.is_running() {
                    return;
                }
            }
            let moves = self.view["position"]["moves"].as_array().unwrap().clone();
            let uci = self.random.pick(&moves)["uci"].clone();
            self.try_act(is_white, &json!({"type": "move", "uci": uci}));
            if self.random.one_in(10) {
                let by = !self.is_white_to_move();
                self.now += self.random.below(3_000) as u64;
                self.try_act(by, &json!({"type": "offer", "what": "takeback"}));
                self.try_act(!by, &json!({"type": "accept", "what": "takeback"}));
            }
        }
    }

    /// Lets time pass, and sometimes touches a piece or resigns.
    fn pass_time(&mut self) {
        self.now += self.random.below(2_900) as u64;
        let is_white = self.is_white_to_move();
        match self.random.below(6) {
            0 if self.is_running() => {
                let moves = self.view["position"]["moves"].as_array().unwrap().clone();
                let square = self.random.pick(&moves)["from"].clone();
                self.try_act(is_white, &json!({"type": "touch", "square": square}));
            }
            1 => self.try_act(is_white, &json!({"type": "resign"})),
            _ => {}
        }
        self.now += self.random.below(2_900) as u64;
        let game = self.view["game"].clone();
        self.view = self.page.opened_again(&game, &json!(self.now));
        self.view["game"] = game;
    }

    fn save(&mut self) -> String {
        let request = json!({"do": "write_pgn", "game": self.view["game"], "now": self.now,
            "offset_minutes": 60});
        ask(&mut self.page, &request).as_str().unwrap().to_owned()
    }

    fn load(&mut self, text: &str, now: u64) -> Value {
        ask(&mut self.page, &json!({"do": "open_pgn", "text": text, "index": 0, "now": now}))
    }

    /// Adds comments, glyphs, variations and unknown tags to a PGN.
    fn annotate(&mut self, text: &str) -> String {
        let tagged = text.replacen("[Site \"?\"]", "[Site \"Košice\"]\n[Annotator \"Nobody\"]", 1);
        let view = ask(&mut self.page, &json!({"do": "open_study", "text": tagged, "index": 0}));
        let study = view["study"].clone();
        let node_count = view["moves"].as_array().unwrap().len();
        for _ in 0..6 {
            let node = self.random.below(node_count);
            let node_view =
                ask(&mut self.page, &json!({"do": "study_at", "study": study, "node": node}));
            let moves = node_view["position"]["moves"].as_array().unwrap();
            let change = match self.random.below(3) {
                0 => json!({"type": "comment", "text": format!("note {node} {{of}} mine")}),
                1 => json!({"type": "glyphs", "glyphs": [1 + node % 6]}),
                // A move after the last one would extend the game itself.
                _ if moves.is_empty() || node + 1 == node_count => continue,
                _ => json!({"type": "play", "moves": [self.random.pick(moves)["uci"]]}),
            };
            let edit = json!({"do": "edit_study", "study": study, "node": node, "change": change});
            ask(&mut self.page, &edit);
        }
        let text = ask(&mut self.page, &json!({"do": "write_study", "study": study}));
        ask(&mut self.page, &json!({"do": "close_study", "study": study}));
        text.as_str().unwrap().to_owned()
    }

    /// Returns every node of a PGN with the moves to it, its glyphs and its comments.
    fn described_nodes(&mut self, text: &str) -> BTreeSet<String> {
        let view = ask(&mut self.page, &json!({"do": "open_study", "text": text, "index": 0}));
        ask(&mut self.page, &json!({"do": "close_study", "study": view["study"]}));
        let mut paths: Vec<String> = Vec::new();
        for node in view["moves"].as_array().unwrap() {
            let before = node["parent"].as_u64().map_or("", |at| paths[at as usize].as_str());
            paths.push(format!("{before} {}", node["san"].as_str().unwrap()));
        }
        let nodes = view["moves"].as_array().unwrap().iter();
        paths
            .iter()
            .zip(nodes)
            .map(|(path, node)| {
                format!("{path} {} {} {}", node["glyphs"], node["before"], node["comment"])
            })
            .collect()
    }
}

/// Returns a view without the fields that a PGN does not keep, such as the number of events.
fn saved_state(view: &Value) -> Value {
    let mut view = view.clone();
    let fields = view.as_object_mut().unwrap();
    for field in ["game", "version", "started_at", "can_abort"] {
        fields.remove(field);
    }
    if view["settings"]["time_control"]["type"] == "delay" {
        // A PGN does not say how much of the current delay is used.
        for color in ["white", "black"] {
            view["clocks"][color]["used_ms"] = Value::Null;
        }
    }
    view
}

#[test]
fn a_game_saved_at_any_moment_continues_in_the_same_state() {
    let mut kinds = BTreeSet::new();
    for seed in 0..200 {
        let mut table = Table::new(seed);
        let plies = table.random.below(40);
        table.play(plies);
        let mut kept = BTreeSet::new();
        if table.random.one_in(2) && table.is_running() {
            let text = table.save();
            let annotated = table.annotate(&text);
            kept = table.described_nodes(&annotated);
            table.now += 86_400_000;
            table.view = table.load(&annotated, table.now);
            let plies = table.random.below(20);
            let length = table.view["plies"].as_array().unwrap().len();
            table.play(plies);
            // Moves that were taken back and not replaced are gone with their comments.
            let is_shorter = table.view["plies"].as_array().unwrap().len() < length;
            if is_shorter {
                kept.clear();
            }
        }
        table.pass_time();
        kinds.insert((
            table.view["settings"]["time_control"]["type"].to_string(),
            table.is_running(),
        ));
        let text = table.save();
        let later = table.now + 1_000_000;
        let loaded = table.load(&text, later);
        assert_eq!(saved_state(&loaded), saved_state(&table.view), "seed {seed}\n{text}");
        let again = json!({"do": "write_pgn", "game": loaded["game"], "now": later});
        assert_eq!(ask(&mut table.page, &again), text, "seed {seed}");
        let written = table.described_nodes(&text);
        let lost: Vec<_> = kept.difference(&written).collect();
        assert!(lost.is_empty(), "seed {seed}: {lost:?}\n{text}");
    }
    assert_eq!(kinds.len(), 8, "every clock, running and ended: {kinds:?}");
}

#[test]
fn opening_and_saving_a_pgn_loses_nothing() {
    let page = &mut Page::default();
    let text = "[Event \"Club championship\"]\n[Site \"Košice\"]\n[Date \"2024.??.??\"]\n\
        [Round \"3.1\"]\n[White \"Anna\"]\n[Black \"?\"]\n[Result \"*\"]\n[Annotator \"Cyril\"]\n\
        [TimeControl \"40/7200:3600\"]\n[WhiteTeam \"Slovan\"]\n\n\
        {before} 1. e4 $1 {[%eval 0.3] best [%own 7] by test} (1. d4 {quiet} 1... d5 (1... f5)) 1... e5 2. Nf3 *\n";
    let request = json!({"do": "open_pgn", "text": text, "index": 0, "now": 5_000});
    let view = ask(page, &request);
    assert_eq!((&view["white"], &view["black"]), (&json!("Anna"), &json!("")));
    let what = json!({"type": "move", "uci": "b8c6"});
    ask(page, &act(&view["game"], false, &what, 9_000));
    let request = json!({"do": "write_pgn", "game": view["game"], "now": 9_000});
    let written = ask(page, &request).as_str().unwrap().to_owned();
    for line in text.lines().take_while(|line| !line.is_empty()) {
        assert!(written.contains(line), "{line}\n{written}");
    }
    let moves = written.split("\n\n").nth(1).unwrap().replace('\n', " ");
    let expected = "{before} 1. e4 $1 {[%eval 0.3] best [%own 7] by test} \
        (1. d4 {quiet} 1... d5 (1... f5)) 1... e5 2. Nf3 Nc6 *";
    assert_eq!(moves.trim(), expected);
}

#[test]
fn a_game_whose_end_has_no_reason_is_saved_without_one() {
    let page = &mut Page::default();
    let text = "[White \"Anna\"]\n[Black \"Boris\"]\n\n1. e4 e5 1-0\n";
    let opened = ask(page, &json!({"do": "open_pgn", "text": text, "index": 0, "now": 0}));
    let stored = ask(page, &json!({"do": "record", "game": opened["game"], "now": 0}));
    let loaded = ask(page, &json!({"do": "load_game", "stored": stored, "now": 0}));
    for game in [&opened["game"], &loaded["game"]] {
        let written = ask(page, &json!({"do": "write_pgn", "game": game, "now": 0}));
        let written = written.as_str().unwrap();
        assert!(written.contains("[Result \"1-0\"]"), "{written}");
        assert!(!written.contains("Ending") && !written.contains("Termination"), "{written}");
    }
}

#[test]
fn a_game_is_continued_from_any_of_its_positions() {
    let page = &mut Page::default();
    let text = "[White \"Anna\"]\n[Black \"Boris\"]\n[TimeControl \"60+1\"]\n[Termination \"normal\"]\n\n\
        1. e4 {[%clk 0:00:59]} e5 {[%clk 0:00:58]} (1... c5 2. Nf3 d6) 2. Nc3 {[%clk 0:00:50]} 1-0\n";
    let players = json!({"type": "program", "program": {"is_white": false, "level": 800}});
    let request = json!({"do": "open_pgn", "text": text, "index": 0, "now": 0,
        "line": ["e2e4", "c7c5"], "players": players});
    let view = ask(page, &request);
    assert_eq!((&view["is_running"], &view["turn"]), (&json!(true), &json!("white")));
    assert_eq!(view["clocks"]["white"]["remaining_ms"], 59_000);
    assert_eq!((&view["white"], &view["black"]), (&json!("Anna"), &json!("Computer")));
    let what = json!({"type": "move", "uci": "d2d4"});
    ask(page, &act(&view["game"], true, &what, 2_000));
    let request = json!({"do": "write_pgn", "game": view["game"], "now": 2_000});
    let written = ask(page, &request).as_str().unwrap().to_owned();
    assert!(written.contains("[Black \"Computer\"]\n[Result \"*\"]"), "{written}");
    assert!(written.contains("[BlackElo \"800\"]\n[BlackType \"program\"]"), "{written}");
    assert!(!written.contains("Termination"), "{written}");
    let moves = written.split("\n\n").nth(1).unwrap().replace('\n', " ");
    assert!(moves.contains("(1... e5 {[%clk 0:00:58]} 2. Nc3 {[%clk 0:00:50]}) 2. d4"), "{moves}");
    assert!(moves.contains("(2. Nf3 d6)"), "{moves}");
}

#[test]
fn unknown_players_have_no_name_in_the_file() {
    let page = &mut Page::default();
    let settings = crate::settings(&json!({"type": "unlimited"}));
    let request = json!({"do": "new_game", "settings": settings, "white": "", "black": "Computer",
        "program": {"is_white": false, "level": null}, "now": 1_700_000_000_000_u64});
    let view = ask(page, &request);
    let request = json!({"do": "write_pgn", "game": view["game"], "now": 1_700_000_100_000_u64,
        "offset_minutes": 120});
    let written = ask(page, &request).as_str().unwrap().to_owned();
    let head = "[Event \"Casual game\"]\n[Site \"?\"]\n[Date \"2023.11.15\"]\n[Round \"-\"]\n\
        [White \"?\"]\n[Black \"Computer\"]\n[Result \"*\"]\n[BlackType \"program\"]\n\
        [GameDuration \"0:01:40\"]\n[TimeControl \"-\"]\n[WhiteType \"human\"]\n";
    assert!(written.starts_with(head), "{written}");
}

#[test]
fn a_null_move_is_refused_with_a_reason() {
    let page = &mut Page::default();
    let request = json!({"do": "open_pgn", "text": "1. e4 -- 2. d4 *", "index": 0, "now": 0});
    assert_eq!(reply(page, &request)["error"]["code"], "null_move");
}
