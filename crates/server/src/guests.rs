//! Guests, who can play as soon as they give a name.
//!
//! A guest's name is not protected: two guests may have the same one. The name of an account is
//! protected: no guest can take it, and a guest who had it before goes by another name from then
//! on, without losing their running games.

use axum::extract::State;
use axum::http::HeaderMap;
use castellan_game::PlayerId;
use castellan_protocol::{Name, SessionToken};
use castellan_store::{Store, StoreError};
use serde::Deserialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use crate::accounts::{SessionStarted, device};
use crate::address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::identity::Identity;
use crate::moderation::Visitor;
use crate::names::{NameError, is_reserved, read_name};
use crate::rates::Action;
use crate::sessions::{self, NewSession};
use crate::state::{AppState, Services};

/// Number of player IDs fetched from the store at a time.
const IDS_AT_ONCE: u32 = 64;

/// Player IDs for new players, fetched in blocks so that most guests cost one write less.
#[derive(Debug, Default)]
pub(crate) struct PlayerIds {
    /// The next ID, and how many are left in the block.
    block: Mutex<(u64, u32)>,
}

impl PlayerIds {
    /// Returns an ID that no player has had.
    pub(crate) async fn next(&self, store: &dyn Store) -> Result<PlayerId, StoreError> {
        let mut block = self.block.lock().await;
        if block.1 == 0 {
            *block = (store.reserve_player_ids(IDS_AT_ONCE).await?.0, IDS_AT_ONCE);
        }
        let number = block.0;
        *block = (number + 1, block.1 - 1);
        Ok(PlayerId(number))
    }
}

/// Creates a guest without a session, who cannot return, as in the plain protocol.
///
/// # Errors
/// Fails if the name is reserved or belongs to an account, or if the store fails.
pub async fn create_guest(services: &Services, name: &Name) -> Result<Identity, ApiError> {
    check_free(services, name).await?;
    let player = services.player_ids.next(&*services.store).await?;
    Ok(Identity { player, name: name.to_string(), is_account: false, session: None })
}

/// Creates a guest with a session token, for clients that keep no cookies.
///
/// # Errors
/// Fails as [`create_guest`] does.
pub async fn create_guest_with_session(
    services: &Services,
    name: &Name,
    device: &str,
) -> Result<(Identity, SessionToken), ApiError> {
    let guest = create_guest(services, name).await?;
    let new_session = NewSession {
        player: guest.player,
        name: guest.name,
        is_account: false,
        device: device.to_owned(),
    };
    let (token, session) = sessions::create(services, new_session)?;
    services.store.put_session(session.clone()).await?;
    let token = token.reveal().parse().map_err(|_| ApiError::Internal)?;
    Ok((Identity::from(session), token))
}

/// Checks that a guest may have the name.
async fn check_free(services: &Services, name: &Name) -> Result<(), ApiError> {
    if is_reserved(name) {
        return Err(NameError::Reserved.into());
    }
    match services.store.account_by_name(name.as_str()).await? {
        Some(_) => Err(ApiError::NameTaken),
        None => Ok(()),
    }
}

/// The name of a guest.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuestRequest {
    /// Name of 2 to 20 letters, digits and signs.
    #[schema(example = "Anna", min_length = 2, max_length = 20)]
    name: String,
}

/// Become a guest.
///
/// A guest who gives another name stays the same player.
#[utoipa::path(
    post, path = "/api/guest", tag = "people", request_body = GuestRequest,
    responses(
        (status = 200, body = crate::accounts::Me, description = "Signed in; a cookie is set"),
        (status = 409, body = ErrorBody, description = "`name_taken` or `signed_in`"),
        (status = 422, body = ErrorBody, description = "`bad_name`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn become_guest(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Option<Identity>,
    headers: HeaderMap,
    JsonBody(request): JsonBody<GuestRequest>,
) -> Result<SessionStarted, ApiError> {
    let services = &*state.services;
    services.check_address(Action::Guest, address)?;
    if who.as_ref().is_some_and(|who| who.is_account) {
        return Err(ApiError::SignedIn);
    }
    let name = read_name(&request.name)?;
    services.check_banned(Visitor {
        player: who.as_ref().map(|who| who.player),
        name: Some(name.as_str()),
        address: Some(address.0),
    })?;
    check_free(services, &name).await?;
    let player = match &who {
        Some(who) => who.player,
        None => services.player_ids.next(&*services.store).await?,
    };
    let device = device(&headers);
    let new_session = NewSession { player, name: name.to_string(), is_account: false, device };
    SessionStarted::begin(&state, new_session, who).await
}
