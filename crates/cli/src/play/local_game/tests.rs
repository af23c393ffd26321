use super::*;

fn game_from(fen: &str) -> LocalGame {
    LocalGame::new(Start::Position(Position::from_fen(fen).unwrap()), Style::Letters)
}

fn new_game() -> LocalGame {
    LocalGame::new(Start::Normal, Style::Letters)
}

/// Sends lines separated by commas and returns the last reply. No line may be refused.
#[track_caller]
fn send_lines(game: &mut LocalGame, lines: &str) -> String {
    let mut last = String::new();
    for line in lines.split(", ") {
        match game.reply(line) {
            Reply::Text(text) => last = text,
            other => panic!("{line:?} gives {other:?}"),
        }
    }
    last
}

#[track_caller]
fn expect_refusal(game: &mut LocalGame, line: &str, expected: &str) {
    match game.reply(line) {
        Reply::Refused(text) => assert!(text.contains(expected), "{text:?}"),
        other => panic!("{line:?} gives {other:?}"),
    }
}

const SHUFFLE: &str = "Nf3, Nf6, Ng1, Ng8";

#[test]
fn checkmate_ends_the_game_and_prints_the_result() {
    let mut game = new_game();
    let output = send_lines(&mut game, "f3, e5, g4, Qh4");
    assert!(output.starts_with("2... Qh4#\n"), "{output}");
    let result = "Result: 0-1, Black wins by checkmate\n1. f3 e5 2. g4 Qh4# 0-1\n";
    assert!(output.ends_with(result), "{output}");
    assert_eq!(game.prompt(), "Game over (new, undo, quit)");
    expect_refusal(&mut game, "a3", "the game is over");
    assert_eq!(game.closing_text(), "", "the result has already been printed");
}

#[test]
fn check_is_announced() {
    let output = send_lines(&mut new_game(), "e4, f6, Qh5");
    assert!(output.ends_with("\nCheck!\n"), "{output}");
    assert!(output.contains("(k)"), "{output}");
}

#[test]
fn a_refused_move_changes_nothing() {
    let mut game = new_game();
    expect_refusal(&mut game, "e5", "a pawn cannot move from e2 to e5");
    expect_refusal(&mut game, "e7e5", "the piece on e7 is the opponent's");
    expect_refusal(&mut game, "nonsense", "neither a move nor a command");
    assert_eq!(game.prompt(), "White to move");
    assert_eq!(send_lines(&mut game, "e4").lines().next(), Some("1. e4"));
    assert_eq!(game.prompt(), "Black to move");
}

#[test]
fn stalemate_and_long_games_end_by_themselves() {
    let output = send_lines(&mut game_from("7k/8/4Q1K1/8/8/8/8/8 w - - 0 1"), "Qf7");
    assert!(output.contains("Result: 1/2-1/2, draw by stalemate\nFrom 7k/8/4Q1K1/"), "{output}");
    let output = send_lines(&mut game_from("7k/8/4Q1K1/8/8/8/8/8 w - - 149 100"), "Qe1");
    assert!(output.contains("draw by the seventy-five-move rule"), "{output}");
    let mut game = new_game();
    let mut output = String::new();
    for _ in 0..4 {
        output = send_lines(&mut game, SHUFFLE);
    }
    assert!(output.contains("Result: 1/2-1/2, draw by fivefold repetition"), "{output}");
}

#[test]
fn a_game_may_begin_at_its_end() {
    let game = game_from("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert!(game.opening_text().contains("Result: 1/2-1/2, draw by stalemate"));
}

#[test]
fn threefold_repetition_is_offered_and_claimed() {
    let mut game = new_game();
    send_lines(&mut game, SHUFFLE);
    expect_refusal(&mut game, "claim", "the position has occurred twice");
    let output = send_lines(&mut game, SHUFFLE);
    assert!(
        output.ends_with("White may claim a draw by threefold repetition: type claim\n"),
        "{output}"
    );
    let output = send_lines(&mut game, "claim");
    assert!(output.starts_with("Result: 1/2-1/2, draw by threefold repetition\n"));
}

#[test]
fn a_claim_may_announce_the_move() {
    let mut game = new_game();
    send_lines(&mut game, "Nf3, Nf6, Ng1, Ng8, Nf3, Nf6, Ng1");
    let output = send_lines(&mut game, "claim Ng8");
    let result = "Result: 1/2-1/2, draw by threefold repetition\n\
        1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2\n";
    assert!(output.starts_with("4... Ng8\n") && output.ends_with(result), "{output}");
    assert!(send_lines(&mut game, "undo").starts_with("The game continues."));
    assert_eq!(game.prompt(), "White to move");
}

#[test]
fn after_a_wrong_claim_the_announced_move_is_played() {
    let mut game = new_game();
    expect_refusal(&mut game, "claim e5", "a pawn cannot move from e2 to e5");
    let output = send_lines(&mut game, "claim e4");
    assert!(output.starts_with("The claim is incorrect; the announced move is played.\n1. e4\n"));
    assert_eq!(game.prompt(), "Black to move");
}

#[test]
fn fifty_moves_are_claimed() {
    let mut game = game_from("7k/8/4Q1K1/8/8/8/8/8 w - - 98 100");
    expect_refusal(&mut game, "claim", "no draw to claim");
    send_lines(&mut game, "Qe1");
    let output = send_lines(&mut game, "claim Kg8");
    assert!(output.contains("draw by the fifty-move rule"), "{output}");
}

#[test]
fn a_draw_is_offered_and_answered() {
    let mut game = new_game();
    expect_refusal(&mut game, "y", "there is no draw offer");
    send_lines(&mut game, "e4, draw");
    assert_eq!(game.prompt(), "White, do you accept the draw? (y/n)");
    for line in ["e5", "undo", "resign", "draw", "claim"] {
        expect_refusal(&mut game, line, "y or n");
    }
    send_lines(&mut game, "n");
    assert_eq!(game.prompt(), "Black to move");
    let output = send_lines(&mut game, "draw, y");
    assert_eq!(output, "Result: 1/2-1/2, draw by agreement\n1. e4 1/2-1/2\n");
    assert!(send_lines(&mut game, "undo").starts_with("The game continues."));
    assert_eq!(game.prompt(), "Black to move", "the offer is taken back with the draw");
}

#[test]
fn resigning_loses() {
    let output = send_lines(&mut new_game(), "e4, resign");
    assert_eq!(output, "Result: 1-0, White wins by resignation\n1. e4 1-0\n");
}

#[test]
fn undo_takes_back_the_last_move_or_the_end_of_the_game() {
    let mut game = new_game();
    expect_refusal(&mut game, "undo", "there is no move to take back");
    send_lines(&mut game, "resign, undo, e4, resign");
    assert!(send_lines(&mut game, "undo").starts_with("The game continues."));
    assert_eq!(game.prompt(), "Black to move");
    send_lines(&mut game, "undo");
    assert_eq!(game.prompt(), "White to move");
    send_lines(&mut game, "f3, e5, g4, Qh4, undo");
    assert_eq!(game.prompt(), "Black to move");
}

#[test]
fn questions_are_answered_at_any_time() {
    let mut game = new_game();
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    assert_eq!(send_lines(&mut game, "fen"), fen);
    assert!(send_lines(&mut game, "moves").starts_with("Na3 Nc3 Nf3 Nh3 a3"));
    assert!(send_lines(&mut game, "help").contains("resign"));
    assert!(send_lines(&mut game, "flip").starts_with("\n 1   R  N  B  K"));
    assert!(send_lines(&mut game, "board").starts_with("\n 1   R  N  B  K"));
    assert_eq!(send_lines(&mut game, "f3, e5, g4, Qh4, moves"), "no legal moves\n");
    assert_eq!(game.reply("quit"), Reply::Quit);
}

#[test]
fn a_new_game_first_prints_the_old_one() {
    let mut game = new_game();
    let output = send_lines(&mut game, "e4, new");
    assert!(output.starts_with("Result: *, the game is not finished\n1. e4 *\n\nTwo-player game."));
    assert_eq!(game.prompt(), "White to move");
    assert_eq!(game.closing_text(), "");
}

#[test]
fn chess960_draws_a_number_for_every_game() {
    let mut game = LocalGame::new(Start::Chess960(0), Style::Letters);
    assert!(game.opening_text().starts_with("Two-player Chess960 game, position 0."));
    assert!(send_lines(&mut game, "board").contains(" 1   B  B  Q  N  N  R  K  R\n"));
    let game = LocalGame::new(Start::AnyChess960(|| 959), Style::Letters);
    assert!(game.opening_text().contains(" 1   R  K  R  N  N  Q  B  B\n"));
}

#[test]
fn move_numbers_are_right_if_black_moves_first() {
    let mut game = game_from("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7");
    send_lines(&mut game, "Kd7, e4");
    let expected = "Result: *, the game is not finished\n\
        From 4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\n7... Kd7 8. e4 *\n";
    assert_eq!(game.closing_text(), expected);
}

#[test]
fn a_dead_position_ends_the_game() {
    let mut game = game_from("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1");
    let output = send_lines(&mut game, "Kxd2");
    let result = "Result: 1/2-1/2, draw by dead position\n\
        From 4k3/8/8/8/8/8/3p4/4K3 w - - 0 1\n1. Kxd2 1/2-1/2\n";
    assert!(output.ends_with(result), "{output}");
    send_lines(&mut game, "undo");
    assert!(game.prompt().contains("White to move"));
}
