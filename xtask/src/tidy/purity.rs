//! Checks that most crates do no I/O: no files, environment, clock or network.
//!
//! The caller does the I/O and passes the results in, so a test needs no clock and the browser can
//! run the same code. Only code that ships is checked; a test in `tests/` may read a fixture.

use crate::tidy::problem::Problem;
use crate::tidy::rust_source::Token;
use crate::tidy::tracked::TrackedFile;

/// Modules of the standard library that do I/O, with an alternative if there is one.
const WORLDLY: [(&str, &str); 4] =
    [("env", ""), ("fs", ""), ("net", ""), ("time", "; a length of time is core::time::Duration")];

/// The crates that do I/O for the others.
const ALLOWED: [&str; 4] = ["cli", "server", "store", "testkit"];

/// The only other folder that does I/O: waiting for an engine process needs a clock.
const ALLOWED_FOLDER: &str = "crates/uci/src/driver/";

/// Looks for these modules in the sources of the other crates.
pub(super) fn check(files: &[TrackedFile]) -> Vec<Problem> {
    files.iter().flat_map(check_file).collect()
}

fn check_file(file: &TrackedFile) -> Vec<Problem> {
    let (Some(folder), Some(source)) = (file.crate_folder(), &file.rust) else {
        return Vec::new();
    };
    let is_source = file.path.split('/').nth(2) == Some("src");
    let is_allowed = ALLOWED.contains(&folder) || file.path.starts_with(ALLOWED_FOLDER);
    if !is_source || is_allowed {
        return Vec::new();
    }
    let tokens = source.tokens();
    let used = std_modules(&tokens);
    let problem = |token: Token<'_>| {
        let (module, instead) = WORLDLY.into_iter().find(|(module, _)| *module == token.text)?;
        let what = format!("{folder} must not use std::{module}{instead}");
        Some(Problem::new(&file.path, token.line, what))
    };
    used.into_iter().filter_map(problem).collect()
}

/// Returns the names that directly follow `std::`, alone or in a group.
fn std_modules<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut modules = Vec::new();
    for (index, pair) in tokens.windows(2).enumerate() {
        let is_std = pair[0].text == "std" && pair[1].text == "::";
        if let (true, Some(next)) = (is_std, tokens.get(index + 2)) {
            match next.text {
                "{" => modules.extend(group_members(&tokens[index + 2..])),
                _ => modules.push(*next),
            }
        }
    }
    modules
}

/// Returns the first name of each member of the `use` group that begins here.
fn group_members<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut members = Vec::new();
    let mut depth = 0_usize;
    for pair in tokens.windows(2) {
        match pair[0].text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        if depth == 1 && matches!(pair[0].text, "{" | ",") {
            members.push(pair[1]);
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    #[track_caller]
    fn check_code(path: &str, code: &str, expected: &[&str]) {
        expect(&check(&[file(path, code)]), expected);
    }

    const RULES: &str = "crates/rules/src/a.rs";

    #[test]
    fn the_world_is_not_for_pure_crates() {
        let what = "crates/rules/src/a.rs:2: rules must not use std::fs";
        check_code(RULES, "\nuse std::fs;", &[what]);
        check_code(RULES, "\nlet x = std::fs::read(y);", &[what]);
        check_code(RULES, "use std::{\nfs::File, iter};", &[what]);
        check_code(RULES, "use std::{iter::{once}, \nfs};", &[what]);
        let what = "crates/rules/src/a.rs:1: rules must not use std::time; \
                    a length of time is core::time::Duration";
        check_code(RULES, "use std::time::Instant;", &[what]);
    }

    #[test]
    fn other_modules_and_comments_are_fine() {
        check_code(RULES, "use std::{fmt, iter::{env}};\nuse core::time::Duration;", &[]);
        check_code(RULES, "/// use std::fs;\nfn fs() { my::fs() }", &[]);
    }

    #[test]
    fn tests_and_worldly_crates_may() {
        check_code("crates/rules/tests/it/main.rs", "use std::env;", &[]);
        check_code("crates/rules/build.rs", "use std::env;", &[]);
        check_code("crates/cli/src/main.rs", "use std::env;", &[]);
        check_code("crates/uci/src/driver/a.rs", "use std::time::Instant;", &[]);
        check_code("xtask/src/main.rs", "use std::env;", &[]);
    }
}
