//! Starts other programs and reports clearly how they failed.

use std::env;
use std::ffi::OsStr;
use std::io::{IsTerminal, stderr};
use std::iter;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// Returns a cargo command that runs in the root of the workspace.
pub(crate) fn cargo<I>(workspace: &Workspace, args: I) -> Command
where
    I: IntoIterator<Item: AsRef<OsStr>>,
{
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(args);
    prepare(&mut command, workspace);
    command
}

/// Sets the working folder and the environment that all commands share.
pub(crate) fn prepare(command: &mut Command, workspace: &Workspace) {
    command.current_dir(workspace.root());
    // These variables describe xtask itself. A build script that watches one of them would run
    // again whenever cargo is called from here.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command.env("CARGO_TERM_COLOR", color());
    // CI builds everything once, so it needs neither incremental builds nor debug information.
    if env::var_os("CI").is_some() && env::var_os("CARGO_INCREMENTAL").is_none() {
        command.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_DEBUG", "false");
    }
}

/// Returns the value for color options: the user's choice in `CARGO_TERM_COLOR`, or else whether
/// standard error is a terminal.
pub(crate) fn color() -> String {
    let default = if stderr().is_terminal() { "always" } else { "never" };
    env::var("CARGO_TERM_COLOR").unwrap_or_else(|_| default.to_owned())
}

/// Runs a command without input and waits for it; returns an error unless it succeeds.
pub(crate) fn finish(command: &mut Command) -> Result<()> {
    let shown = show(command);
    eprintln!("$ {shown}");
    let status =
        command.stdin(Stdio::null()).status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Returns whether a command can be started and succeeds. Its output is not shown.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Returns what a command prints to its standard output, or an error unless it succeeds.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("`{shown}` failed ({}): {}", output.status, stderr.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` did not print UTF-8"))
}

/// Hands the terminal over to a command and exits with its exit code.
///
/// Where the system allows it, the command replaces this process, so that an interrupt reaches only
/// the command.
#[cfg(unix)]
pub(crate) fn replace_process(command: &mut Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;

    let shown = show(command);
    Err(command.exec()).with_context(|| format!("cannot start `{shown}`"))
}

/// Hands the terminal over to a command and exits with its exit code.
#[cfg(not(unix))]
pub(crate) fn replace_process(command: &mut Command) -> Result<ExitCode> {
    let shown = show(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Returns the command as a user could type it, for messages.
fn show(command: &Command) -> String {
    let changed = command.get_envs().filter_map(|(name, value)| {
        let shown = name.to_str().is_some_and(|name| name.ends_with("FLAGS"));
        let value = value.filter(|_| shown)?;
        Some(format!("{}='{}'", name.to_string_lossy(), value.to_string_lossy()))
    });
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    let words = iter::once(program).chain(command.get_args());
    let words = words.map(|word| word.to_string_lossy().into_owned());
    changed.chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_with_its_flags() {
        let mut command = Command::new("false");
        command.arg("--now").env("RUSTFLAGS", "-C opt");
        let error = finish(&mut command).expect_err("false fails");
        let message = error.to_string();
        assert!(message.starts_with("`RUSTFLAGS='-C opt' false --now` failed"), "{message}");
    }

    #[test]
    fn a_missing_program_is_an_error_and_not_a_panic() {
        let mut command = Command::new("castellan-no-such-program");
        let message = output(&mut command).expect_err("it does not exist").to_string();
        assert_eq!(message, "cannot start `castellan-no-such-program`");
    }

    #[test]
    fn a_command_gets_no_input() {
        // `cat` would wait forever if the input were left open.
        assert_eq!(output(&mut Command::new("cat")).expect("cat ends"), "");
    }
}
