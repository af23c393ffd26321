//! The open local games: the same state machine that the server runs, with both players here.
//!
//! This module assigns the numbers of the games, decides which player acts for a color, and
//! builds the view for the page. White is player 1, Black is player 2. The page passes the time
//! in, in milliseconds since 1970.

use core::time::Duration;
use std::collections::BTreeMap;

use castellan_game::{
    Actor, Clock, Command, Event, Game, Moment, Obligation, Player, PlayerId, Proposal, Recorded,
    Settings,
};
use castellan_pgn::Game as Sheet;
use castellan_rules::{CastlingSpelling, Color, Position, UciMove, san};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::desk::{Answer, Failure, told};
use crate::scoresheet;
use crate::view::{self, PositionView, color_name};

/// Maximum number of open games.
const MAX_GAMES: usize = 64;

/// The open games, by number.
#[derive(Default)]
pub(crate) struct Games {
    open: BTreeMap<u32, OpenGame>,
    last: u32,
}

/// A game and the data needed to store it.
pub(crate) struct OpenGame {
    pub(crate) game: Game,
    pub(crate) program: Option<Program>,
    /// The PGN it was opened from, including everything that `Game` cannot represent.
    pub(crate) sheet: Option<Sheet>,
    /// Number of events when the PGN was opened.
    sheet_version: u32,
    created: Moment,
    record: Vec<Recorded>,
    /// Time spent on the game before it was opened this time.
    earlier_ms: u64,
    /// When it was opened; `None` if the game was already over.
    since: Option<Moment>,
}

/// The engine that plays one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Program {
    pub(crate) is_white: bool,
    /// Level of the engine; `None` for full strength.
    pub(crate) level: Option<u16>,
}

impl Program {
    pub(crate) fn color(self) -> Color {
        if self.is_white { Color::White } else { Color::Black }
    }
}

/// A request to start a game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewGame {
    settings: Settings,
    /// Names of the players; empty if unknown.
    white: String,
    black: String,
    #[serde(default)]
    program: Option<Program>,
    now: u64,
}

/// A game in its stored form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredGame {
    settings: Settings,
    created: Moment,
    record: Vec<Recorded>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<Program>,
    /// The PGN that the game was opened from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sheet: Option<String>,
    #[serde(default)]
    sheet_version: u32,
    /// Time spent on the game.
    #[serde(default)]
    duration_ms: u64,
    /// Current time of the page when the game is loaded; not part of the stored form.
    #[serde(default)]
    now: u64,
}

/// A request to carry out an action.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    game: u32,
    is_white: bool,
    act: Act,
    now: u64,
}

/// The actions of a player.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Act {
    Move { uci: String },
    Touch { square: String },
    Resign {},
    Offer { what: Proposal },
    Accept { what: Proposal },
    Decline { what: Proposal },
    Claim { announced: Option<String> },
    Abort {},
    AddTime {},
    Flag {},
    Resume { away_ms: u64 },
}

/// A request about a game at a given time.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Glance {
    game: u32,
    #[serde(default)]
    now: u64,
}

impl Games {
    pub(crate) fn begin(&mut self, new: NewGame) -> Answer {
        let now = Moment::from_millis(new.now);
        let mut open = OpenGame::new(new.settings, now);
        open.program = new.program;
        open.seat(Color::White, &new.white, now)?;
        open.seat(Color::Black, &new.black, now)?;
        self.keep(open, now)
    }

    pub(crate) fn load(&mut self, stored: StoredGame) -> Answer {
        let now = Moment::from_millis(stored.now);
        let game = Game::replay(stored.settings, stored.created, &stored.record)
            .map_err(|error| Failure::new("bad_record", error))?;
        let since = game.end().is_none().then_some(now);
        let sheet = stored.sheet.map(|text| scoresheet::find(&text, 0)).transpose()?;
        let open = OpenGame {
            game,
            program: stored.program,
            sheet,
            sheet_version: stored.sheet_version,
            created: stored.created,
            record: stored.record,
            earlier_ms: stored.duration_ms,
            since,
        };
        self.keep(open, now)
    }

    /// Adds a game that was built elsewhere.
    pub(crate) fn take(&mut self, open: OpenGame, now: u64) -> Answer {
        self.keep(open, Moment::from_millis(now))
    }

    pub(crate) fn act(&mut self, action: &Action) -> Answer {
        let open = find(&mut self.open, action.game)?;
        let now = Moment::from_millis(action.now);
        let command = command(&action.act, &open.game)?;
        let is_servers = matches!(command, Command::Flag | Command::Resume { .. });
        let actor = if is_servers { Actor::Server } else { Actor::Player(id(action.is_white)) };
        open.obey(actor, &command, now)?;
        told(seen(action.game, open, now))
    }

    pub(crate) fn look(&self, glance: Glance) -> Answer {
        told(seen(glance.game, self.get(glance.game)?, Moment::from_millis(glance.now)))
    }

    pub(crate) fn clocks(&self, glance: Glance) -> Answer {
        told(clocks(&self.get(glance.game)?.game, Moment::from_millis(glance.now)))
    }

    pub(crate) fn record(&self, glance: Glance) -> Answer {
        let open = self.get(glance.game)?;
        told(StoredGame {
            settings: open.game.settings().clone(),
            created: open.created,
            record: open.record.clone(),
            program: open.program,
            sheet: open.sheet.as_ref().map(ToString::to_string),
            sheet_version: open.sheet_version,
            duration_ms: open.duration_ms(Moment::from_millis(glance.now)),
            now: 0,
        })
    }

    pub(crate) fn close(&mut self, glance: Glance) -> Answer {
        told(self.open.remove(&glance.game).is_some())
    }

    pub(crate) fn get(&self, number: u32) -> Result<&OpenGame, Failure> {
        self.open.get(&number).ok_or_else(|| unknown(number))
    }

    fn keep(&mut self, open: OpenGame, now: Moment) -> Answer {
        if self.open.len() >= MAX_GAMES {
            return Err(Failure::new("too_many_games", "too many open games; close one first"));
        }
        self.last += 1;
        let view = seen(self.last, &open, now);
        self.open.insert(self.last, open);
        told(view)
    }
}

impl OpenGame {
    pub(crate) fn new(mut settings: Settings, created: Moment) -> OpenGame {
        // Where standard castling notation would be ambiguous, Chess960 notation is used.
        settings.is_chess960 |= settings.start.is_chess960();
        OpenGame {
            game: Game::new(settings, created),
            program: None,
            sheet: None,
            sheet_version: 0,
            created,
            record: Vec::new(),
            earlier_ms: 0,
            since: Some(created),
        }
    }

    /// Returns when the game was started or opened.
    pub(crate) fn created(&self) -> Moment {
        self.created
    }

    /// Returns the time spent on the game up to now, or up to its end.
    pub(crate) fn duration_ms(&self, now: Moment) -> u64 {
        let until = if self.game.end().is_some() { self.game.last_at() } else { now };
        self.earlier_ms + self.since.map_or(0, |since| until.since_ms(since))
    }

    /// Starts counting the time spent on the game, in addition to the time spent before.
    pub(crate) fn continue_at(&mut self, now: Moment, earlier_ms: u64) {
        self.earlier_ms = earlier_ms;
        self.since = self.game.end().is_none().then_some(now);
    }

    /// Keeps the PGN that the game was opened from.
    pub(crate) fn take_sheet(&mut self, sheet: Sheet) {
        self.sheet = Some(sheet);
        self.sheet_version = self.game.version();
    }

    /// Returns `true` if nothing has happened since the game was opened from a PGN.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.sheet.is_some() && self.game.version() == self.sheet_version
    }

    pub(crate) fn seat(&mut self, color: Color, name: &str, now: Moment) -> Result<(), Failure> {
        let name: String = name.chars().filter(|letter| !letter.is_control()).take(40).collect();
        let player = Player { id: id(color == Color::White), name, rating: None };
        self.obey(Actor::Server, &Command::Seat { color, player }, now)
    }

    pub(crate) fn obey(
        &mut self,
        by: Actor,
        command: &Command,
        now: Moment,
    ) -> Result<(), Failure> {
        let decided = self.game.decide(by, command, now);
        let events = decided.map_err(|refusal| Failure::new(refusal.code(), refusal))?;
        self.happen(events, now)
    }

    pub(crate) fn happen(&mut self, events: Vec<Event>, now: Moment) -> Result<(), Failure> {
        for recorded in self.game.record(events, now) {
            let taken = self.game.evolve(&recorded);
            taken.map_err(|error| Failure::new("bad_record", error))?;
            self.record.push(recorded);
        }
        Ok(())
    }
}

fn find(open: &mut BTreeMap<u32, OpenGame>, number: u32) -> Result<&mut OpenGame, Failure> {
    open.get_mut(&number).ok_or_else(|| unknown(number))
}

fn unknown(number: u32) -> Failure {
    Failure::new("no_game", format!("game {number} is not open"))
}

/// Returns the number of the player of a color.
pub(crate) fn id(is_white: bool) -> PlayerId {
    PlayerId(if is_white { 1 } else { 2 })
}

fn command(act: &Act, game: &Game) -> Result<Command, Failure> {
    let (ply, lag) = (game.ply(), Duration::ZERO);
    let read = |text: &str| UciMove::parse(text).map_err(|error| Failure::new("bad_move", error));
    Ok(match act {
        Act::Move { uci } => Command::Move { ply, mv: read(uci)?, lag },
        Act::Touch { square } => {
            let square = square.parse().map_err(|error| Failure::new("bad_square", error))?;
            Command::Touch { ply, square }
        }
        Act::Resign {} => Command::Resign,
        Act::Offer { what } => Command::Offer(*what),
        Act::Accept { what } => Command::Accept(*what),
        Act::Decline { what } => Command::Decline(*what),
        Act::Claim { announced } => {
            let announced = announced.as_deref().map(read).transpose()?;
            Command::Claim { ply, announced, lag }
        }
        Act::Abort {} => Command::Abort,
        Act::AddTime {} => Command::AddTime,
        Act::Flag {} => Command::Flag,
        Act::Resume { away_ms } => Command::Resume { away: Duration::from_millis(*away_ms) },
    })
}

/// Returns the complete view of a game.
pub(crate) fn seen(number: u32, open: &OpenGame, now: Moment) -> Value {
    let game = &open.game;
    let castling = game.settings().castling();
    let name = |color| game.seats().get(color).map(|player| player.name.clone());
    let offer = |what| game.offer(what).map(color_name);
    let claims = game.claims();
    json!({
        "game": number,
        "version": game.version(),
        "white": name(Color::White),
        "black": name(Color::Black),
        "program": open.program,
        "settings": game.settings(),
        "is_running": game.is_running(),
        "can_abort": game.can_abort(),
        "turn": color_name(game.line().turn()),
        "end": game.end().map(|end| json!({
            "reason": end.reason,
            "winner": end.winner.map(color_name),
            "score": end.score(),
        })),
        "claims": {
            "repetition": claims.threefold_repetition,
            "fifty": claims.fifty_moves,
            "moves": claiming_moves(game),
        },
        "offers": {
            "draw": offer(Proposal::Draw),
            "takeback": offer(Proposal::Takeback),
        },
        "start": PositionView::new(game.line().start(), &[], castling),
        "position": PositionView::new(game.line().position(), &game.allowed_moves(), castling),
        "plies": plies(game),
        "touched": game.touched().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "obligation": game.obligation().filter(|_| game.is_running()).map(due),
        "clocks": clocks(game, now),
        "duration_ms": open.duration_ms(now),
    })
}

/// Returns the obligation from touched pieces: to move the player's own piece on `from`, to
/// capture the opponent's piece on `victim`, or to castle with `rook`.
fn due(obligation: Obligation) -> Value {
    match obligation {
        Obligation::Move(from) => json!({ "from": from.to_string() }),
        Obligation::Capture(victim) => json!({ "victim": victim.to_string() }),
        Obligation::CaptureWith { from, victim } => {
            json!({ "from": from.to_string(), "victim": victim.to_string() })
        }
        Obligation::Castle(rook) => json!({ "rook": rook.to_string() }),
        // A ban leaves every other move.
        Obligation::NoCastling(_) => Value::Null,
    }
}

/// Returns the moves with which the player can claim a draw: announced, but not played (FIDE
/// 9.2.1, 9.3.1).
fn claiming_moves(game: &Game) -> Vec<String> {
    let line = game.line();
    let can_claim = |mv: &castellan_rules::Move| {
        let claims = line.claims_after(*mv);
        claims.threefold_repetition || claims.fifty_moves
    };
    if !game.is_running() {
        return Vec::new();
    }
    let castling = game.settings().castling();
    let uci = |mv: &castellan_rules::Move| UciMove::from_move(*mv, castling).to_string();
    game.allowed_moves().iter().filter(|mv| can_claim(mv)).map(uci).collect()
}

/// Returns the moves, each with the board after it.
fn plies(game: &Game) -> Vec<Value> {
    let line = game.line();
    let castling = game.settings().castling();
    let steps = line.moves().iter().zip(line.positions()).zip(game.played());
    steps
        .zip(&line.positions()[1..])
        .map(|(((&mv, before), played), after)| {
            let mut ply = ply(mv, [before, after], castling);
            ply["spent_ms"] = played.spent_ms.into();
            ply["remaining_ms"] = played.remaining_ms.into();
            ply
        })
        .collect()
}

/// Returns the view of one move, with the board after it.
pub(crate) fn ply(
    mv: castellan_rules::Move,
    [before, after]: [&Position; 2],
    castling: CastlingSpelling,
) -> Value {
    let uci = UciMove::from_move(mv, castling).to_string();
    let pieces = after.to_setup().pieces;
    json!({
        "from": &uci[..2],
        "to": &uci[2..4],
        "san": san::write(before, mv),
        "captured": view::captured(before, mv),
        "fen": after.to_fen(),
        "board": view::board(&pieces),
        "turn": color_name(after.turn()),
        "check": view::check(after),
        "difference": view::difference(&pieces),
        "uci": uci,
    })
}

fn clocks(game: &Game, now: Moment) -> Value {
    let shown = game.clocks(now);
    let face =
        |clock: Clock| json!({ "remaining_ms": clock.remaining_ms, "used_ms": clock.used_ms });
    json!({
        "white": face(shown.white),
        "black": face(shown.black),
        "running": shown.running.map(color_name),
        "is_up": game.deadline().is_some_and(|deadline| deadline <= now),
    })
}
