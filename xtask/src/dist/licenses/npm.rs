//! License texts of the packages from npm that are part of the page.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::report::Notice;
use crate::process::{finish, prepare};
use crate::workspace::Workspace;

/// Builds the page once more, elsewhere: only the bundler knows which of the installed packages
/// end up in the page.
const SCRIPT: &str = "
import { build } from 'vite';
const license = { fileName: 'licenses.json' };
await build({ logLevel: 'warn', build: { outDir: process.argv[1], emptyOutDir: true, license } });
";

/// Returns one notice for each package in the page, which has to be built already.
pub(super) fn notices(workspace: &Workspace) -> Result<Vec<Notice>> {
    let folder = workspace.target().join("page-with-licenses");
    let mut node = Command::new("node");
    prepare(&mut node, workspace);
    node.current_dir(workspace.root().join("web"));
    finish(node.args(["--input-type=module", "--eval", SCRIPT]).arg(&folder))?;
    let path = folder.join("licenses.json");
    let text = fs::read_to_string(&path);
    let text = text.with_context(|| format!("the bundler created no {}", path.display()))?;
    let notices = parse(&text).with_context(|| format!("in {}", path.display()))?;
    ensure!(!notices.is_empty(), "{} lists no package, not even svelte", path.display());
    Ok(notices)
}

fn parse(text: &str) -> Result<Vec<Notice>> {
    let list: Vec<Value> = serde_json::from_str(text)?;
    list.iter().map(notice).collect()
}

fn notice(package: &Value) -> Result<Notice> {
    let field = |name| package.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (name, text) = (field("name"), field("text"));
    if name.is_empty() || text.is_empty() {
        bail!("an npm package has no name or license text: {package}");
    }
    let name = format!("{name} (npm)");
    Ok(Notice { name, version: field("version"), license: field("identifier"), texts: vec![text] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_bundler_is_understood() {
        let text = r#"[{"name": "svelte", "version": "5.0.0", "identifier": "MIT", "text": "x"}]"#;
        let notices = parse(text).expect("the list is whole");
        assert_eq!((notices.len(), notices[0].name.as_str()), (1, "svelte (npm)"));
    }

    #[test]
    fn a_package_without_a_text_is_an_error() {
        let text = r#"[{"name": "left-pad", "version": "1.0.0", "identifier": "MIT"}]"#;
        let message = parse(text).expect_err("there is no text").to_string();
        assert!(message.contains("left-pad"), "{message}");
    }
}
