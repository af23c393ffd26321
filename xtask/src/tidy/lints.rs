//! Checks that every crate uses the same lints, and that only three crates contain `unsafe`.

use crate::tidy::problem::Problem;
use crate::tidy::tracked::TrackedFile;

/// The crates that may contain `unsafe`, and therefore have a lint table of their own.
const UNSAFE_CRATES: [&str; 3] = ["arch", "nnue", "wasm"];

/// The line that such a table must contain instead of forbidding `unsafe`.
const OWN_TABLE: &str = "unsafe_op_in_unsafe_fn = \"deny\"";

/// Checks the manifests and the sources.
pub(super) fn check(files: &[TrackedFile]) -> Vec<Problem> {
    let manifests = files.iter().filter_map(check_manifest);
    manifests.chain(files.iter().flat_map(check_source)).collect()
}

fn check_manifest(file: &TrackedFile) -> Option<Problem> {
    let is_member = file.path.ends_with("/Cargo.toml");
    let text = file.text.as_deref().filter(|_| is_member)?;
    let has_own_table = may_be_unsafe(file) && text.lines().any(|line| line == OWN_TABLE);
    if has_own_table || follows_workspace(text) {
        return None;
    }
    let what = "the manifest lacks `[lints]` with `workspace = true`";
    Some(Problem::of_file(&file.path, what))
}

fn follows_workspace(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
    lines.by_ref().take_while(|line| !line.starts_with('[')).any(|line| line == "workspace = true")
}

fn check_source(file: &TrackedFile) -> Vec<Problem> {
    let Some(source) = file.rust.as_ref().filter(|_| !may_be_unsafe(file)) else {
        return Vec::new();
    };
    let what = "`unsafe` is only allowed in crates/arch, crates/nnue and crates/wasm";
    let tokens = source.tokens();
    let uses = tokens.iter().filter(|token| token.text == "unsafe");
    uses.map(|token| Problem::new(&file.path, token.line, what)).collect()
}

fn may_be_unsafe(file: &TrackedFile) -> bool {
    file.crate_folder().is_some_and(|folder| UNSAFE_CRATES.contains(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    #[track_caller]
    fn check_text(path: &str, text: &str, expected: &[&str]) {
        expect(&check(&[file(path, text)]), expected);
    }

    #[test]
    fn manifests_must_follow_the_workspace() {
        let what =
            "crates/rules/Cargo.toml:1: the manifest lacks `[lints]` with `workspace = true`";
        check_text("crates/rules/Cargo.toml", "[lints]\nworkspace = true\n", &[]);
        check_text("crates/rules/Cargo.toml", "", &[what]);
        check_text("crates/rules/Cargo.toml", "[lints]\n[other]\nworkspace = true\n", &[what]);
        let own_table = "[lints.rust]\nunsafe_op_in_unsafe_fn = \"deny\"\n";
        check_text("crates/rules/Cargo.toml", own_table, &[what]);
    }

    #[test]
    fn the_unsafe_crates_have_their_own_table() {
        let own_table = "[lints.rust]\nunsafe_op_in_unsafe_fn = \"deny\"\n";
        check_text("crates/arch/Cargo.toml", own_table, &[]);
        let what = "crates/arch/Cargo.toml:1: the manifest lacks `[lints]` with `workspace = true`";
        check_text("crates/arch/Cargo.toml", "[lints.rust]\n", &[what]);
        check_text("Cargo.toml", "[workspace]\n", &[]);
    }

    #[test]
    fn unsafe_stands_in_two_crates_only() {
        check_text("crates/arch/src/lib.rs", "unsafe {}", &[]);
        let what = "crates/rules/src/a.rs:2: `unsafe` is only allowed in crates/arch, crates/nnue and crates/wasm";
        check_text("crates/rules/src/a.rs", "\nunsafe {}", &[what]);
        check_text("crates/rules/src/a.rs", "// unsafe\nx(\"unsafe\", unsafe_code)", &[]);
    }
}
