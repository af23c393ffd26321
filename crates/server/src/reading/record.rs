//! Reading a stored game.

use castellan_game::{Game, GameId};
use castellan_store::StoredGame;

use crate::error::ApiError;
use crate::state::AppState;

/// Loads the game with this ID.
pub(super) async fn load(state: &AppState, id: &str) -> Result<(StoredGame, Game), ApiError> {
    let id: GameId = id.parse().map_err(|_| ApiError::UnknownGame)?;
    let stored = state.services.store.load_game(id).await?.ok_or(ApiError::UnknownGame)?;
    let game = replay(&stored)?;
    Ok((stored, game))
}

/// Replays a stored game. A game that cannot be replayed is damaged, which is logged for the
/// operator.
pub(super) fn replay(stored: &StoredGame) -> Result<Game, ApiError> {
    let game = Game::replay(stored.settings.clone(), stored.created, &stored.events);
    game.map_err(|error| {
        tracing::error!("the record of game {} is corrupt: {error}", stored.id);
        ApiError::Internal
    })
}
