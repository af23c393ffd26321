//! What the store knows about the current turn: the event that began it, and the time that was
//! credited since. Nodes that compare what they owe in a turn compare it with this.

use castellan_game::{Event, Recorded};

/// The current turn as the store has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TurnRecord {
    /// Version of the event that began the turn; 0 if no turn has begun.
    pub(crate) version: u32,
    /// Time that was credited to the player to move since.
    pub(crate) credited_ms: u64,
}

impl TurnRecord {
    /// Returns the current turn of a game with these events.
    pub(crate) fn of(events: &[Recorded]) -> TurnRecord {
        let mut turn = TurnRecord::default();
        events.iter().for_each(|recorded| turn.apply(recorded));
        turn
    }

    /// Takes the next event of the game into account.
    pub(super) fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            Event::Started {} | Event::Moved { .. } | Event::TakenBack { .. } => {
                *self = TurnRecord { version: recorded.version, credited_ms: 0 };
            }
            Event::Resumed { credited_ms } => {
                self.credited_ms = self.credited_ms.saturating_add(*credited_ms);
            }
            Event::Seated { .. }
            | Event::Touched { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::TimeAdded { .. }
            | Event::Ended(_)
            | Event::RematchAgreed {} => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use castellan_game::Moment;

    use super::*;

    #[test]
    fn credits_add_up_until_the_next_turn() {
        let resumed = |credited_ms| Event::Resumed { credited_ms };
        let events = [Event::Started {}, resumed(500), resumed(700), Event::Started {}, resumed(9)];
        let recorded = |(version, event)| Recorded { version, at: Moment::default(), event };
        let record: Vec<Recorded> = (3..).zip(events).map(recorded).collect();
        assert_eq!(TurnRecord::of(&[]), TurnRecord::default());
        assert_eq!(TurnRecord::of(&record[..3]), TurnRecord { version: 3, credited_ms: 1_200 });
        assert_eq!(TurnRecord::of(&record), TurnRecord { version: 6, credited_ms: 9 });
    }
}
