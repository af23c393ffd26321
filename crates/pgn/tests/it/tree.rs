//! Games as values: the games that the reader builds from a text, and the operations on trees.

use castellan_pgn::{
    Comment, Flow, Game, GameResult, MAX_NESTING, Mode, NodeId, PlayError, Played, ProblemKind,
    for_each_game, parse_games,
};
use castellan_rules::{Color, Line, Move, Position, Role, San, Square};

/// The only game of a text, which must be in order.
#[track_caller]
fn game(text: &str) -> Game {
    let mut games = parse_games(text.as_bytes(), Mode::Lenient);
    assert_eq!(games.len(), 1, "{text:?}");
    let game = games.remove(0);
    assert_eq!(game.problems, [], "{text:?}");
    game
}

fn find(position: &Position, text: &str) -> Move {
    let san = San::parse(text).expect("a move as it is written");
    san.resolve(position).expect("a legal move")
}

fn texts(comments: &[Comment]) -> Vec<&str> {
    comments.iter().map(Comment::as_str).collect()
}

/// The spelling of the moves from a place.
fn spelled(game: &Game, at: NodeId) -> Vec<String> {
    let position = game.position(at);
    let children = game.tree().children(at).map(|child| game.tree().played(child));
    children
        .map(|played| match played {
            Some(Played::Move(mv)) => castellan_rules::san::write(&position, mv),
            _ => "--".to_owned(),
        })
        .collect()
}

#[test]
fn variations_of_a_move_are_its_siblings_however_they_are_nested() {
    for text in ["1. e4 (1. d4 (1. c4) d5) (1. b3) e5 *", "1. e4 (1. d4 d5) (1. c4) (1. b3) e5 *"] {
        let game = game(text);
        assert_eq!(spelled(&game, NodeId::ROOT), ["e4", "d4", "c4", "b3"], "{text}");
        assert_eq!(game.main_line().count(), 2);
        assert_eq!(game.tree().move_count(), 6);
        let second = game.tree().children(NodeId::ROOT).nth(1).unwrap();
        assert_eq!(spelled(&game, second), ["d5"]);
        assert_eq!(game.tree().nesting(second), 1);
    }
}

#[test]
fn comments_and_glyphs_go_to_their_moves() {
    let game = game("{start} $2 1. e4 {one} $1 {two} ({before} $5 1. d4 {after}) {three} e5! *");
    let root = game.tree().notes(NodeId::ROOT);
    assert_eq!((texts(&root.after), &root.nags[..]), (vec!["start"], &[2][..]));
    let first = game.main_line().next().unwrap();
    let notes = game.tree().notes(first);
    assert_eq!(texts(&notes.after), ["one", "two", "three"]);
    assert_eq!(notes.nags, [1]);
    let other = game.tree().sibling(first).unwrap();
    let notes = game.tree().notes(other);
    assert_eq!((texts(&notes.before), texts(&notes.after)), (vec!["before"], vec!["after"]));
    assert_eq!(notes.nags, [5]);
    assert_eq!(game.tree().notes(game.last()).nags, [1]);
}

#[test]
fn a_variation_without_a_move_leaves_its_comment_to_the_line_around() {
    let game = game("1. e4 ({only words}) e5 *");
    let first = game.main_line().next().unwrap();
    assert_eq!(texts(&game.tree().notes(first).after), ["only words"]);
    assert_eq!(game.tree().move_count(), 2);
}

#[test]
fn a_broken_move_ends_its_line_and_nothing_else() {
    let text = "1. e4 (1. d4 Nf3 2. c4) (1. c4 c5) e5 2. Nf3 Nc5 3. d4 {gone} 1-0\n1. d4 *";
    let games = parse_games(text.as_bytes(), Mode::Lenient);
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].main_line().count(), 3);
    assert_eq!(games[0].tree().move_count(), 3 + 1 + 2);
    assert_eq!(games[0].result, GameResult::Win(Color::White));
    let tokens: Vec<&str> = games[0].problems.iter().map(|it| it.token.as_str()).collect();
    assert_eq!(tokens, ["Nf3", "Nc5"]);
    assert_eq!(games[0].problems[1].at, text.find("Nc5").unwrap());
    assert_eq!(games[1].problem_count, 0);
    assert_eq!(&text[games[1].range.clone()], "1. d4 *");
}

/// What a strict reader says of a text.
#[track_caller]
fn complaints(text: &str, expected: &[(&str, ProblemKind)]) {
    let strict = parse_games(text.as_bytes(), Mode::Strict).remove(0);
    let told: Vec<(&str, ProblemKind)> =
        strict.problems.iter().map(|it| (it.token.as_str(), it.kind.clone())).collect();
    assert_eq!(told, expected, "{text:?}");
    let lenient = parse_games(text.as_bytes(), Mode::Lenient).remove(0);
    assert_eq!(lenient.problems, []);
    assert_eq!(lenient.tree(), strict.tree());
}

#[test]
fn strict_mode_reports_what_lenient_mode_tolerates() {
    complaints("1. e4 e5 2. Nf3 *", &[]);
    complaints("1. e4 e5 2. Ng1f3 *", &[("Ng1f3", ProblemKind::OverSpecified)]);
    complaints("1. e4 f6 2. Qh5 *", &[("Qh5", ProblemKind::CheckMark)]);
    complaints("1. e2e4 *", &[("e2e4", ProblemKind::LongAlgebraic)]);
    complaints("1. e4+ *", &[("e4+", ProblemKind::CheckMark)]);
    complaints("1. f3 e5 2. g4 Qh4+ *", &[("Qh4+", ProblemKind::CheckMark)]);
    complaints("1. e4 e5 3. Nf3 *", &[("3", ProblemKind::MoveNumber)]);
    complaints("1. e4 --", &[("--", ProblemKind::NullMove), ("", ProblemKind::NoResult)]);
    complaints("[Result \"0-1\"]\n\n1. e4 1-0", &[("1-0", ProblemKind::ResultMismatch)]);
}

#[test]
fn the_result_is_what_stands_at_the_end_or_else_the_tag() {
    let result = |text| game(text).result;
    assert_eq!(result("1. e4 1/2-1/2"), GameResult::Draw);
    assert_eq!(result("[Result \"0-1\"]\n\n1. e4 1-0"), GameResult::Win(Color::White));
    assert_eq!(result("[Result \"0-1\"]\n\n1. e4 *"), GameResult::Win(Color::Black));
    assert_eq!(result("[Result \"0-1\"]\n\n1. e4"), GameResult::Win(Color::Black));
    assert_eq!(result("1. e4"), GameResult::Open);
}

#[test]
fn the_start_comes_from_the_fen_tag() {
    let game = game("[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 3 40\"]\n\n40... Kd7 41. O-O *");
    assert_eq!(game.start().fullmove_number(), 40);
    assert_eq!(game.position(game.last()).king(Color::White), Square::G1);
}

#[test]
fn a_bad_fen_is_told_where_it_stands_and_the_game_is_kept() {
    let text = "[White \"A\"]\n[FEN \"8/8/8/8 w - -\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 *\n";
    let games = parse_games(text.as_bytes(), Mode::Lenient);
    assert_eq!(games.len(), 2);
    assert!(matches!(games[0].problems[0].kind, ProblemKind::BadFen(_)));
    assert_eq!(games[0].problems[0].at, text.find("8/8/8/8").unwrap());
    assert_eq!(games[0].tree().move_count(), 0);
    assert_eq!(games[0].tags.get("White"), Some("A"));
    assert!(games[0].to_string().contains("[FEN \"8/8/8/8 w - -\"]"));
    assert_eq!(games[1].tree().move_count(), 1);
}

#[test]
fn a_bad_fen_in_an_odd_tag_is_told_where_it_stands() {
    for text in ["[FEN   \"8/8 w\"]", "[ FEN 8/8 w]", "[FEN\u{3}", "[FEN\"x"] {
        let games = parse_games(text.as_bytes(), Mode::Lenient);
        let problem = games[0].problems.iter().find(|p| matches!(p.kind, ProblemKind::BadFen(_)));
        let problem = problem.unwrap_or_else(|| panic!("{text:?}"));
        assert!(text[problem.at..].starts_with(&problem.token), "{text:?}: {problem:?}");
        assert!(!problem.token.is_empty(), "{text:?}");
    }
}

#[test]
fn of_two_tags_with_one_name_the_last_counts_and_both_are_kept() {
    let game = game("[White \"A\"]\n[White \"B\"]\n\n*");
    assert_eq!(game.tags.get("White"), Some("B"));
    let values: Vec<&str> = game.tags.iter().map(castellan_pgn::Tag::value).collect();
    assert_eq!(values, ["A", "B"]);
}

#[test]
fn reading_stops_when_the_visitor_says_so() {
    let mut count = 0;
    for_each_game(b"1. e4 * 1. d4 * 1. c4 *", Mode::Lenient, |_| {
        count += 1;
        if count == 2 { Flow::Stop } else { Flow::Continue }
    });
    assert_eq!(count, 2);
}

#[test]
fn playing_follows_what_is_there_and_adding_does_not() {
    let mut game = Game::default();
    let e4 = find(game.start(), "e4");
    let first = game.play(NodeId::ROOT, e4).unwrap();
    assert_eq!(game.play(NodeId::ROOT, e4), Ok(first));
    assert_ne!(game.add(NodeId::ROOT, Played::Move(e4)), Ok(first));
    assert_eq!(game.tree().move_count(), 2);
    let illegal = game.play(first, e4);
    assert!(matches!(illegal, Err(PlayError::Illegal(_))));
    assert!(game.add(first, Played::Null).is_ok());
}

#[test]
fn the_turn_is_not_passed_in_check() {
    let text = "[FEN \"4k3/8/8/8/8/8/4r3/4K3 w - - 0 1\"]\n\n*";
    assert_eq!(game(text).add(NodeId::ROOT, Played::Null), Err(PlayError::PassInCheck));
}

#[test]
fn variations_lie_only_so_deep() {
    let mut game = Game::default();
    let mut at = NodeId::ROOT;
    let mut error = None;
    for _ in 0..=MAX_NESTING {
        let main = game.add(at, Played::Null).unwrap();
        assert_eq!(game.tree().parent(main), Some(at));
        match game.add(at, Played::Null) {
            Ok(next) => at = next,
            Err(found) => error = Some(found),
        }
    }
    assert_eq!(error, Some(PlayError::TooDeep));
    assert_eq!(game.tree().nesting(at), MAX_NESTING);
    let again = parse_games(game.to_string().as_bytes(), Mode::Lenient).remove(0);
    assert_eq!((again.tree(), &again.problems[..]), (game.tree(), &[][..]));
}

#[test]
fn long_games_need_no_stack() {
    let text: String = (0..50_000).map(|ply| ["Nf3 ", "Nf6 ", "Ng1 ", "Ng8 "][ply % 4]).collect();
    let long = game(&text);
    assert_eq!(long.main_line().count(), 50_000);
    assert_eq!(long.tree().path(long.last()).len(), 50_000);
    assert_eq!(game(&long.to_string()).tree(), long.tree());
}

#[test]
fn a_line_becomes_a_game_and_comes_back() {
    let mut line = Line::default();
    for text in ["e4", "c5", "Nf3"] {
        line.play(find(line.position(), text)).unwrap();
    }
    let game = Game::from_line(&line);
    assert_eq!(game.to_line().moves(), line.moves());
    let (_, last) = game.positions().last().unwrap();
    assert_eq!(last.role(Role::Knight), line.position().role(Role::Knight));
}
