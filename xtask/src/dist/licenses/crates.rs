//! License texts of the crates that are linked into the binary and into the page's modules.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{CargoOpt, MetadataCommand, Package};

use super::report::Notice;
use crate::process::{cargo, output};
use crate::workspace::Workspace;

/// Prefixes of the names of files with license texts, in lower case.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// Maximum depth of such a file in a package; vendored sources have folders of their own.
const DEPTH: usize = 3;

/// Vendored sources that are not compiled: the crate and the folder.
const NOT_COMPILED: [(&str, &str); 1] = [("libsqlite3-sys", "sqlcipher")];

/// Returns one notice for each crate in the binary for `triple` or in the page.
pub(super) fn notices(workspace: &Workspace, triple: &str) -> Result<Vec<Notice>> {
    let mut shipped = linked(workspace, &["castellan-cli", "--target", triple])?;
    let page = ["castellan-wasm", "--all-features", "--target", "wasm32-unknown-unknown"];
    shipped.extend(linked(workspace, &page)?);
    all_notices(workspace, shipped)
}

fn all_notices(workspace: &Workspace, shipped: BTreeSet<(String, String)>) -> Result<Vec<Notice>> {
    let metadata = MetadataCommand::new()
        .current_dir(workspace.root())
        .features(CargoOpt::AllFeatures)
        .exec()
        .context("cannot read the dependencies")?;
    let mut notices = Vec::new();
    for (name, version) in shipped {
        let is_it = |package: &&Package| {
            package.name.as_str() == name && package.version.to_string() == version
        };
        let Some(package) = metadata.packages.iter().find(is_it) else {
            bail!("cargo does not know {name} {version}, which the binary contains");
        };
        // Our own packages have no source, because they are in this repository.
        if package.source.is_some() {
            notices.push(notice(workspace, package)?);
        }
    }
    Ok(notices)
}

/// Returns name and version of every crate that a package is linked with. Build scripts and
/// procedural macros run on the machine that builds and are not part of the result.
fn linked(workspace: &Workspace, package: &[&str]) -> Result<BTreeSet<(String, String)>> {
    let mut tree = cargo(workspace, ["tree", "--locked", "--edges", "normal,no-proc-macro"]);
    tree.args(["--prefix", "none", "--format", "{p}", "--package"]).args(package);
    let text = output(&mut tree)?;
    text.lines().filter(|line| !line.is_empty()).map(parse).collect()
}

/// Parses a line of `cargo tree` such as `serde v1.0.0 (*)`.
fn parse(line: &str) -> Result<(String, String)> {
    let mut words = line.split_whitespace();
    let name = words.next();
    let version = words.next().and_then(|word| word.strip_prefix('v'));
    let (Some(name), Some(version)) = (name, version) else {
        bail!("cargo tree printed a line without a version: {line}");
    };
    Ok((name.to_owned(), version.to_owned()))
}

fn notice(workspace: &Workspace, package: &Package) -> Result<Notice> {
    let license = package.license.clone().unwrap_or_default();
    let (name, version) = (package.name.to_string(), package.version.to_string());
    ensure!(is_free_of_gpl(&license), "{name} {version} must not ship: it is under {license}");
    let folder = package.manifest_path.parent().context("a manifest is in a folder")?;
    let mut paths = Vec::new();
    find(package.name.as_str(), folder.as_std_path(), DEPTH, &mut paths)?;
    let mut texts = Vec::new();
    for path in chosen(&license, folder.as_std_path(), paths) {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // Some packages offer the GPL as an alternative; we use the other license.
        if !is_gpl(&text) {
            texts.push(text);
        }
    }
    if texts.is_empty() {
        texts.push(standard_text(workspace, package, &license)?);
    }
    Ok(Notice { name, version, license, texts })
}

/// Returns whether the SPDX expression offers terms without any kind of GPL. An expression that has
/// both GPL and `AND` is rejected without looking closer; there is none so far.
fn is_free_of_gpl(license: &str) -> bool {
    // A slash is an old spelling of OR.
    let license = license.to_ascii_uppercase().replace('/', " OR ");
    let mut alternatives = license.split(" OR ");
    !license.contains("GPL")
        || (!license.contains(" AND ") && alternatives.any(|license| !license.contains("GPL")))
}

fn is_gpl(text: &str) -> bool {
    text.lines().take(5).any(|line| line.trim() == "GNU GENERAL PUBLIC LICENSE")
}

/// Lists the files with license texts in a folder and in those below it, in order.
fn find(package: &str, folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<()> {
    let context = || format!("cannot list {}", folder.display());
    let entries = fs::read_dir(folder).with_context(context)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<_>>>()
        .with_context(context)?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if path.is_dir() {
            let is_compiled = !NOT_COMPILED.contains(&(package, name.as_str()));
            if depth > 1 && is_compiled {
                find(package, &path, depth - 1, found)?;
            }
        } else if NAMES.iter().any(|start| name.starts_with(start)) && !name.ends_with(".rs") {
            found.push(path);
        }
    }
    Ok(())
}

/// Picks the MIT text if the whole package is available under MIT, and otherwise all texts.
fn chosen(license: &str, folder: &Path, paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let is_mit = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        path.parent() == Some(folder) && name.contains("mit")
    };
    if !offers_mit(license) || !paths.iter().any(|path| is_mit(path)) {
        return paths;
    }
    let is_other = |path: &Path| path.parent() == Some(folder) && !is_mit(path);
    paths.into_iter().filter(|path| !is_other(path)).collect()
}

/// Returns whether the whole package is available under MIT.
fn offers_mit(license: &str) -> bool {
    let has_both = license.contains(" AND ") || license.contains('(');
    !has_both && license.replace('/', " OR ").split(" OR ").any(|name| name.trim() == "MIT")
}

/// Returns the well-known text of a license, for a package that names one and contains no text.
fn standard_text(workspace: &Workspace, package: &Package, license: &str) -> Result<String> {
    let file = match license {
        _ if offers_mit(license) => "LICENSE-MIT",
        "Apache-2.0" => "LICENSE-APACHE",
        _ => bail!(
            "the package {} {} is under {license} and contains no text of it; \
             say in xtask/src/dist/licenses/crates.rs where to find one",
            package.name,
            package.version
        ),
    };
    let text = fs::read_to_string(workspace.root().join(file));
    let text = text.with_context(|| format!("cannot read {file}"))?;
    let authors = match package.authors.join(", ") {
        authors if authors.is_empty() => format!("the authors of {}", package.name),
        authors => authors,
    };
    let is_ours = |line: &&str| line.starts_with("Copyright (c)");
    Ok(match text.lines().find(is_ours) {
        Some(line) => text.replace(line, &format!("Copyright (c) {authors}")),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_tree_are_understood() {
        let check = |line, name: &str, version: &str| {
            let expected = (name.to_owned(), version.to_owned());
            assert_eq!(parse(line).expect("the line is whole"), expected);
        };
        check("serde v1.0.229", "serde", "1.0.229");
        check("zstd-sys v2.1.2+zstd.1.5.7 (*)", "zstd-sys", "2.1.2+zstd.1.5.7");
        check("castellan-arch v0.1.0 (/home/me/castellan/crates/arch)", "castellan-arch", "0.1.0");
        assert!(parse("serde").is_err());
    }

    #[test]
    fn mit_is_chosen_only_for_a_whole_package() {
        let check = |license, expected| assert_eq!(offers_mit(license), expected, "{license}");
        check("MIT", true);
        check("MIT OR Apache-2.0", true);
        check("MIT/Apache-2.0", true);
        check("0BSD OR MIT OR Apache-2.0", true);
        check("Apache-2.0", false);
        check("MIT AND BSD-3-Clause", false);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", false);
    }

    #[test]
    fn a_choice_without_gpl_is_enough() {
        let check = |license, expected| assert_eq!(is_free_of_gpl(license), expected, "{license}");
        check("MIT OR LGPL-2.1-or-later", true);
        check("MIT/GPL-2.0", true);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
        check("AGPL-3.0", false);
        check("GPL-2.0 OR GPL-3.0", false);
        check("MIT AND LGPL-2.1", false);
        check("(MIT OR Apache-2.0) AND GPL-3.0", false);
    }

    #[test]
    fn gpl_does_not_ship() {
        let workspace = Workspace::locate().expect("the tests run inside the workspace");
        // The benchmarks link programs under the GPL, to compare us with them.
        let args = ["castellan-bench", "--features", "peers"];
        let linked = linked(&workspace, &args).expect("cargo runs");
        let message = all_notices(&workspace, linked).expect_err("shakmaty is GPL").to_string();
        assert!(message.contains("must not ship: it is under GPL-3.0"), "{message}");
    }

    #[test]
    fn only_the_chosen_text_is_taken() {
        let folder = Path::new("package");
        let paths = |names: &[&str]| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>();
        let all = paths(&["LICENSE-APACHE", "LICENSE-MIT", "vendored/LICENSE"]);
        assert_eq!(chosen("MIT", folder, all.clone()), paths(&["LICENSE-MIT", "vendored/LICENSE"]));
        assert_eq!(chosen("MIT AND Apache-2.0", folder, all.clone()), all);
        let one = paths(&["LICENSE"]);
        assert_eq!(chosen("MIT OR Apache-2.0", folder, one.clone()), one);
    }

    #[test]
    fn every_crate_that_ships_has_a_text() {
        let workspace = Workspace::locate().expect("the tests run inside the workspace");
        let triple = "x86_64-unknown-linux-musl";
        let notices = notices(&workspace, triple).expect("all texts are found");
        let text = |name| {
            let notice = notices.iter().find(|notice| notice.name == name);
            notice.map(|notice| notice.texts.join("\n"))
        };
        assert!(text("serde_json").is_some_and(|text| text.contains("Permission is hereby")));
        assert!(text("zstd-sys").is_some_and(|text| text.contains("Meta Platforms")));
        assert!(text("libsqlite3-sys").is_some_and(|text| !text.contains("ZETETIC")));
        assert_eq!(text("castellan-rules"), None);
        assert!(notices.iter().all(|notice| notice.texts.iter().all(|text| text.len() > 100)));
    }
}
