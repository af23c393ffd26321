//! Settings for live games.

use castellan_game::TimeControl;

/// Limits for live games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveConfig {
    /// Maximum number of games in memory, running or recently finished.
    pub max_games: usize,
    /// Maximum number of running games per player.
    pub max_games_per_player: usize,
    /// Maximum number of games in memory that one IP address has started or had loaded from the
    /// store.
    pub max_games_per_address: usize,
    /// Maximum number of open invitations per player.
    pub max_invitations_per_player: usize,
    /// Maximum number of spectators per game.
    pub max_watchers_per_game: usize,
    /// Number of engine threads. 0 disables games against the engine.
    pub engine_threads: usize,
    /// Share of the time that each engine thread may spend searching, in percent, from 1 to 100.
    pub engine_share_percent: u32,
    /// Time control for games in the plain protocol, whose clients cannot choose one.
    pub simple_time_control: TimeControl,
}

impl Default for LiveConfig {
    fn default() -> LiveConfig {
        LiveConfig {
            max_games: 20_000,
            max_games_per_player: 20,
            max_games_per_address: 256,
            max_invitations_per_player: 5,
            max_watchers_per_game: 500,
            engine_threads: 1,
            engine_share_percent: 100,
            simple_time_control: TimeControl::Increment {
                initial_ms: 600_000,
                increment_ms: 5_000,
            },
        }
    }
}
