//! The database of a simulation: when a request is carried out, and with what outcome.

use castellan_store::StoreError;

use super::super::scenario::DatabaseFault;
use super::super::store::{Request, RequestOutcome, uncertain};
use super::{ScheduledEvent, World};

impl World {
    pub(super) fn take_requests(&mut self) {
        for request in self.requests.take() {
            let slot = self.slots.iter().position(|slot| slot.run == request.run);
            let fault = self.database_fault(slot);
            let (mut takes_ms, outcome) = self.outcome_of(&request, fault);
            if let Some(slot) = slot
                && request.is_write
            {
                let at = &mut self.slots[slot];
                at.written_ms = at.written_ms.max(self.now_ms + takes_ms);
                takes_ms = at.written_ms - self.now_ms;
            }
            self.after(takes_ms, ScheduledEvent::Apply(request, outcome));
        }
    }

    pub(super) fn database_fault(&self, slot: Option<usize>) -> Option<DatabaseFault> {
        let concerns = |of: Option<usize>| of.is_none() || of == slot;
        let mut now =
            self.database_faults.iter().filter(|(_, _, until_ms)| self.now_ms < *until_ms);
        now.find(|(of, ..)| concerns(*of)).map(|(_, fault, _)| *fault)
    }

    /// Decides how long a request takes until it is carried out, and its outcome.
    pub(super) fn outcome_of(
        &self,
        request: &Request,
        fault: Option<DatabaseFault>,
    ) -> (u64, RequestOutcome) {
        let quick_ms = self.dice.between(1, 12);
        let unavailable = || StoreError::Unavailable { why: "simulated".to_owned() };
        match fault {
            Some(DatabaseFault::Slow) => (self.dice.between(200, 5_000), RequestOutcome::Done),
            Some(DatabaseFault::Away) => {
                (self.dice.between(1, 5_000), RequestOutcome::Failed(unavailable()))
            }
            Some(DatabaseFault::Uncertain) if request.is_write => match self.dice.below(3) {
                0 => (self.dice.between(1, 2_000), RequestOutcome::DoneButUncertain),
                1 => (self.dice.between(1, 2_000), RequestOutcome::Failed(uncertain())),
                _ => (quick_ms, RequestOutcome::Done),
            },
            Some(DatabaseFault::Full) if request.is_write => {
                (quick_ms, RequestOutcome::Failed(StoreError::DiskFull))
            }
            Some(DatabaseFault::Uncertain | DatabaseFault::Full) | None => {
                (quick_ms, RequestOutcome::Done)
            }
        }
    }

    pub(super) fn apply(&mut self, request: Request, outcome: RequestOutcome) {
        let (run, is_write) = (request.run, request.is_write);
        let answer = request.apply(&mut self.tables, outcome, self.now_ms);
        if is_write {
            self.note(format_args!("run {run} has written"));
            self.laws.stored(&self.tables, &self.players, self.now_ms);
        }
        let after_ms = self.dice.between(0, 3);
        self.after(after_ms, ScheduledEvent::Answer { run, answer });
    }
}
