//! Lists of finished games, and single games, finished or running.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use castellan_game::{EndReason, Game, GameId, Moment, Played, Player, TimeControl};
use castellan_rules::{Color, Position, UciMove, san};
use castellan_store::{FinishedGame, HistoryQuery, Page, Seat};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::export::pgn_response;
use super::record::load;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Segment, UrlQuery};
use crate::state::AppState;

/// Number of games in the list of longest games.
const LONGEST: u32 = 10;
/// Default number of games per page.
const PAGE: u32 = 50;
/// Maximum length of the name filter in characters, which is longer than any name.
const FILTER_LIMIT: usize = 40;

/// Query for a list of games.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct GamesQuery {
    /// Only games of players whose name contains this, in any case. Empty for all games.
    #[serde(default)]
    #[param(required = false)]
    name: String,
    /// Where to continue: `next` of the previous page.
    #[serde(default)]
    #[param(required = false)]
    cursor: String,
    /// Maximum number of games, up to 100.
    limit: Option<u32>,
}

impl GamesQuery {
    /// Runs the query, for at most `most` games.
    pub(super) async fn ask(self, state: &AppState, most: u32) -> Result<Page, ApiError> {
        let after = match self.cursor.as_str() {
            "" => None,
            cursor => Some(cursor.parse().map_err(|_| ApiError::Query)?),
        };
        if self.name.chars().count() > FILTER_LIMIT {
            return Ok(Page::default());
        }
        let limit = self.limit.unwrap_or(PAGE).clamp(1, most);
        Ok(state.services.store.history(HistoryQuery { name: self.name, after, limit }).await?)
    }
}

/// A player, as known when the game began.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct SeatRow {
    /// Name as chosen by the user. Untrusted text: escape it.
    #[schema(example = "Anna")]
    name: String,
    /// Rating, if the player had one.
    rating: Option<u16>,
}

impl From<Seat> for SeatRow {
    fn from(seat: Seat) -> SeatRow {
        SeatRow { name: seat.name, rating: seat.rating }
    }
}

impl From<&Player> for SeatRow {
    fn from(player: &Player) -> SeatRow {
        SeatRow { name: player.name.clone(), rating: player.rating }
    }
}

/// How a game ended.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct EndRow {
    /// `1-0`, `0-1`, `1/2-1/2`, or `*` for an aborted game.
    #[schema(example = "1-0")]
    result: &'static str,
    /// Why the game ended.
    #[schema(value_type = String, example = "checkmate")]
    reason: EndReason,
    /// `white` or `black`, or nothing for a draw or an aborted game.
    #[cfg_attr(test, ts(type = "Color | null"))]
    winner: Option<&'static str>,
}

impl From<castellan_game::End> for EndRow {
    fn from(end: castellan_game::End) -> EndRow {
        let winner = end.winner.map(|winner| winner.fold("white", "black"));
        EndRow { result: end.score(), reason: end.reason, winner }
    }
}

/// A finished game in a list.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct GameRow {
    #[schema(value_type = String, example = "k3YzQ0aBcD12")]
    id: GameId,
    white: Option<SeatRow>,
    black: Option<SeatRow>,
    end: EndRow,
    /// Number of half-moves.
    plies: u32,
    /// Milliseconds since 1970.
    created: u64,
    /// Milliseconds since 1970.
    finished: u64,
}

impl From<FinishedGame> for GameRow {
    fn from(game: FinishedGame) -> GameRow {
        GameRow {
            id: game.id,
            white: game.white.map(SeatRow::from),
            black: game.black.map(SeatRow::from),
            end: game.end.into(),
            plies: game.plies,
            created: game.created.as_millis(),
            finished: game.finished.as_millis(),
        }
    }
}

/// A page of finished games.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct GameList {
    games: Vec<GameRow>,
    /// The `cursor` of the next page; nothing on the last page.
    next: Option<String>,
}

/// List finished games, newest first.
#[utoipa::path(
    get, path = "/api/games", tag = "games", params(GamesQuery),
    responses(
        (status = 200, body = GameList, description = "One page of games"),
        (status = 400, body = ErrorBody, description = "`bad_query`"),
    )
)]
pub(crate) async fn list_games(
    State(state): State<AppState>,
    UrlQuery(query): UrlQuery<GamesQuery>,
) -> Result<Json<GameList>, ApiError> {
    let page = query.ask(&state, HistoryQuery::MAX_LIMIT).await?;
    let games = page.games.into_iter().map(GameRow::from).collect();
    Ok(Json(GameList { games, next: page.next.map(|cursor| cursor.to_string()) }))
}

/// List the ten longest games.
#[utoipa::path(get, path = "/api/games/longest", tag = "games",
    responses((status = 200, body = GameList, description = "Longest first")))]
pub(crate) async fn longest_games(
    State(state): State<AppState>,
) -> Result<Json<GameList>, ApiError> {
    let games = state.services.store.longest(LONGEST).await?;
    Ok(Json(GameList { games: games.into_iter().map(GameRow::from).collect(), next: None }))
}

/// A move with its times.
#[derive(Serialize, ToSchema)]
pub(crate) struct MoveRow {
    /// The move in UCI notation.
    #[schema(example = "g1f3")]
    uci: String,
    /// The move in standard algebraic notation.
    #[schema(example = "Nf3")]
    san: String,
    /// Time spent on the move.
    spent_ms: u64,
    /// Time left on the player's clock after the move, if it counts down.
    remaining_ms: Option<u64>,
}

/// State of a clock.
#[derive(Serialize, ToSchema)]
pub(crate) struct ClockRow {
    /// Time left, if the clock counts down.
    remaining_ms: Option<u64>,
    /// Time used so far.
    used_ms: u64,
}

impl From<castellan_game::Clock> for ClockRow {
    fn from(clock: castellan_game::Clock) -> ClockRow {
        ClockRow { remaining_ms: clock.remaining_ms, used_ms: clock.used_ms }
    }
}

/// A game with its moves and clocks.
#[derive(Serialize, ToSchema)]
pub(crate) struct GameView {
    #[schema(value_type = String, example = "k3YzQ0aBcD12")]
    id: GameId,
    /// Milliseconds since 1970.
    created: u64,
    /// Number of events so far.
    version: u32,
    /// Start position as FEN.
    start: String,
    is_chess960: bool,
    /// For example `{"type": "increment", "initial_ms": 300000, "increment_ms": 3000}`.
    #[schema(value_type = Object)]
    time_control: TimeControl,
    is_rated: bool,
    is_touch_move: bool,
    white: Option<SeatRow>,
    black: Option<SeatRow>,
    moves: Vec<MoveRow>,
    /// The clock now, or at the end of the game.
    white_clock: ClockRow,
    black_clock: ClockRow,
    /// How the game ended; nothing while it is running.
    end: Option<EndRow>,
}

impl GameView {
    fn of(id: GameId, created: Moment, game: &Game, now: Moment) -> GameView {
        let settings = game.settings();
        let clocks = game.clocks(now);
        let seat = |color| game.seats().get(color).map(SeatRow::from);
        GameView {
            id,
            created: created.as_millis(),
            version: game.version(),
            start: settings.start.to_fen(),
            is_chess960: settings.is_chess960,
            time_control: settings.time_control,
            is_rated: settings.is_rated,
            is_touch_move: settings.is_touch_move,
            white: seat(Color::White),
            black: seat(Color::Black),
            moves: moves(game),
            white_clock: clocks.white.into(),
            black_clock: clocks.black.into(),
            end: game.end().map(EndRow::from),
        }
    }
}

fn moves(game: &Game) -> Vec<MoveRow> {
    let spelling = game.settings().castling();
    let positions = game.line().positions().iter();
    let row = |(position, played): (&Position, &Played)| MoveRow {
        uci: UciMove::from_move(played.mv, spelling).to_string(),
        san: san::write(position, played.mv),
        spent_ms: played.spent_ms,
        remaining_ms: played.remaining_ms,
    };
    positions.zip(game.played()).map(row).collect()
}

/// Get a game, finished or running.
///
/// With `.pgn` after the ID, the response is PGN.
#[utoipa::path(
    get, path = "/api/games/{id}", tag = "games",
    params(("id" = String, Path, description = "Twelve letters and digits")),
    responses(
        (status = 200, body = GameView, description = "The current state of the game"),
        (status = 404, body = ErrorBody, description = "`unknown_game`"),
        (status = 500, body = ErrorBody, description = "`damaged_game`"),
    )
)]
pub(crate) async fn game(
    State(state): State<AppState>,
    Segment(id): Segment,
) -> Result<Response, ApiError> {
    if let Some(id) = id.strip_suffix(".pgn") {
        return pgn_response(&state, id).await;
    }
    let (stored, game) = load(&state, &id).await?;
    let view = GameView::of(stored.id, stored.created, &game, state.services.clock.now());
    Ok(Json(view).into_response())
}
