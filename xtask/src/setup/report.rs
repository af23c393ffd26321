//! The report of missing tools, with the commands to type on each system.

use std::fmt;
use std::fs;

use crate::setup::need::Need;

/// An operating system for which we know the commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum System {
    Debian,
    Fedora,
    MacOs,
    Other,
}

impl System {
    /// Returns the system that this program runs on.
    pub(super) fn here() -> System {
        if cfg!(target_os = "macos") {
            return System::MacOs;
        }
        System::of_release(&fs::read_to_string("/etc/os-release").unwrap_or_default())
    }

    /// Returns the system that the text of an `os-release` file describes.
    fn of_release(text: &str) -> System {
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        let names = format!("{} {}", value("ID"), value("ID_LIKE"));
        let is = |name: &str| names.split_whitespace().any(|word| word == name);
        match (is("debian") || is("ubuntu"), is("fedora") || is("rhel")) {
            (true, _) => System::Debian,
            (_, true) => System::Fedora,
            _ => System::Other,
        }
    }
}

/// A list of missing needs, displayed as text for the terminal.
pub(super) struct MissingTools<'a> {
    /// Each missing need, with the reason.
    pub(super) absent: &'a [(Need, String)],
    /// The system for which commands are shown.
    pub(super) system: System,
}

impl fmt::Display for MissingTools<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Missing on this machine:")?;
        for (need, why) in self.absent {
            let advice = advice(*need);
            let skipped = if need.is_required() { "" } else { "; without it, tests are skipped" };
            writeln!(f, "\n  {}, {} ({why}{skipped})", advice.name, advice.purpose)?;
            let rows = [
                (System::Debian, "Debian, Ubuntu", advice.debian),
                (System::Fedora, "Fedora", advice.fedora),
                (System::MacOs, "macOS", advice.macos),
            ];
            let is_shown = |system| self.system == system || self.system == System::Other;
            for (_, name, command) in rows.into_iter().filter(|(system, ..)| is_shown(*system)) {
                writeln!(f, "    {name}: {command}")?;
            }
            if let Some(variable) = need.variable() {
                writeln!(f, "    If it is installed elsewhere, set {variable} to its path.")?;
            }
        }
        Ok(())
    }
}

/// How a user can install a need.
struct Advice {
    name: &'static str,
    purpose: &'static str,
    debian: &'static str,
    fedora: &'static str,
    macos: &'static str,
}

impl Advice {
    /// Returns advice that is the same on every system.
    const fn same(name: &'static str, purpose: &'static str, command: &'static str) -> Advice {
        Advice { name, purpose, debian: command, fedora: command, macos: command }
    }
}

/// Returns the advice for a need.
fn advice(need: Need) -> Advice {
    match need {
        Need::Lints => Advice::same(
            "Rustfmt and Clippy",
            "needed to check the code",
            "rustup component add rustfmt clippy",
        ),
        Need::WasmTarget => Advice::same(
            "The Rust target for the browser",
            "needed to build the page",
            "rustup target add wasm32-unknown-unknown",
        ),
        Need::NodePackages => Advice::same(
            "The page's npm packages",
            "needed to build the page",
            "npm ci   (in the folder web, with network access)",
        ),
        Need::Nextest => Advice::same(
            "cargo-nextest",
            "needed to run the tests",
            "cargo install cargo-nextest --locked",
        ),
        Need::StaticTarget => Advice::same(
            "The Rust target for static binaries",
            "needed to build the archives",
            "rustup target add $(uname -m)-unknown-linux-musl",
        ),
        Need::StaticCompiler => STATIC_COMPILER,
        Need::Node => NODE,
        Need::Browser => BROWSER,
        Need::Engines => ENGINES,
        Need::Postgres => POSTGRES,
        Need::Nats => NATS,
    }
}

const STATIC_COMPILER: Advice = Advice {
    name: "musl-gcc",
    purpose: "needed to compile the C code of static binaries",
    debian: "sudo apt-get install musl-tools",
    fedora: "sudo dnf install musl-gcc",
    macos: "build archives for Linux on Linux",
};

const NODE: Advice = Advice {
    name: "Node.js 20.19, 22.12 or newer, with npm",
    purpose: "needed to build the page",
    debian: "sudo apt-get install nodejs npm   (Debian 13, Ubuntu 25.10 or newer; for \
             older systems see https://nodejs.org)",
    fedora: "sudo dnf install nodejs npm",
    macos: "brew install node",
};

const BROWSER: Advice = Advice {
    name: "Chromium or Chrome",
    purpose: "needed to test the page",
    debian: "sudo apt-get install chromium",
    fedora: "sudo dnf install chromium",
    macos: "brew install --cask chromium",
};

const ENGINES: Advice = Advice {
    name: "Stockfish and four other engines",
    purpose: "needed as opponents in tests and benchmarks",
    debian: "sudo apt-get install stockfish ethereal-chess glaurung phalanx toga2",
    fedora: "sudo dnf install stockfish   (the others are only packaged for Debian)",
    macos: "brew install stockfish   (the others are only packaged for Debian)",
};

const POSTGRES: Advice = Advice {
    name: "PostgreSQL",
    purpose: "needed to test the store",
    debian: "sudo apt-get install postgresql",
    fedora: "sudo dnf install postgresql-server",
    macos: "brew install postgresql",
};

const NATS: Advice = Advice {
    name: "The NATS server",
    purpose: "needed to test several nodes",
    debian: "sudo apt-get install nats-server",
    fedora: "see https://nats.io/download",
    macos: "brew install nats-server",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(release: &str, expected: System) {
        assert_eq!(System::of_release(release), expected);
    }

    #[test]
    fn derived_systems_count_as_their_parent() {
        check("ID=debian\n", System::Debian);
        check("NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", System::Debian);
        check("ID=fedora\n", System::Fedora);
        check("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", System::Fedora);
        check("ID=arch\n", System::Other);
        check("", System::Other);
    }

    #[test]
    fn a_report_says_what_why_and_what_to_type() {
        let absent = [(Need::Node, "not found".to_owned()), (Need::Nats, "not found".to_owned())];
        let report = MissingTools { absent: &absent, system: System::MacOs }.to_string();
        assert!(report.contains("needed to build the page (not found)"), "{report}");
        assert!(report.contains("brew install node"), "{report}");
        assert!(!report.contains("apt-get"), "{report}");
        assert!(report.contains("without it, tests are skipped"), "{report}");
        assert!(report.contains("CASTELLAN_NATS_SERVER"), "{report}");
        let everywhere = MissingTools { absent: &absent, system: System::Other }.to_string();
        for system in ["Debian", "Fedora", "macOS"] {
            assert!(everywhere.contains(system), "{everywhere}");
        }
    }
}
