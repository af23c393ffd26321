//! How games end: by the position, by a claim, or by a decision of a player or the server.

use std::time::Duration;

use castellan_game::{
    Actor, Command, End, EndReason, Event, Game, MAX_GAME_PLIES, Moment, TimeControl,
};
use castellan_rules::{CastlingSpelling, Color, Line, Move, Role, UciMove};

use crate::support::{BEGIN, BLACK, START, Table, UNSEATED, WHITE, move_at, player, settings, uci};

fn claim(table: &Table, announced: Option<&str>) -> Command {
    Command::Claim { ply: table.game.ply(), announced: announced.map(uci), lag: Duration::ZERO }
}

#[track_caller]
fn ends(fen: &str, moves: &str, score: &str, words: &str) {
    let mut table = Table::untimed(fen);
    table.play(moves);
    table.assert_score(score, words);
    assert_eq!(table.refused(WHITE, move_at(table.game.ply(), "e2e4")).code(), "over");
}

#[test]
fn checkmate_and_stalemate_end_the_game() {
    ends(START, "f2f3 e7e5 g2g4 d8h4", "0-1", "Black wins by checkmate");
    ends("7k/5Q2/8/8/8/8/8/6K1 w - - 0 1", "f7g6", "1/2-1/2", "draw by stalemate");
    ends("8/8/8/8/8/5k2/6p1/6K1 b - - 0 1", "f3g3", "1/2-1/2", "draw by stalemate");
}

#[test]
fn a_dead_position_ends_the_game_at_once() {
    ends("4k3/8/8/8/8/8/4p3/4K3 w - - 0 1", "e1e2", "1/2-1/2", "draw by dead position");
    // Not by counting: pawns that block each other, and kings that cannot pass.
    let walls = "8/8/3k3p/1p2p1p1/1P2P1PP/8/2K5/8 w - - 0 1";
    ends(walls, "h4h5", "1/2-1/2", "draw by dead position");
}

#[test]
fn a_position_that_is_over_ends_the_game_before_the_first_move() {
    let table = Table::untimed("7k/5K2/8/8/8/8/8/8 w - - 0 1");
    assert_eq!(table.end(), End::without_winner(EndReason::DeadPosition));
}

#[test]
fn fivefold_repetition_ends_the_game() {
    let mut table = Table::untimed(START);
    for _ in 0..4 {
        table.play("g1f3 g8f6 f3g1 f6g8");
    }
    table.assert_score("1/2-1/2", "draw by fivefold repetition");
}

#[test]
fn threefold_repetition_must_be_claimed() {
    let mut table = Table::untimed(START);
    table.play("g1f3 g8f6 f3g1 f6g8");
    assert_eq!(table.refused(WHITE, claim(&table, None)).code(), "nothing_to_claim");
    table.play("g1f3 g8f6 f3g1 f6g8");
    assert!(table.game.end().is_none() && table.game.claims().threefold_repetition);
    assert_eq!(table.refused(BLACK, claim(&table, None)).code(), "not_your_turn");
    table.act(WHITE, claim(&table, None));
    table.assert_score("1/2-1/2", "draw by threefold repetition");
    assert!(!table.game.claims().any());
}

#[test]
fn a_claim_may_announce_the_move_that_repeats() {
    let mut table = Table::untimed(START);
    table.play("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
    assert_eq!(table.refused(BLACK, claim(&table, None)).code(), "nothing_to_claim");
    let events = table.act(BLACK, claim(&table, Some("f6g8")));
    assert_eq!(events.len(), 2);
    assert_eq!(table.end(), End::without_winner(EndReason::ThreefoldRepetition));
    assert_eq!(table.game.line().repetitions(), 3);
}

#[test]
fn after_an_incorrect_claim_the_announced_move_is_played() {
    let mut table = Table::untimed(START);
    let events = table.act(WHITE, claim(&table, Some("e2e4")));
    assert!(matches!(events[..], [Event::Moved { .. }]));
    assert!(table.game.is_running());
    assert_eq!(table.refused(BLACK, claim(&table, Some("e2e4"))).code(), "illegal_move");
}

#[test]
fn fifty_moves_are_claimed_and_seventy_five_end_the_game() {
    let fen = |clock| format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 90");
    let mut table = Table::untimed(&fen(98));
    table.play("a1a2");
    table.act(BLACK, claim(&table, Some("e8e7")));
    table.assert_score("1/2-1/2", "draw by the fifty-move rule");
    let mut table = Table::untimed(&fen(100));
    table.act(WHITE, claim(&table, None));
    assert_eq!(table.end().reason, EndReason::FiftyMoves);
    ends(&fen(149), "a1a2", "1/2-1/2", "draw by the seventy-five-move rule");
}

#[test]
fn an_announced_move_that_mates_wins() {
    let mut table = Table::untimed("k7/8/1K6/8/8/8/8/7R w - - 99 90");
    table.act(WHITE, claim(&table, Some("h1h8")));
    table.assert_score("1-0", "White wins by checkmate");
}

#[test]
fn a_claim_meant_for_another_ply_is_refused() {
    let mut table = Table::untimed(START);
    table.play("g1f3 g8f6");
    let claim = |ply| Command::Claim { ply, announced: None, lag: Duration::ZERO };
    assert_eq!(table.refused(WHITE, claim(0)).code(), "stale");
    assert_eq!(table.refused(WHITE, claim(4)).code(), "ahead");
}

#[test]
fn a_player_may_resign_on_either_turn() {
    let mut table = Table::untimed(START);
    table.act(BLACK, Command::Resign);
    table.assert_score("1-0", "White wins by resignation");
    let mut table = Table::untimed(START);
    table.act(WHITE, Command::Resign);
    table.assert_score("0-1", "Black wins by resignation");
}

#[test]
fn a_game_can_be_aborted_only_before_both_players_have_moved() {
    for moves in ["", "e2e4"] {
        let mut table = Table::untimed(START);
        table.play(moves).act(BLACK, Command::Abort);
        table.assert_score("*", "called off");
    }
    let mut table = Table::untimed(START);
    table.play("e2e4 e7e5");
    for by in [WHITE, BLACK, Actor::Server] {
        assert_eq!(table.refused(by, Command::Abort).code(), "too_late_to_abort");
    }
    assert_eq!(table.refused(UNSEATED, Command::Abort).code(), "not_seated");
}

#[test]
fn a_game_without_an_opponent_can_be_aborted() {
    let mut table = Table::empty(settings(START, TimeControl::Unlimited {}));
    table.act(WHITE, Command::Seat { color: Color::White, player: player(1) });
    assert_eq!(table.refused(BLACK, Command::Abort).code(), "not_seated");
    table.act(WHITE, Command::Abort);
    assert_eq!(table.end().reason, EndReason::Aborted);
    let late = Command::Seat { color: Color::Black, player: player(2) };
    assert_eq!(table.refused(BLACK, late).code(), "over");
}

#[test]
fn abandoning_a_game_loses_unless_the_opponent_cannot_mate() {
    let abandon = |color| Command::Abandon { color };
    let mut table = Table::untimed(START);
    assert_eq!(table.refused(WHITE, abandon(Color::Black)).code(), "server_only");
    table.act(Actor::Server, abandon(Color::Black));
    table.assert_score("1-0", "White wins by abandonment");
    let mut table = Table::untimed("7k/8/8/8/8/8/4P3/4K3 w - - 0 1");
    table.act(Actor::Server, abandon(Color::White));
    table.assert_score("1/2-1/2", "draw by abandonment");
}

#[test]
fn a_game_of_two_thousand_plies_is_a_draw() {
    let mut table = Table::untimed(START);
    while table.game.end().is_none() {
        let mv = lasting_move(table.game.line());
        let text = UciMove::from_move(mv, CastlingSpelling::KingTwoSquares).to_string();
        table.play(&text);
    }
    table.assert_score("1/2-1/2", "draw by the limit of plies");
    assert_eq!(table.game.ply(), MAX_GAME_PLIES);
    let settings = table.game.settings().clone();
    let again = Game::replay(settings, Moment::from_millis(BEGIN), &table.record);
    assert_eq!(again, Ok(table.game));
}

/// Returns a move after which the game goes on: usually a quiet move of a piece, a pawn move when
/// the fifty-move counter gets high, and a capture if nothing else is left.
fn lasting_move(line: &Line) -> Move {
    let position = line.position();
    let lasts = |mv: &&Move| {
        let mut line = line.clone();
        line.play(**mv).is_ok() && line.outcome().is_none() && line.repetitions() < 3
    };
    let is_step_due = position.halfmove_clock() > 120;
    let rank = |mv: &Move| match (position.piece_at(mv.to()), mv.role()) {
        (None, Role::Pawn) => u8::from(!is_step_due),
        (None, _) => u8::from(is_step_due),
        (Some(_), _) => 2,
    };
    let moves = position.legal_moves();
    let mut moves: Vec<&Move> = moves.iter().filter(lasts).collect();
    // Otherwise the same piece would move back and forth.
    let offset = line.moves().len() * 7 % moves.len();
    moves.rotate_left(offset);
    **moves.iter().min_by_key(|mv| rank(mv)).expect("some move does not end the game")
}
