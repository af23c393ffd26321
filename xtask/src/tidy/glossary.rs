//! Checks that names use the words of the glossary, one for each idea.
//!
//! The glossary is the table in docs/STYLE.md, so the documentation and the check cannot differ.
//! Names are checked where they are declared, not where they are used, because third-party crates
//! have words of their own.

use crate::tidy::problem::Problem;
use crate::tidy::rust_source::Token;
use crate::tidy::tracked::{TrackedFile, find};

const STYLE: &str = "docs/STYLE.md";

/// Last words of type names that say nothing about the type.
const EMPTY_WORDS: [&str; 6] = ["data", "helper", "info", "manager", "util", "utils"];

const TYPE_KEYWORDS: [&str; 5] = ["struct", "enum", "trait", "type", "union"];
const OTHER_KEYWORDS: [&str; 4] = ["fn", "const", "static", "mod"];

/// A word that we do not use, split into parts, and the word that we use instead.
struct Replaced {
    parts: Vec<String>,
    shown: String,
    better: String,
}

/// A name where it is declared.
struct Given<'a> {
    token: Token<'a>,
    is_type: bool,
}

/// Checks the names declared in `crates/` against the glossary.
pub(super) fn check(files: &[TrackedFile]) -> Vec<Problem> {
    let style = find(files, STYLE).and_then(|file| file.text.as_deref());
    let Some(glossary) = style.and_then(read_table) else {
        let what = "the glossary table with the columns word, means, not is missing";
        return vec![Problem::of_file(STYLE, what)];
    };
    let checked = files.iter().filter(|file| file.crate_folder().is_some());
    checked.flat_map(|file| check_file(file, &glossary)).collect()
}

fn check_file(file: &TrackedFile, glossary: &[Replaced]) -> Vec<Problem> {
    let Some(source) = &file.rust else {
        return Vec::new();
    };
    let names = given_names(&source.tokens());
    let fault = |name: &Given<'_>| {
        let what = fault(name, glossary)?;
        Some(Problem::new(&file.path, name.token.line, what))
    };
    names.iter().filter_map(fault).collect()
}

/// Returns what is wrong with a name, or `None`.
fn fault(name: &Given<'_>, glossary: &[Replaced]) -> Option<String> {
    let text = name.token.text;
    let parts = parts(text);
    if let Some(entry) = glossary.iter().find(|entry| contains(&parts, &entry.parts)) {
        return Some(format!("`{text}`: use {} instead of `{}`", entry.better, entry.shown));
    }
    let last = parts.last().filter(|last| name.is_type && EMPTY_WORDS.contains(&last.as_str()))?;
    Some(format!("`{text}`: a type that ends in \"{last}\" does not say what it is"))
}

/// Returns whether the parts of a name contain those of a word. The last part may be in the plural.
fn contains(name: &[String], word: &[String]) -> bool {
    name.windows(word.len()).any(|window| {
        let same = |(have, want): (&String, &String)| have == want;
        let (Some((have, front)), Some((want, word_front))) =
            (window.split_last(), word.split_last())
        else {
            return false;
        };
        let last_same = have == want || have.strip_suffix('s') == Some(want);
        last_same && front.iter().zip(word_front).all(same)
    })
}

/// Splits a name into its words in lower case: `HalfMove` and `half_move` are both `half`, `move`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for piece in name.split('_').filter(|piece| !piece.is_empty()) {
        let chars: Vec<char> = piece.chars().collect();
        let mut part = String::new();
        for (index, &c) in chars.iter().enumerate() {
            let after_lower = index > 0 && !chars[index - 1].is_uppercase();
            let before_lower = chars.get(index + 1).is_some_and(|next| next.is_lowercase());
            if c.is_uppercase() && (after_lower || before_lower) && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            part.extend(c.to_lowercase());
        }
        parts.push(part);
    }
    parts
}

/// Returns the declared names of types, functions, constants, modules, fields, parameters and
/// variables.
fn given_names<'a>(tokens: &[Token<'a>]) -> Vec<Given<'a>> {
    let mut names = Vec::new();
    for (index, &token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map_or("", |index| tokens[index].text);
        let after = tokens.get(index + 1);
        let is_type = TYPE_KEYWORDS.contains(&before);
        // `*const T` and `&'static T` declare no name.
        let is_keyword_use = index > 1 && ["*", "'"].contains(&tokens[index - 2].text);
        let is_item = (is_type || OTHER_KEYWORDS.contains(&before)) && !is_keyword_use;
        let is_annotated = after.is_some_and(|after| after.text == ":");
        if token.is_word() && (is_item || is_annotated) {
            names.push(Given { token, is_type });
        }
        if token.text == "let" {
            names.extend(pattern_names(&tokens[index + 1..]));
        }
    }
    names
}

/// Returns the variables in the pattern after `let`, up to its type or its value.
fn pattern_names<'a>(tokens: &[Token<'a>]) -> Vec<Given<'a>> {
    let pattern = tokens.iter().take_while(|token| ![":", "=", ";"].contains(&token.text));
    let is_variable = |token: &&Token<'a>| token.text.starts_with(|c: char| c.is_lowercase());
    pattern.filter(is_variable).map(|&token| Given { token, is_type: false }).collect()
}

/// Parses the rows below the header. Returns `None` if there is no such table.
fn read_table(text: &str) -> Option<Vec<Replaced>> {
    let mut lines = text.lines();
    lines.by_ref().find(|line| cells(line) == ["word", "means", "not"])?;
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    let mut glossary = Vec::new();
    for row in rows {
        let [better, _, not] = cells(row)[..] else {
            return None;
        };
        // Every second piece between backticks is a word.
        for shown in not.split('`').skip(1).step_by(2) {
            let (better, shown) = (better.to_owned(), shown.to_owned());
            glossary.push(Replaced { parts: parts(&shown), shown, better });
        }
    }
    (!glossary.is_empty()).then_some(glossary)
}

fn cells(row: &str) -> Vec<&str> {
    let inner = row.trim().strip_prefix('|').and_then(|row| row.strip_suffix('|'));
    inner.map(|inner| inner.split('|').map(str::trim).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    const TABLE: &str = "# Style\n\n| word | means | not |\n|---|---|---|\n\
        | `ply` | half of a move | `half_move` |\n| `Color` | white or black | `colour` |\n";

    #[track_caller]
    fn check_code(code: &str, expected: &[&str]) {
        let files = [file(STYLE, TABLE), file("crates/rules/src/a.rs", code)];
        expect(&check(&files), expected);
    }

    #[test]
    fn replaced_words_are_found_where_a_name_is_given() {
        let line = "crates/rules/src/a.rs:1: `HalfMove`: use `ply` instead of `half_move`";
        check_code("struct HalfMove;", &[line]);
        let line = "crates/rules/src/a.rs:1: `my_colour`: use `Color` instead of `colour`";
        check_code("fn my_colour() {}", &[line]);
        check_code("let mut my_colour = 1;", &[line]);
        check_code("let (a, Some(my_colour)) = b;", &[line]);
        check_code("fn a(my_colour: u8) {}", &[line]);
        check_code("struct A { my_colour: u8 }", &[line]);
        check_code("const fn my_colour() {}", &[line]);
    }

    #[test]
    fn plurals_and_constants_are_found() {
        let line = "crates/rules/src/a.rs:2: `ALL_COLOURS`: use `Color` instead of `colour`";
        check_code("\nconst ALL_COLOURS: u8 = 2;", &[line]);
    }

    #[test]
    fn uses_texts_and_other_words_are_not() {
        check_code("a.half_move(); // colour\nlet s = \"colour\";", &[]);
        check_code("fn halfmove_clock() {}", &[]);
        check_code("fn moves_half() {}", &[]);
        check_code("fn colourful() {}", &[]);
        check_code("fn a(x: *const Colour, y: &'static Colour) {}", &[]);
    }

    #[test]
    fn types_must_say_what_they_are() {
        let line = "crates/rules/src/a.rs:1: `GameManager`: \
                    a type that ends in \"manager\" does not say what it is";
        check_code("pub struct GameManager {}", &[line]);
        check_code("fn manager() {}", &[]);
        check_code("struct Information;", &[]);
    }

    #[test]
    fn only_our_crates_are_checked() {
        let files = [file(STYLE, TABLE), file("bench/src/a.rs", "struct HalfMove;")];
        expect(&check(&files), &[]);
    }

    #[test]
    fn a_missing_table_is_a_problem() {
        let what =
            "docs/STYLE.md:1: the glossary table with the columns word, means, not is missing";
        expect(&check(&[]), &[what]);
        expect(&check(&[file(STYLE, "| word | means |\n|---|---|\n")]), &[what]);
    }

    #[test]
    fn names_fall_into_parts() {
        let check = |name, expected: &[&str]| assert_eq!(parts(name), expected);
        check("parse_uci_move", &["parse", "uci", "move"]);
        check("ParseFENError", &["parse", "fen", "error"]);
        check("MAX_PLY", &["max", "ply"]);
        check("rule50", &["rule50"]);
        check("__x", &["x"]);
    }
}
