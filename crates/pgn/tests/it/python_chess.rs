//! Compares game trees with those of python-chess: tags, result, moves of all variations, glyphs
//! and comments.
//!
//! The recorded trees are always compared. If the environment variable `CASTELLAN_PGN_DIR` names
//! a folder, the test also compares every file `*.pgn` in it that has a file `*.digests` beside it,
//! written by `crates/testkit/data/python_chess_trees.py digest`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use castellan_pgn::{Comment, Game, Mode, NodeId, Notes, Played, parse_games};
use castellan_rules::{CastlingSpelling, UciMove};
use castellan_testkit::python_chess_trees::{PGN, digest, digests, normal, parse_digests};

use crate::support;

/// Tag values that mean "unknown" and are left out of the digest.
const UNKNOWN: [&str; 2] = ["?", "????.??.??"];

/// Returns the text that the digest is computed from.
fn describe(game: &Game) -> String {
    let mut text = String::new();
    let tags: BTreeMap<&str, &str> =
        game.tags.iter().map(|tag| (tag.name(), tag.value())).collect();
    for (name, value) in tags {
        if name != "Result" && !UNKNOWN.contains(&value) {
            writeln!(text, "{name}={value}").expect("writing to a string cannot fail");
        }
    }
    writeln!(text, "{}", game.result).expect("writing to a string cannot fail");
    writeln!(text, "|{}", describe_notes(game.tree().notes(NodeId::ROOT)))
        .expect("writing to a string cannot fail");
    describe_moves(game, &mut text);
    text
}

fn describe_moves(game: &Game, text: &mut String) {
    let tree = game.tree();
    let children = |at, ply| {
        let mut list: Vec<(usize, usize, NodeId)> =
            tree.children(at).enumerate().map(|(index, child)| (ply, index, child)).collect();
        list.reverse();
        list
    };
    let mut open = children(NodeId::ROOT, 1);
    while let Some((ply, index, at)) = open.pop() {
        let played = tree.played(at).expect("only the root has none");
        let notes = describe_notes(tree.notes(at));
        writeln!(text, "{ply} {index} {}|{notes}", spell(played))
            .expect("writing to a string cannot fail");
        open.extend(children(at, ply + 1));
    }
}

fn spell(played: Played) -> String {
    match played {
        Played::Move(mv) => UciMove::from_move(mv, CastlingSpelling::KingTakesRook).to_string(),
        Played::Null => "0000".to_owned(),
    }
}

fn describe_notes(notes: &Notes) -> String {
    let mut nags = notes.nags.clone();
    nags.sort_unstable();
    nags.dedup();
    let nags: Vec<String> = nags.iter().map(u8::to_string).collect();
    let joined = |comments: &[Comment]| {
        normal(&comments.iter().map(Comment::as_str).collect::<Vec<_>>().join(" "))
    };
    format!("{}|{}|{}", nags.join(","), joined(&notes.before), joined(&notes.after))
}

/// Compares all trees of a file and returns the number of games with variations.
fn agree(name: &str, source: &[u8], expected: &[u64]) -> usize {
    let games = parse_games(source, Mode::Lenient);
    assert_eq!(games.len(), expected.len(), "{name}");
    let mut different = Vec::new();
    for (number, (game, expected)) in games.iter().zip(expected).enumerate() {
        if digest(&describe(game)) != *expected {
            different.push(number);
        }
    }
    if let Some(&first) = different.first() {
        let described = describe(&games[first]);
        panic!("{name}, games counted from 0 that differ: {different:?}, the first:\n{described}");
    }
    games.iter().filter(|game| has_variations(game)).count()
}

fn has_variations(game: &Game) -> bool {
    game.tree().line_from(NodeId::ROOT).count() < game.tree().move_count()
}

#[test]
fn recorded_trees_are_the_same() {
    let varied = agree("recorded trees", PGN.as_bytes(), &digests());
    assert!(varied >= 200, "only {varied} games with variations");
}

#[test]
fn trees_are_the_same_in_every_file_of_the_chosen_folder_with_digests() {
    for (name, source) in support::chosen_files() {
        let Ok(text) = fs::read_to_string(Path::new(&name).with_extension("digests")) else {
            continue;
        };
        let expected = parse_digests(&text).expect("one digest in hexadecimal on a line");
        let varied = agree(&name, &source, &expected);
        println!("{name}: {} trees agree, {varied} of them with variations", expected.len());
    }
}
