//! Files as they are found in the wild. Each of `wild/*.pgn` contains one thing that the standard
//! does not mention or does not allow, followed by a plain game, which has to be read whatever
//! comes before it.

mod damage;
mod encodings;
mod layouts;
mod moves;
mod remarks;

use castellan_pgn::{Game, Mode, NodeId, Played, Problem, Severity, line_and_column, parse_games};
use castellan_rules::{Position, san};

/// Returns the bytes of a sample.
macro_rules! sample {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/wild/", $name, ".pgn"))
    };
}
use sample;

/// The games and problems of a sample.
struct Expected<'a> {
    /// The games as [`text_of`] writes them, except the last one, which is the plain game.
    games: &'a [&'a str],
    /// The problems that break a game, as [`problem_text`] writes them.
    broken: &'a [&'a str],
    /// The problems that only a strict reader reports.
    forgiven: &'a [&'a str],
}

const PLAIN_GAME: &str = "d4 d5 1/2-1/2";

/// Reads a sample in both modes.
#[track_caller]
fn check(source: &[u8], expected: &Expected<'_>) -> Vec<Game> {
    let games = parse_games(source, Mode::Lenient);
    let mut texts: Vec<String> = games.iter().map(text_of).collect();
    assert_eq!(texts.pop().as_deref(), Some(PLAIN_GAME), "the game after: {texts:?}");
    assert_eq!(texts, expected.games);
    assert_eq!(problems(source, &games, Severity::Broken), expected.broken);
    assert_eq!(problems(source, &games, Severity::Forgiven), [""; 0], "forgiven means silent");
    let plain = games.last().expect("it has been looked at");
    assert_eq!(plain.tags.get("Event"), Some("After"));
    check_strict(source, expected);
    games
}

/// Reads a sample that even a strict reader finds nothing wrong with.
#[track_caller]
fn check_clean(source: &[u8], games: &[&str]) -> Vec<Game> {
    check(source, &Expected { games, broken: &[], forgiven: &[] })
}

/// Reads a sample with problems that only a strict reader reports.
#[track_caller]
fn check_forgiven(source: &[u8], games: &[&str], forgiven: &[&str]) -> Vec<Game> {
    check(source, &Expected { games, broken: &[], forgiven })
}

/// Reads a sample with problems that break a game.
#[track_caller]
fn check_broken(source: &[u8], games: &[&str], broken: &[&str]) -> Vec<Game> {
    check(source, &Expected { games, broken, forgiven: &[] })
}

/// Checks that a strict reader reports all problems.
#[track_caller]
fn check_strict(source: &[u8], expected: &Expected<'_>) {
    let games = parse_games(source, Mode::Strict);
    assert_eq!(problems(source, &games, Severity::Broken), expected.broken, "strict");
    assert_eq!(problems(source, &games, Severity::Forgiven), expected.forgiven, "strict");
}

/// Returns the problems of a severity in the order of the games.
fn problems(source: &[u8], games: &[Game], severity: Severity) -> Vec<String> {
    let all = games.iter().flat_map(|game| &game.problems);
    all.filter(|problem| problem.kind.severity() == severity)
        .map(|problem| problem_text(source, problem))
        .collect()
}

/// Returns a problem as `line:column 'token' why`.
fn problem_text(source: &[u8], problem: &Problem) -> String {
    let (line, column) = line_and_column(source, problem.at);
    format!("{line}:{column} '{}' {}", problem.token, problem.kind)
}

/// Returns a game as moves in exact SAN without numbers, with `$` glyphs, comments in braces,
/// variations in parentheses, and the result.
fn text_of(game: &Game) -> String {
    let mut words = Vec::new();
    let root = game.tree().notes(NodeId::ROOT);
    words.extend(root.nags.iter().map(|nag| format!("${nag}")));
    words.extend(root.after.iter().map(|comment| format!("{{{comment}}}")));
    if let Some(first) = game.tree().next(NodeId::ROOT) {
        show_line(game, *game.start(), first, &mut words);
    }
    words.push(game.result.to_string());
    words.join(" ")
}

fn show_line(game: &Game, mut position: Position, first: NodeId, words: &mut Vec<String>) {
    let tree = game.tree();
    let mut next = Some(first);
    while let Some(at) = next {
        let played = tree.played(at).expect("only the root has none");
        let notes = tree.notes(at);
        words.extend(notes.before.iter().map(|comment| format!("{{{comment}}}")));
        words.push(match played {
            Played::Move(mv) => san::write(&position, mv),
            Played::Null => "--".to_owned(),
        });
        words.extend(notes.nags.iter().map(|nag| format!("${nag}")));
        words.extend(notes.after.iter().map(|comment| format!("{{{comment}}}")));
        let is_main = tree.parent(at).and_then(|parent| tree.next(parent)) == Some(at);
        let mut other = tree.sibling(at).filter(|_| is_main);
        while let Some(variation) = other {
            words.push("(".to_owned());
            show_line(game, position, variation, words);
            words.push(")".to_owned());
            other = tree.sibling(variation);
        }
        position = played.after(&position).expect("trees hold only what can be played");
        next = tree.next(at);
    }
}
