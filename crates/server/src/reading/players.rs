//! What is known of a player: results and ratings.

use axum::Json;
use axum::extract::State;
use castellan_protocol::MAX_NAME_CHARACTERS;
use castellan_store::{Category, StoredRating, Tally};
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
    /// The best guess, on Glicko's scale.
    #[schema(example = 1500)]
    rating: u16,
    /// How far off the guess may be.
    #[schema(example = 350)]
    deviation: u16,
    /// How many games it was learned from.
    games: u32,
}

impl From<(Category, StoredRating)> for RatingRow {
    fn from((category, rating): (Category, StoredRating)) -> RatingRow {
        // The cast takes what is out of range to the end of the range.
        let round = |value: f64| value.round() as u16;
        RatingRow {
            category: category.as_str(),
            rating: round(rating.rating),
            deviation: round(rating.deviation),
            games: rating.games,
        }
    }
}

/// Counted games. Games that were called off do not count.
#[derive(Serialize, ToSchema)]
pub(crate) struct TallyRow {
    wins: u64,
    draws: u64,
    losses: u64,
}

impl From<Tally> for TallyRow {
    fn from(Tally { wins, draws, losses }: Tally) -> TallyRow {
        TallyRow { wins, draws, losses }
    }
}

/// What is known of somebody.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlayerView {
    /// As the owner of the account writes it; otherwise as it was asked for.
    #[schema(example = "Anna")]
    name: String,
    /// Whether an account protects the name. Guests may share one.
    is_account: bool,
    as_white: TallyRow,
    as_black: TallyRow,
    /// By category of time controls.
    ratings: Vec<RatingRow>,
}

/// Results and ratings of whoever goes by a name.
#[utoipa::path(
    get, path = "/api/players/{name}", tag = "games",
    params(("name" = String, Path, description = "In any case, with or without accents")),
    responses(
        (status = 200, body = PlayerView, description = "Known"),
        (status = 404, body = ErrorBody, description = "`no_such_player`"),
    )
)]
pub(crate) async fn player(
    State(state): State<AppState>,
    Segment(name): Segment,
) -> Result<Json<PlayerView>, ApiError> {
    if name.chars().count() > MAX_NAME_CHARACTERS {
        return Err(ApiError::NoSuchPlayer);
    }
    let store = &state.services.store;
    let account = store.account_by_name(&name).await?;
    let results = store.results_of(&name).await?;
    if account.is_none() && results == Default::default() {
        return Err(ApiError::NoSuchPlayer);
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
