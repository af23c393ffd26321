//! Checks the systemd unit with systemd's own tool, if that is installed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{prepare, succeeds};
use crate::workspace::Workspace;

/// The unit, and where it expects the program.
const UNIT: &str = "packaging/castellan.service";
const INSTALLED: &str = "/usr/local/bin/castellan";

const TOOL: &str = "systemd-analyze";

/// Fails if systemd finds a problem in the unit. The check uses `binary` instead of the installed
/// program.
pub(super) fn verify(workspace: &Workspace, binary: &Path) -> Result<()> {
    if !succeeds(Command::new(TOOL).arg("--version")) {
        println!("{UNIT} was not verified: {TOOL} is not installed");
        return Ok(());
    }
    let text = fs::read_to_string(workspace.root().join(UNIT));
    let complaints =
        complaints(workspace, &text.with_context(|| format!("cannot read {UNIT}"))?, binary)?;
    ensure!(complaints.is_empty(), "systemd does not accept {UNIT}:\n{complaints}");
    Ok(())
}

/// Returns what systemd prints about a unit with this text: nothing if it has no problem.
fn complaints(workspace: &Workspace, text: &str, binary: &Path) -> Result<String> {
    ensure!(text.contains(INSTALLED), "{UNIT} does not start {INSTALLED}");
    let binary = binary.to_str().context("the path of the build folder is not UTF-8")?;
    let folder = workspace.target().join(format!("unit-{}", std::process::id()));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let copy = folder.join("castellan.service");
    fs::write(&copy, text.replace(INSTALLED, binary))
        .with_context(|| format!("cannot write {}", copy.display()))?;
    let mut tool = Command::new(TOOL);
    prepare(&mut tool, workspace);
    let output = tool.args(["verify", "--man=no"]).arg(&copy).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start {TOOL}"));
    let _ = fs::remove_dir_all(&folder);
    // The tool also checks the units of this machine that ours refers to; those are ignored.
    let stderr = String::from_utf8_lossy(&output?.stderr).into_owned();
    let ours = stderr.lines().filter(|line| line.contains("castellan.service"));
    Ok(ours.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn systemd_accepts_the_unit_and_refuses_a_broken_one() {
        let workspace = Workspace::locate().expect("the tests run inside the workspace");
        let program = env::current_exe().expect("a test has a program");
        verify(&workspace, &program).expect("the unit is fine");
        if !succeeds(Command::new(TOOL).arg("--version")) {
            return;
        }
        let text = fs::read_to_string(workspace.root().join(UNIT)).expect("the unit is there");
        let broken = text.replace("NoNewPrivileges=", "NoNewPrivilegs=");
        assert_ne!(text, broken);
        let complaints = complaints(&workspace, &broken, &program).expect("the tool runs");
        assert!(complaints.contains("NoNewPrivilegs"), "{complaints:?}");
    }
}
