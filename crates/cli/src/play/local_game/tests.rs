use super::*;

fn table(fen: &str) -> Table {
    Table::new(Start::Position(Position::from_fen(fen).unwrap()), Style::Letters)
}

fn new_table() -> Table {
    Table::new(Start::Normal, Style::Letters)
}

/// Sends lines separated by commas and returns the last reply. No line may be refused.
#[track_caller]
fn tell(table: &mut Table, lines: &str) -> String {
    let mut last = String::new();
    for line in lines.split(", ") {
        match table.answer(line) {
            Answer::Told(text) => last = text,
            other => panic!("{line:?} gives {other:?}"),
        }
    }
    last
}

#[track_caller]
fn refuse(table: &mut Table, line: &str, expected: &str) {
    match table.answer(line) {
        Answer::Refused(text) => assert!(text.contains(expected), "{text:?}"),
        other => panic!("{line:?} gives {other:?}"),
    }
}

const SHUFFLE: &str = "Nf3, Nf6, Ng1, Ng8";

#[test]
fn a_mate_ends_the_game_and_tells_it() {
    let mut table = new_table();
    let told = tell(&mut table, "f3, e5, g4, Qh4");
    assert!(told.starts_with("2... Qh4#\n"), "{told}");
    let result = "Result: 0-1, Black wins by checkmate\n1. f3 e5 2. g4 Qh4# 0-1\n";
    assert!(told.ends_with(result), "{told}");
    assert_eq!(table.prompt(), "Game over (new, undo, quit)");
    refuse(&mut table, "a3", "the game is over");
    assert_eq!(table.farewell(), "", "the result was told already");
}

#[test]
fn check_is_announced() {
    let told = tell(&mut new_table(), "e4, f6, Qh5");
    assert!(told.ends_with("\nCheck!\n"), "{told}");
    assert!(told.contains("(k)"), "{told}");
}

#[test]
fn a_refused_move_changes_nothing() {
    let mut table = new_table();
    refuse(&mut table, "e5", "a pawn cannot move from e2 to e5");
    refuse(&mut table, "e7e5", "the piece on e7 is the opponent's");
    refuse(&mut table, "nonsense", "neither a move nor a command");
    assert_eq!(table.prompt(), "White to move");
    assert_eq!(tell(&mut table, "e4").lines().next(), Some("1. e4"));
    assert_eq!(table.prompt(), "Black to move");
}

#[test]
fn stalemate_and_long_games_end_by_themselves() {
    let told = tell(&mut table("7k/8/4Q1K1/8/8/8/8/8 w - - 0 1"), "Qf7");
    assert!(told.contains("Result: 1/2-1/2, draw by stalemate\nFrom 7k/8/4Q1K1/"), "{told}");
    let told = tell(&mut table("7k/8/4Q1K1/8/8/8/8/8 w - - 149 100"), "Qe1");
    assert!(told.contains("draw by the seventy-five-move rule"), "{told}");
    let mut table = new_table();
    let mut told = String::new();
    for _ in 0..4 {
        told = tell(&mut table, SHUFFLE);
    }
    assert!(told.contains("Result: 1/2-1/2, draw by fivefold repetition"), "{told}");
}

#[test]
fn a_game_may_begin_at_its_end() {
    let table = table("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert!(table.opening().contains("Result: 1/2-1/2, draw by stalemate"));
}

#[test]
fn threefold_repetition_is_offered_and_claimed() {
    let mut table = new_table();
    tell(&mut table, SHUFFLE);
    refuse(&mut table, "claim", "the position has occurred twice");
    let told = tell(&mut table, SHUFFLE);
    assert!(
        told.ends_with("White may claim a draw by threefold repetition: type claim\n"),
        "{told}"
    );
    let told = tell(&mut table, "claim");
    assert!(told.starts_with("Result: 1/2-1/2, draw by threefold repetition, claimed by White\n"));
}

#[test]
fn a_claim_may_announce_the_move() {
    let mut table = new_table();
    tell(&mut table, "Nf3, Nf6, Ng1, Ng8, Nf3, Nf6, Ng1");
    let told = tell(&mut table, "claim Ng8");
    assert!(told.starts_with("Result: 1/2-1/2, draw by threefold repetition, claimed by Black"));
    assert!(told.ends_with("4. Ng1 1/2-1/2\n"), "the announced move is not played: {told}");
}

#[test]
fn after_a_wrong_claim_the_announced_move_is_played() {
    let mut table = new_table();
    refuse(&mut table, "claim e5", "a pawn cannot move from e2 to e5");
    let told = tell(&mut table, "claim e4");
    assert!(told.starts_with("The claim is incorrect; the announced move is played.\n1. e4\n"));
    assert_eq!(table.prompt(), "Black to move");
}

#[test]
fn fifty_moves_are_claimed() {
    let mut table = table("7k/8/4Q1K1/8/8/8/8/8 w - - 98 100");
    refuse(&mut table, "claim", "no draw to claim");
    tell(&mut table, "Qe1");
    let told = tell(&mut table, "claim Kg8");
    assert!(told.contains("draw by the fifty-move rule, claimed by Black"), "{told}");
}

#[test]
fn a_draw_is_offered_and_answered() {
    let mut table = new_table();
    refuse(&mut table, "y", "there is no draw offer");
    tell(&mut table, "e4, draw");
    assert_eq!(table.prompt(), "White, do you accept the draw? (y/n)");
    for line in ["e5", "undo", "resign", "draw", "claim"] {
        refuse(&mut table, line, "y or n");
    }
    tell(&mut table, "n");
    assert_eq!(table.prompt(), "Black to move");
    let told = tell(&mut table, "draw, y");
    assert_eq!(told, "Result: 1/2-1/2, draw by agreement\n1. e4 1/2-1/2\n");
}

#[test]
fn resigning_loses() {
    let told = tell(&mut new_table(), "e4, resign");
    assert_eq!(told, "Result: 1-0, Black resigns, White wins\n1. e4 1-0\n");
}

#[test]
fn undo_takes_back_the_last_thing() {
    let mut table = new_table();
    refuse(&mut table, "undo", "there is no move to take back");
    tell(&mut table, "e4, resign");
    assert!(tell(&mut table, "undo").starts_with("The game continues."));
    assert_eq!(table.prompt(), "Black to move");
    tell(&mut table, "undo");
    assert_eq!(table.prompt(), "White to move");
    tell(&mut table, "f3, e5, g4, Qh4, undo");
    assert_eq!(table.prompt(), "Black to move");
}

#[test]
fn questions_are_answered_at_any_time() {
    let mut table = new_table();
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    assert_eq!(tell(&mut table, "fen"), fen);
    assert!(tell(&mut table, "moves").starts_with("Na3 Nc3 Nf3 Nh3 a3"));
    assert!(tell(&mut table, "help").contains("resign"));
    assert!(tell(&mut table, "flip").starts_with("\n 1   R  N  B  K"));
    assert!(tell(&mut table, "board").starts_with("\n 1   R  N  B  K"));
    assert_eq!(tell(&mut table, "f3, e5, g4, Qh4, moves"), "no legal moves\n");
    assert_eq!(table.answer("quit"), Answer::Left);
}

#[test]
fn a_new_game_tells_the_old_one() {
    let mut table = new_table();
    let told = tell(&mut table, "e4, new");
    assert!(told.starts_with("Result: *, the game is not finished\n1. e4 *\n\nTwo-player game."));
    assert_eq!(table.prompt(), "White to move");
    assert_eq!(table.farewell(), "");
}

#[test]
fn chess960_draws_a_number_for_every_game() {
    let mut table = Table::new(Start::Chess960(0), Style::Letters);
    assert!(table.opening().starts_with("Two-player Chess960 game, position 0."));
    assert!(tell(&mut table, "board").contains(" 1   B  B  Q  N  N  R  K  R\n"));
    let table = Table::new(Start::AnyChess960(|| 959), Style::Letters);
    assert!(table.opening().contains(" 1   R  K  R  N  N  Q  B  B\n"));
}

#[test]
fn a_game_with_black_to_move_first_is_numbered_so() {
    let mut table = table("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7");
    tell(&mut table, "Kd7, e4");
    let expected = "Result: *, the game is not finished\n\
        From 4k3/8/8/8/8/8/4P3/4K3 b - - 0 7\n7... Kd7 8. e4 *\n";
    assert_eq!(table.farewell(), expected);
}

#[test]
fn a_dead_position_ends_the_game() {
    let mut table = table("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1");
    let told = tell(&mut table, "Kxd2");
    let result = "Result: 1/2-1/2, draw by dead position\n\
        From 4k3/8/8/8/8/8/3p4/4K3 w - - 0 1\n1. Kxd2 1/2-1/2\n";
    assert!(told.ends_with(result), "{told}");
    tell(&mut table, "undo");
    assert!(table.prompt().contains("White to move"));
}
