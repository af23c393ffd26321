//! The open games, and the requests about them.
//!
//! This module assigns the numbers of the games and carries out the actions of their players; for
//! a local game, that is the state machine that the server runs, with both players here. The page
//! passes the time in, in milliseconds since 1970.

mod open_game;
mod remote;
mod view;

use core::time::Duration;
use std::collections::BTreeMap;

use castellan_game::{
    Actor, Command, Conduct, Decision, Game, Moment, OwnScore, Proposal, Recorded, Settings,
};
use castellan_protocol::SearchScore;
use castellan_rules::{Color, Square, UciMove};
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ErrorCode};
use crate::position::parse_move;
use crate::saved_game::{self, OpenPgn, WritePgn};
use open_game::{OpenedPgn, Source};

pub(crate) use open_game::{OpenGame, player_id};
pub(crate) use remote::{EventReply, FollowEvent, FollowGame, ShowMove};
pub(crate) use view::{ClocksView, GameChange, GameView, PlyView, Program};

/// Maximum number of open games.
const MAX_GAMES: usize = 64;

/// The open games, by number.
#[derive(Default)]
pub(crate) struct Games {
    open: BTreeMap<u32, OpenGame>,
    last: u32,
}

/// A request to start a game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct NewGame {
    settings: Settings,
    /// Names of the players; empty if unknown.
    white: String,
    black: String,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    program: Option<Program>,
    now: u64,
}

/// A game in its stored form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct StoredGame {
    settings: Settings,
    created: Moment,
    record: Vec<Recorded>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    program: Option<Program>,
    /// The PGN that the game was opened from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    sheet: Option<String>,
    /// Number of events when the PGN was opened.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<u32>"))]
    sheet_version: u32,
    /// Time spent on the game.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<f64>"))]
    duration_ms: u64,
}

/// A request to open a stored game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct LoadGame {
    stored: StoredGame,
    now: u64,
}

/// A request to carry out an action.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ActionRequest {
    game: u32,
    is_white: bool,
    action: Action,
    now: u64,
}

/// An action of a player.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) enum Action {
    Move {
        uci: String,
    },
    Touch {
        square: String,
    },
    Resign {},
    Offer {
        what: Proposal,
    },
    Accept {
        what: Proposal,
    },
    Decline {
        what: Proposal,
    },
    /// Claims a draw, by announcing a move if there is one.
    Claim {
        announced: Option<String>,
    },
    Abort {},
    /// Reports that the player to move has run out of time.
    Flag {},
    /// Credits the time in which the page was closed.
    Resume {
        away_ms: u64,
    },
}

/// What an action in a local game led to.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ActionReply {
    change: GameChange,
    /// The new events, for storage.
    recorded: Vec<Recorded>,
}

/// A request about a game at a given time.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct GameQuery {
    pub(crate) game: u32,
    now: u64,
}

/// A move that the computer has found in a local game.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct ReplyRequest {
    game: u32,
    uci: String,
    /// The score of the move; some engines report none.
    score: Option<SearchScore>,
    /// Level of the computer; `None` for full strength.
    level: Option<u16>,
    /// A random number from 0 to 1000. To read a fraction, the module would need a float parser.
    chance_permille: u16,
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    now: u64,
}

/// How a person would answer with a move.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Reply {
    /// Time that a person would take, in milliseconds.
    time_ms: u32,
    /// Whether a person would resign instead.
    resigns: bool,
    /// Whether a person would think of offering a draw with the move. The engine has the last word.
    considers_draw: bool,
}

impl GameQuery {
    pub(crate) fn now(self) -> Moment {
        Moment::from_millis(self.now)
    }
}

/// A game to close.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct CloseGame {
    game: u32,
}

impl Games {
    pub(crate) fn start(&mut self, new: NewGame) -> Result<GameView, ApiError> {
        let now = Moment::from_millis(new.now);
        let mut open = OpenGame::new(new.settings, now);
        open.program = new.program;
        open.seat(Color::White, &new.white, now)?;
        open.seat(Color::Black, &new.black, now)?;
        self.insert(open, now)
    }

    pub(crate) fn load(&mut self, request: LoadGame) -> Result<GameView, ApiError> {
        let LoadGame { stored, now } = request;
        let now = Moment::from_millis(now);
        let game = Game::replay(stored.settings, stored.created, &stored.record)
            .map_err(|error| ApiError::new(ErrorCode::BadRecord, error))?;
        let since = game.end().is_none().then_some(now);
        let pgn = stored.sheet.map(|text| saved_game::find(&text, 0)).transpose()?;
        let pgn = pgn.map(|pgn| Box::new(OpenedPgn { pgn, version: stored.sheet_version }));
        let open = OpenGame {
            game,
            program: stored.program,
            source: Source::Local { record: stored.record, pgn },
            created: stored.created,
            earlier_ms: stored.duration_ms,
            since,
            conduct: Conduct::default(),
        };
        self.insert(open, now)
    }

    /// Adds a game and returns its view.
    fn insert(&mut self, open: OpenGame, now: Moment) -> Result<GameView, ApiError> {
        if self.open.len() >= MAX_GAMES {
            return Err(ApiError::new(
                ErrorCode::TooManyGames,
                "too many open games; close one first",
            ));
        }
        self.last += 1;
        let view = GameView::new(self.last, &open, now);
        self.open.insert(self.last, open);
        Ok(view)
    }

    pub(crate) fn act(&mut self, request: &ActionRequest) -> Result<ActionReply, ApiError> {
        let now = Moment::from_millis(request.now);
        let open = self.open.get_mut(&request.game).ok_or_else(|| unknown(request.game))?;
        if open.is_remote() {
            return Err(ApiError::new(ErrorCode::NotLocal, "only the server changes this game"));
        }
        let color = if request.is_white { Color::White } else { Color::Black };
        let (by, command) = command(&request.action, color, open.game.ply())?;
        let version = open.game.version() as usize;
        let kept = open.execute(by, &command, now)?;
        let change = GameChange::new(open, kept, now);
        let recorded = match &open.source {
            Source::Local { record, .. } => record.get(version..).unwrap_or_default().to_vec(),
            Source::Remote { .. } => Vec::new(),
        };
        Ok(ActionReply { change, recorded })
    }

    pub(crate) fn clocks(&self, query: GameQuery) -> Result<ClocksView, ApiError> {
        Ok(view::clocks(self.get(query.game)?, query.now()))
    }

    /// Remembers the score of the computer's move, and returns how a person would answer.
    pub(crate) fn reply(&mut self, request: &ReplyRequest) -> Result<Reply, ApiError> {
        let open = self.open.get_mut(&request.game).ok_or_else(|| unknown(request.game))?;
        let (game, conduct) = (&open.game, &mut open.conduct);
        let position = game.line().position();
        let mv = parse_move(position, &request.uci)?;
        let score = request.score.map(|score| own_score(score, game.line().turn()));
        let surprise_cp = score.map_or(0, |score| conduct.add_score(game.ply(), score));
        let time_ms = Decision::new(game, mv, surprise_cp, Moment::from_millis(request.now))
            .time_ms(f64::from(request.chance_permille) / 1000.0);
        let may_offer = score.is_some() && game.offer(Proposal::Draw).is_none();
        Ok(Reply {
            time_ms: u32::try_from(time_ms).unwrap_or(u32::MAX),
            resigns: score.is_some() && conduct.resigns(request.level),
            considers_draw: may_offer
                && conduct.considers_draw(request.level, position.halfmove_clock().into()),
        })
    }

    pub(crate) fn stored(&self, query: GameQuery) -> Result<StoredGame, ApiError> {
        let open = self.get(query.game)?;
        let Source::Local { record, pgn } = &open.source else {
            return Err(ApiError::new(ErrorCode::NotLocal, "only the server stores this game"));
        };
        Ok(StoredGame {
            settings: open.game.settings().clone(),
            created: open.created,
            record: record.clone(),
            program: open.program,
            sheet: pgn.as_ref().map(|opened| opened.pgn.to_string()),
            sheet_version: pgn.as_ref().map_or(0, |opened| opened.version),
            duration_ms: open.duration_ms(query.now()),
        })
    }

    pub(crate) fn close(&mut self, request: &CloseGame) -> Result<bool, ApiError> {
        Ok(self.open.remove(&request.game).is_some())
    }

    pub(crate) fn write_pgn(&self, request: &WritePgn) -> Result<String, ApiError> {
        Ok(saved_game::write(self.get(request.game)?, request))
    }

    pub(crate) fn open_pgn(&mut self, request: &OpenPgn) -> Result<GameView, ApiError> {
        self.insert(saved_game::open(request)?, request.now())
    }

    fn get(&self, number: u32) -> Result<&OpenGame, ApiError> {
        self.open.get(&number).ok_or_else(|| unknown(number))
    }
}

/// Returns a score from the point of view of the player to move.
fn own_score(score: SearchScore, turn: Color) -> OwnScore {
    let sign = turn.fold(1, -1);
    match score {
        SearchScore::Cp(value) => OwnScore::Centipawns(value.saturating_mul(sign)),
        SearchScore::Mate(moves) => OwnScore::Mate(moves.saturating_mul(sign)),
    }
}

fn unknown(number: u32) -> ApiError {
    ApiError::new(ErrorCode::NoGame, format!("game {number} is not open"))
}

/// Returns the command for an action of a player, and the actor who gives it.
fn command(action: &Action, color: Color, ply: u32) -> Result<(Actor, Command), ApiError> {
    let player = Actor::Player(player_id(color));
    let lag = Duration::ZERO;
    Ok(match action {
        Action::Move { uci } => (player, Command::Move { ply, mv: parse_uci(uci)?, lag }),
        Action::Touch { square } => {
            let square: Square =
                square.parse().map_err(|error| ApiError::new(ErrorCode::BadSquare, error))?;
            (player, Command::Touch { ply, square })
        }
        Action::Resign {} => (player, Command::Resign),
        Action::Offer { what } => (player, Command::Offer(*what)),
        Action::Accept { what } => (player, Command::Accept(*what)),
        Action::Decline { what } => (player, Command::Decline(*what)),
        Action::Claim { announced } => {
            let announced = announced.as_deref().map(parse_uci).transpose()?;
            (player, Command::Claim { ply, announced, lag })
        }
        Action::Abort {} => (player, Command::Abort),
        Action::Flag {} => (Actor::Server, Command::Flag),
        Action::Resume { away_ms } => {
            (Actor::Server, Command::Resume { away: Duration::from_millis(*away_ms) })
        }
    })
}

fn parse_uci(text: &str) -> Result<UciMove, ApiError> {
    UciMove::parse(text).map_err(|error| ApiError::new(ErrorCode::BadMove, error))
}
