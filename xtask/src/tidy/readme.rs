//! Checks that the xtask commands in the README exist. The tests of the binary check its commands,
//! so that nothing has to be built here.

use crate::tidy::problem::Problem;
use crate::tidy::tracked::{TrackedFile, find};

const README: &str = "README.md";

/// A command in a fenced block.
struct Shown<'a> {
    line: usize,
    command: &'a str,
}

/// Compares the README with the commands of xtask.
pub(super) fn check(files: &[TrackedFile], xtask_commands: &[String]) -> Vec<Problem> {
    let Some(text) = find(files, README).and_then(|file| file.text.as_deref()) else {
        return vec![Problem::of_file(README, "the readme is missing")];
    };
    let shown = shown_commands(text).into_iter();
    let wrong = shown.filter(|shown| !xtask_commands.iter().any(|name| name == shown.command));
    let problem = |shown: Shown<'_>| {
        let what = format!("`cargo xtask {}` is not a command", shown.command);
        Problem::new(README, shown.line, what)
    };
    wrong.map(problem).collect()
}

/// Returns the commands in the fenced blocks of a Markdown text.
fn shown_commands(text: &str) -> Vec<Shown<'_>> {
    let mut shown = Vec::new();
    let mut in_block = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            let calls = line.split(['|', '&', ';', '(', ')']).filter_map(call);
            shown.extend(calls.map(|command| Shown { line: index + 1, command }));
        }
    }
    shown
}

/// Returns the command if the text is a call of xtask.
fn call(text: &str) -> Option<&str> {
    let is_prefix = |word: &&str| *word == "$" || word.contains('=');
    let mut words = text.split_whitespace().skip_while(is_prefix);
    if (words.next()?, words.next()?) != ("cargo", "xtask") {
        return None;
    }
    words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    #[track_caller]
    fn check_text(text: &str, expected: &[&str]) {
        let xtask = ["play".to_owned(), "test".to_owned()];
        expect(&check(&[file(README, text)], &xtask), expected);
    }

    #[test]
    fn commands_that_exist_are_fine() {
        check_text("```sh\ncargo xtask test --only fmt\n$ cargo xtask play | tail\n```\n", &[]);
        check_text("```\ncargo xtask --help\n```\n", &[]);
    }

    #[test]
    fn commands_that_do_not_exist_are_problems() {
        let what = "README.md:2: `cargo xtask deploy` is not a command";
        check_text("```sh\ncargo xtask deploy\n```\n", &[what]);
        check_text("```sh\nRUST_LOG=x cd a && cargo xtask deploy 5\n```\n", &[what]);
    }

    #[test]
    fn text_outside_of_blocks_and_other_programs_are_not_looked_at() {
        check_text("cargo xtask deploy\n```sh\necho cargo xtask deploy\n```\n", &[]);
    }

    #[test]
    fn a_missing_readme_is_a_problem_and_no_crash() {
        expect(&check(&[], &[]), &["README.md:1: the readme is missing"]);
    }
}
