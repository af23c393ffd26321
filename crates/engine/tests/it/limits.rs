//! A search ends when it must and searches only the moves it is asked to.

use core::time::Duration;
use std::sync::atomic::{AtomicU64, Ordering};

use castellan_engine::{Engine, Limits, Options, Report, Signals, TimeLeft};
use castellan_rules::{Line, Position};

use crate::support::{line, new_engine, search};

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";

#[test]
fn a_node_limit_is_kept() {
    for nodes in [1, 100, 5000, 60_000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let answer = search(&mut new_engine(), &line(MIDDLEGAME, ""), &limits);
        assert!(answer.mv.is_some());
        // The first iteration is always finished.
        assert!(answer.nodes <= nodes.max(2000) + 1, "{nodes} {}", answer.nodes);
    }
}

#[test]
fn a_soft_node_limit_ends_a_search_after_the_iteration_that_reaches_it() {
    let line = line(MIDDLEGAME, "");
    for soft in [1, 300, 5000] {
        let mut nodes = Vec::new();
        let mut sink = |report: &Report| nodes.push(report.nodes);
        let limits = Limits { soft_nodes: Some(soft), ..Limits::default() };
        let clock = || Duration::ZERO;
        let answer = new_engine().go(&line, &limits, &clock, &Signals::default(), &mut sink);
        let (last, before) = nodes.split_last().unwrap();
        assert!(*last >= soft && before.iter().all(|&nodes| nodes < soft), "{soft} {nodes:?}");
        assert_eq!(answer.nodes, *last);
    }
}

#[test]
fn the_same_search_gives_the_same_answer() {
    let limits = Limits { nodes: Some(30_000), ..Limits::default() };
    let mut engine = new_engine();
    let first = search(&mut engine, &line(MIDDLEGAME, ""), &limits);
    engine.clear();
    assert_eq!(search(&mut engine, &line(MIDDLEGAME, ""), &limits), first);
}

#[test]
fn a_search_that_is_stopped_before_it_begins_still_has_a_move() {
    for threads in [1, 3] {
        let mut engine = Engine::new(Options { hash_mb: 1, threads });
        let signals = Signals::default();
        signals.stop.store(true, Ordering::Relaxed);
        let line = line(MIDDLEGAME, "");
        let clock = || Duration::ZERO;
        let answer = engine.go(&line, &Limits::default(), &clock, &signals, &mut |_| {});
        assert!(answer.mv.is_some_and(|mv| line.position().is_legal(mv)));
        assert!(answer.nodes < 5000);
    }
}

/// A clock that advances by a fixed step on every reading.
fn ticking(step: Duration) -> impl Fn() -> Duration + Sync {
    let ticks = AtomicU64::new(0);
    move || step * ticks.fetch_add(1, Ordering::Relaxed) as u32
}

#[test]
fn time_limits_end_a_search() {
    let second = Duration::from_secs(1);
    let clock = TimeLeft { remaining: second * 10, increment: Duration::ZERO };
    for limits in [
        Limits { move_time: Some(second), ..Limits::default() },
        Limits { clocks: [Some(clock); 2], ..Limits::default() },
        Limits { clocks: [Some(clock); 2], moves_to_go: Some(3), ..Limits::default() },
    ] {
        let clock = ticking(Duration::from_millis(20));
        let answer = new_engine().go(
            &line(MIDDLEGAME, ""),
            &limits,
            &clock,
            &Signals::default(),
            &mut |_| {},
        );
        assert!(answer.mv.is_some());
        assert!(clock() < second * 6);
    }
}

#[test]
fn no_clock_counts_while_pondering() {
    let signals = Signals::default();
    signals.pondering.store(true, Ordering::Relaxed);
    let clock = TimeLeft { remaining: Duration::from_secs(1), increment: Duration::ZERO };
    let limits = Limits { clocks: [Some(clock); 2], depth: Some(9), ..Limits::default() };
    let mut depth = 0;
    let clock = ticking(Duration::from_secs(5));
    let mut sink = |report: &Report| depth = report.depth;
    new_engine().go(&line(MIDDLEGAME, ""), &limits, &clock, &signals, &mut sink);
    assert_eq!(depth, 9);
}

#[test]
fn only_the_named_moves_are_looked_at() {
    let line = line(MIDDLEGAME, "");
    for &mv in line.position().legal_moves().iter().step_by(7) {
        let limits = Limits { depth: Some(5), moves: vec![mv], ..Limits::default() };
        assert_eq!(search(&mut new_engine(), &line, &limits).mv, Some(mv));
    }
}

#[test]
fn several_lines_are_different_and_sorted() {
    let line = line(MIDDLEGAME, "");
    let limits = Limits { depth: Some(7), lines: 4, ..Limits::default() };
    let mut reports: Vec<Report> = Vec::new();
    let mut sink = |report: &Report| reports.push(report.clone());
    let clock = || Duration::ZERO;
    new_engine().go(&line, &limits, &clock, &Signals::default(), &mut sink);
    let last: Vec<_> = reports.iter().filter(|report| report.depth == 7).collect();
    assert_eq!(last.iter().map(|report| report.rank).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for pair in last.windows(2) {
        assert_ne!(pair[0].line[0], pair[1].line[0]);
        let values = [pair[0], pair[1]].map(|report| match report.score {
            castellan_engine::Score::Centipawns(value) => value,
            castellan_engine::Score::Mate(_) => panic!("no side is mated here"),
        });
        assert!(values[0] >= values[1], "{values:?}");
    }
}

#[test]
fn every_reported_line_can_be_played() {
    let mut reports: Vec<Report> = Vec::new();
    let mut sink = |report: &Report| reports.push(report.clone());
    let limits = Limits { depth: Some(10), ..Limits::default() };
    let start = Line::new(Position::start());
    let clock = || Duration::ZERO;
    new_engine().go(&start, &limits, &clock, &Signals::default(), &mut sink);
    assert_eq!(reports.len(), 10);
    for report in reports {
        let mut line = start.clone();
        for mv in report.line {
            line.play(mv).unwrap();
        }
    }
}

/// Wherever a search is cut off, its last report of the best line begins with the move it answers,
/// and the last reports of all lines begin with different moves.
#[test]
fn the_last_reports_name_the_answer_and_other_moves() {
    for (nodes, lines) in (1..=60).flat_map(|step| [(1500 * step, 1), (1500 * step, 3)]) {
        let limits = Limits { nodes: Some(nodes), lines, ..Limits::default() };
        let mut last = vec![None; lines];
        let mut sink = |report: &Report| last[report.rank - 1] = Some(report.line[0]);
        let signals = Signals::default();
        let line = line(MIDDLEGAME, "");
        let answer = new_engine().go(&line, &limits, &|| Duration::ZERO, &signals, &mut sink);
        assert_eq!(last[0], answer.mv, "{nodes} {lines}");
        for rank in 1..lines {
            assert!(!last[..rank].contains(&last[rank]), "{nodes} {last:?}");
        }
    }
}

#[test]
fn a_wanted_mate_ends_the_search() {
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let answer = search(&mut new_engine(), &line("k7/8/2K5/8/8/8/8/7Q w - - 0 1", ""), &limits);
    assert!(matches!(answer.score, castellan_engine::Score::Mate(1..=2)));
}

#[test]
fn several_threads_agree_on_a_mate() {
    let mut engine = Engine::new(Options { hash_mb: 4, threads: 4 });
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let answer = search(&mut engine, &line("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", ""), &limits);
    assert_eq!(answer.score, castellan_engine::Score::Mate(1));
}
