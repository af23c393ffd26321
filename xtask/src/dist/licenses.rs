//! License texts of all third-party code in an archive.
//!
//! The binary contains crates, the standard library and, on Linux, a C library. The page inside it
//! contains more crates and packages from npm. Their licenses require that the texts are included.

mod crates;
mod npm;
mod report;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use self::report::Notice;
use super::archive::Entry;
use crate::process::{output, prepare};
use crate::workspace::Workspace;

/// The C library that static binaries for Linux contain.
const MUSL: &str = "packaging/licenses/musl.txt";

/// Collects the texts into files for an archive for `triple`.
pub(super) fn collect(workspace: &Workspace, triple: &str) -> Result<Vec<Entry>> {
    let mut notices = crates::notices(workspace, triple)?;
    notices.extend(npm::notices(workspace)?);
    if triple.ends_with("-musl") {
        let text = fs::read_to_string(workspace.root().join(MUSL));
        notices.push(Notice {
            name: "musl (C library)".to_owned(),
            version: String::new(),
            license: "MIT".to_owned(),
            texts: vec![text.with_context(|| format!("cannot read {MUSL}"))?],
        });
    }
    let report = report::write(notices);
    Ok(vec![
        Entry::file("licenses/third-party.txt", report.into_bytes()),
        Entry::file("licenses/rust-standard-library.html", standard_library(workspace)?),
    ])
}

/// Reads the notices of the standard library, which the toolchain contains ready-made.
fn standard_library(workspace: &Workspace) -> Result<Vec<u8>> {
    let mut rustc = Command::new("rustc");
    prepare(&mut rustc, workspace);
    let root = output(rustc.args(["--print", "sysroot"]))?;
    let path = Path::new(root.trim()).join("share/doc/rust/COPYRIGHT-library.html");
    fs::read(&path).with_context(|| {
        format!("the toolchain has no license texts for the standard library at {}", path.display())
    })
}
