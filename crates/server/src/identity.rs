//! Who asks: a guest or the owner of an account, known by the cookie.

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

/// A use of a session is written down at most this often.
const TOUCHED_MS: u64 = 3_600_000;

/// Somebody who may play. As an argument of a handler it refuses whoever is nobody; as
/// `Option<Identity>` it lets everybody in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The number that never changes.
    pub player: PlayerId,
    /// The name that others see.
    pub name: String,
    /// Whether the name is protected by an account; otherwise a guest has it.
    pub is_account: bool,
    /// The session by which the player is known; a guest of the plain protocol has none.
    pub session: Option<TokenDigest>,
}

impl Identity {
    /// Who the cookie of a request says, if anybody.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn of(headers: &HeaderMap, services: &Services) -> Result<Option<Self>, StoreError> {
        match cookie::read(headers, services.config.is_https()) {
            Some(token) => Identity::of_token(&token, services).await,
            None => Ok(None),
        }
    }

    /// Who comes back with a token, if anybody: for clients that keep no cookies.
    ///
    /// # Errors
    /// If the store does not answer.
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

/// Whether somebody else has made an account of the guest's name. The guest keeps the seat, whose
/// owner is a number, and goes by another name: otherwise one could throw an opponent out of a
/// game by registering his name.
async fn is_taken(guest: &Identity, services: &Services) -> Result<bool, StoreError> {
    let account = services.store.account_by_name(&guest.name).await?;
    Ok(account.is_some_and(|account| account.player != guest.player))
}

/// Puts the end of a session that is in use off. A store that cannot write it down right now is
/// no reason to refuse a request that only reads.
async fn touch(session: &Session, now: Moment, services: &Services) {
    if now.since_ms(session.seen) < TOUCHED_MS {
        return;
    }
    let touched = services.store.touch_session(session.digest, now, expiry(now)).await;
    if let Err(error) = touched {
        tracing::warn!("a session was used and not touched: {error}");
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
