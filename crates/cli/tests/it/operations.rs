//! Checks that docs/OPERATING.md tells operators the truth.

use std::fs;
use std::path::Path;

use crate::serve::Server;
use crate::shell::castellan;

fn guide() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/OPERATING.md");
    fs::read_to_string(path).expect("the guide")
}

/// Returns the words of a text that begin with a prefix, such as the names of variables.
fn names<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(prefix) && word.len() > prefix.len()).collect()
}

/// Returns the code blocks in a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

#[test]
fn every_variable_and_command_of_the_guide_exists() {
    let (guide, help) = (guide(), castellan(&["serve", "--help"], b"").out);
    let variables = names(&guide, "CASTELLAN_");
    assert!(variables.len() > 5, "{variables:?}");
    let known = names(&help, "CASTELLAN_");
    for name in variables {
        assert!(known.contains(&name), "{name} is not in:\n{help}");
    }
    let commands = castellan(&["--help"], b"").out;
    let lines = blocks(&guide, "sh").into_iter().flat_map(str::lines);
    let called: Vec<&str> = lines.filter_map(|line| line.strip_prefix("castellan ")).collect();
    assert!(called.len() > 1, "{called:?}");
    for call in called {
        let command = call.split(' ').next().expect("a command");
        let mut help = castellan(&[command, "--help"], b"").out;
        if command == "admin" {
            let is_listed = |word: &&str| help.contains(&format!("\n  {word} "));
            let act = call.split(' ').skip(1).find(is_listed).expect("a command of admin");
            help += &castellan(&[command, act, "--help"], b"").out;
        }
        assert!(commands.contains(&format!("  {command} ")), "castellan {command}");
        for option in call.split(' ').filter(|word| word.starts_with("--")) {
            assert!(help.contains(option), "castellan {call}: {option} is not in:\n{help}");
        }
    }
}

#[test]
fn the_configuration_file_of_the_guide_is_valid() {
    let guide = guide();
    let folder = tempfile::tempdir().unwrap();
    let files = blocks(&guide, "toml");
    assert!(!files.is_empty());
    for text in files {
        let path = folder.path().join("castellan.toml");
        fs::write(&path, text).unwrap();
        let words = ["serve", "--config", path.to_str().unwrap(), "--check-config"];
        let ran = castellan(&words, b"");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{text}");
    }
}

#[test]
fn the_metrics_of_the_guide_are_measured() {
    let (guide, folder) = (guide(), tempfile::tempdir().unwrap());
    let server = Server::start("serve", folder.path());
    let metrics = server.ask("GET", "/metrics", "", "");
    let rows = guide.lines().filter(|line| line.starts_with("| `castellan_"));
    let named: Vec<&str> = rows.flat_map(|row| names(row, "castellan_")).collect();
    assert!(named.len() > 3, "{named:?}");
    for name in named {
        assert!(metrics.contains(&format!("# TYPE {name} ")), "{name} is not in:\n{metrics}");
    }
}
