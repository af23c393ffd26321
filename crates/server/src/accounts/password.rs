//! Changing the password, which requires the current one and ends all other sessions.

use axum::extract::State;
use axum::http::HeaderMap;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Me, PasswordAttempt, SessionStarted, owner, verify_password};
use crate::address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::identity::Identity;
use crate::passwords::Password;
use crate::state::AppState;

/// The current and the new password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PasswordChange {
    /// Current password.
    current: Password,
    /// New password.
    new: Password,
}

/// Change the password.
///
/// All other sessions of the account end, and this one gets a new cookie.
#[utoipa::path(
    post, path = "/api/password", tag = "people", request_body = PasswordChange,
    responses(
        (status = 200, body = Me, description = "Changed; a new cookie is set"),
        (status = 401, body = ErrorBody, description = "`not_signed_in` or `wrong_credentials`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
        (status = 422, body = ErrorBody, description = "`bad_password`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
        (status = 503, body = ErrorBody, description = "`busy`"),
    )
)]
pub(crate) async fn change_password(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    headers: HeaderMap,
    JsonBody(change): JsonBody<PasswordChange>,
) -> Result<SessionStarted, ApiError> {
    let services = &*state.services;
    if !who.is_account {
        return Err(ApiError::NeedsAccount);
    }
    // Without this, a stranger at an unlocked browser could guess the password without a
    // limit.
    let guess = services.guess_limits.begin_change(who.player, who.session)?;
    let account = services.store.account_of(who.player).await;
    let attempt = PasswordAttempt { guess: Some(guess), address };
    let account = verify_password(services, account, change.current, attempt).await?;
    change.new.check(&who.name)?;
    let hash = services.passwords.hash(change.new, services.limited(address)).await?;
    services.store.change_password(who.player, hash).await?;
    super::session_list::end_all(&state, who.player, None).await?;
    SessionStarted::begin(&state, owner(account, &headers), None).await
}
