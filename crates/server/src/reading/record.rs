//! Reading a stored game.

use castellan_game::{Game, GameId};
use castellan_store::{StoreError, StoredGame};

use crate::error::ApiError;
use crate::live::Damage;
use crate::state::AppState;

/// Loads the game with this ID.
pub(super) async fn load(state: &AppState, id: &str) -> Result<(StoredGame, Game), ApiError> {
    let id: GameId = id.parse().map_err(|_| ApiError::UnknownGame)?;
    find(state, id).await?.ok_or(ApiError::UnknownGame)
}

/// Returns a stored game, or `None` if it does not exist. A game that cannot be read or replayed is
/// set aside.
pub(crate) async fn find(
    state: &AppState,
    id: GameId,
) -> Result<Option<(StoredGame, Game)>, ApiError> {
    let damaged = |what: String| {
        state.hub.shared().damaged.add(id, Damage::Unreadable, what);
        ApiError::DamagedGame
    };
    let stored = match state.services.store.load_game(id).await {
        Ok(Some(stored)) => stored,
        Ok(None) => return Ok(None),
        Err(StoreError::Damaged { what }) => return Err(damaged(what)),
        Err(error) => return Err(error.into()),
    };
    let game = Game::replay(stored.settings.clone(), stored.created, &stored.events);
    let game = game.map_err(|error| damaged(error.to_string()))?;
    Ok(Some((stored, game)))
}
