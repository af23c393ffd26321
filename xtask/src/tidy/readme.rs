//! The commands that the readme shows exist.

use anyhow::Result;

use crate::tidy::problem::Problem;
use crate::tidy::tracked::{TrackedFile, find};

const README: &str = "README.md";

/// A program whose commands we know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Xtask,
    Castellan,
}

/// A command in a fenced block.
struct Shown<'a> {
    line: usize,
    program: Program,
    command: &'a str,
}

/// Compares the readme with the commands of xtask and of the binary. The help
/// of the binary is asked for only if the readme shows one of its commands.
pub(super) fn check(
    files: &[TrackedFile],
    xtask_commands: &[String],
    castellan_help: impl FnOnce() -> Result<String>,
) -> Vec<Problem> {
    let Some(text) = find(files, README).and_then(|file| file.text.as_deref()) else {
        return vec![Problem::of_file(README, "the readme is missing")];
    };
    let (of_xtask, of_castellan): (Vec<_>, Vec<_>) =
        shown_commands(text).into_iter().partition(|shown| shown.program == Program::Xtask);
    let mut problems = unknown(&of_xtask, xtask_commands, "cargo xtask");
    if !of_castellan.is_empty() {
        match castellan_help() {
            Ok(help) => problems.extend(unknown(&of_castellan, &listed(&help), "castellan")),
            Err(error) => {
                let what = format!("cannot ask castellan for its commands: {error:#}");
                problems.push(Problem::new(README, of_castellan[0].line, what));
            }
        }
    }
    problems
}

fn unknown(shown: &[Shown<'_>], known: &[String], program: &str) -> Vec<Problem> {
    let wrong = shown.iter().filter(|shown| !known.iter().any(|name| name == shown.command));
    let problem = |shown: &Shown<'_>| {
        let what = format!("`{program} {}` is not a command", shown.command);
        Problem::new(README, shown.line, what)
    };
    wrong.map(problem).collect()
}

/// The commands in the fenced blocks of a Markdown text.
fn shown_commands(text: &str) -> Vec<Shown<'_>> {
    let mut shown = Vec::new();
    let mut in_block = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if in_block {
            let calls = line.split(['|', '&', ';', '(', ')']).filter_map(call);
            shown.extend(calls.map(|(program, command)| Shown {
                line: index + 1,
                program,
                command,
            }));
        }
    }
    shown
}

/// The program and its command, if this is a call of a program we know.
fn call(text: &str) -> Option<(Program, &str)> {
    let is_prefix = |word: &&str| *word == "$" || word.contains('=');
    let mut words = text.split_whitespace().skip_while(is_prefix);
    let program = match words.next()?.rsplit('/').next()? {
        "cargo" if words.next() == Some("xtask") => Program::Xtask,
        "castellan" => Program::Castellan,
        _ => return None,
    };
    let is_command = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    words.next().filter(is_command).map(|command| (program, command))
}

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let mut lines = help.lines().skip_while(|line| line.trim() != "Commands:").skip(1);
    let section = lines.by_ref().take_while(|line| line.starts_with(' ') || line.is_empty());
    // A description that goes on in a further line is indented deeper.
    let entries = section.filter_map(|line| line.strip_prefix("  "));
    let names = entries.filter(|entry| !entry.starts_with(' '));
    names.filter_map(|entry| entry.split_whitespace().next().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    const HELP: &str = "The chess system\n\nUsage: castellan [COMMAND]\n\nCommands:\n\
        \x20 play   Play\n\x20 perft  Count\n\x20        leaves\n\n\x20 help   Print this\n\n\
        Options:\n\x20 -h, --help  Print help\n";

    #[track_caller]
    fn check_text(text: &str, expected: &[&str]) {
        let xtask = ["play".to_owned(), "test".to_owned()];
        expect(&check(&[file(README, text)], &xtask, || Ok(HELP.to_owned())), expected);
    }

    #[test]
    fn commands_that_exist_are_fine() {
        check_text("```sh\ncargo xtask test --only fmt\ncastellan perft 5 | tail\n```\n", &[]);
        check_text("```\n$ ./target/release/castellan play\ncastellan --help\n```\n", &[]);
    }

    #[test]
    fn commands_that_do_not_exist_are_problems() {
        let what = "README.md:2: `cargo xtask deploy` is not a command";
        check_text("```sh\ncargo xtask deploy\n```\n", &[what]);
        let what = "README.md:2: `castellan leaves` is not a command";
        check_text("```sh\nRUST_LOG=x cd a && castellan leaves 5\n```\n", &[what]);
    }

    #[test]
    fn text_outside_of_blocks_and_other_programs_are_not_looked_at() {
        check_text("cargo xtask deploy\n```sh\necho castellan leaves\n```\ncastellan a\n", &[]);
    }

    #[test]
    fn a_missing_readme_is_a_problem_and_no_crash() {
        let found = check(&[], &[], || bail!("not asked"));
        expect(&found, &["README.md:1: the readme is missing"]);
    }

    #[test]
    fn a_binary_that_does_not_build_is_a_problem() {
        let files = [file(README, "```\ncastellan play\n```\n")];
        let found = check(&files, &[], || bail!("no such package"));
        let what = "README.md:2: cannot ask castellan for its commands: no such package";
        expect(&found, &[what]);
    }

    #[test]
    fn the_help_is_read_to_the_end_of_the_section() {
        assert_eq!(listed(HELP), ["play", "perft", "help"]);
    }
}
