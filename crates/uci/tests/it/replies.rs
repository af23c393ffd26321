//! Lines from an engine.

use castellan_uci::{EngineReply, Score, WinDrawLoss};

#[track_caller]
fn check(line: &str, written: &str) {
    let reply = EngineReply::parse(line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    assert_eq!(reply.to_string(), written, "{line:?}");
}

#[track_caller]
fn check_error(line: &str, message: &str) {
    match EngineReply::parse(line) {
        Ok(reply) => panic!("{line:?} is read as {reply:?}"),
        Err(error) => assert_eq!(error.to_string(), message, "{line:?}"),
    }
}

#[test]
fn every_reply_is_known() {
    for line in [
        "id name Castellan 0.1.0",
        "id author the Castellan developers",
        "uciok",
        "readyok",
        "bestmove e2e4",
        "bestmove e7e8q ponder a1a2",
        "bestmove (none)",
        "bestmove 0000",
        "copyprotection checking",
        "registration error",
        "option name Ponder type check default false",
        "option name Hash type spin default 16 min 1 max 33554432",
        "option name Style type combo default Normal var Solid var Normal var Very Risky",
        "option name Clear Hash type button",
        "option name SyzygyPath type string default <empty>",
        "info depth 12 seldepth 20 multipv 2 score mate -3 wdl 1 2 997 nodes 5 nps 6 hashfull 7 \
         tbhits 8 sbhits 9 cpuload 10 time 11 currmove e2e4 currmovenumber 1 refutation d1h5 g6h5 \
         currline 1 e2e4 pv d2d4 d7d5 string a  b",
        "info score cp 20 lowerbound",
        "info currline e2e4",
        "info string",
    ] {
        check(&format!("{line}\r"), line.trim_end());
    }
}

#[test]
fn deviations_of_real_engines_are_understood() {
    check("bestmove NULL", "bestmove (none)");
    check("bestmove a7a8Q", "bestmove a7a8q");
    check("bestmove e2e4 ponder (none)", "bestmove e2e4");
    check("option name Book type string default", "option name Book type string default <empty>");
    check("option name X type check", "option name X type check default false");
    check("option name X type spin max 9 min 3", "option name X type spin default 3 min 3 max 9");
    check("info depth 3 new 7 score cp 1 time -5", "info depth 3 score cp 1 time 0");
    check("info score cp 1 wdl 3 4 5 upperbound", "info score cp 1 upperbound wdl 3 4 5");
}

#[test]
fn a_greeting_is_no_reply() {
    let message = "at byte 0: expected a reply such as uciok, info or bestmove";
    check_error("Stockfish 15.1 by the Stockfish developers", message);
    check_error("this option name X type button", message);
    check_error("", message);
}

#[test]
fn errors_say_where_and_why() {
    check_error("bestmove", "at byte 8: expected a move such as e2e4");
    check_error("bestmove e2e9", "at byte 9: expected a move such as e2e4");
    check_error("id", "at byte 2: expected name or author");
    check_error("option Hash", "at byte 7: expected the word name followed by a name");
    check_error(
        "option name Hash type number",
        "at byte 22: expected type followed by check, spin, combo, button or string",
    );
    check_error("option name Hash type spin default x", "at byte 35: expected a whole number");
    check_error("info score 17", "at byte 11: expected cp or mate");
    check_error("info score cp 1.5", "at byte 14: expected a whole number");
    check_error("info wdl 1 2", "at byte 12: expected a whole number that is not negative");
    check_error("registration", "at byte 12: expected checking, ok or error");
}

#[test]
fn a_report_says_what_it_says() {
    let line = "info depth 9 score cp 31 lowerbound wdl 100 800 100 pv e2e4 string hello";
    let Ok(EngineReply::Info(report)) = EngineReply::parse(line) else { panic!("it is fine") };
    assert_eq!(report.depth, Some(9));
    assert_eq!(report.score, Some(Score::centipawns(31).lower()));
    assert_eq!(report.win_draw_loss, Some(WinDrawLoss { win: 100, draw: 800, loss: 100 }));
    assert_eq!(report.pv.len(), 1);
    assert_eq!(report.text.as_deref(), Some("hello"));
    assert_eq!(report.nodes, None);
}
