//! The state of a game and its accessors.
//!
//! This module defines the state; `decide` says what a command leads to and `evolve` applies
//! events. Invariant: the state is a function of the settings and the record. Only a game that a
//! client follows is different: it begins with a `checkpoint`, and its clocks are the server's.

mod checkpoint;
mod decide;
mod draw;
mod evolve;
mod proposals;
mod time;

pub use checkpoint::{Checkpoint, CheckpointError};
pub(crate) use decide::end_of;
pub use time::{GIFT_MS, MAX_GIFTS};

use castellan_rules::{Claims, Color, Line, Move, Square};

use crate::clock::{PlayerClock, Timing};
use crate::offers::Offers;
use crate::touch::TouchConsequences;
use crate::{
    ClockStart, Clocks, End, Event, Moment, Obligation, Proposal, Recorded, ReplayError, Seats,
    Settings,
};

/// Number of plies after which a game is a draw: four times the length of the longest master
/// game. This bounds the size of a record and the cost of replaying it.
pub const MAX_GAME_PLIES: u32 = 2_000;

/// A game with everything that has happened in it.
///
/// ```
/// use castellan_game::{Actor, ClockStart, Command, Game, Moment, Player, PlayerId};
/// use castellan_game::{Settings, TimeControl};
/// use castellan_rules::{Color, Position};
///
/// let settings = Settings {
///     start: Position::start(),
///     is_chess960: false,
///     time_control: TimeControl::Increment { initial_ms: 180_000, increment_ms: 2_000 },
///     clock_start: ClockStart::Game,
///     is_rated: false,
///     is_touch_move: false,
///     allows_takeback: true,
/// };
/// let mut game = Game::new(settings, Moment::from_millis(0));
/// let now = Moment::from_millis(1_000);
/// for (color, id) in [(Color::White, 1), (Color::Black, 2)] {
///     let player = Player { id: PlayerId(id), name: format!("player {id}"), rating: None };
///     let events = game.decide(Actor::Server, &Command::Seat { color, player }, now)?;
///     for recorded in game.record(events, now) {
///         game.evolve(&recorded)?;
///     }
/// }
/// assert!(game.is_started());
/// assert_eq!(game.version(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    settings: Settings,
    line: Line,
    state: State,
}

/// Everything except the settings and the board.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    version: u32,
    last_at: Moment,
    seats: Seats,
    started_at: Option<Moment>,
    /// Stays true after a takeback, so that players cannot abort a game that is already under
    /// way.
    have_both_moved: bool,
    timing: Timing,
    played: Vec<Played>,
    /// The clocks before each ply, to restore them after a takeback.
    clocks_before_ply: Vec<[PlayerClock; 2]>,
    touched: Vec<Square>,
    offers: Offers,
    /// For each color, how often it has given its opponent time.
    gifts: [u32; 2],
    end: Option<End>,
    ended_at: Option<Moment>,
    is_rematch_agreed: bool,
}

/// A move that was played, with its times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move that was played.
    pub mv: Move,
    /// When it was played.
    pub at: Moment,
    /// Time charged for the move, in milliseconds; lag compensation is already subtracted.
    pub spent_ms: u64,
    /// Lag compensation granted, in milliseconds.
    pub compensated_ms: u64,
    /// Time left on the mover's clock after the move; `None` if it does not count down.
    pub remaining_ms: Option<u64>,
}

impl Game {
    /// Creates a game with empty seats.
    pub fn new(settings: Settings, created: Moment) -> Game {
        let state = State {
            version: 0,
            last_at: created,
            seats: Seats::default(),
            started_at: None,
            have_both_moved: false,
            timing: Timing::new(settings.time_control),
            played: Vec::new(),
            clocks_before_ply: Vec::new(),
            touched: Vec::new(),
            offers: Offers::default(),
            gifts: [0; 2],
            end: None,
            ended_at: None,
            is_rematch_agreed: false,
        };
        Game { line: Line::new(settings.start), settings, state }
    }

    /// Rebuilds a game from its complete record.
    pub fn replay(
        settings: Settings,
        created: Moment,
        record: &[Recorded],
    ) -> Result<Game, ReplayError> {
        let mut game = Game::new(settings, created);
        record.iter().try_for_each(|recorded| game.evolve(recorded))?;
        Ok(game)
    }

    /// Gives events their place in the record: consecutive versions, and the time `now` at which
    /// they were decided, or the time of the last event if that is later.
    pub fn record(&self, events: Vec<Event>, now: Moment) -> Vec<Recorded> {
        let at = now.max(self.state.last_at);
        let numbered = (self.state.version + 1..).zip(events);
        numbered.map(|(version, event)| Recorded { version, at, event }).collect()
    }

    /// Returns the settings of the game.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the number of events so far.
    pub fn version(&self) -> u32 {
        self.state.version
    }

    /// Returns when the last event happened, or when the game was created if there is none.
    pub fn last_at(&self) -> Moment {
        self.state.last_at
    }

    /// Returns the moves and positions so far.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// Returns the number of moves so far, which is also the index of the next ply.
    pub fn ply(&self) -> u32 {
        u32::try_from(self.line.moves().len()).expect("a line has at most 20,000 moves")
    }

    /// Returns the moves so far with their times.
    pub fn played(&self) -> &[Played] {
        &self.state.played
    }

    /// Returns the seats and their players.
    pub fn seats(&self) -> &Seats {
        &self.state.seats
    }

    /// Returns `true` once both seats have been taken.
    pub fn is_started(&self) -> bool {
        self.state.started_at.is_some()
    }

    /// Returns when both seats had been taken; `None` before that.
    pub fn started_at(&self) -> Option<Moment> {
        self.state.started_at
    }

    /// Returns when the game ended; `None` if it has not.
    pub fn ended_at(&self) -> Option<Moment> {
        self.state.ended_at
    }

    /// Returns how the game ended; `None` if it has not.
    pub fn end(&self) -> Option<End> {
        self.state.end
    }

    /// Returns `true` if moves can be made: the game has started and is not over.
    pub fn is_running(&self) -> bool {
        self.is_started() && self.state.end.is_none()
    }

    /// Returns the player who has made this proposal and is waiting for a reply.
    pub fn offer(&self, what: Proposal) -> Option<Color> {
        self.state.offers.standing(what)
    }

    /// Returns `true` if the players have agreed on a rematch.
    pub fn is_rematch_agreed(&self) -> bool {
        self.state.is_rematch_agreed
    }

    /// Returns `true` if the game can be aborted: it is not over, and at least one player has not
    /// moved.
    pub fn can_abort(&self) -> bool {
        self.state.end.is_none() && !self.state.have_both_moved
    }

    /// Returns `true` if `color` has a move that the settings allow it to take back. Whether it may
    /// ask for that now is left to [`decide`](Game::decide).
    pub fn can_take_back(&self, color: Color) -> bool {
        let is_allowed = self.settings.allows_takeback && !self.settings.is_touch_move;
        self.is_running() && is_allowed && self.takeback_ply(color).is_some()
    }

    /// Returns the draws that the player to move can claim in the current position.
    pub fn claims(&self) -> Claims {
        if self.is_running() { self.line.claims() } else { Claims::default() }
    }

    /// Returns the squares of the pieces touched this turn, in order.
    pub fn touched(&self) -> &[Square] {
        &self.state.touched
    }

    /// Returns what the touched pieces require of the player to move.
    pub fn obligation(&self) -> Option<Obligation> {
        self.touch_consequences().obligation
    }

    /// Returns the moves that the player to move may make: legal, and in accordance with the
    /// touched pieces. Empty if the game is not running.
    pub fn allowed_moves(&self) -> Vec<Move> {
        if self.is_running() { self.touch_consequences().moves } else { Vec::new() }
    }

    /// Returns the moment from which the current turn is charged: when the running clock started,
    /// plus the time that was credited since. `None` if no clock is running.
    pub fn turn_since(&self) -> Option<Moment> {
        self.state.timing.running_since()
    }

    /// Returns the times shown at `now`. A moment before the last event counts as the time of
    /// that event.
    pub fn clocks(&self, now: Moment) -> Clocks {
        self.state.timing.shown(now.max(self.state.last_at))
    }

    /// Returns the moment from which [`Command::Flag`](crate::Command::Flag) ends the game if
    /// nothing else happens first; `None` if no clock is counting down.
    pub fn deadline(&self) -> Option<Moment> {
        self.state.timing.deadline()
    }

    /// Returns the lag compensation available for the player's next move, in milliseconds.
    pub fn lag_quota_ms(&self, color: Color) -> u64 {
        self.state.timing.quota_ms(color)
    }

    fn touch_consequences(&self) -> TouchConsequences {
        TouchConsequences::of(self.line.position(), &self.state.touched)
    }

    /// Returns the ply to go back to so that `color` is to move again; `None` if it has not
    /// moved.
    fn takeback_ply(&self, color: Color) -> Option<u32> {
        let back = if self.line.turn() == color { 2 } else { 1 };
        self.ply().checked_sub(back)
    }

    /// Returns `true` if the clock of the player to move should be running.
    fn is_clock_due(&self) -> bool {
        self.settings.clock_start == ClockStart::Game || !self.line.moves().is_empty()
    }
}

// Two lines are equal if their starting positions, which the settings hold, and their moves are
// equal.
impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        self.settings == other.settings
            && self.line.moves() == other.line.moves()
            && self.state == other.state
    }
}

impl Eq for Game {}
