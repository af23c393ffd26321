//! The effect of a rated game on its players' ratings.
//!
//! This module decides which games count and in which category. It leaves the arithmetic to
//! `castellan-game`.

use castellan_game::rating::{RatedGame, Rating, Score};
use castellan_game::{End, EndReason, Game, GameId, Moment, PlayerId, TimeControl};
use castellan_protocol::Ratings;
use castellan_rules::Color;
use castellan_store::{Category, RatingChange, Store, StoreError, StoredRating};

use crate::state::Services;

/// Assumed length of a game in moves, used to compare time controls.
const USUAL_MOVES: u64 = 40;

/// Returns the rating category of a time control, based on the time for a game of usual length.
pub(crate) fn category(time_control: TimeControl) -> Category {
    let Some(initial_ms) = time_control.initial_ms() else { return Category::Unlimited };
    let seconds = (u64::from(initial_ms) + USUAL_MOVES * u64::from(time_control.step_ms())) / 1000;
    match seconds {
        ..180 => Category::Bullet,
        180..480 => Category::Blitz,
        480..1800 => Category::Rapid,
        _ => Category::Classical,
    }
}

const MS_PER_DAY: f64 = 86_400_000.0;

/// A player's rating in a category.
pub(crate) struct PlayerRating {
    /// Rating after the last game.
    pub(crate) rating: Rating,
    /// Number of rated games.
    games: u32,
    /// Days since the last rated game ended.
    idle_days: f64,
}

impl PlayerRating {
    /// Returns the rating to use when this player is the opponent. Its deviation grows with the
    /// time since the player's last game.
    fn as_opponent(&self) -> Rating {
        self.rating.after_days(self.idle_days)
    }
}

/// Reads a player's rating in a category.
pub(crate) async fn standing_of(
    store: &dyn Store,
    player: PlayerId,
    category: Category,
    now: Moment,
) -> Result<PlayerRating, StoreError> {
    let stored = store.ratings_of(player).await?;
    let Some((_, stored)) = stored.into_iter().find(|(it, _)| *it == category) else {
        return Ok(PlayerRating { rating: Rating::default(), games: 0, idle_days: 0.0 });
    };
    let last = store.last_rated(player, category).await?;
    let idle_days = last.map_or(0.0, |last| now.since_ms(last) as f64 / MS_PER_DAY);
    Ok(PlayerRating { rating: to_rating(stored), games: stored.games, idle_days })
}

fn to_rating(stored: StoredRating) -> Rating {
    Rating::new(stored.rating, stored.deviation, stored.volatility).unwrap_or_default()
}

/// Computes the rating changes after the end of a game, and the message that announces them. `None`
/// if the game does not count.
pub(crate) async fn rate(
    services: &Services,
    id: GameId,
    game: &Game,
    end: End,
) -> Result<Option<(Vec<RatingChange>, Ratings)>, StoreError> {
    let settings = game.settings();
    let seats = Color::ALL.map(|color| game.seats().get(color).map(|player| player.id));
    let [Some(white), Some(black)] = seats else { return Ok(None) };
    if !settings.is_rated || end.reason == EndReason::Aborted {
        return Ok(None);
    }
    let category = category(settings.time_control);
    let (store, now) = (&*services.store, services.clock.now());
    let white_before = standing_of(store, white, category, now).await?;
    let black_before = standing_of(store, black, category, now).await?;
    let score = match end.winner {
        Some(Color::White) => Score::Win,
        Some(Color::Black) => Score::Loss,
        None => Score::Draw,
    };
    let white_after = after(&white_before, &black_before, score);
    let black_after = after(&black_before, &white_before, score.reversed());
    let changes = vec![
        change(white, category, white_before.games, white_after),
        change(black, category, black_before.games, black_after),
    ];
    let message = Ratings {
        game: id,
        white: shown(white_before.rating, white_after),
        black: shown(black_before.rating, black_after),
    };
    Ok(Some((changes, message)))
}

fn after(own: &PlayerRating, opponent: &PlayerRating, score: Score) -> Rating {
    let game = RatedGame { opponent: opponent.as_opponent(), score };
    own.rating.after_game(game, own.idle_days)
}

fn change(player: PlayerId, category: Category, games_before: u32, after: Rating) -> RatingChange {
    let after = StoredRating {
        rating: after.points(),
        deviation: after.deviation(),
        volatility: after.volatility(),
        games: games_before.saturating_add(1),
    };
    RatingChange { player, category, games_before, after }
}

fn shown(before: Rating, after: Rating) -> castellan_protocol::RatingChange {
    castellan_protocol::RatingChange { before: before.shown(), after: after.shown() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_category_depends_on_the_time_for_a_game_of_usual_length() {
        let clock = |minutes: u32, increment_s: u32| TimeControl::Increment {
            initial_ms: minutes * 60_000,
            increment_ms: increment_s * 1000,
        };
        assert_eq!(category(clock(1, 0)), Category::Bullet);
        assert_eq!(category(clock(2, 1)), Category::Bullet);
        assert_eq!(category(clock(3, 0)), Category::Blitz);
        assert_eq!(category(clock(5, 3)), Category::Blitz);
        assert_eq!(category(clock(10, 0)), Category::Rapid);
        assert_eq!(category(clock(30, 0)), Category::Classical);
        assert_eq!(category(TimeControl::Unlimited {}), Category::Unlimited);
        let delay = TimeControl::Delay { initial_ms: 60_000, delay_ms: 10_000 };
        assert_eq!(category(delay), Category::Blitz);
    }
}
