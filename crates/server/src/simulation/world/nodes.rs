//! The nodes of a simulation: their starts, their ends, and their runs in between.

use super::super::node::{Node, NodeSetup};
use super::{ScheduledEvent, World};

impl World {
    pub(super) fn start(&mut self, slot: usize) {
        if self.slots[slot].node.is_some() {
            return;
        }
        // A server that does not share its database waits for the lock of the one before it, which
        // the database keeps until the last write is carried out.
        let written_ms = self.slots[slot].written_ms;
        if self.slots.len() == 1 && self.now_ms < written_ms {
            return self.after(written_ms - self.now_ms, ScheduledEvent::Start { slot });
        }
        self.runs += 1;
        let (run, ahead_ms) = (self.runs, self.slots[slot].ahead_ms);
        let beat = (self.scenario.nodes.len() > 1).then_some(self.scenario.beat);
        let setup = NodeSetup { beat, ahead_ms, seed: self.dice.number() };
        let node = Node::start(setup, &self.requests, run, self.now_ms);
        let at = &mut self.slots[slot];
        (at.node, at.run, at.written_ms, at.is_due) = (Some(node), run, self.now_ms, true);
        self.note(format_args!("node {slot} starts as run {run}"));
    }

    /// Ends a run as `kill -9` does. `is_silent` if its machine has lost power, so that its clients
    /// do not notice.
    pub(super) fn kill(&mut self, slot: usize, is_silent: bool) {
        if self.slots[slot].node.take().is_none() {
            return;
        }
        let run = self.slots[slot].run;
        self.note(format_args!("run {run} is gone"));
        self.laws.deaths.insert(run, self.now_ms);
        for link in self.open.clone() {
            let end = self.links[link].end;
            if end.run == run {
                let player = self.links[link].player;
                if self.players.links[player] == Some(end) {
                    self.laws.orphans.lost(player, end, self.now_ms);
                }
                self.close_link(link);
                if !is_silent {
                    let after_ms = self.dice.between(5, 100);
                    self.after(after_ms, ScheduledEvent::Lost { link });
                }
            }
        }
        self.note_down();
    }

    /// Records whether any node accepts connections.
    pub(super) fn note_down(&mut self) {
        let is_up = self.slots.iter().any(|slot| slot.node.as_ref().is_some_and(Node::is_ready));
        let is_down = self.laws.down.last().is_some_and(|(_, to)| *to == u64::MAX);
        match (is_up, is_down) {
            (true, true) => {
                let now_ms = self.now_ms;
                self.laws.down.last_mut().into_iter().for_each(|period| period.1 = now_ms);
            }
            (false, false) => self.laws.down.push((self.now_ms, u64::MAX)),
            _ => {}
        }
    }

    /// Runs a node until it waits, and takes what it has sent.
    pub(super) fn run_node(&mut self, slot: usize) {
        let now_ms = self.now_ms;
        let Some(node) = &mut self.slots[slot].node else { return };
        if node.paused_until_ms.is_some() {
            return;
        }
        let was_ready = node.is_ready();
        node.sync(now_ms);
        node.run();
        let (is_ready, failure) = (node.is_ready(), node.failure());
        let has_stopped = node.is_stopping && node.has_stopped();
        self.carry_bus(slot);
        self.carry_links(slot);
        self.take_requests();
        if let Some(error) = failure {
            self.note(format_args!("node {slot} did not start: {error}"));
            self.kill(slot, false);
            self.after(1_000, ScheduledEvent::Start { slot });
        }
        if has_stopped {
            self.kill(slot, false);
        }
        if is_ready != was_ready {
            self.note_down();
        }
    }

    pub(super) fn resume(&mut self, run: usize) {
        let Some(slot) = self.slot_of(run) else { return };
        let now_ms = self.now_ms;
        if let Some(node) = &mut self.slots[slot].node {
            node.resume(now_ms);
            self.slots[slot].is_due = true;
        }
        self.note(format_args!("run {run} continues"));
    }

    pub(super) fn stopped(&mut self, run: usize) {
        if let Some(slot) = self.slot_of(run) {
            self.kill(slot, false);
        }
    }
}
