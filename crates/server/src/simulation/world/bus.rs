//! The bus of a simulation, which loses, delays and repeats messages.

use super::super::node::Node;
use super::{ScheduledEvent, World};

impl World {
    pub(super) fn carry_bus(&mut self, slot: usize) {
        let mut sent = Vec::new();
        if let Some(exchange) = self.slots[slot].node.as_mut().and_then(|it| it.exchange.as_mut()) {
            while let Ok(bytes) = exchange.outgoing.try_recv() {
                sent.push(bytes);
            }
        }
        for bytes in sent {
            if self.now_ms < self.slots[slot].cut_until_ms {
                continue;
            }
            for other in (0..self.slots.len()).filter(|other| *other != slot) {
                self.publish(slot, other, &bytes);
            }
        }
    }

    pub(super) fn publish(&mut self, by: usize, to: usize, bytes: &[u8]) {
        let from = (self.slots[by].run, self.now_ms);
        let quality = self.scenario.bus;
        let is_calm = self.now_ms >= self.scenario.calm_ms;
        let copies = 1 + u64::from(self.dice.chance(quality.twice));
        for _ in 0..copies {
            if self.dice.chance(quality.lost) && !is_calm {
                continue;
            }
            let is_late = self.dice.chance(quality.late) && !is_calm;
            let after_ms = self.dice.between(1, if is_late { 4_000 } else { 4 });
            let (run, bytes) = (self.slots[to].run, bytes.to_vec());
            self.after(after_ms, ScheduledEvent::Bus { from, run, bytes });
        }
    }

    pub(super) fn bring(&mut self, (from, sent_ms): (usize, u64), run: usize, bytes: &[u8]) {
        let Some(slot) = self.slot_of(run) else { return };
        if self.now_ms < self.slots[slot].cut_until_ms {
            return;
        }
        self.note(format_args!("run {run} hears {}", String::from_utf8_lossy(bytes)));
        if let Some(exchange) = self.slots[slot].node.as_ref().and_then(|it| it.exchange.as_ref()) {
            exchange.inbox_sender.arrived(bytes);
        }
        // A node that is starting does not listen yet.
        if self.slots[slot].node.as_ref().is_some_and(Node::is_ready) {
            self.laws.orphans.heard((run, from), bytes, (sent_ms, self.now_ms));
        }
        self.slots[slot].is_due = true;
    }

    pub(super) fn bus_back(&mut self, run: usize) {
        let Some(slot) = self.slot_of(run) else { return };
        let now_ms = self.now_ms;
        let Some(node) = &mut self.slots[slot].node else { return };
        if node.paused_until_ms.is_none() {
            node.sync(now_ms);
        }
        let now = node.clock_now();
        if let Some(exchange) = &node.exchange {
            exchange.connected_since.send_if_modified(|since| {
                let is_back = since.is_none();
                *since = since.or(Some(now));
                is_back
            });
        }
    }
}
