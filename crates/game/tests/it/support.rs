//! A table to play at: a game, its record, and a clock that the test turns.

use std::time::Duration;

use castellan_game::{
    Actor, ClockStart, Command, End, Event, Game, Moment, Player, PlayerId, Recorded, Refusal,
    Settings, TimeControl,
};
use castellan_rules::{Color, Position, UciMove};

pub(crate) const WHITE: Actor = Actor::Player(PlayerId(1));
pub(crate) const BLACK: Actor = Actor::Player(PlayerId(2));
pub(crate) const UNSEATED: Actor = Actor::Player(PlayerId(3));
pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// When the clocks of [`Table::timed`] begin to run.
pub(crate) const BEGIN: u64 = 1_000_000;

pub(crate) struct Table {
    pub(crate) game: Game,
    pub(crate) record: Vec<Recorded>,
    pub(crate) now: u64,
}

pub(crate) fn settings(fen: &str, time_control: TimeControl) -> Settings {
    Settings {
        start: Position::from_fen(fen).expect(fen),
        is_chess960: false,
        time_control,
        clock_start: ClockStart::Game,
        is_rated: false,
        is_touch_move: false,
        allows_takeback: true,
    }
}

pub(crate) fn player(id: u64) -> Player {
    Player { id: PlayerId(id), name: format!("player {id}"), rating: None }
}

pub(crate) fn uci(text: &str) -> UciMove {
    UciMove::parse(text).expect(text)
}

/// A move for a ply, with no time on the wire.
pub(crate) fn move_at(ply: u32, text: &str) -> Command {
    Command::Move { ply, mv: uci(text), lag: Duration::ZERO }
}

impl Table {
    /// A game with these settings and empty seats.
    pub(crate) fn empty(settings: Settings) -> Table {
        let game = Game::new(settings, Moment::from_millis(BEGIN));
        Table { game, record: Vec::new(), now: BEGIN }
    }

    /// A game that has begun.
    pub(crate) fn with(settings: Settings) -> Table {
        let mut table = Table::empty(settings);
        for (color, id) in [(Color::White, 1), (Color::Black, 2)] {
            table.act(Actor::Server, Command::Seat { color, player: player(id) });
        }
        table
    }

    /// A game without clocks from a position.
    pub(crate) fn untimed(fen: &str) -> Table {
        Table::with(settings(fen, TimeControl::Unlimited {}))
    }

    /// A game from the start with so much time and so much more per move.
    pub(crate) fn timed(initial_ms: u32, increment_ms: u32) -> Table {
        Table::with(settings(START, TimeControl::Increment { initial_ms, increment_ms }))
    }

    /// A game from a position in which touched pieces count.
    pub(crate) fn touch_move(fen: &str) -> Table {
        let settings = settings(fen, TimeControl::Unlimited {});
        Table::with(Settings { is_touch_move: true, ..settings })
    }

    /// What a command leads to, which is then recorded.
    pub(crate) fn try_act(&mut self, by: Actor, command: &Command) -> Result<Vec<Event>, Refusal> {
        let now = Moment::from_millis(self.now);
        let events = self.game.decide(by, command, now)?;
        for recorded in self.game.record(events.clone(), now) {
            self.game.evolve(&recorded).expect("what is decided can happen");
            self.record.push(recorded);
        }
        Ok(events)
    }

    /// What a command leads to, which is not refused.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "tests write commands down in place")]
    pub(crate) fn act(&mut self, by: Actor, command: Command) -> Vec<Event> {
        self.try_act(by, &command).unwrap_or_else(|refusal| panic!("{command:?}: {refusal}"))
    }

    /// A command that is refused, and why.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "tests write commands down in place")]
    pub(crate) fn refused(&mut self, by: Actor, command: Command) -> Refusal {
        let before = self.game.clone();
        let refusal = self.try_act(by, &command).expect_err("it should be refused");
        assert_eq!(self.game, before);
        refusal
    }

    /// Who is to move.
    pub(crate) fn mover(&self) -> Actor {
        self.game.line().turn().fold(WHITE, BLACK)
    }

    /// Plays moves, each by the player to move.
    #[track_caller]
    pub(crate) fn play(&mut self, moves: &str) -> &mut Table {
        for text in moves.split_whitespace() {
            let events = self.act(self.mover(), move_at(self.game.ply(), text));
            assert!(matches!(events[0], Event::Moved { .. }), "{text}: {events:?}");
        }
        self
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, ms: u64) -> &mut Table {
        self.now += ms;
        self
    }

    /// Returns what a player's clock shows.
    pub(crate) fn left(&self, color: Color) -> u64 {
        let clocks = self.game.clocks(Moment::from_millis(self.now));
        clocks.of(color).remaining_ms.expect("the clock counts down")
    }

    #[track_caller]
    pub(crate) fn end(&self) -> End {
        self.game.end().expect("the game is over")
    }

    #[track_caller]
    pub(crate) fn assert_score(&self, score: &str, words: &str) {
        assert_eq!((self.end().score(), self.end().to_string().as_str()), (score, words));
    }
}
