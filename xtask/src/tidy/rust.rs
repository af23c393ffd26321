//! Checks of Rust syntax: words of the glossary, types of the same name, and crates without I/O.
//!
//! The glossary is the table in docs/STYLE.md, so the documentation and the check cannot differ.
//! Names are checked where they are declared, not where they are used, because third-party crates
//! have words of their own. The contents of macro calls are not checked.

use std::collections::BTreeMap;

use heck::ToSnakeCase;
use proc_macro2::{Ident, Span};
use syn::visit::{self, Visit};
use syn::{Attribute, Field, Item, ItemUse, PatIdent, Path, Signature, UseTree};

use super::{Problem, TrackedFile};

const STYLE: &str = "docs/STYLE.md";

/// Last words of type names that say nothing about the type.
const EMPTY_WORDS: [&str; 6] = ["data", "helper", "info", "manager", "util", "utils"];

/// Modules of the standard library that do I/O. A length of time is `core::time::Duration`.
const IO_MODULES: [&str; 4] = ["env", "fs", "net", "time"];

/// The code that does I/O for the rest, which takes the results as values. Tests then need no clock,
/// and the browser can run the same code. The driver of UCI engines waits for processes.
const IO_ALLOWED: [&str; 5] =
    ["crates/cli/", "crates/server/", "crates/store/", "crates/testkit/", "crates/uci/src/driver/"];

/// Types that are declared once for each instruction set; every build contains one of them.
const ONE_PER_INSTRUCTION_SET: [(&str, &str); 2] =
    [("crates/arch", "Lanes"), ("crates/nnue", "Register")];

/// The words that we do not use, in snake case, each with the word that we use instead.
type Glossary = BTreeMap<String, String>;

/// Walks through the syntax trees of all files.
struct Checker<'a> {
    glossary: Glossary,
    file: &'a TrackedFile,
    /// Whether the walk is inside a module of tests.
    in_tests: bool,
    /// Where each type was first declared, by the folder of its package and its name.
    types: BTreeMap<(&'a str, String), String>,
    problems: Vec<Problem>,
}

/// Parses and checks all Rust files.
pub(super) fn check(files: &[TrackedFile]) -> Vec<Problem> {
    let style = files.iter().find(|file| file.path == STYLE);
    let glossary = style.and_then(|file| read_glossary(file.text.as_deref()?));
    let (Some(file), Some(glossary)) = (style, glossary) else {
        let what = "the glossary table (word, means, not) is missing".to_owned();
        return vec![Problem { file: STYLE.to_owned(), line: 1, what }];
    };
    let (types, problems) = (BTreeMap::new(), Vec::new());
    let mut checker = Checker { glossary, file, in_tests: false, types, problems };
    for file in files.iter().filter(|file| file.extension() == "rs") {
        checker.file = file;
        let source = file.path.split_once("/src/").map_or("tests/", |(_, source)| source);
        checker.in_tests = source.contains("tests/") || source.contains("tests.rs");
        match syn::parse_file(file.text.as_deref().unwrap_or_default()) {
            Ok(tree) => checker.visit_file(&tree),
            Err(error) => checker.report(error.span(), error.to_string()),
        }
    }
    checker.problems
}

impl<'ast> Visit<'ast> for Checker<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let was_in_tests = self.in_tests;
        match item {
            Item::Struct(item) => self.declare(&item.ident, true),
            Item::Enum(item) => self.declare(&item.ident, true),
            Item::Union(item) => self.declare(&item.ident, true),
            Item::Trait(item) => self.declare(&item.ident, true),
            Item::Type(item) => self.declare(&item.ident, true),
            Item::Const(item) => self.declare(&item.ident, false),
            Item::Static(item) => self.declare(&item.ident, false),
            Item::Mod(item) => {
                self.declare(&item.ident, false);
                self.in_tests |= item.attrs.iter().any(is_cfg_test);
            }
            _ => {}
        }
        visit::visit_item(self, item);
        self.in_tests = was_in_tests;
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        self.declare(&signature.ident, false);
        visit::visit_signature(self, signature);
    }

    fn visit_field(&mut self, field: &'ast Field) {
        field.ident.iter().for_each(|name| self.declare(name, false));
        visit::visit_field(self, field);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.declare(&pattern.ident, false);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if let UseTree::Path(path) = &item.tree
            && path.ident == "std"
        {
            self.check_std(&path.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let mut names = path.segments.iter().map(|segment| &segment.ident);
        if let (Some(first), Some(module)) = (names.next(), names.next())
            && first == "std"
        {
            self.check_io(module);
        }
        visit::visit_path(self, path);
    }
}

impl Checker<'_> {
    fn report(&mut self, at: Span, what: String) {
        self.problems.push(self.file.problem(at.start().line, what));
    }

    /// Checks a name where it is declared.
    fn declare(&mut self, name: &Ident, is_type: bool) {
        let (text, path) = (name.to_string(), &self.file.path);
        let what = word_violation(&text, is_type, &self.glossary);
        if let Some(what) = what.filter(|_| path.starts_with("crates/")) {
            self.report(name.span(), what);
        }
        let package = path.split("/src/").next().unwrap_or_default();
        if !is_type || self.in_tests || ONE_PER_INSTRUCTION_SET.contains(&(package, &text)) {
            return;
        }
        if let Some(first) = self.types.get(&(package, text.clone())) {
            self.report(name.span(), format!("`{text}` is also the name of the type at {first}"));
        } else {
            let here = format!("{path}:{}", name.span().start().line);
            self.types.insert((package, text), here);
        }
    }

    /// Checks what is imported from `std`.
    fn check_std(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.check_io(&path.ident),
            UseTree::Name(name) => self.check_io(&name.ident),
            UseTree::Rename(rename) => self.check_io(&rename.ident),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.check_std(tree)),
            UseTree::Glob(_) => {}
        }
    }

    fn check_io(&mut self, module: &Ident) {
        let path = &self.file.path;
        let is_pure = path.starts_with("crates/") && path.split('/').nth(2) == Some("src");
        let is_allowed = IO_ALLOWED.iter().any(|folder| path.starts_with(folder));
        if is_pure && !is_allowed && IO_MODULES.iter().any(|name| module == name) {
            self.report(module.span(), format!("this crate must not use std::{module}"));
        }
    }
}

fn is_cfg_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args().is_ok_and(|it: Ident| it == "test")
}

/// Returns what is wrong with a name, or `None`.
fn word_violation(name: &str, is_type: bool, glossary: &Glossary) -> Option<String> {
    let words = format!("_{}_", name.to_snake_case());
    // A word counts in the plural too.
    let is_used = |word| ["_", "s_"].iter().any(|end| words.contains(&format!("_{word}{end}")));
    if let Some((word, better)) = glossary.iter().find(|(word, _)| is_used(*word)) {
        return Some(format!("`{name}`: use {better} instead of `{word}`"));
    }
    let last = EMPTY_WORDS.iter().find(|word| words.ends_with(&format!("_{word}_")))?;
    is_type.then(|| format!("`{name}`: a type that ends in \"{last}\" does not say what it is"))
}

/// Parses the rows of the glossary below its header. Returns `None` if there is no such table.
fn read_glossary(text: &str) -> Option<Glossary> {
    let mut lines = text.lines();
    lines.by_ref().find(|line| *line == "| word | means | not |")?;
    let mut glossary = Glossary::new();
    for row in lines.skip(1).take_while(|line| line.starts_with('|')) {
        let [_, better, _, not, _] = row.split('|').collect::<Vec<_>>()[..] else {
            return None;
        };
        // Every second piece between backticks is a word.
        let words = not.split('`').skip(1).step_by(2);
        glossary.extend(words.map(|word| (word.to_owned(), better.trim().to_owned())));
    }
    Some(glossary)
}

#[cfg(test)]
mod tests {
    use super::super::expect;
    use super::*;

    const TABLE: &str = "# Style\n\n| word | means | not |\n|---|---|---|\n\
        | `ply` | half of a move | `half_move` |\n| `Color` | white or black | `colour` |\n";
    const RULES: &str = "crates/rules/src/a.rs";

    fn problems(files: &[(&str, &str)]) -> Vec<Problem> {
        let files = files.iter().chain(&[(STYLE, TABLE)]);
        let files = files.map(|(path, text)| TrackedFile::new(path, (*text).into()));
        check(&files.collect::<Vec<_>>())
    }

    #[track_caller]
    fn check_code(code: &str, expected: &[&str]) {
        expect(&problems(&[(RULES, code)]), expected);
    }

    #[test]
    fn forbidden_words_are_found_where_a_name_is_declared() {
        let line = "crates/rules/src/a.rs:1: `HalfMove`: use `ply` instead of `half_move`";
        check_code("struct HalfMove;", &[line]);
        let line = "crates/rules/src/a.rs:1: `my_colours`: use `Color` instead of `colour`";
        check_code("const fn my_colours(my_colours: u8) {}", &[line; 2]);
        check_code("fn a() { let mut my_colours; let Some(my_colours) = b; }", &[line; 2]);
        check_code("struct A { my_colours: u8 } mod my_colours {}", &[line; 2]);
        check_code("fn a(x: Colour) { x.half_move(\"colour\"); } // colour", &[]);
        check_code("fn halfmove_clock() {} fn moves_half() {} fn colourful() {}", &[]);
        expect(&problems(&[("bench/src/a.rs", "struct HalfMove;")]), &[]);
    }

    #[test]
    fn a_missing_glossary_is_a_problem() {
        let what = "docs/STYLE.md:1: the glossary table (word, means, not) is missing";
        expect(&check(&[]), &[what]);
    }

    #[test]
    fn types_say_what_they_are() {
        let line = "crates/rules/src/a.rs:1: `GameManager`: \
                    a type that ends in \"manager\" does not say what it is";
        check_code("pub struct GameManager {}", &[line]);
        check_code("fn manager() {} struct Information;", &[]);
    }

    #[test]
    fn a_package_has_one_type_of_a_name() {
        let other = "crates/rules/src/b.rs";
        let line = "crates/rules/src/b.rs:2: \
                    `Answer` is also the name of the type at crates/rules/src/a.rs:1";
        let answer = (RULES, "struct Answer;");
        expect(&problems(&[answer, (other, "\ntrait Answer {}")]), &[line]);
        expect(&problems(&[answer, (other, "\nfn a() { enum Answer {} }")]), &[line]);
        expect(&problems(&[answer, ("crates/pgn/src/b.rs", "struct Answer;")]), &[]);
        expect(&problems(&[answer, ("crates/rules/tests/it/b.rs", "struct Answer;")]), &[]);
        expect(&problems(&[answer, (other, "#[cfg(test)] mod tests { struct Answer; }")]), &[]);
    }

    #[test]
    fn pure_crates_do_no_io() {
        let line = "crates/rules/src/a.rs:2: this crate must not use std::fs";
        check_code("\nuse std::fs;", &[line]);
        check_code("fn a() {\nstd::fs::read(y); }", &[line]);
        check_code("use std::{iter::{once}, \nfs::File};", &[line]);
        check_code("use std::{fmt, iter::{env}}; use core::time::Duration; fn fs() {}", &[]);
        for path in ["crates/rules/tests/a.rs", "crates/cli/src/a.rs", "xtask/src/a.rs"] {
            expect(&problems(&[(path, "use std::env;")]), &[]);
        }
    }

    #[test]
    fn unreadable_files_are_problems() {
        check_code("fn a(\n", &["crates/rules/src/a.rs:1: cannot parse string into token stream"]);
    }
}
