//! Laws that hold for any sequence of commands by any player at any time.

use std::time::Duration;

use castellan_game::{Actor, Command, Event, Game, Moment, Proposal, Recorded, Settings};
use castellan_rules::{CastlingSpelling, Color, UciMove};
use proptest::prelude::*;

use crate::json::any_event;
use crate::ledger::Ledger;
use crate::support::player;
use crate::tries::{ACTORS, Step, any_seats, any_settings, any_step, meant};

/// A game under test, with everything that happened in it.
struct Trial {
    settings: Settings,
    game: Game,
    record: Vec<Recorded>,
    ledger: Ledger,
    now: Moment,
}

const CREATED: Moment = Moment::from_millis(50_000);

impl Trial {
    fn new(settings: Settings) -> Trial {
        let game = Game::new(settings.clone(), CREATED);
        let ledger = Ledger::new(&settings);
        Trial { settings, game, record: Vec::new(), ledger, now: CREATED }
    }

    fn act(&mut self, by: Actor, command: &Command) -> Result<(), TestCaseError> {
        let was_over = self.game.end().is_some();
        let is_outsider = !matches!(command, Command::Seat { .. })
            && matches!(by, Actor::Player(id) if !self.game.seats().is_seated(id));
        let Ok(events) = self.game.decide(by, command, self.now) else {
            return Ok(());
        };
        prop_assert!(!is_outsider, "who has no seat is refused");
        let is_rematch = matches!(
            command,
            Command::Offer(Proposal::Rematch)
                | Command::Accept(Proposal::Rematch)
                | Command::Decline(Proposal::Rematch)
        );
        prop_assert!(!was_over || is_rematch || events.is_empty(), "after the end: {:?}", events);
        let lag_ms = match command {
            Command::Move { lag, .. } | Command::Claim { lag, .. } => lag.as_millis() as u64,
            _ => 0,
        };
        for recorded in self.game.record(events, self.now) {
            prop_assert_eq!(recorded.version as usize, self.record.len() + 1);
            let evolved = self.game.evolve(&recorded);
            prop_assert!(evolved.is_ok(), "{:?}: {:?}", recorded, evolved);
            self.ledger.book(&recorded, lag_ms, self.now)?;
            self.record.push(recorded);
        }
        Ok(())
    }

    fn run(&mut self, seats: [u64; 2], steps: &[Step]) -> Result<(), TestCaseError> {
        for (color, id) in Color::ALL.into_iter().zip(seats) {
            self.act(Actor::Server, &Command::Seat { color, player: player(id) })?;
        }
        for step in steps {
            let now = self.now.as_millis().saturating_add_signed(step.passed_ms);
            self.now = Moment::from_millis(now);
            if let Some((by, command)) = meant(&self.game, step) {
                self.act(by, &command)?;
            }
            self.ledger.compare(&self.game, self.now)?;
            self.flags_fall_when_nothing_can_save_them()?;
        }
        Ok(())
    }

    /// A flag is accepted exactly from the deadline on, which is when no move is in time, however
    /// long it was on the wire.
    fn flags_fall_when_nothing_can_save_them(&self) -> Result<(), TestCaseError> {
        let now = self.now.max(self.game.last_at());
        let flag = self.game.decide(Actor::Server, &Command::Flag, now);
        let is_up = self.game.deadline().is_some_and(|deadline| deadline <= now);
        prop_assert_eq!(flag.is_ok(), is_up);
        let mover = self.game.seats().get(self.game.line().turn());
        let (Some(mover), Some(&mv)) = (mover, self.game.allowed_moves().first()) else {
            return Ok(());
        };
        let mv = UciMove::from_move(mv, CastlingSpelling::KingTakesRook);
        let command = Command::Move { ply: self.game.ply(), mv, lag: Duration::MAX };
        let moved = self.game.decide(Actor::Player(mover.id), &command, now);
        let events = moved.map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        prop_assert_eq!(matches!(events[0], Event::Ended(_)), is_up);
        Ok(())
    }
}

fn is_about_rematch(event: &Event) -> bool {
    matches!(
        event,
        Event::RematchAgreed {}
            | Event::Offered { what: Proposal::Rematch, .. }
            | Event::Declined { what: Proposal::Rematch, .. }
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn deductions_are_server_time_less_compensation(
        settings in any_settings(),
        seats in any_seats(),
        steps in proptest::collection::vec(any_step(), 0..80),
    ) {
        Trial::new(settings).run(seats, &steps)?;
    }

    #[test]
    fn replaying_the_record_gives_the_same_game(
        settings in any_settings(),
        seats in any_seats(),
        steps in proptest::collection::vec(any_step(), 0..60),
    ) {
        let mut trial = Trial::new(settings);
        trial.run(seats, &steps)?;
        let text = serde_json::to_string(&(&trial.settings, &trial.record)).unwrap();
        let (settings, record): (Settings, Vec<Recorded>) = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&record, &trial.record);
        let replayed = Game::replay(settings, CREATED, &record).unwrap();
        prop_assert_eq!(replayed, trial.game);
    }

    #[test]
    fn a_repeated_move_is_harmless_and_another_one_stale(
        settings in any_settings(),
        steps in proptest::collection::vec(any_step(), 0..60),
        choice: usize,
    ) {
        let mut trial = Trial::new(settings);
        trial.run([1, 2], &steps)?;
        let game = &trial.game;
        for (ply, (&mv, position)) in
            game.line().moves().iter().zip(game.line().positions()).enumerate()
        {
            let by = position.turn().fold(ACTORS[0], ACTORS[1]);
            let other = position.turn().fold(ACTORS[1], ACTORS[0]);
            let again = |mv| Command::Move {
                ply: ply as u32,
                mv: UciMove::from_move(mv, CastlingSpelling::KingTwoSquares),
                lag: Duration::ZERO,
            };
            prop_assert_eq!(game.decide(by, &again(mv), trial.now), Ok(vec![]));
            prop_assert!(game.decide(other, &again(mv), trial.now).is_err());
            let moves = position.legal_moves();
            let another = moves[choice % moves.len()];
            if another != mv {
                let refusal = game.decide(by, &again(another), trial.now).unwrap_err();
                prop_assert!(["stale", "over"].contains(&refusal.code()));
            }
        }
    }

    #[test]
    fn impossible_events_change_nothing(
        settings in any_settings(),
        steps in proptest::collection::vec(any_step(), 0..40),
        events in proptest::collection::vec(any_event(), 20),
        version_off in -1..2_i32,
        at_off in -2_000..2_000_i64,
    ) {
        let mut trial = Trial::new(settings);
        trial.run([1, 2], &steps)?;
        let happened = trial.record.iter().map(|recorded| recorded.event.clone());
        let version = (trial.game.version() + 1).saturating_add_signed(version_off);
        let at = trial.game.last_at().as_millis().saturating_add_signed(at_off);
        let at = Moment::from_millis(at);
        for event in events.into_iter().chain(happened) {
            let mut game = trial.game.clone();
            let recorded = Recorded { version, at, event };
            if game.evolve(&recorded).is_err() {
                prop_assert_eq!(&game, &trial.game);
                continue;
            }
            prop_assert!(version_off == 0 && at_off >= 0);
            prop_assert_eq!(game.version(), version);
            let is_over = trial.game.end().is_some();
            prop_assert!(!is_over || game.end() == trial.game.end());
            prop_assert!(!is_over || is_about_rematch(&recorded.event), "{:?}", recorded);
        }
    }

    #[test]
    fn every_allowed_move_can_be_made_and_no_other(
        settings in any_settings(),
        steps in proptest::collection::vec(any_step(), 0..40),
    ) {
        let mut trial = Trial::new(Settings { is_touch_move: true, ..settings });
        trial.run([1, 2], &steps)?;
        let game = &trial.game;
        prop_assert_eq!(game.allowed_moves().is_empty(), !game.is_running());
        if !game.is_running() {
            return Ok(());
        }
        let by = game.line().turn().fold(ACTORS[0], ACTORS[1]);
        for &mv in &game.line().position().legal_moves() {
            let is_allowed = game.allowed_moves().contains(&mv);
            let mv = UciMove::from_move(mv, CastlingSpelling::KingTakesRook);
            let command = Command::Move { ply: game.ply(), mv, lag: Duration::MAX };
            match game.decide(by, &command, game.last_at()) {
                Ok(events) => {
                    let is_move = matches!(events[0], Event::Moved { .. });
                    prop_assert!(is_allowed || !is_move);
                }
                Err(refusal) => {
                    prop_assert!(!is_allowed && refusal.code() == "touched_piece");
                }
            }
        }
    }
}
