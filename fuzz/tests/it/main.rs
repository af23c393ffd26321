//! Tests the driver as a program: everything follows from the seed, with any number of threads.

use std::process::{Command, Output};

fn fuzz(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_castellan-fuzz")).args(args).output().expect("it starts")
}

/// Returns the lines of the summary, sorted and without the times.
fn summary(output: &Output) -> Vec<String> {
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
    assert_eq!(summary(&one), summary(&two));
    assert!(
        summary(&one).iter().filter(|line| line.ends_with("200 random")).count() >= 8,
        "{one:?}"
    );
}

#[test]
fn an_unknown_target_is_refused_with_the_list() {
    let refused = fuzz(&["--target", "nonsense"]);
    assert!(!refused.status.success());
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(stderr.contains("nonsense") && stderr.contains("uci_move"), "{stderr}");
}
