//! Creating and replacing sessions.

use castellan_game::{Moment, PlayerId};
use castellan_store::{Session, StoreError, TokenDigest};

use crate::cookie;
use crate::error::ApiError;
use crate::state::{AppState, Services};
use crate::token::Token;

/// The user of a new session.
#[derive(Clone, Debug)]
pub(crate) struct NewSession {
    pub(crate) player: PlayerId,
    pub(crate) name: String,
    pub(crate) is_account: bool,
    /// User agent of the browser.
    pub(crate) device: String,
}

/// Creates a session, which is not stored yet, and its token.
pub(crate) fn create(
    services: &Services,
    new_session: NewSession,
) -> Result<(Token, Session), ApiError> {
    let token = Token::new()?;
    let now = services.clock.now();
    let NewSession { player, name, is_account, device } = new_session;
    let digest = token.digest();
    let expires = expiry(now);
    let session =
        Session { digest, player, name, is_account, created: now, seen: now, expires, device };
    Ok((token, session))
}

/// Stores a session in place of another one. The old token becomes invalid, and its connections
/// are closed.
pub(crate) async fn replace(
    state: &AppState,
    old: Option<TokenDigest>,
    session: Session,
) -> Result<(), StoreError> {
    let store = &state.services.store;
    let Some(old) = old else {
        return store.put_session(session).await;
    };
    match store.rotate_session(old, session.clone()).await {
        // Another request has ended the old session in the meantime.
        Err(StoreError::NoSuchSession) => store.put_session(session).await?,
        rotated => rotated?,
    }
    state.hub.end_session(old);
    Ok(())
}

/// Returns when a session that was used just now expires.
pub(crate) fn expiry(now: Moment) -> Moment {
    now.plus_ms(cookie::KEPT_S * 1000)
}
