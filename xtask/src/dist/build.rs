//! The binaries to build, and the compiler flags for each.
//!
//! Archives for Linux contain one static binary, linked with musl, so that they run with every
//! distribution however old its C library is. Other systems get a build for their own triple.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;

use crate::process::{cargo, finish};
use crate::web;
use crate::workspace::Workspace;

/// A level of the x86-64 instruction set, as the x86-64 psABI defines them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Level {
    /// SSE4.2 and POPCNT, since about 2009
    V2,
    /// AVX2, BMI2 and FMA, since about 2013
    V3,
    /// AVX-512, in servers since about 2017
    V4,
}

/// One binary to build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Target {
    triple: String,
    os: &'static str,
    arch: &'static str,
    /// `None` on systems that have only one archive.
    level: Option<Level>,
}

impl Level {
    const ALL: [Level; 3] = [Level::V2, Level::V3, Level::V4];

    /// Returns the name of the level in the file names of archives.
    fn label(self) -> &'static str {
        match self {
            Level::V2 => "v2",
            Level::V3 => "v3",
            Level::V4 => "v4",
        }
    }

    /// Returns the name of the level for rustc's `target-cpu`.
    fn cpu(self) -> String {
        format!("x86-64-{}", self.label())
    }

    /// Returns QEMU's name for a processor one level lower, and a part of the message that the
    /// binary prints there.
    fn too_old(self) -> (&'static str, &'static str) {
        match self {
            Level::V2 => ("core2duo", "build castellan from source"),
            Level::V3 => ("Nehalem", "x86_64-linux-v2"),
            Level::V4 => ("Haswell", "x86_64-linux-v3"),
        }
    }

    /// Returns whether this machine's processor has this level.
    #[cfg(target_arch = "x86_64")]
    fn runs_here(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        let is_v2 = has!("sse4.2") && has!("popcnt");
        let is_v3 = is_v2 && has!("avx2") && has!("bmi2") && has!("fma") && has!("lzcnt");
        let is_v4 = is_v3 && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
        match self {
            Level::V2 => is_v2,
            Level::V3 => is_v3,
            Level::V4 => is_v4,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn runs_here(self) -> bool {
        false
    }
}

impl Target {
    /// Returns what to build on this machine: all levels unless some are asked for.
    pub(super) fn for_this_machine(levels: &[Level]) -> Result<Vec<Target>> {
        Target::list(env::consts::OS, env::consts::ARCH, levels)
    }

    fn list(os: &'static str, arch: &'static str, levels: &[Level]) -> Result<Vec<Target>> {
        let triple = match (os, arch) {
            // SQLite, zstd, ring and mimalloc contain C code, so this needs a C compiler of its own.
            ("linux", "x86_64" | "aarch64") => format!("{arch}-unknown-linux-musl"),
            ("macos", "x86_64" | "aarch64") => format!("{arch}-apple-darwin"),
            ("windows", "x86_64" | "aarch64") => format!("{arch}-pc-windows-msvc"),
            _ => bail!("there are no archives for {os} on {arch}"),
        };
        let target = |level| Target { triple: triple.clone(), os, arch, level };
        if (os, arch) == ("linux", "x86_64") {
            let is_chosen = |level: &Level| levels.is_empty() || levels.contains(level);
            return Ok(Level::ALL
                .into_iter()
                .filter(is_chosen)
                .map(|it| target(Some(it)))
                .collect());
        }
        ensure!(levels.is_empty(), "--level is for Linux on x86_64; {os} has one archive only");
        Ok(vec![target(None)])
    }

    /// Returns the end of the archive's name, for example `x86_64-linux-v3`.
    pub(super) fn label(&self) -> String {
        let level = self.level.map(|level| format!("-{}", level.label())).unwrap_or_default();
        format!("{}-{}{level}", self.arch, self.os)
    }

    /// Returns the target triple for cargo.
    pub(super) fn triple(&self) -> &str {
        &self.triple
    }

    /// Returns whether the binary is for Linux, whose archives contain a systemd unit.
    pub(super) fn is_linux(&self) -> bool {
        self.os == "linux"
    }

    /// Returns QEMU's name for a processor that cannot run the binary, and a part of the message
    /// that the binary prints there.
    pub(super) fn too_old(&self) -> Option<(&'static str, &'static str)> {
        self.level.map(Level::too_old)
    }

    /// Returns whether this machine's processor can run the binary.
    pub(super) fn runs_here(&self) -> bool {
        self.level.is_none_or(Level::runs_here)
    }

    /// Builds the binary with the page inside and returns where it is.
    pub(super) fn build(&self, workspace: &Workspace) -> Result<PathBuf> {
        let mut build = cargo(workspace, ["build", "--release", "--package", "castellan-cli"]);
        web::embedding(&mut build, workspace);
        build.args(["--bin", "castellan", "--target", &self.triple]);
        build.env("CARGO_ENCODED_RUSTFLAGS", self.flags(workspace).join("\x1f"));
        build.env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
        println!("building {}", self.label());
        finish(&mut build)?;
        let file = format!("castellan{}", env::consts::EXE_SUFFIX);
        Ok(workspace.target().join(&self.triple).join("release").join(file))
    }

    /// Returns the flags for rustc.
    fn flags(&self, workspace: &Workspace) -> Vec<String> {
        let mut flags = Vec::new();
        if let Some(level) = self.level {
            flags.push(format!("-Ctarget-cpu={}", level.cpu()));
        }
        // Paths of the build machine would change the bytes of the binary.
        let home = env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
        if let Some(home) = home {
            flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
        }
        flags.push(format!("--remap-path-prefix={}=/castellan", workspace.root().display()));
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(os: &'static str, arch: &'static str, levels: &[Level], expected: &[&str]) {
        let targets = Target::list(os, arch, levels).expect("there is something to build");
        assert_eq!(targets.iter().map(Target::label).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn linux_has_an_archive_for_each_level() {
        let all = ["x86_64-linux-v2", "x86_64-linux-v3", "x86_64-linux-v4"];
        check("linux", "x86_64", &[], &all);
        check("linux", "x86_64", &[Level::V4, Level::V2], &[all[0], all[2]]);
    }

    #[test]
    fn other_machines_have_one_archive() {
        check("macos", "aarch64", &[], &["aarch64-macos"]);
        check("linux", "aarch64", &[], &["aarch64-linux"]);
        assert!(Target::list("macos", "aarch64", &[Level::V3]).is_err());
        assert!(Target::list("plan9", "x86_64", &[]).is_err());
    }

    #[test]
    fn a_lower_level_runs_wherever_a_higher_one_does() {
        let runs = Level::ALL.map(Level::runs_here);
        assert!(runs.is_sorted_by(|lower, higher| lower >= higher), "{runs:?}");
    }
}
