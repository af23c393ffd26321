//! What an operator may decide about live games.

use castellan_game::TimeControl;

/// Bounds of everything that is live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveConfig {
    /// Games in memory at one time, running or just over.
    pub max_games: usize,
    /// Running games of one player.
    pub max_games_per_player: usize,
    /// Games in memory for which one address is responsible: those that it began or looks at.
    pub max_games_per_address: usize,
    /// Open invitations of one player.
    pub max_invitations_per_player: usize,
    /// Watchers of one game.
    pub max_watchers_per_game: usize,
    /// Threads on which engines think.
    pub engine_threads: usize,
    /// The time control of the plain protocol, which cannot ask for one.
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
            simple_time_control: TimeControl::Increment {
                initial_ms: 600_000,
                increment_ms: 5_000,
            },
        }
    }
}
