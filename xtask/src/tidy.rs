//! `cargo xtask tidy`: the conventions that a program can check.
//!
//! Each check is a function from data to a list of problems, in a file of its own, with tests that
//! show it catching a violation. This file collects the data, calls the checks and prints the
//! problems.

mod problem;

mod dependencies;
mod rust_source;
mod tracked;

mod glossary;
mod layout;
mod lengths;
mod levels;
mod licences;
mod lints;
mod markers;
mod purity;
mod readme;

use anyhow::{Result, bail};

use crate::args;
use crate::tidy::problem::Problem;
use crate::workspace::Workspace;

/// Runs every check, and returns an error if there is a problem.
pub(crate) fn run(workspace: &Workspace, verbose: bool) -> Result<()> {
    let files = tracked::read(workspace)?;
    let dependencies = dependencies::read(workspace)?;
    let mut problems = Vec::new();
    problems.extend(levels::check(&dependencies.members, &files));
    problems.extend(lengths::check(&files));
    problems.extend(glossary::check(&files));
    problems.extend(layout::check(&files));
    problems.extend(markers::check(&files));
    problems.extend(readme::check(&files, &args::command_names()));
    problems.extend(lints::check(&files));
    problems.extend(licences::check(&dependencies, &files));
    problems.extend(purity::check(&files));
    problems.sort();
    problems.dedup();
    for problem in &problems {
        println!("{problem}");
    }
    if verbose {
        for remark in lengths::remarks(&files) {
            println!("{remark} (allowed)");
        }
    }
    summarise(&problems, files.len())
}

fn summarise(problems: &[Problem], file_count: usize) -> Result<()> {
    match problems.len() {
        0 => println!("tidy: no problems in {file_count} files"),
        1 => bail!("tidy found 1 problem in {file_count} files"),
        count => bail!("tidy found {count} problems in {file_count} files"),
    }
    Ok(())
}
