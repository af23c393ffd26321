//! Checks of files that need no parser: place, size, length, manifests, and commands in documents.

use super::{Problem, TrackedFile};

/// The files and folders at the root. A new one has to be added here, so that a file left over from
/// an experiment is noticed before it is published.
const ROOT_ENTRIES: &str = ".cargo .ci .config .gitattributes .gitignore CHANGELOG.md CONTRIBUTING.md \
    Cargo.lock Cargo.toml LICENSE-APACHE LICENSE-MIT README.md SECURITY.md bench clippy.toml crates docs fuzz \
    packaging rust-toolchain.toml rustfmt.toml trainer web xtask";

const BINARY_LIMIT_BYTES: usize = 1_000_000;
/// Packed networks are in `crates/nnue/data`.
const NETWORK_LIMIT_BYTES: usize = 8_000_000;

/// A file over the aim may be right, but is worth a look now and then. Clippy counts the lines of
/// functions.
const AIM_LINES: usize = 400;
const LIMIT_LINES: usize = 1000;

/// The crates that may contain `unsafe`, and therefore have a lint table of their own.
const UNSAFE_CRATES: [&str; 3] =
    ["crates/arch/Cargo.toml", "crates/nnue/Cargo.toml", "crates/wasm/Cargo.toml"];
const UNSAFE_LINT: &str = "undocumented_unsafe_blocks = \"deny\"";

/// Runs all checks of this file. `commands` are the commands of xtask.
pub(super) fn check(files: &[TrackedFile], commands: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        let root_entry = file.path.split('/').next();
        if !ROOT_ENTRIES.split_whitespace().any(|entry| Some(entry) == root_entry) {
            problems.push(file.problem(1, "not a known location; see xtask/src/tidy/files.rs"));
        }
        let is_network = file.path.starts_with("crates/nnue/data/");
        let limit = if is_network { NETWORK_LIMIT_BYTES } else { BINARY_LIMIT_BYTES };
        if file.text.is_none() && file.size_bytes > limit {
            let what = format!("binary of {} bytes, over {limit}", file.size_bytes);
            problems.push(file.problem(1, what));
        }
        problems.extend(length(file, LIMIT_LINES));
        problems.extend(lint_table(file));
        problems.extend(documented_commands(file, commands));
    }
    problems
}

/// Returns the files over the aim.
pub(super) fn over_aim(files: &[TrackedFile]) -> Vec<Problem> {
    files.iter().filter_map(|file| length(file, AIM_LINES)).collect()
}

fn length(file: &TrackedFile, limit: usize) -> Option<Problem> {
    let is_code = ["rs", "ts", "svelte"].contains(&file.extension());
    let text = file.text.as_deref().filter(|_| is_code)?;
    let is_generated = text.lines().take(3).any(|line| line.contains("@generated"));
    let lines = text.lines().count();
    let is_long = lines > limit && !is_generated && !file.path.contains("/data/");
    is_long.then(|| file.problem(1, format!("the file has {lines} lines, over {limit}")))
}

/// The workspace table forbids `unsafe`, so only crates with a table of their own can contain it.
fn lint_table(file: &TrackedFile) -> Option<Problem> {
    let manifest = file.text.as_deref().filter(|_| file.path.ends_with("/Cargo.toml"))?;
    let has_own = UNSAFE_CRATES.contains(&file.path.as_str()) && manifest.contains(UNSAFE_LINT);
    let follows = manifest.contains("[lints]\nworkspace = true\n");
    (!has_own && !follows)
        .then(|| file.problem(1, "the manifest lacks `[lints]` with `workspace = true`"))
}

/// Checks that the commands of xtask in documents exist.
fn documented_commands(file: &TrackedFile, commands: &[String]) -> Vec<Problem> {
    let text = file.text.as_deref().filter(|_| file.extension() == "md").unwrap_or_default();
    let mut problems = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        for rest in line.split("cargo xtask ").skip(1) {
            let word = rest.split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default();
            if !word.is_empty() && !commands.iter().any(|command| command == word) {
                let what = format!("`cargo xtask {word}` is not a command");
                problems.push(file.problem(number, what));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::expect;
    use super::*;

    #[track_caller]
    fn check_text(path: &str, text: &str, expected: &[&str]) {
        let commands = ["test".to_owned(), "play".to_owned()];
        let problems = check(&[TrackedFile::new(path, text.into())], &commands);
        let printed = problems.iter().map(|problem| format!("{}: {}", problem.line, problem.what));
        assert_eq!(printed.collect::<Vec<_>>(), expected, "{path}");
    }

    #[test]
    fn strays_are_problems() {
        check_text("notes.txt", "", &["1: not a known location; see xtask/src/tidy/files.rs"]);
        check_text("web/anything/at/all", "", &[]);
    }

    #[test]
    fn large_binaries_are_problems_and_large_texts_are_not() {
        let binary = |path, bytes| check(&[TrackedFile::new(path, vec![0; bytes])], &[]);
        let what = "docs/a.png:1: binary of 1000001 bytes, over 1000000";
        expect(&binary("docs/a.png", BINARY_LIMIT_BYTES + 1), &[what]);
        expect(&binary("crates/nnue/data/a.packed", NETWORK_LIMIT_BYTES), &[]);
        check_text("crates/pgn/data/a.pgn", &"x".repeat(BINARY_LIMIT_BYTES + 1), &[]);
    }

    #[test]
    fn long_files_are_problems_unless_generated() {
        let text = "x\n".repeat(LIMIT_LINES + 1);
        check_text("web/src/a.ts", &text, &["1: the file has 1001 lines, over 1000"]);
        check_text("web/src/a.ts", &text[2..], &[]);
        check_text("crates/rules/src/a.rs", &format!("// @generated\n{text}"), &[]);
        check_text("crates/testkit/data/a.rs", &text, &[]);
        check_text("docs/a.md", &text, &[]);
    }

    #[test]
    fn manifests_follow_the_workspace_or_explain_unsafe() {
        let what = "1: the manifest lacks `[lints]` with `workspace = true`";
        check_text("crates/rules/Cargo.toml", "[lints]\nworkspace = true\n", &[]);
        check_text("crates/rules/Cargo.toml", UNSAFE_LINT, &[what]);
        check_text("crates/arch/Cargo.toml", UNSAFE_LINT, &[]);
        check_text("crates/arch/Cargo.toml", "[lints.rust]\n", &[what]);
        check_text("Cargo.toml", "[workspace]\n", &[]);
    }

    #[test]
    fn commands_in_documents_exist() {
        let what = "1: `cargo xtask deploy` is not a command";
        check_text("docs/a.md", "`cargo xtask test`, `cargo xtask deploy 5`", &[what]);
        check_text("docs/a.md", "`cargo xtask COMMAND`, `cargo xtask --help`", &[]);
    }
}
