//! The compiler that the tests are built with: clippy's, followed by rustdoc.
//!
//! `cargo clippy` and `cargo doc` only check the code, so each of them would check all third-party
//! crates once more, in addition to the build of the tests. Instead, cargo is told to compile our own crates
//! with xtask, which passes everything on to clippy's compiler, and then lets rustdoc read the same
//! crate with the same dependencies. Third-party crates are compiled as always, so they are shared
//! with other builds.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result};

/// Holds the path of clippy's compiler if xtask is called as the compiler.
const CLIPPY: &str = "CASTELLAN_XTASK_CLIPPY";

/// Makes cargo compile our own crates with clippy and rustdoc, and fail on any of their warnings.
pub(crate) fn linting(command: &mut Command) -> Result<&mut Command> {
    let name = format!("clippy-driver{}", env::consts::EXE_SUFFIX);
    // In a toolchain both programs are in one folder.
    let next_to_cargo = env::var_os("CARGO").map(|cargo| Path::new(&cargo).with_file_name(&name));
    let clippy = next_to_cargo.filter(|path| path.is_file()).unwrap_or_else(|| name.into());
    let xtask = env::current_exe().context("cannot find out where xtask is")?;
    command.env("RUSTC_WORKSPACE_WRAPPER", xtask).env(CLIPPY, clippy);
    // This is how `cargo clippy` passes on what follows `--`. RUSTFLAGS would replace the flags of
    // .cargo/config.toml and rebuild every third-party crate.
    let args: String =
        ["--deny", "warnings"].map(|arg| format!("{arg}__CLIPPY_HACKERY__")).concat();
    Ok(command.env("CLIPPY_ARGS", args))
}

/// Compiles a crate if cargo called xtask as its compiler, with the path of rustc and rustc's
/// arguments. Otherwise returns `None`.
pub(crate) fn run() -> Option<Result<ExitCode>> {
    let clippy = env::var_os(CLIPPY)?;
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    Some(compile(&clippy.into(), &args))
}

fn compile(clippy: &PathBuf, args: &[OsString]) -> Result<ExitCode> {
    let status = Command::new(clippy)
        .args(args)
        .status()
        .with_context(|| format!("cannot start {}", clippy.display()))?;
    let Some(documented) = rustdoc_args(args).filter(|_| status.success()) else {
        return Ok(exit_code(status.code()));
    };
    let rustdoc = clippy.with_file_name(format!("rustdoc{}", env::consts::EXE_SUFFIX));
    let status = Command::new(&rustdoc)
        .args(documented)
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start {}", rustdoc.display()))?;
    Ok(exit_code(status.code()))
}

fn exit_code(code: Option<i32>) -> ExitCode {
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Returns the arguments with which rustdoc checks a crate, given those with which rustc compiles
/// its unit tests. Returns `None` for everything else: integration tests have no docs, and each
/// crate is checked only once.
fn rustdoc_args(args: &[OsString]) -> Option<Vec<OsString>> {
    let rustc_args: Vec<&str> =
        args.iter().skip(1).map(|arg| arg.to_str()).collect::<Option<_>>()?;
    let source = rustc_args.iter().find(|arg| arg.ends_with(".rs") && !arg.starts_with('-'))?;
    let is_program = Path::new(source).ends_with("src/main.rs");
    let is_library = Path::new(source).ends_with("src/lib.rs");
    if !(is_program || is_library) || !rustc_args.contains(&"--test") {
        return None;
    }
    let mut kept: Vec<OsString> = vec![(*source).into(), "--deny=warnings".into()];
    if is_program {
        // As `cargo doc` does: everything in a program is private.
        kept.push("--document-private-items".into());
    }
    let mut rest = rustc_args.iter();
    while let Some(&arg) = rest.next() {
        match arg {
            "--crate-name" | "--cfg" | "--check-cfg" | "-L" | "--extern" => {
                kept.push(arg.into());
                kept.push((*rest.next()?).into());
            }
            "--out-dir" => {
                // These pages are only checked; `cargo doc` makes complete ones.
                kept.push(arg.into());
                kept.push(Path::new(rest.next()?).join("checked-docs").into());
            }
            _ if arg.starts_with("--edition=") || arg.starts_with("--cap-lints") => {
                kept.push(arg.into());
            }
            _ => {}
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn unit_tests_are_documented_with_their_dependencies() {
        let line = "/bin/rustc --crate-name game --edition=2024 crates/game/src/lib.rs \
                    --error-format=json --emit=dep-info,link -C opt-level=1 --test --cfg slow \
                    --check-cfg cfg(slow) -C metadata=1 --out-dir /t/deps -L dependency=/t/deps \
                    --extern rules=/t/deps/librules.rlib";
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let wanted = "crates/game/src/lib.rs --deny=warnings --crate-name game --edition=2024 \
                      --cfg slow --check-cfg cfg(slow) --out-dir /t/deps/checked-docs -L \
                      dependency=/t/deps --extern rules=/t/deps/librules.rlib";
        let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(rustdoc_args(&args(&line)), Some(args(&wanted)));
    }

    #[test]
    fn private_items_of_programs_are_documented() {
        let line = "/bin/rustc --crate-name cli crates/cli/src/main.rs --test";
        let wanted =
            "crates/cli/src/main.rs --deny=warnings --document-private-items --crate-name cli";
        assert_eq!(rustdoc_args(&args(line)), Some(args(wanted)));
    }

    #[test]
    fn everything_else_is_only_compiled() {
        for line in [
            "/bin/rustc -vV",
            "/bin/rustc - --crate-name ___ --print=file-names",
            "/bin/rustc --crate-name game crates/game/src/lib.rs --crate-type lib",
            "/bin/rustc --crate-name it crates/game/tests/it/main.rs --test",
            "/bin/rustc --crate-name build_script_main crates/game/build.rs --crate-type bin",
        ] {
            assert_eq!(rustdoc_args(&args(line)), None, "{line}");
        }
    }
}
