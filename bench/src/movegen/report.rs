//! Prints the results, for people and for programs.

use std::time::Duration;

use super::What;
use super::measure::{Achievement, Workload};

/// Prints a table to standard error, with a column for each contestant, a row for all workloads
/// together and, if `verbose`, a row for each workload before it.
pub(crate) fn print_table(
    what: What,
    workloads: &[Workload],
    results: &[Achievement],
    verbose: bool,
) {
    let unit = if what == What::Fen { "ns each" } else { "Mnps" };
    eprintln!("{:<16}{}", format!("{what} ({unit})"), header(results));
    if verbose {
        for (index, workload) in workloads.iter().enumerate() {
            let figures = row(results, |result| speed(what, workload.units, result.best[index]));
            eprintln!("{:<16}{figures}", workload.name);
        }
    }
    let units = workloads.iter().map(|workload| workload.units).sum();
    eprintln!("{:<16}{}", "all", row(results, |result| speed(what, units, result.total())));
    eprintln!();
}

/// Returns, for each of the other contestants, a line that says how many times as fast the first
/// one is.
pub(crate) fn ratio_lines(what: What, results: &[Achievement]) -> Vec<String> {
    let Some((ours, peers)) = results.split_first() else {
        return Vec::new();
    };
    let ours = ours.total().as_secs_f64();
    peers
        .iter()
        .map(|peer| {
            let ratio = peer.total().as_secs_f64() / ours;
            format!("ratio {what} {} {ratio:.2}", peer.contestant)
        })
        .collect()
}

fn header(results: &[Achievement]) -> String {
    results.iter().map(|result| format!("{:>12}", result.contestant)).collect()
}

fn row(results: &[Achievement], figure: impl Fn(&Achievement) -> f64) -> String {
    results.iter().map(|result| format!("{:>12.1}", figure(result))).collect()
}

/// Returns the speed in its customary unit: million leaves per second, or nanoseconds per FEN.
fn speed(what: What, units: u64, time: Duration) -> f64 {
    let (units, seconds) = (units as f64, time.as_secs_f64());
    match what {
        What::Fen => seconds * 1e9 / units,
        What::Count | What::List | What::Make => units / seconds / 1e6,
    }
}
