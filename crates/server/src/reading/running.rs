//! Current activity: connected players, and games that can be watched.

use axum::Json;
use axum::extract::State;
use castellan_game::{GameId, Player, TimeControl};
use serde::Serialize;
use utoipa::ToSchema;

use super::games::SeatRow;
use crate::live::{RunningGame, SeekTerms};
use crate::state::AppState;

/// Maximum number of games in the response.
const LISTED: usize = 50;

/// A running game.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct RunningRow {
    #[schema(value_type = String, example = "k3YzQ0aBcD12")]
    id: GameId,
    white: Option<SeatRow>,
    black: Option<SeatRow>,
    /// For example `{"type": "increment", "initial_ms": 300000, "increment_ms": 3000}`.
    #[schema(value_type = Object)]
    time_control: TimeControl,
    is_rated: bool,
}

/// A kind of game that players are waiting for.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct WantedRow {
    /// For example `{"type": "increment", "initial_ms": 300000, "increment_ms": 3000}`.
    #[schema(value_type = Object)]
    time_control: TimeControl,
    is_rated: bool,
    /// Number of players who wait for it.
    players: usize,
}

/// Current activity on the server.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Now {
    /// Number of connected players.
    people: usize,
    /// Number of players waiting for an opponent.
    waiting: usize,
    /// Number of running games.
    playing: usize,
    /// The newest running games, up to 50.
    games: Vec<RunningRow>,
    /// The kinds of games that players are waiting for, up to 50, those with the most players first.
    wanted: Vec<WantedRow>,
}

/// Get the current activity on the server.
#[utoipa::path(get, path = "/api/games/running", tag = "games",
    responses((status = 200, body = Now, description = "Newest first")))]
pub(crate) async fn running_games(State(state): State<AppState>) -> Json<Now> {
    let activity = state.hub.activity(LISTED);
    let seat = |player: &Option<Player>| player.as_ref().map(SeatRow::from);
    let row = |game: &RunningGame| RunningRow {
        id: game.id,
        white: seat(&game.seats[0]),
        black: seat(&game.seats[1]),
        time_control: game.time_control,
        is_rated: game.is_rated,
    };
    let wanted = |(terms, players): &(SeekTerms, usize)| WantedRow {
        time_control: terms.time_control,
        is_rated: terms.is_rated,
        players: *players,
    };
    Json(Now {
        people: activity.players,
        waiting: activity.waiting,
        playing: activity.playing,
        games: activity.games.iter().map(row).collect(),
        wanted: activity.wanted.iter().map(wanted).collect(),
    })
}
