//! The user of a request: a guest or the owner of an account, identified by a cookie.

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use castellan_game::{Moment, PlayerId};
use castellan_protocol::SessionToken;
use castellan_store::{Session, StoreError, TokenDigest};

use crate::cookie;
use crate::error::ApiError;
use crate::sessions::expiry;
use crate::state::{AppState, Services};
use crate::token::{NotAToken, Token};

/// Minimum time between two updates of a session's last use.
const TOUCHED_MS: u64 = 3_600_000;

/// A user who may play. As an argument of a handler it rejects requests without a valid session;
/// as `Option<Identity>` it accepts every request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Permanent ID of the player.
    pub player: PlayerId,
    /// Name that others see.
    pub name: String,
    /// `true` if the name belongs to an account; `false` for a guest.
    pub is_account: bool,
    /// Session that identifies the user. Guests of the plain protocol have none.
    pub session: Option<TokenDigest>,
}

impl Identity {
    /// Returns the user whose session is in the cookie of a request, if any.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn of(headers: &HeaderMap, services: &Services) -> Result<Option<Self>, StoreError> {
        match cookie::read(headers, services.config.is_https()) {
            Some(token) => Identity::of_token(&token, services).await,
            None => Ok(None),
        }
    }

    /// Returns the user whose session has this token, if any. For clients that keep no cookies.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub async fn of_session(
        token: &SessionToken,
        services: &Services,
    ) -> Result<Option<Self>, StoreError> {
        match token.as_str().parse() {
            Ok(token) => Identity::of_token(&token, services).await,
            Err(NotAToken) => Ok(None),
        }
    }

    async fn of_token(token: &Token, services: &Services) -> Result<Option<Self>, StoreError> {
        let now = services.clock.now();
        let session = services.store.session(token.digest()).await?;
        let Some(session) = session.filter(|session| session.expires > now) else {
            return Ok(None);
        };
        touch(&session, now, services).await;
        let mut identity = Identity::from(session);
        if !identity.is_account && is_taken(&identity, services).await? {
            identity.name = format!("Guest {}", identity.player);
        }
        Ok(Some(identity))
    }
}

impl From<Session> for Identity {
    fn from(session: Session) -> Identity {
        Identity {
            player: session.player,
            name: session.name,
            is_account: session.is_account,
            session: Some(session.digest),
        }
    }
}

/// Returns `true` if another user has registered the guest's name as an account. The guest then
/// keeps their seat, which belongs to a player ID, and goes by another name. Otherwise a user
/// could throw an opponent out of a game by registering their name.
async fn is_taken(guest: &Identity, services: &Services) -> Result<bool, StoreError> {
    let account = services.store.account_by_name(&guest.name).await?;
    Ok(account.is_some_and(|account| account.player != guest.player))
}

/// Extends a session that is in use. A store that cannot save this right now is no reason to
/// refuse a request that only reads.
async fn touch(session: &Session, now: Moment, services: &Services) {
    if now.since_ms(session.seen) < TOUCHED_MS {
        return;
    }
    let touched = services.store.touch_session(session.digest, now, expiry(now)).await;
    if let Err(error) = touched {
        tracing::warn!("the last use of a session could not be saved: {error}");
    }
}

impl OptionalFromRequestParts<AppState> for Identity {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &AppState,
    ) -> Result<Option<Identity>, ApiError> {
        Ok(Identity::of(&parts.headers, &state.services).await?)
    }
}

impl FromRequestParts<AppState> for Identity {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Identity, ApiError> {
        Identity::of(&parts.headers, &state.services).await?.ok_or(ApiError::NotSignedIn)
    }
}
