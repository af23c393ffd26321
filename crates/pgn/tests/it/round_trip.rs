//! A written game reads back as the same game.
//!
//! Random trees are always tried. If the environment variable `CASTELLAN_PGN_DIR` names a folder,
//! so is every game of every file `*.pgn` in it.

use std::collections::BTreeSet;

use castellan_pgn::{
    Comment, Flow, Game, GameResult, Mode, NodeId, Played, Severity, for_each_game, parse_games,
};
use castellan_rules::{Color, Position};
use castellan_testkit::random::SplitMix64;

use crate::support;

/// Pieces of comments that have to do with something in the syntax.
const PIECES: [&str; 28] = [
    "word",
    "a",
    "}",
    "{",
    ";",
    "%",
    "[",
    "]",
    "(",
    ")",
    "[%clk 0:01:00]",
    "[%eval",
    "[Event \"x\"]",
    "\"",
    "\\",
    "\n",
    "\n\n",
    "\r\n",
    "  ",
    "\t",
    "1-0",
    "1.",
    "$5",
    "é",
    "♞",
    "\u{feff}",
    "\u{a0}",
    "longer-than-most-words-are",
];

const TAG_VALUES: [&str; 8] = ["", "?", "a \"b\" c", "\\", "x\\\"", "Ünal", "]", "\"]"];

fn random_comment(rng: &mut SplitMix64) -> Option<Comment> {
    let mut text = String::new();
    for _ in 0..rng.below(24) {
        text.push_str(rng.pick(&PIECES).expect("there are some"));
        if rng.chance(70) {
            text.push(' ');
        }
    }
    // Most comments have no brace, or paragraphs would hardly be tried.
    let text = if rng.chance(70) { text.replace(['{', '}'], "") } else { text };
    Comment::new(&text)
}

fn annotate(rng: &mut SplitMix64, game: &mut Game, at: NodeId, begins_variation: bool) {
    let notes = game.notes_mut(at);
    if rng.chance(20) {
        notes.nags.extend((0..=rng.below(3)).map(|_| rng.next_u64() as u8));
    }
    if rng.chance(20) {
        notes.after.extend((0..=rng.below(2)).filter_map(|_| random_comment(rng)));
    }
    if begins_variation && rng.chance(20) {
        notes.before.extend(random_comment(rng));
    }
}

fn random_start(rng: &mut SplitMix64) -> Position {
    if rng.chance(50) {
        return Position::start();
    }
    let number = u16::try_from(rng.below(960)).expect("a small number");
    let mut position = Position::chess960(number).expect("a Chess960 number");
    for _ in 0..rng.below(20) {
        if let Some(mv) = rng.pick(&position.legal_moves()) {
            position = position.play_unchecked(*mv);
        }
    }
    position
}

fn random_game(rng: &mut SplitMix64) -> Game {
    let mut game = Game::new(random_start(rng));
    annotate(rng, &mut game, NodeId::ROOT, false);
    let mut ids = vec![NodeId::ROOT];
    for _ in 0..rng.below(80) {
        let place = if rng.chance(80) { ids.len() - 1 } else { rng.below(ids.len()) };
        let at = ids[place];
        let position = game.position(at);
        let played = match rng.pick(&position.legal_moves()) {
            Some(mv) if !rng.chance(5) => Played::Move(*mv),
            _ => Played::Null,
        };
        let Ok(added) = game.add(at, played) else { continue };
        let is_variation = game.tree().next(at) != Some(added);
        annotate(rng, &mut game, added, is_variation);
        ids.push(added);
    }
    let results = [GameResult::Win(Color::White), GameResult::Win(Color::Black), GameResult::Draw];
    game.result = rng.pick(&results).copied().filter(|_| rng.chance(80)).unwrap_or_default();
    for name in ["White", "Zug", "Annotator", "White"] {
        game.tags.push(name, TAG_VALUES[rng.below(TAG_VALUES.len())]);
    }
    game
}

/// A written game is the same when read, and written again to the letter.
#[track_caller]
fn check(game: &Game) {
    let text = game.to_string();
    let games = parse_games(text.as_bytes(), Mode::Lenient);
    let [again] = &games[..] else { panic!("{} games in\n{text}", games.len()) };
    let broken = game.problems.iter().any(|it| it.kind.severity() == Severity::Broken);
    assert!(broken || again.problems.is_empty(), "{:?}\n{text}", again.problems);
    assert_eq!(again.start().to_setup(), game.start().to_setup(), "{text}");
    assert_eq!(again.result, game.result, "{text}");
    assert!(again.tree() == game.tree(), "{text}\n{again}");
    assert_eq!(again.to_string(), text);
    for tag in &game.tags {
        assert!(tag.name() == "Result" || again.tags.get(tag.name()) == game.tags.get(tag.name()));
    }
}

/// No line is longer than 80 columns unless nothing in it may be broken.
fn check_columns(text: &str) {
    let (_, movetext) = text.split_once("\n\n").expect("tags end with an empty line");
    for line in movetext.lines().filter(|line| !line.contains([';', '[', '%'])) {
        let is_short = line.chars().count() <= 80 || !line.contains(' ');
        assert!(is_short, "{line}");
    }
}

#[test]
fn random_trees_come_back() {
    let mut rng = SplitMix64::new(7);
    for _ in 0..2_000 {
        let game = random_game(&mut rng);
        check(&game);
        check_columns(&game.to_string());
    }
}

/// Every line of a tree as its moves in words, whatever comes first.
fn lines(game: &Game) -> BTreeSet<String> {
    let tree = game.tree();
    let ends = tree.nodes().filter(|at| tree.next(*at).is_none());
    let spelled = |at| tree.path(at).iter().map(|at| format!("{:?}", tree.played(*at))).collect();
    ends.map(spelled).collect()
}

#[test]
fn a_promoted_line_is_the_main_one_and_no_line_is_lost() {
    let mut rng = SplitMix64::new(11);
    for _ in 0..1_000 {
        let mut game = random_game(&mut rng);
        let places: Vec<NodeId> = game.tree().nodes().collect();
        let at = places[rng.below(places.len())];
        let before = (lines(&game), game.tree().move_count(), game.tree().path(at));
        let nesting = game.tree().nesting(at);
        game.promote(at).unwrap();
        assert_eq!(game.tree().nesting(at), nesting.saturating_sub(1));
        check(&game);
        game.make_main(at).unwrap();
        assert_eq!((lines(&game), game.tree().move_count(), game.tree().path(at)), before);
        assert!(at == NodeId::ROOT || game.main_line().any(|main| main == at));
        check(&game);
    }
}

#[test]
fn deleting_takes_one_move_with_all_that_follows_and_nothing_else() {
    let mut rng = SplitMix64::new(12);
    for _ in 0..1_000 {
        let mut game = random_game(&mut rng);
        let places: Vec<NodeId> = game.tree().nodes().skip(1).collect();
        let Some(&at) = rng.pick(&places) else { continue };
        let is_after = |place: &&NodeId| game.tree().path(**place).contains(&at);
        let gone = places.iter().filter(is_after).count();
        let count = game.tree().move_count();
        let parent = game.tree().parent(at).unwrap();
        let position = game.position(parent);
        let siblings = game.tree().children(parent).count();
        let parent = game.delete(at);
        assert_eq!(game.tree().move_count(), count - gone);
        assert_eq!(game.position(parent), position);
        assert_eq!(game.tree().children(parent).count(), siblings - 1);
        check(&game);
    }
}

#[test]
fn many_games_in_one_text_come_back() {
    let mut rng = SplitMix64::new(8);
    let games: Vec<Game> = (0..200).map(|_| random_game(&mut rng)).collect();
    let text: String = games.iter().map(Game::to_string).collect();
    let again = parse_games(text.as_bytes(), Mode::Lenient);
    assert_eq!(again.len(), games.len());
    for (game, again) in games.iter().zip(&again) {
        assert!(again.tree() == game.tree(), "{game}\n{again}");
    }
}

#[test]
fn games_of_the_chosen_folder_come_back() {
    for (name, source) in support::chosen_files() {
        let (mut games, mut moves, mut varied, mut broken) = (0, 0, 0, 0);
        for_each_game(&source, Mode::Lenient, |game| {
            games += 1;
            moves += game.tree().move_count();
            varied += usize::from(game.main_line().count() < game.tree().move_count());
            if let Some(problem) = game.problems.first() {
                broken += 1;
                println!("{name}: at byte {}: {}: {}", problem.at, problem.token, problem.kind);
            }
            check(&game);
            Flow::Continue
        });
        println!("{name}: {games} games, {varied} varied, {broken} broken, {moves} moves");
    }
}
