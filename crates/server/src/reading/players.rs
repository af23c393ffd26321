//! Results and ratings of a player.

use axum::Json;
use axum::extract::State;
use castellan_protocol::MAX_NAME_CHARACTERS;
use castellan_store::{Category, ResultCounts, StoredRating};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::Segment;
use crate::state::AppState;

/// A rating in one category of time controls.
#[derive(Serialize, ToSchema)]
pub(crate) struct RatingRow {
    /// `bullet`, `blitz`, `rapid`, `classical` or `unlimited`.
    #[schema(example = "blitz")]
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
    if name.chars().count() > MAX_NAME_CHARACTERS {
        return Err(ApiError::UnknownPlayer);
    }
    let store = &state.services.store;
    let account = store.account_by_name(&name).await?;
    let results = store.results_of(&name).await?;
    if account.is_none() && results == Default::default() {
        return Err(ApiError::UnknownPlayer);
    }
    let ratings = match &account {
        Some(account) => store.ratings_of(account.player).await?,
        None => Vec::new(),
    };
    Ok(Json(PlayerView {
        is_account: account.is_some(),
        name: account.map_or(name, |account| account.name),
        as_white: results.as_white.into(),
        as_black: results.as_black.into(),
        ratings: ratings.into_iter().map(RatingRow::from).collect(),
    }))
}
