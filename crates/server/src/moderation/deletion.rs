//! Deleting an account.
//!
//! A deletion removes the account with its sessions, ratings, codes and second factor; the name in
//! the games that were played under it, which then belong to a former player; the chat lines that
//! the player wrote in these games; and the name in reports. It keeps the moves, which also belong
//! to the opponents, and the entries of the audit log.

use castellan_game::{Game, GameId, PlayerId};
use castellan_store::{Account, FormerPlayer, ModerationAct, StoreError};

use super::perform::entry;
use super::request::AdminRefusal;
use crate::error::ApiError;
use crate::live::Hub;
use crate::state::Services;

/// Number of games that are renamed before the next ones are looked up.
const AT_ONCE: u32 = 100;
/// How often the server checks whether the running games of the player have ended.
const ATTEMPTS: u32 = 50;
const PAUSE_MS: u64 = 100;

/// Returns the name that the games of a deleted account show.
fn former_name(player: PlayerId) -> String {
    format!("Guest {player}")
}

/// Deletes an account. The player resigns their running games.
pub(crate) async fn delete_account(
    services: &Services,
    hub: Option<&Hub>,
    actor: &str,
    account: &Account,
) -> Result<(), ApiError> {
    let player = account.player;
    end_games(services, hub, player).await?;
    let sessions = services.store.sessions_of(player).await?;
    services.store.delete_sessions_of(player, None).await?;
    if let Some(hub) = hub {
        sessions.iter().for_each(|session| hub.end_session(session.digest));
    }
    rename_games(services, account).await?;
    let moderation = services.store.moderation();
    moderation.forget_name(&account.name).await?;
    // The name itself is what has to be forgotten, so the log has the number.
    let entry = entry(
        services,
        if actor == account.name { "owner" } else { actor },
        "delete-account",
        &format!("player {player}"),
        "",
    );
    moderation.act(ModerationAct::DeleteAccount { player }, entry).await?;
    Ok(())
}

/// Makes the player resign their running games, and waits until they have ended. A damaged game does
/// not run.
async fn end_games(
    services: &Services,
    hub: Option<&Hub>,
    player: PlayerId,
) -> Result<(), ApiError> {
    for _ in 0..ATTEMPTS {
        if Unfinished::of(services, player).await?.sound.is_empty() {
            return Ok(());
        }
        let Some(hub) = hub else { break };
        hub.forfeit_games(player).await?;
        tokio::time::sleep(core::time::Duration::from_millis(PAUSE_MS)).await;
    }
    Err(AdminRefusal::HasGames.into())
}

/// Returns `true` if a game cannot be read or replayed, so that no server can play it.
pub(super) async fn is_damaged(services: &Services, game: GameId) -> Result<bool, ApiError> {
    match services.store.load_game(game).await {
        Ok(Some(it)) => Ok(Game::replay(it.settings, it.created, &it.events).is_err()),
        Ok(None) => Ok(false),
        Err(StoreError::Damaged { .. }) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// The games of a player that have not ended.
#[derive(Default)]
struct Unfinished {
    sound: Vec<GameId>,
    damaged: Vec<GameId>,
}

impl Unfinished {
    async fn of(services: &Services, player: PlayerId) -> Result<Unfinished, ApiError> {
        let mut games = Unfinished::default();
        for game in services.store.unfinished_of(player).await? {
            match is_damaged(services, game).await? {
                true => games.damaged.push(game),
                false => games.sound.push(game),
            }
        }
        Ok(games)
    }
}

/// Replaces the name in all games that were played under it, and in damaged ones that have not ended.
async fn rename_games(services: &Services, account: &Account) -> Result<(), ApiError> {
    let (player, moderation) = (account.player, services.store.moderation());
    let former =
        FormerPlayer { player, name: account.name.clone(), replacement: former_name(player) };
    let mut games = Unfinished::of(services, player).await?.damaged;
    loop {
        for game in &games {
            moderation.forget_player(*game, former.clone()).await?;
        }
        let next = moderation.games_under_name(player, &account.name, AT_ONCE).await?;
        // A game that cannot be renamed would be found again and again.
        if next.is_empty() || next == games {
            return Ok(());
        }
        games = next;
    }
}
