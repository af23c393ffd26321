//! What goes wrong in a simulation.

use super::super::scenario::Fault;
use super::{STOP_MS, ScheduledEvent, World};

impl World {
    pub(super) fn fault(&mut self, fault: Fault) {
        self.note(format_args!("{fault:?}"));
        let now_ms = self.now_ms;
        let until_ms = now_ms + duration_ms(fault);
        if !matches!(fault, Fault::Disconnect { .. }) {
            self.laws.faults.push((now_ms, until_ms));
        }
        match fault {
            Fault::Kill { slot, down_ms, is_silent } => {
                self.kill(slot, is_silent);
                self.after(down_ms, ScheduledEvent::Start { slot });
            }
            Fault::KillAll { down_ms } => {
                for slot in 0..self.slots.len() {
                    self.kill(slot, false);
                    let after_ms = down_ms + self.dice.below(400);
                    self.after(after_ms, ScheduledEvent::Start { slot });
                }
            }
            Fault::Restart { slot, down_ms } => {
                let run = self.slots[slot].run;
                if let Some(node) = self.slots[slot].node.as_mut().filter(|node| node.is_ready()) {
                    node.stop();
                    self.slots[slot].is_due = true;
                    self.after(STOP_MS, ScheduledEvent::Stopped { run });
                    self.after(STOP_MS + down_ms, ScheduledEvent::Start { slot });
                }
            }
            Fault::Pause { slot, ms } => self.pause(slot, ms),
            Fault::CutBus { slot, ms, is_noticed } => {
                self.slots[slot].cut_until_ms = until_ms;
                let run = self.slots[slot].run;
                if let Some(exchange) =
                    self.slots[slot].node.as_ref().and_then(|node| node.exchange.as_ref())
                    && is_noticed
                {
                    exchange.connected_since.send_replace(None);
                }
                self.after(ms, ScheduledEvent::BusBack { run });
            }
            Fault::Store { slot, kind, .. } => self.database_faults.push((slot, kind, until_ms)),
            Fault::Disconnect { player, is_silent } => self.hang_up(player, is_silent),
        }
    }

    pub(super) fn pause(&mut self, slot: usize, ms: u64) {
        let (now_ms, run) = (self.now_ms, self.slots[slot].run);
        let Some(node) = &mut self.slots[slot].node else { return };
        if node.paused_until_ms.is_some() {
            return;
        }
        node.sync(now_ms);
        node.paused_until_ms = Some(now_ms + ms);
        let pauses = if ms >= 1_000 { &mut self.laws.stalls } else { &mut self.laws.hiccups };
        pauses.push((run, (now_ms, now_ms + ms)));
        self.after(ms, ScheduledEvent::Resume { run });
    }
}

fn duration_ms(fault: Fault) -> u64 {
    match fault {
        Fault::Kill { down_ms, .. } | Fault::KillAll { down_ms } => down_ms + 21_000,
        Fault::Restart { down_ms, .. } => down_ms + STOP_MS + 21_000,
        Fault::Pause { ms, .. } | Fault::CutBus { ms, .. } | Fault::Store { ms, .. } => ms + 5_000,
        Fault::Disconnect { .. } => 0,
    }
}
