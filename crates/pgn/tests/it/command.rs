//! Commands in comments, and the clocks of a saved game.

use castellan_pgn::{
    Arrow, ClockTime, Command, Comment, CommentParts, Eval, Game, GameResult, MarkedSquare, Mode,
    NodeId, Paint, Score, parse_games,
};
use castellan_rules::{Color, Line, San, Square};

/// A comment that is one command, which is written as `written`.
#[track_caller]
fn check(comment: &str, expected: &Command, written: &str) {
    let parts = CommentParts::parse(comment);
    assert_eq!(parts.commands, std::slice::from_ref(expected), "{comment:?}");
    assert_eq!(parts.text, "");
    assert_eq!(parts.to_string(), written);
}

/// A comment that is no command.
#[track_caller]
fn refuse(comment: &str) {
    let parts = CommentParts::parse(comment);
    assert_eq!(parts.commands, []);
    assert_eq!(parts.text, comment);
    assert_eq!(parts.to_string(), comment);
}

fn time(text: &str) -> ClockTime {
    ClockTime::parse(text).expect("a time as it is written")
}

#[test]
fn clocks() {
    check("[%clk 1:02:03]", &Command::Clock(time("1:02:03")), "[%clk 1:02:03]");
    check("[%clk 0:00:00.05]", &Command::Clock(time("0:00:00.05")), "[%clk 0:00:00.05]");
    check("[%clk  00:05:00 ]", &Command::Clock(time("0:05:00")), "[%clk 0:05:00]");
    check("[%emt 0:00:05.300]", &Command::Elapsed(time("0:00:05.300")), "[%emt 0:00:05.300]");
    check("[%emt 90]", &Command::Elapsed(time("0:01:30")), "[%emt 0:01:30]");
    for bad in
        ["", "x", "1:60:00", "1:00:60", "-0:00:01", "1:2:3:4", "1:00:00.", "1::2", "1.1234567890"]
    {
        refuse(&format!("[%clk {bad}]"));
    }
}

#[test]
fn evaluations() {
    let eval = |score, depth| Command::Eval(Eval { score, depth });
    check("[%eval 0.17]", &eval(Score::Centipawns(17), None), "[%eval 0.17]");
    check("[%eval -12.3,20]", &eval(Score::Centipawns(-1230), Some(20)), "[%eval -12.30,20]");
    check("[%eval -0.05]", &eval(Score::Centipawns(-5), None), "[%eval -0.05]");
    check("[%eval +1]", &eval(Score::Centipawns(100), None), "[%eval 1.00]");
    check("[%eval #-3]", &eval(Score::Mate(-3), None), "[%eval #-3]");
    check("[%eval #4,31]", &eval(Score::Mate(4), Some(31)), "[%eval #4,31]");
    for bad in ["", "#", "0.123", "1e5", "--1", "1,", "99999999999", "."] {
        refuse(&format!("[%eval {bad}]"));
    }
}

#[test]
fn arrows_and_squares() {
    let arrows = vec![
        Arrow { paint: Paint::Green, from: Square::C2, to: Square::C4 },
        Arrow { paint: Paint::Blue, from: Square::H1, to: Square::A8 },
    ];
    check("[%cal Gc2c4,Bh1a8]", &Command::Arrows(arrows), "[%cal Gc2c4,Bh1a8]");
    let squares = vec![
        MarkedSquare { paint: Paint::Red, square: Square::E4 },
        MarkedSquare { paint: Paint::Yellow, square: Square::D5 },
    ];
    check("[%csl Re4, Yd5]", &Command::Squares(squares), "[%csl Re4,Yd5]");
    for bad in ["[%cal Gc2]", "[%cal c2c4]", "[%cal Xc2c4]", "[%cal ééé]", "[%csl Re9]", "[%csl ]"]
    {
        refuse(bad);
    }
}

#[test]
fn unknown_commands_stay_as_they_are() {
    for text in ["[%foo 1]", "a[%foo]b", "[%clk", "[%", "[%[%clk", "[%clk]", "50% [x]"] {
        refuse(text);
    }
    let parts = CommentParts::parse("so [%foo [%clk 0:01:00] much");
    assert_eq!(parts.commands, [Command::Clock(time("0:01:00"))]);
    assert_eq!(parts.text, "so [%foo much");
}

#[test]
fn setting_a_command_keeps_everything_else() {
    let mut game = Game::default();
    let root = NodeId::ROOT;
    game.set_clock(root, time("0:05:00"));
    game.notes_mut(root).after.extend(Comment::new("words [%eval 0.10] and words"));
    game.set_clock(root, time("0:04:59.9"));
    game.set_command(root, Command::Eval(Eval { score: Score::Mate(1), depth: None }));
    let comments: Vec<&str> = game.tree().notes(root).after.iter().map(Comment::as_str).collect();
    assert_eq!(comments, ["[%clk 0:04:59.9]", "[%eval #1] words and words"]);
    assert_eq!(game.clock(root), Some(time("0:04:59.9")));
}

#[test]
fn a_saved_game_restores_position_moves_result_and_both_clocks() {
    let mut line = Line::default();
    for text in ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"] {
        line.play(San::parse(text).unwrap().resolve(line.position()).unwrap()).unwrap();
    }
    let mut game = Game::from_line(&line);
    game.result = GameResult::Win(Color::White);
    let clocks = [time("0:02:51.400"), time("0:00:07")];
    let after_moves: Vec<u64> = (0..7).map(|index| 180_000 - 1_234 * index).collect();
    game.set_clocks(&after_moves, None, clocks.map(ClockTime::milliseconds));
    let text = game.to_string();
    assert!(text.contains("[WhiteClock \"0:02:51.400\"]"), "{text}");
    let again = parse_games(text.as_bytes(), Mode::Strict).remove(0);
    assert_eq!(again.problems, []);
    assert_eq!(again.to_line().moves(), line.moves());
    assert_eq!(again.to_line().position().to_fen(), line.position().to_fen());
    assert_eq!(again.result, game.result);
    assert_eq!(Color::ALL.map(|color| again.final_clock(color)), clocks.map(Some));
    assert_eq!(again.tree(), game.tree());
}

#[test]
fn without_tags_the_last_comments_tell_the_clocks() {
    let text = "[WhiteClock \"W/0:00:30\"]\n\n\
        1. e4 {[%clk 0:01:00]} e5 {[%clk 0:00:58]} 2. d4 {[%clk 0:00:50.5]} *";
    let mut game = parse_games(text.as_bytes(), Mode::Lenient).remove(0);
    assert_eq!(game.final_clock(Color::White), Some(time("0:00:30")));
    assert_eq!(game.final_clock(Color::Black), Some(time("0:00:58")));
    game.tags.remove("WhiteClock");
    assert_eq!(game.final_clock(Color::White), Some(time("0:00:50.5")));
}
