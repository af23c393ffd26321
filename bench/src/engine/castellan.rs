//! Castellan's engine, in this process.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use castellan_engine::{Engine, Limits, Options, Signals, embedded_network};
use castellan_rules::{Line, Position};

use crate::contest::Timing;

/// Our engine. It is cleared before each search.
pub(super) struct OurEngine(Engine);

impl OurEngine {
    pub(super) fn new(hash_mb: usize, threads: usize) -> OurEngine {
        let mut engine = Engine::new(Options { hash_mb, threads });
        engine.set_network(embedded_network());
        OurEngine(engine)
    }

    pub(super) fn for_nodes(&mut self, position: &Position, nodes: u64) -> Result<Timing> {
        let sample = self.search(position, &Limits { nodes: Some(nodes), ..Limits::default() });
        // A search may use fewer nodes, for example after finding a forced mate, but never more.
        let fen = position.to_fen();
        ensure!(
            sample.units <= nodes,
            "{fen}: searched {} nodes, more than the limit",
            sample.units
        );
        Ok(sample)
    }

    pub(super) fn for_time(&mut self, position: &Position, time_ms: u64) -> Result<Timing> {
        let move_time = Some(Duration::from_millis(time_ms));
        let sample = self.search(position, &Limits { move_time, ..Limits::default() });
        ensure!(sample.units > 0, "{}: no nodes were searched", position.to_fen());
        Ok(sample)
    }

    fn search(&mut self, position: &Position, limits: &Limits) -> Timing {
        self.0.clear();
        let line = Line::new(*position);
        let start = Instant::now();
        let clock = || start.elapsed();
        let answer = self.0.go(&line, limits, &clock, &Signals::default(), &mut |_| {});
        Timing { units: answer.nodes, time: start.elapsed() }
    }
}
