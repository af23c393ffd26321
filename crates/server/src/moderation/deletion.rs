//! Deleting an account.
//!
//! What goes: the account with its sessions, ratings, codes and second factor; the name in the games
//! that were played under it, which then belong to a former player; what the player wrote in the chat
//! of these games; and the name in reports. What stays: the moves, which are also the opponents', and
//! the entries of the audit log.

use castellan_game::{Event, Player, PlayerId};
use castellan_store::{Account, ModerationAct, SeatRename};

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

/// Makes the player resign their running games, and waits until they have ended.
async fn end_games(
    services: &Services,
    hub: Option<&Hub>,
    player: PlayerId,
) -> Result<(), ApiError> {
    for _ in 0..ATTEMPTS {
        if services.store.unfinished_of(player).await?.is_empty() {
            return Ok(());
        }
        let Some(hub) = hub else { break };
        hub.forfeit_games(player).await?;
        tokio::time::sleep(core::time::Duration::from_millis(PAUSE_MS)).await;
    }
    Err(AdminRefusal::HasGames.into())
}

/// Replaces the name in all games that were played under it.
async fn rename_games(services: &Services, account: &Account) -> Result<(), ApiError> {
    let (player, moderation) = (account.player, services.store.moderation());
    let mut before = Vec::new();
    loop {
        let games = moderation.games_under_name(player, &account.name, AT_ONCE).await?;
        // A game that cannot be renamed would be found again and again.
        if games.is_empty() || games == before {
            return Ok(());
        }
        for game in &games {
            let Some(stored) = services.store.load_game(*game).await? else { continue };
            for recorded in stored.events {
                let Event::Seated { color, player: seated } = recorded.event else { continue };
                if seated.id == player {
                    let renamed = Player { name: former_name(player), ..seated };
                    let (version, game) = (recorded.version, *game);
                    let rename = SeatRename { game, version, color, player: renamed };
                    moderation.rename_seat(rename).await?;
                }
            }
        }
        before = games;
    }
}
