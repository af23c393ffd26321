//! The command line of `cargo xtask`.
//!
//! Tidy also reads this definition and compares it with the commands in the README.

use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, Parser, Subcommand};

use crate::ci;
use crate::dist::Level;

/// Builds, tests and packages Castellan.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build the castellan binary and play in the browser
    Play {
        /// Arguments for `castellan play`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run everything that continuous integration runs
    Test {
        /// Run only this step; can be repeated
        #[arg(long, value_name = "STEP", value_parser = PossibleValuesParser::new(ci::names()))]
        only: Vec<String>,
        /// List the steps without running them
        #[arg(long)]
        list: bool,
    },
    /// Check the conventions of docs/STYLE.md that can be checked automatically
    Tidy {
        /// Also report files and functions over the recommended length but within the limit
        #[arg(long)]
        verbose: bool,
    },
    /// Build the page into web/dist (needs Node.js)
    Web,
    /// Run a benchmark against other programs
    Bench {
        /// The benchmark to run, for example movegen
        what: String,
        /// Arguments for the benchmark
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Build release archives into target/dist
    Dist {
        /// Build only for this level of x86-64; can be repeated
        #[arg(long, value_name = "LEVEL", value_enum)]
        level: Vec<Level>,
    },
}

/// Returns the names of the commands, as a user types them.
pub(crate) fn command_names() -> Vec<String> {
    let definition = Args::command();
    definition.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn the_command_names_are_the_typed_ones() {
        assert_eq!(command_names(), ["play", "test", "tidy", "web", "bench", "dist"]);
    }

    #[test]
    fn options_after_the_subject_of_a_bench_are_passed_on() {
        let args = Args::parse_from(["xtask", "bench", "movegen", "--seconds", "5"]);
        let Command::Bench { what, args } = args.command else { panic!("not a bench") };
        assert_eq!(what, "movegen");
        assert_eq!(args, ["--seconds", "5"]);
    }

    #[test]
    fn an_unknown_step_is_refused() {
        assert!(Args::try_parse_from(["xtask", "test", "--only", "nonsense"]).is_err());
        assert!(Args::try_parse_from(["xtask", "test", "--only", "fmt"]).is_ok());
    }
}
