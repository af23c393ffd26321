//! Checks the lengths of files and functions.
//!
//! Exceeding a limit is an error. The aims are lower, and only `--verbose` reports what exceeds
//! them: a file of 500 lines may be right, but is worth a look now and then. Files are checked in
//! every language, functions only in Rust.

use crate::tidy::problem::Problem;
use crate::tidy::rust_source::{RustSource, Token};
use crate::tidy::tracked::TrackedFile;

/// The lengths to report.
struct Lengths {
    file: Span,
    function: Span,
}

/// A range of line counts, above the first number and up to the second.
struct Span(usize, usize);

const OVER_LIMIT: Lengths =
    Lengths { file: Span(1000, usize::MAX), function: Span(70, usize::MAX) };
const OVER_AIM: Lengths = Lengths { file: Span(400, 1000), function: Span(30, 70) };

/// Functions that may be long. Alpha-beta is one loop in which many ideas share their local
/// variables, and splitting it up makes it longer. It has numbered steps instead.
const LONG_FUNCTIONS: [(&str, &str); 2] =
    [("crates/engine/src/", "search"), ("crates/engine/src/", "quiescence")];

/// Folders of generated tables and of test data.
const EXEMPT_FOLDERS: [&str; 3] = ["data", "gen", "generated"];

/// Marks a generated file outside these folders, in one of its first lines.
const GENERATED_MARK: &str = "@generated";

/// Returns the files and functions that exceed the limit.
pub(super) fn check(files: &[TrackedFile]) -> Vec<Problem> {
    files.iter().flat_map(|file| measure(file, &OVER_LIMIT)).collect()
}

/// Returns the files and functions that exceed the aim but not the limit.
pub(super) fn remarks(files: &[TrackedFile]) -> Vec<Problem> {
    files.iter().flat_map(|file| measure(file, &OVER_AIM)).collect()
}

fn measure(file: &TrackedFile, reported: &Lengths) -> Vec<Problem> {
    let Some(text) = file.text.as_deref() else {
        return Vec::new();
    };
    if !file.has_extension(&["rs", "ts", "svelte"]) || is_exempt(file, text) {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let lines = text.lines().count();
    if reported.file.contains(lines) {
        let what = format!("the file has {lines} lines, over {}", reported.file.0);
        problems.push(Problem::of_file(&file.path, what));
    }
    for function in file.rust.as_ref().map(functions).unwrap_or_default() {
        let Function { name, line, lines } = function;
        if reported.function.contains(lines) && !may_be_long(&file.path, name) {
            let what = format!("`{name}` has {lines} lines, over {}", reported.function.0);
            problems.push(Problem::new(&file.path, line, what));
        }
    }
    problems
}

impl Span {
    fn contains(&self, lines: usize) -> bool {
        lines > self.0 && lines <= self.1
    }
}

fn is_exempt(file: &TrackedFile, text: &str) -> bool {
    let mut folders = file.path.split('/').rev().skip(1);
    folders.any(|folder| EXEMPT_FOLDERS.contains(&folder))
        || text.lines().take(3).any(|line| line.contains(GENERATED_MARK))
}

fn may_be_long(path: &str, name: &str) -> bool {
    LONG_FUNCTIONS.iter().any(|&(folder, long)| path.starts_with(folder) && name == long)
}

struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

/// Returns the functions that have a body. The lines of a nested function count for both.
fn functions(source: &RustSource) -> Vec<Function<'_>> {
    let tokens = source.tokens();
    let mut functions = Vec::new();
    for (index, pair) in tokens.windows(2).enumerate() {
        let [keyword, name] = [pair[0], pair[1]];
        // In the type of a function pointer, a parenthesis follows instead of a name.
        if keyword.text != "fn" || !name.is_word() {
            continue;
        }
        if let Some(end_line) = end_line(&tokens[index..]) {
            let lines = end_line + 1 - keyword.line;
            functions.push(Function { name: name.text, line: keyword.line, lines });
        }
    }
    functions
}

/// Returns the line of the brace that closes the body, or `None` for a signature without a body.
fn end_line(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut braces = 0_usize;
    for token in tokens {
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            ";" if depth == 0 && braces == 0 => return None,
            "{" => braces += 1,
            "}" => {
                braces = braces.saturating_sub(1);
                if braces == 0 && depth == 0 {
                    return Some(token.line);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    fn function(name: &str, lines: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    call();\n".repeat(lines - 2))
    }

    #[track_caller]
    fn check_file(path: &str, text: &str, expected: &[&str]) {
        expect(&check(&[file(path, text)]), expected);
    }

    #[test]
    fn a_long_file_is_a_problem() {
        check_file("web/src/a.ts", &"x\n".repeat(1000), &[]);
        let what = "web/src/a.ts:1: the file has 1001 lines, over 1000";
        check_file("web/src/a.ts", &"x\n".repeat(1001), &[what]);
    }

    #[test]
    fn a_long_function_is_a_problem() {
        check_file("bench/src/a.rs", &function("walk", 70), &[]);
        let what = "bench/src/a.rs:3: `walk` has 71 lines, over 70";
        check_file("bench/src/a.rs", &format!("\n\n{}", function("walk", 71)), &[what]);
    }

    #[test]
    fn the_search_may_be_long_in_the_engine_only() {
        let text = function("quiescence", 300);
        check_file("crates/engine/src/search.rs", &text, &[]);
        let what = "crates/pgn/src/a.rs:1: `quiescence` has 300 lines, over 70";
        check_file("crates/pgn/src/a.rs", &text, &[what]);
    }

    #[test]
    fn generated_files_and_data_are_exempt() {
        let text = "x\n".repeat(2000);
        check_file("crates/testkit/data/a.rs", &text, &[]);
        check_file("crates/rules/src/a.rs", &format!("// @generated\n{text}"), &[]);
        check_file("docs/a.md", &text, &[]);
    }

    #[track_caller]
    fn check_functions(text: &str, expected: &[(&str, usize)]) {
        let source = RustSource::new(text);
        let found: Vec<_> = functions(&source).iter().map(|f| (f.name, f.lines)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn braces_elsewhere_do_not_mislead() {
        check_functions("fn a() {\n    \"}\";\n    '}';\n    // }\n}\n", &[("a", 5)]);
        check_functions("fn a(x: [u8; { 1 }]) {\n}\n", &[("a", 2)]);
        check_functions("fn a() {\n    call(|| {\n    });\n}\n", &[("a", 4)]);
    }

    #[test]
    fn signatures_and_pointers_are_no_functions() {
        check_functions("trait T {\n    fn a();\n    fn b() {}\n}\n", &[("b", 1)]);
        check_functions("const F: fn() = a;\n", &[]);
    }

    #[test]
    fn remarks_leave_out_what_is_an_error() {
        let files = [file("a.rs", &function("long", 31)), file("b.rs", &function("longer", 71))];
        expect(&remarks(&files), &["a.rs:1: `long` has 31 lines, over 30"]);
    }
}
