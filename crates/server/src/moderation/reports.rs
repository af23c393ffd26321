//! Complaints of players about players.

use axum::Json;
use axum::extract::State;
use castellan_game::{GameId, PlayerId};
use castellan_protocol::Level;
use castellan_rules::Color;
use castellan_store::NewReport;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::policy::Visitor;
use crate::address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::identity::Identity;
use crate::rates::Action;
use crate::reading::find_game;
use crate::state::AppState;

/// Maximum number of characters of a report.
const MAX_CHARS: usize = 500;

/// A complaint about a player of a game.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportRequest {
    /// ID of the game in which it happened.
    #[schema(value_type = String, example = "4kZ9Qm2XrT7b")]
    game: GameId,
    /// The color of the player.
    color: ReportedColor,
    /// What happened: 1 to 500 characters.
    #[schema(min_length = 1, max_length = 500)]
    text: String,
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ReportedColor {
    White,
    Black,
}

/// Whether a report was stored.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReportStored {
    /// `false` if the user has reported the same player for the same game before.
    is_new: bool,
}

/// Report a player of a game to the moderators.
#[utoipa::path(
    post, path = "/api/reports", tag = "people", request_body = ReportRequest,
    responses(
        (status = 200, body = ReportStored, description = "The moderators can read it"),
        (status = 401, body = ErrorBody, description = "`not_signed_in`"),
        (status = 404, body = ErrorBody, description = "`unknown_game` or `unknown_player`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
        (status = 500, body = ErrorBody, description = "`damaged_game`"),
    )
)]
pub(crate) async fn report_player(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    JsonBody(ReportRequest { game, color, text }): JsonBody<ReportRequest>,
) -> Result<Json<ReportStored>, ApiError> {
    let services = &*state.services;
    services.check_address(Action::Export, address)?;
    services.check_banned(Visitor {
        player: Some(who.player),
        name: Some(&who.name),
        address: Some(address.0),
    })?;
    let text = text.trim();
    let is_fine = (1..=MAX_CHARS).contains(&text.chars().count()) && !text.contains('\0');
    if !is_fine {
        return Err(ApiError::Body { line: 0, column: 0 });
    }
    let (reported, reported_name) = seated(&state, game, color).await?;
    if reported == who.player || Level::of_player(reported).is_some() {
        return Err(ApiError::UnknownPlayer);
    }
    let report = NewReport {
        at: services.clock.now(),
        reporter: who.player,
        reporter_name: who.name,
        reported,
        reported_name,
        game,
        text: text.to_owned(),
    };
    let is_new = services.store.moderation().add_report(report).await?;
    Ok(Json(ReportStored { is_new }))
}

async fn seated(
    state: &AppState,
    game: GameId,
    wanted: ReportedColor,
) -> Result<(PlayerId, String), ApiError> {
    let (stored, _) = find_game(state, game).await?.ok_or(ApiError::UnknownGame)?;
    let wanted = match wanted {
        ReportedColor::White => Color::White,
        ReportedColor::Black => Color::Black,
    };
    let seat = stored.events.into_iter().find_map(|recorded| match recorded.event {
        castellan_game::Event::Seated { color, player } if color == wanted => {
            Some((player.id, player.name))
        }
        _ => None,
    });
    seat.ok_or(ApiError::UnknownPlayer)
}
