//! `POST /api/admin`: commands of admins, who sign in, and of operators, who have the key.
//!
//! A server that stores its data in a folder writes a new key to a file in that folder each time it
//! starts. Users who can read the file can also read the database, so the key gives them no new
//! power. `castellan admin` uses it, because no second process may write to a database that a
//! server uses, and because only the server can close connections.

use core::fmt;
use core::str::FromStr;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use castellan_store::TokenDigest;
use subtle::ConstantTimeEq;

use super::perform::{Actor, perform};
use super::request::{AdminReply, AdminRequest};
use crate::address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::identity::Identity;
use crate::moderation::Visitor;
use crate::random::NoRandomness;
use crate::state::{AppState, Services};
use crate::token::{NotAToken, Token};

/// The key of the operator. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AdminKey(Token);

impl AdminKey {
    /// Creates a random key.
    ///
    /// # Errors
    /// Fails if the operating system has no randomness.
    pub fn new() -> Result<AdminKey, NoRandomness> {
        Token::new().map(AdminKey)
    }

    /// Returns the text of the key.
    pub fn reveal(&self) -> String {
        self.0.reveal()
    }

    /// Compares all bytes of the digests, which reveal nothing about the bytes of the keys.
    fn is(&self, digest: &TokenDigest) -> bool {
        self.0.digest().as_bytes().ct_eq(digest.as_bytes()).into()
    }
}

/// The text is not a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseAdminKeyError;

impl fmt::Display for ParseAdminKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key has 64 hexadecimal digits")
    }
}

impl FromStr for AdminKey {
    type Err = ParseAdminKeyError;

    fn from_str(text: &str) -> Result<AdminKey, ParseAdminKeyError> {
        text.parse().map(AdminKey).map_err(|NotAToken| ParseAdminKeyError)
    }
}

/// Carry out a command of an admin or of the operator.
///
/// Admins use their session. The operator sends the key of the server as `Authorization: Bearer`.
#[utoipa::path(
    post, path = "/api/admin", tag = "operation", request_body = AdminRequest,
    responses(
        (status = 200, body = AdminReply, description = "The command was carried out"),
        (status = 403, body = ErrorBody, description = "`forbidden`: not an admin"),
        (status = 404, body = ErrorBody, description = "`unknown_player`"),
        (status = 422, body = ErrorBody, description = "`admin_refused`"),
    )
)]
pub(crate) async fn administer(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Option<Identity>,
    headers: HeaderMap,
    JsonBody(request): JsonBody<AdminRequest>,
) -> Result<Json<AdminReply>, ApiError> {
    let actor = actor(&state.services, address, who, &headers).await?;
    Ok(Json(perform(&state.services, Some(&state.hub), &actor, request).await?))
}

/// Returns the sender of a command. Fails if they may not send commands.
async fn actor(
    services: &Services,
    address: ClientAddress,
    who: Option<Identity>,
    headers: &HeaderMap,
) -> Result<Actor, ApiError> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        let text = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
        let offered: Option<AdminKey> = text.and_then(|text| text.parse().ok());
        let is_right = services.config.admin_key.as_ref().zip(offered);
        return match is_right.is_some_and(|(key, offered)| key.is(&offered.0.digest())) {
            true => Ok(Actor::Operator),
            false => Err(ApiError::Forbidden),
        };
    }
    let Some(who) = who.filter(|who| who.is_account) else { return Err(ApiError::Forbidden) };
    services.check_banned(Visitor {
        player: Some(who.player),
        name: Some(&who.name),
        address: Some(address.0),
    })?;
    match services.store.moderation().is_admin(who.player).await? {
        true => Ok(Actor::Admin { player: who.player, name: who.name }),
        false => Err(ApiError::Forbidden),
    }
}
