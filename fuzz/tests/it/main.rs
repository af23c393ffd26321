//! Tests the driver as a program: everything follows from the seed, with any number of threads.

use std::process::{Command, Output};

fn fuzz(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_castellan-fuzz")).args(args).output().expect("it starts")
}

/// Returns what was done, in any order and without the time it took.
fn done(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| line.split(" in ").next().unwrap_or(line).to_owned());
    let mut lines: Vec<String> = lines.collect();
    lines.sort_unstable();
    lines
}

#[test]
fn two_threads_do_what_one_does() {
    let one = fuzz(&["--seed", "7", "--executions", "200"]);
    assert!(one.status.success(), "{one:?}");
    let two = fuzz(&["--seed", "7", "--executions", "200", "--threads", "2"]);
    assert!(two.status.success(), "{two:?}");
    assert_eq!(done(&one), done(&two));
    assert!(done(&one).iter().filter(|line| line.ends_with("200 random")).count() >= 8, "{one:?}");
}

#[test]
fn a_target_that_is_not_there_is_refused_with_the_list() {
    let refused = fuzz(&["--target", "nonsense"]);
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("nonsense") && said.contains("uci_move"), "{said}");
}
