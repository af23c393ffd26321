//! The state of a played game, and what can be seen of it.
//!
//! Owns: the state and its views. `decide` says what a command leads to, `evolve` takes events
//! in. Invariant: the state is a function of the settings and the record.

mod decide;
mod draw;
mod evolve;
mod proposals;
mod time;

pub use time::{GIFT_MS, MAX_GIFTS};

use castellan_rules::{Claims, Color, Line, Move, Square};

use crate::clock::{Face, Timing};
use crate::offers::Offers;
use crate::touch::Demand;
use crate::{
    ClockStart, Clocks, End, Event, Moment, Obligation, Proposal, Recorded, ReplayError, Seats,
    Settings,
};

/// How many plies a game can have before it is a draw: four times the longest that masters have
/// played. A record, and the work of reading it, are bounded by this.
pub const MAX_GAME_PLIES: u32 = 2_000;

/// A played game: everything that has happened in it.
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

/// Everything but the board.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    version: u32,
    last_at: Moment,
    seats: Seats,
    started_at: Option<Moment>,
    /// Stays true when moves are taken back, so that nobody aborts a game that has begun.
    have_both_moved: bool,
    timing: Timing,
    played: Vec<Played>,
    /// What the clocks showed before each ply, for taking it back.
    faces: Vec<[Face; 2]>,
    touched: Vec<Square>,
    offers: Offers,
    /// How often each color has given the other time.
    gifts: [u32; 2],
    end: Option<End>,
    ended_at: Option<Moment>,
    is_rematch_agreed: bool,
}

/// A move that was made, with its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// When.
    pub at: Moment,
    /// The time it took, compensation already subtracted.
    pub spent_ms: u64,
    /// What was forgiven for the time on the wire.
    pub compensated_ms: u64,
    /// What the mover's clock showed after it, if it counts down.
    pub remaining_ms: Option<u64>,
}

impl Game {
    /// A game with empty seats.
    pub fn new(settings: Settings, created: Moment) -> Game {
        let state = State {
            version: 0,
            last_at: created,
            seats: Seats::default(),
            started_at: None,
            have_both_moved: false,
            timing: Timing::new(settings.time_control),
            played: Vec::new(),
            faces: Vec::new(),
            touched: Vec::new(),
            offers: Offers::default(),
            gifts: [0; 2],
            end: None,
            ended_at: None,
            is_rematch_agreed: false,
        };
        Game { line: Line::new(settings.start), settings, state }
    }

    /// The game that a whole record tells of.
    pub fn replay(
        settings: Settings,
        created: Moment,
        record: &[Recorded],
    ) -> Result<Game, ReplayError> {
        let mut game = Game::new(settings, created);
        record.iter().try_for_each(|recorded| game.evolve(recorded))?;
        Ok(game)
    }

    /// Gives events their place in the record: the next versions, and a time that is not before
    /// the last event. `now` is what they were decided at.
    pub fn record(&self, events: Vec<Event>, now: Moment) -> Vec<Recorded> {
        let at = now.max(self.state.last_at);
        let numbered = (self.state.version + 1..).zip(events);
        numbered.map(|(version, event)| Recorded { version, at, event }).collect()
    }

    /// What was agreed.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The number of events so far.
    pub fn version(&self) -> u32 {
        self.state.version
    }

    /// When the last event happened, or the game was made.
    pub fn last_at(&self) -> Moment {
        self.state.last_at
    }

    /// The moves and positions so far.
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// The number of moves so far, and of the ply that is next.
    pub fn ply(&self) -> u32 {
        u32::try_from(self.line.moves().len()).expect("a line has at most 20,000 moves")
    }

    /// The moves so far with their times.
    pub fn played(&self) -> &[Played] {
        &self.state.played
    }

    /// Who sits where.
    pub fn seats(&self) -> &Seats {
        &self.state.seats
    }

    /// Whether both have been seated.
    pub fn is_started(&self) -> bool {
        self.state.started_at.is_some()
    }

    /// When both had been seated.
    pub fn started_at(&self) -> Option<Moment> {
        self.state.started_at
    }

    /// When the end came.
    pub fn ended_at(&self) -> Option<Moment> {
        self.state.ended_at
    }

    /// The end, if it has come.
    pub fn end(&self) -> Option<End> {
        self.state.end
    }

    /// Whether moves can be made: begun and not over.
    pub fn is_running(&self) -> bool {
        self.is_started() && self.state.end.is_none()
    }

    /// Who has made this proposal and waits for an answer.
    pub fn offer(&self, what: Proposal) -> Option<Color> {
        self.state.offers.standing(what)
    }

    /// Whether both want another game.
    pub fn is_rematch_agreed(&self) -> bool {
        self.state.is_rematch_agreed
    }

    /// Whether the game can be called off: not both have moved.
    pub fn can_abort(&self) -> bool {
        self.state.end.is_none() && !self.state.have_both_moved
    }

    /// What the player to move may claim as the position stands.
    pub fn claims(&self) -> Claims {
        if self.is_running() { self.line.claims() } else { Claims::default() }
    }

    /// The pieces touched this turn, in order.
    pub fn touched(&self) -> &[Square] {
        &self.state.touched
    }

    /// What the touched pieces oblige the player to move to.
    pub fn obligation(&self) -> Option<Obligation> {
        self.demand().obligation
    }

    /// The moves that may be made: legal, and fitting what has been touched.
    pub fn allowed_moves(&self) -> Vec<Move> {
        if self.is_running() { self.demand().moves } else { Vec::new() }
    }

    /// What the clocks show. An earlier moment counts as that of the last event.
    pub fn clocks(&self, now: Moment) -> Clocks {
        self.state.timing.shown(now.max(self.state.last_at))
    }

    /// From when on [`Command::Flag`](crate::Command::Flag) ends the game, if nothing else
    /// happens.
    pub fn deadline(&self) -> Option<Moment> {
        self.state.timing.deadline()
    }

    /// How much time on the wire a player's next move may have forgiven.
    pub fn lag_quota_ms(&self, color: Color) -> u64 {
        self.state.timing.quota_ms(color)
    }

    fn demand(&self) -> Demand {
        Demand::of(self.line.position(), &self.state.touched)
    }

    /// The ply to go back to so that a color is to move again, if it has moved.
    fn takeback_ply(&self, color: Color) -> Option<u32> {
        let back = if self.line.turn() == color { 2 } else { 1 };
        self.ply().checked_sub(back)
    }

    /// Whether a clock is due to run now.
    fn is_clock_due(&self) -> bool {
        self.settings.clock_start == ClockStart::Game || !self.line.moves().is_empty()
    }
}

// Lines are the same if they begin the same and the same moves follow.
impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        self.settings == other.settings
            && self.line.moves() == other.line.moves()
            && self.state == other.state
    }
}

impl Eq for Game {}
