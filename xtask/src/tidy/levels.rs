//! Checks that a crate depends only on crates of a lower level.
//!
//! Cargo rejects cycles. This check also rejects dependencies that point up or sideways, with which
//! a small library would come to depend on the whole program. Dev-dependencies are not restricted,
//! and neither are packages outside of the levels.

use crate::tidy::dependencies::{Member, Use};
use crate::tidy::problem::Problem;
use crate::tidy::tracked::{TrackedFile, find};

/// The folders in `crates/`, from the lowest level up.
const LEVELS: [&[&str]; 6] = [
    &["arch", "rules"],
    &["pgn", "winnable", "nnue", "uci"],
    &["legality", "game", "engine"],
    &["protocol", "store"],
    &["wasm", "server"],
    &["cli"],
];

/// The allowed dependencies within a level. `arch` is below `rules`, but is not a level of its own,
/// because no other crate may bypass the rules and use the processor directly.
const SIDEWAYS: [(&str, &str); 1] = [("rules", "arch")];

/// The crate for tests. It may depend on anything, but nothing that ships may depend on it.
const TEST_ONLY: &str = "testkit";

const PREFIX: &str = "castellan-";

/// Checks every package in `crates/`.
pub(super) fn check(members: &[Member], files: &[TrackedFile]) -> Vec<Problem> {
    members.iter().flat_map(|member| check_member(member, files)).collect()
}

fn check_member(member: &Member, files: &[TrackedFile]) -> Vec<Problem> {
    let Some(folder) = crate_folder(&member.manifest) else {
        return Vec::new();
    };
    if member.name.strip_prefix(PREFIX) != Some(folder) {
        let what = format!("the package in crates/{folder} must be named {PREFIX}{folder}");
        return vec![Problem::of_file(&member.manifest, what)];
    }
    if folder == TEST_ONLY {
        return Vec::new();
    }
    let Some(level) = level(folder) else {
        let what = format!("{folder} has no level; give it one in xtask/src/tidy/levels.rs");
        return vec![Problem::of_file(&member.manifest, what)];
    };
    let manifest = find(files, &member.manifest).and_then(|file| file.text.as_deref());
    let shipped = member.uses.iter().filter(|used| !used.only_dev);
    let faults = shipped.filter_map(|used| Some((used, fault(folder, level, used)?)));
    faults
        .map(|(used, what)| Problem::new(&member.manifest, line_of(manifest, &used.name), what))
        .collect()
}

/// Returns what is wrong with one dependency, or `None`.
fn fault(folder: &str, own_level: usize, used: &Use) -> Option<String> {
    let target = used.name.strip_prefix(PREFIX).unwrap_or(&used.name);
    if target == TEST_ONLY {
        return Some(format!("{TEST_ONLY} may only be a dev-dependency"));
    }
    let Some(level) = level(target) else {
        return Some(format!(
            "{} is not one of the layered crates and must not be a dependency",
            used.name
        ));
    };
    let allowed = level < own_level || SIDEWAYS.contains(&(folder, target));
    let what = || format!("{folder} (level {own_level}) must not use {target} (level {level})");
    (!allowed).then(what)
}

fn crate_folder(manifest: &str) -> Option<&str> {
    manifest.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")
}

fn level(folder: &str) -> Option<usize> {
    LEVELS.iter().position(|level| level.contains(&folder))
}

/// Returns the line of a manifest that names the package, or 1.
fn line_of(manifest: Option<&str>, name: &str) -> usize {
    let is_use = |line: &str| line.trim_start().trim_start_matches('"').starts_with(name);
    let found = manifest.and_then(|text| text.lines().position(is_use));
    found.map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    fn member(folder: &str, uses: &[(&str, bool)]) -> Member {
        let uses = uses.iter().map(|&(name, only_dev)| Use { name: name.to_owned(), only_dev });
        let name = format!("castellan-{folder}");
        let manifest = format!("crates/{folder}/Cargo.toml");
        Member { id: name.clone(), name, manifest, uses: uses.collect() }
    }

    #[track_caller]
    fn check_uses(folder: &str, uses: &[(&str, bool)], expected: &[&str]) {
        expect(&check(&[member(folder, uses)], &[]), expected);
    }

    #[test]
    fn arrows_down_are_allowed() {
        check_uses("pgn", &[("castellan-rules", false)], &[]);
        check_uses("cli", &[("castellan-engine", false), ("castellan-rules", false)], &[]);
    }

    #[test]
    fn arrows_up_and_sideways_are_not() {
        let up = "crates/rules/Cargo.toml:1: rules (level 0) must not use pgn (level 1)";
        check_uses("rules", &[("castellan-pgn", false)], &[up]);
        let sideways = "crates/pgn/Cargo.toml:1: pgn (level 1) must not use uci (level 1)";
        check_uses("pgn", &[("castellan-uci", false)], &[sideways]);
    }

    #[test]
    fn rules_may_use_arch_but_not_the_reverse() {
        check_uses("rules", &[("castellan-arch", false)], &[]);
        let reverse = "crates/arch/Cargo.toml:1: arch (level 0) must not use rules (level 0)";
        check_uses("arch", &[("castellan-rules", false)], &[reverse]);
    }

    #[test]
    fn the_testkit_is_for_tests() {
        check_uses("rules", &[("castellan-testkit", true)], &[]);
        let shipped = "crates/rules/Cargo.toml:1: testkit may only be a dev-dependency";
        check_uses("rules", &[("castellan-testkit", false)], &[shipped]);
        check_uses("testkit", &[("castellan-rules", false)], &[]);
    }

    #[test]
    fn packages_beside_the_levels_are_not_for_crates() {
        let what = "crates/cli/Cargo.toml:1: xtask is not one of the layered crates and must not be a dependency";
        check_uses("cli", &[("xtask", false)], &[what]);
    }

    #[test]
    fn unknown_and_misnamed_crates_are_problems() {
        let unknown = "crates/magic/Cargo.toml:1: magic has no level; \
                       give it one in xtask/src/tidy/levels.rs";
        check_uses("magic", &[], &[unknown]);
        let misnamed = Member { name: "rules".into(), ..member("rules", &[]) };
        let what = "crates/rules/Cargo.toml:1: \
                    the package in crates/rules must be named castellan-rules";
        expect(&check(&[misnamed], &[]), &[what]);
    }

    #[test]
    fn the_problem_points_at_the_line() {
        let text = "[dependencies]\ncastellan-uci.workspace = true\n";
        let files = [file("crates/pgn/Cargo.toml", text)];
        let found = check(&[member("pgn", &[("castellan-uci", false)])], &files);
        let what = "crates/pgn/Cargo.toml:2: pgn (level 1) must not use uci (level 1)";
        expect(&found, &[what]);
    }
}
