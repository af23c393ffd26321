//! Results and ratings of a player.

use axum::Json;
use axum::extract::State;
use castellan_protocol::MAX_NAME_CHARACTERS;
use castellan_store::{Category, ResultCounts, StoredRating};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::{Segment, UrlQuery};
use crate::state::AppState;

/// A rating in one category of time controls.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct RatingRow {
    /// `bullet`, `blitz`, `rapid`, `classical` or `unlimited`.
    #[schema(example = "blitz")]
    #[cfg_attr(test, ts(type = "Category"))]
    category: &'static str,
    /// Estimated strength on the Glicko scale.
    #[schema(example = 1500)]
    rating: u16,
    /// Standard deviation of the rating.
    #[schema(example = 350)]
    deviation: u16,
    /// Number of rated games.
    games: u32,
}

impl From<(Category, StoredRating)> for RatingRow {
    fn from((category, rating): (Category, StoredRating)) -> RatingRow {
        // The cast saturates at the ends of the range.
        let round = |value: f64| value.round() as u16;
        RatingRow {
            category: category.as_str(),
            rating: round(rating.rating),
            deviation: round(rating.deviation),
            games: rating.games,
        }
    }
}

/// Numbers of games by result. Aborted games do not count.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct ResultCountsRow {
    wins: u64,
    draws: u64,
    losses: u64,
}

impl From<ResultCounts> for ResultCountsRow {
    fn from(ResultCounts { wins, draws, losses }: ResultCounts) -> ResultCountsRow {
        ResultCountsRow { wins, draws, losses }
    }
}

/// A player's results and ratings.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct PlayerView {
    /// Spelled as the owner of the account writes it, or as in the request if there is no
    /// account.
    #[schema(example = "Anna")]
    name: String,
    /// `true` if the name belongs to an account. Several guests may share a name.
    is_account: bool,
    as_white: ResultCountsRow,
    as_black: ResultCountsRow,
    /// Ratings by category of time controls.
    ratings: Vec<RatingRow>,
}

/// Get the results and ratings of a player.
#[utoipa::path(
    get, path = "/api/players/{name}", tag = "games",
    params(("name" = String, Path, description = "Case and accents are ignored")),
    responses(
        (status = 200, body = PlayerView, description = "The player"),
        (status = 404, body = ErrorBody, description = "`unknown_player`"),
    )
)]
pub(crate) async fn player(
    State(state): State<AppState>,
    Segment(name): Segment,
) -> Result<Json<PlayerView>, ApiError> {
    find(&state, name).await?.map(Json).ok_or(ApiError::UnknownPlayer)
}

/// The name to search for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayerQuery {
    name: String,
}

/// The result of a search for a player.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct FoundPlayer {
    /// `null` if no player has the name.
    player: Option<PlayerView>,
}

/// Search for a player by name.
#[utoipa::path(
    get, path = "/api/players", tag = "games",
    params(("name" = String, Query, description = "Case and accents are ignored")),
    responses((status = 200, body = FoundPlayer, description = "The player, if there is one"))
)]
pub(crate) async fn find_player(
    State(state): State<AppState>,
    UrlQuery(query): UrlQuery<PlayerQuery>,
) -> Result<Json<FoundPlayer>, ApiError> {
    Ok(Json(FoundPlayer { player: find(&state, query.name).await? }))
}

async fn find(state: &AppState, name: String) -> Result<Option<PlayerView>, ApiError> {
    if name.chars().count() > MAX_NAME_CHARACTERS {
        return Ok(None);
    }
    let store = &state.services.store;
    let account = store.account_by_name(&name).await?;
    let results = store.results_of(&name).await?;
    if account.is_none() && results == Default::default() {
        return Ok(None);
    }
    let ratings = match &account {
        Some(account) => store.ratings_of(account.player).await?,
        None => Vec::new(),
    };
    Ok(Some(PlayerView {
        is_account: account.is_some(),
        name: account.map_or(name, |account| account.name),
        as_white: results.as_white.into(),
        as_black: results.as_black.into(),
        ratings: ratings.into_iter().map(RatingRow::from).collect(),
    }))
}
