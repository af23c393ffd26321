//! Checks that our license is declared, and that nothing we ship conflicts with it.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::vec;

use crate::tidy::dependencies::{Dependencies, Member, Package};
use crate::tidy::problem::Problem;
use crate::tidy::tracked::{TrackedFile, find};

const LICENCE_FILES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// A package in `crates/` that does not ship.
const TEST_ONLY: &str = "castellan-testkit";

/// Checks our own license and the licenses of everything that ships.
pub(super) fn check(dependencies: &Dependencies, files: &[TrackedFile]) -> Vec<Problem> {
    let missing = LICENCE_FILES.into_iter().filter(|path| find(files, path).is_none());
    let mut problems: Vec<Problem> =
        missing.map(|path| Problem::of_file(path, "the license text is missing")).collect();
    for member in &dependencies.members {
        problems.extend(check_own(member, dependencies));
        if member.manifest.starts_with("crates/") && member.name != TEST_ONLY {
            problems.extend(check_shipped(member, dependencies));
        }
    }
    problems
}

fn check_own(member: &Member, dependencies: &Dependencies) -> Option<Problem> {
    let licence = dependencies.packages.get(&member.id).and_then(|own| own.licence.as_ref());
    licence.is_none().then(|| Problem::of_file(&member.manifest, "the manifest has no `license`"))
}

/// Checks all direct and indirect dependencies of a crate.
fn check_shipped(member: &Member, dependencies: &Dependencies) -> Vec<Problem> {
    let mut reached = BTreeSet::new();
    let mut open = vec![member.id.as_str()];
    while let Some(id) = open.pop() {
        let needs = dependencies.packages.get(id).map(|package| &package.needs);
        for id in needs.into_iter().flatten() {
            if reached.insert(id.as_str()) {
                open.push(id);
            }
        }
    }
    let packages = reached.iter().filter_map(|id| dependencies.packages.get(*id));
    let faults = packages.filter_map(fault);
    faults.map(|what| Problem::of_file(&member.manifest, what)).collect()
}

fn fault(package: &Package) -> Option<String> {
    let Package { name, version, licence, .. } = package;
    match licence {
        None => Some(format!("ships {name} {version}, which declares no license")),
        Some(licence) if !is_free_of_gpl(licence) => {
            Some(format!("ships {name} {version}, which is under {licence}"))
        }
        Some(_) => None,
    }
}

/// Returns whether the SPDX expression allows terms without any kind of GPL. For `A OR B` one of
/// them suffices; for `A AND B` both apply.
fn is_free_of_gpl(licence: &str) -> bool {
    // An old spelling of OR.
    let licence = licence.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = licence.split_whitespace().collect();
    any_alternative(&mut words.into_iter().peekable())
}

type Words<'a> = Peekable<vec::IntoIter<&'a str>>;

fn any_alternative(words: &mut Words<'_>) -> bool {
    let mut free = all_terms(words);
    while words.next_if_eq(&"OR").is_some() {
        free |= all_terms(words);
    }
    free
}

fn all_terms(words: &mut Words<'_>) -> bool {
    let mut free = one_term(words);
    while words.next_if_eq(&"AND").is_some() {
        free &= one_term(words);
    }
    free
}

fn one_term(words: &mut Words<'_>) -> bool {
    let free = match words.next() {
        Some("(") => {
            let free = any_alternative(words);
            words.next_if_eq(&")");
            free
        }
        Some(name) => !name.to_ascii_uppercase().contains("GPL"),
        None => true,
    };
    // An exception only grants additional permissions.
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::dependencies::Use;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    fn package(name: &str, licence: Option<&str>, needs: &[&str]) -> (String, Package) {
        let package = Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.map(str::to_owned),
            needs: needs.iter().map(|&id| id.to_owned()).collect(),
        };
        (name.to_owned(), package)
    }

    fn member(folder: &str, name: &str) -> Member {
        let manifest = format!("{folder}/Cargo.toml");
        Member { id: name.to_owned(), name: name.to_owned(), manifest, uses: Vec::<Use>::new() }
    }

    #[track_caller]
    fn check_member(member: Member, packages: Vec<(String, Package)>, expected: &[&str]) {
        let dependencies =
            Dependencies { members: vec![member], packages: packages.into_iter().collect() };
        let files = [file("LICENSE-MIT", ""), file("LICENSE-APACHE", "")];
        expect(&check(&dependencies, &files), expected);
    }

    const MIT: Option<&str> = Some("MIT");

    #[test]
    fn gpl_far_below_a_crate_is_found() {
        let packages = vec![
            package("castellan-cli", MIT, &["middle"]),
            package("middle", MIT, &["shakmaty", "castellan-cli"]),
            package("shakmaty", Some("GPL-3.0-or-later"), &[]),
        ];
        let what = "crates/cli/Cargo.toml:1: ships shakmaty 1.0.0, which is under GPL-3.0-or-later";
        check_member(member("crates/cli", "castellan-cli"), packages, &[what]);
    }

    #[test]
    fn what_does_not_ship_is_free() {
        let gpl = || package("shakmaty", Some("GPL-3.0-or-later"), &[]);
        let bench = vec![package("castellan-bench", MIT, &["shakmaty"]), gpl()];
        check_member(member("bench", "castellan-bench"), bench, &[]);
        let testkit = vec![package("castellan-testkit", MIT, &["shakmaty"]), gpl()];
        check_member(member("crates/testkit", "castellan-testkit"), testkit, &[]);
    }

    #[test]
    fn no_licence_is_a_problem() {
        let packages =
            vec![package("castellan-cli", None, &["other"]), package("other", None, &[])];
        let expected = [
            "crates/cli/Cargo.toml:1: the manifest has no `license`",
            "crates/cli/Cargo.toml:1: ships other 1.0.0, which declares no license",
        ];
        check_member(member("crates/cli", "castellan-cli"), packages, &expected);
    }

    #[test]
    fn the_licence_texts_must_be_there() {
        let nothing = Dependencies { members: Vec::new(), packages: [].into() };
        let what = "LICENSE-APACHE:1: the license text is missing";
        expect(&check(&nothing, &[file("LICENSE-MIT", "")]), &[what]);
    }

    #[test]
    fn a_choice_without_gpl_is_enough() {
        let check = |licence, expected| assert_eq!(is_free_of_gpl(licence), expected, "{licence}");
        check("MIT OR Apache-2.0", true);
        check("MIT OR Apache-2.0 OR LGPL-2.1-or-later", true);
        check("MIT/GPL-2.0", true);
        check("(MIT OR GPL-3.0) AND Unicode-3.0", true);
        check("Apache-2.0 WITH LLVM-exception OR MIT", true);
        check("AGPL-3.0", false);
        check("MIT AND LGPL-2.1", false);
        check("(MIT AND GPL-3.0) OR GPL-2.0 WITH Classpath-exception-2.0", false);
    }
}
