//! Lines from a GUI.

use castellan_rules::{CastlingSpelling, Color, Line, Position, UciMove};
use castellan_uci::{Go, GuiCommand, PositionCommand, Register, SetOption, Start};

#[track_caller]
fn check(line: &str, written: &str) {
    let command = GuiCommand::parse(line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    assert_eq!(command.to_string(), written, "{line:?}");
}

#[track_caller]
fn check_error(line: &str, message: &str) {
    match GuiCommand::parse(line) {
        Ok(command) => panic!("{line:?} is read as {command:?}"),
        Err(error) => assert_eq!(error.to_string(), message, "{line:?}"),
    }
}

#[test]
fn every_command_is_known() {
    for line in [
        "uci",
        "debug on",
        "debug off",
        "isready",
        "setoption name Clear Hash",
        "setoption name SyzygyPath value",
        "setoption name Book File value C:\\books  old\\a b.bin",
        "register",
        "register later",
        "register name Stefan MK code 4359874324",
        "ucinewgame",
        "position startpos",
        "position startpos moves e2e4 e7e5",
        "position fen 8/8/8/8/8/8/8/K1k5 w - - 0 1 moves a1a2",
        "go",
        "go ponder wtime 1 btime 2 winc 3 binc 4 movestogo 5 depth 6 nodes 7 mate 8 movetime 9 \
         infinite searchmoves e2e4 e7e8q",
        "stop",
        "ponderhit",
        "quit",
    ] {
        check(line, line);
    }
}

#[test]
fn words_before_the_command_are_skipped() {
    check("joho debug on", "debug on");
    check("  was   isready  now", "isready");
    check_error("debug joho on", "at byte 6: expected on or off");
}

#[test]
fn unknown_words_in_go_are_skipped_and_reported() {
    let mut skipped = Vec::new();
    let line = "xyz go dept 5 depth 6";
    let command =
        GuiCommand::parse_reporting_skipped(line, &mut |at, word| skipped.push((at, word.into())));
    assert_eq!(command, Ok(GuiCommand::Go(Box::new(Go { depth: Some(6), ..Go::default() }))));
    let expected: [(usize, String); 3] = [(0, "xyz".into()), (7, "dept".into()), (12, "5".into())];
    assert_eq!(skipped, expected);
}

#[test]
fn errors_say_where_and_why() {
    let command = "at byte 0: expected a command such as uci, position or go";
    check_error("", command);
    check_error("hello there", command);
    check_error("go wtime", "at byte 8: expected a whole number that is not negative");
    check_error("go depth -4", "at byte 9: expected a whole number that is not negative");
    check_error("go searchmoves", "at byte 14: expected a move such as e2e4");
    check_error("go searchmoves depth 3", "at byte 15: expected a move such as e2e4");
    check_error("position", "at byte 8: expected startpos or fen");
    check_error("position e2e4", "at byte 9: expected startpos or fen");
    check_error("position fen moves e2e4", "at byte 13: expected a FEN");
    check_error("position startpos e2e4", "at byte 18: expected the word moves");
    check_error("position startpos moves e2e4 e7", "at byte 29: expected a move such as e2e4");
    check_error("setoption Hash 5", "at byte 10: expected the word name followed by a name");
    check_error("setoption name", "at byte 14: expected the word name followed by a name");
    check_error("register me", "at byte 9: expected later, or a name and a code");
}

#[test]
fn a_clock_below_zero_has_run_out() {
    check("go wtime -30 btime 99999999999999999999", "go wtime 0 btime 18446744073709551615");
}

#[test]
fn each_color_has_its_clock() {
    let GuiCommand::Go(go) = GuiCommand::parse("go wtime 5 btime 6 binc 7").expect("it is fine")
    else {
        panic!("it is a go");
    };
    let ms = |time: Option<std::time::Duration>| time.map(|time| time.as_millis());
    assert_eq!((ms(go.time(Color::White)), ms(go.time(Color::Black))), (Some(5), Some(6)));
    assert_eq!((ms(go.increment(Color::White)), ms(go.increment(Color::Black))), (None, Some(7)));
}

#[test]
fn options_are_named_in_any_case() {
    let set = SetOption { name: "Clear Hash".into(), value: None };
    assert!(set.is_named("clear hash"));
    assert!(!set.is_named("clear"));
    let read = GuiCommand::parse("setoption  name  clear   hash ");
    let expected = SetOption { name: "clear hash".into(), value: None };
    assert_eq!(read, Ok(GuiCommand::SetOption(expected)));
}

#[test]
fn registering_later_is_no_name() {
    assert_eq!(GuiCommand::parse("register later"), Ok(GuiCommand::Register(Register::Later)));
}

#[test]
fn a_position_is_played_from_its_start() {
    let fen = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 3 9 moves e1g1 e8e7";
    let Ok(GuiCommand::Position(command)) = GuiCommand::parse(fen) else { panic!("it is fine") };
    let line = command.to_line().expect("the moves are legal");
    assert_eq!(line.position().to_fen(), "8/4k3/8/8/8/8/8/5RK1 w - - 5 10");
    assert_eq!(PositionCommand::from_line(&line, CastlingSpelling::KingTwoSquares), command);
    let chess960 = PositionCommand::from_line(&line, CastlingSpelling::KingTakesRook);
    assert_eq!(chess960.moves[0].to_string(), "e1h1");
    assert_eq!(chess960.to_line().expect("it is the same").moves(), line.moves());
}

#[test]
fn a_game_that_cannot_be_is_refused_by_its_move() {
    let said = PositionCommand { start: Start::Startpos, moves: vec![UciMove::Null] };
    assert!(said.to_line().unwrap_err().to_string().starts_with("move 1, 0000: "));
    let said = PositionCommand { start: Start::Fen("8/8 w".into()), moves: Vec::new() };
    assert!(said.to_line().unwrap_err().to_string().starts_with("in the FEN: "));
}

#[test]
fn only_the_usual_start_with_fresh_clocks_is_startpos() {
    let start = |line: &Line| PositionCommand::from_line(line, CastlingSpelling::KingTwoSquares);
    assert_eq!(start(&Line::default()).start, Start::Startpos);
    let later = Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 8 5");
    let later = later.expect("it is a position");
    assert_eq!(start(&Line::new(later)).start, Start::Fen(later.to_fen()));
}
