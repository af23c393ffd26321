//! The statements that both databases understand.
//!
//! This module holds every statement about games and players; the backends have their own schema
//! and administrative statements. Invariant: each statement is constant text with numbered
//! parameters. The comments list the parameters in order after the colon.

/// Adds a game that does not exist yet: id, settings, created.
pub(crate) const ADD_GAME: &str = "\
INSERT INTO games (id, settings, created) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";

/// Adds an event if it is the next of its game: game, version, at, event.
pub(crate) const ADD_EVENT: &str = "\
INSERT INTO events (game, version, at, event)
SELECT number, ?2, ?3, ?4 FROM games
WHERE id = ?1
  AND ?2 = 1 + COALESCE((SELECT MAX(version) FROM events WHERE game = games.number), 0)";

/// Selects the version of a game: id. Returns no row if the game does not exist.
pub(crate) const VERSION: &str = "\
SELECT COALESCE((SELECT MAX(version) FROM events WHERE game = games.number), 0)
FROM games WHERE id = ?1";

/// Seats the player with the white pieces: game, player, name, folded name, rating.
pub(crate) const SEAT_WHITE: &str = "\
UPDATE games SET white_player = ?2, white_name = ?3, white_folded = ?4, white_rating = ?5
WHERE id = ?1";

/// Seats the player with the black pieces: game, player, name, folded name, rating.
pub(crate) const SEAT_BLACK: &str = "\
UPDATE games SET black_player = ?2, black_name = ?3, black_folded = ?4, black_rating = ?5
WHERE id = ?1";

/// Ends a game that has not ended: game, reason, winner, plies, finished.
pub(crate) const FINISH: &str = "\
UPDATE games SET reason = ?2, winner = ?3, plies = ?4, finished = ?5
WHERE id = ?1 AND finished IS NULL";

/// Changes a rating that is still based on the expected number of games: player, category,
/// rating, deviation, volatility, games, games before, time.
pub(crate) const RATE: &str = "\
INSERT INTO ratings (player, category, rating, deviation, volatility, games, rated)
SELECT player, ?2, ?3, ?4, ?5, ?6, ?8 FROM accounts
WHERE player = ?1
  AND ?7 = COALESCE(
    (SELECT games FROM ratings WHERE ratings.player = ?1 AND ratings.category = ?2), 0)
ON CONFLICT (player, category) DO UPDATE SET
  rating = excluded.rating, deviation = excluded.deviation,
  volatility = excluded.volatility, games = excluded.games, rated = excluded.rated";

/// Selects the number, settings and creation time of a game: id.
pub(crate) const GAME: &str = "SELECT number, settings, created FROM games WHERE id = ?1";

/// Selects the events of a game: number.
pub(crate) const EVENTS: &str = "\
SELECT version, at, event FROM events WHERE game = ?1 ORDER BY version";

/// Selects the events of a game after a version, each with the game's last version: id, version.
/// Returns one row without an event if there is none, and no row if the game does not exist.
pub(crate) const EVENTS_AFTER: &str = "\
SELECT COALESCE((SELECT MAX(version) FROM events WHERE game = games.number), 0),
  events.version, events.at, events.event
FROM games LEFT JOIN events ON events.game = games.number AND events.version > ?2
WHERE games.id = ?1 ORDER BY events.version";

/// Selects the games that have not ended.
pub(crate) const UNFINISHED: &str = "SELECT id FROM games WHERE finished IS NULL ORDER BY number";

/// Selects a player's games that have not ended: player.
pub(crate) const UNFINISHED_OF: &str = "\
SELECT id FROM games WHERE finished IS NULL AND (white_player = ?1 OR black_player = ?1)
ORDER BY number";

/// Takes a claim: name, game or NULL, expires.
pub(crate) const CLAIM: &str = "\
INSERT INTO claims (name, game, expires) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";

/// Takes a claim that is free or held by a game that has ended: name, game, expires.
pub(crate) const CLAIM_WHILE_RUNNING: &str = "\
INSERT INTO claims (name, game, expires) VALUES (?1, ?2, ?3)
ON CONFLICT (name) DO UPDATE SET game = excluded.game, expires = excluded.expires
WHERE NOT EXISTS (SELECT 1 FROM games WHERE games.id = claims.game AND games.finished IS NULL)";

/// Releases a claim: name, game.
pub(crate) const RELEASE_CLAIM: &str = "DELETE FROM claims WHERE name = ?1 AND game = ?2";

/// Selects the game that holds a claim: name.
pub(crate) const CLAIMED: &str = "SELECT game FROM claims WHERE name = ?1";

macro_rules! finished_games {
    ($rest:literal) => {
        concat!(
            "SELECT number, finished, id, created, plies, reason, winner, \
             white_player, white_name, white_rating, black_player, black_name, black_rating \
             FROM games WHERE finished IS NOT NULL ",
            $rest
        )
    };
}

/// Selects finished games before a position: finished, number, limit.
pub(crate) const HISTORY: &str = finished_games!(
    "AND (finished, number) < (?1, ?2) ORDER BY finished DESC, number DESC LIMIT ?3"
);

/// Adds the endings of a name that are not known yet: folded name.
pub(crate) const ADD_NAME: &str = "\
WITH RECURSIVE endings (ending) AS (
  SELECT CAST(?1 AS TEXT)
  WHERE NOT EXISTS (SELECT 1 FROM name_endings WHERE ending = ?1 AND folded = ?1)
  UNION ALL SELECT substr(ending, 2) FROM endings WHERE length(ending) > 1)
INSERT INTO name_endings (ending, folded) SELECT ending, CAST(?1 AS TEXT) FROM endings WHERE true
ON CONFLICT DO NOTHING";

/// Selects the names that contain a text: the text, the end of its range, limit.
pub(crate) const NAMES_WITH: &str = "\
SELECT DISTINCT folded FROM name_endings WHERE ending >= ?1 AND ending < ?2 LIMIT ?3";

/// Selects finished games before a position by names that contain a text, for a text that few
/// names contain: finished, number, limit, the text, the end of its range. The `CROSS JOIN` makes
/// SQLite start with the names.
pub(crate) const HISTORY_OF_FEW: &str = "\
SELECT number, finished, id, created, plies, reason, winner,
  white_player, white_name, white_rating, black_player, black_name, black_rating
FROM games WHERE number IN (
  SELECT number FROM (
    SELECT games.number, games.finished
    FROM (SELECT DISTINCT folded FROM name_endings WHERE ending >= ?4 AND ending < ?5) AS named
    CROSS JOIN games
    WHERE games.white_folded = named.folded AND games.finished IS NOT NULL
      AND (games.finished, games.number) < (?1, ?2)
    UNION
    SELECT games.number, games.finished
    FROM (SELECT DISTINCT folded FROM name_endings WHERE ending >= ?4 AND ending < ?5) AS named
    CROSS JOIN games
    WHERE games.black_folded = named.folded AND games.finished IS NOT NULL
      AND (games.finished, games.number) < (?1, ?2)
  ) AS found ORDER BY finished DESC, number DESC LIMIT ?3)
ORDER BY finished DESC, number DESC";

/// Selects finished games before a position by names that contain a text, for a text that many
/// names contain, so that there are such games among the newest: finished, number, limit, pattern.
pub(crate) const HISTORY_OF_MANY: &str = finished_games!(
    "AND (finished, number) < (?1, ?2) \
     AND (white_folded LIKE ?4 ESCAPE '!' OR black_folded LIKE ?4 ESCAPE '!') \
     ORDER BY finished DESC, number DESC LIMIT ?3"
);

/// Selects the longest finished games that have moves: limit, the reason of ends that do not count.
pub(crate) const LONGEST: &str =
    finished_games!("AND plies > 0 AND reason <> ?2 ORDER BY plies DESC, number LIMIT ?1");

/// Counts results with each color: folded name, the reason of ends that do not count.
pub(crate) const RESULTS: &str = "\
SELECT 'white', winner, COUNT(*) FROM games
WHERE white_folded = ?1 AND finished IS NOT NULL AND reason <> ?2 GROUP BY winner
UNION ALL
SELECT 'black', winner, COUNT(*) FROM games
WHERE black_folded = ?1 AND finished IS NOT NULL AND reason <> ?2 GROUP BY winner";

/// Adds an account if its name and player are free: player, name, folded name, hash, created.
pub(crate) const ADD_ACCOUNT: &str = "\
INSERT INTO accounts (player, name, folded, password_hash, created)
VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";

/// Selects an account: folded name.
pub(crate) const ACCOUNT_BY_NAME: &str = "\
SELECT player, name, password_hash, created FROM accounts WHERE folded = ?1";

/// Selects an account: player.
pub(crate) const ACCOUNT_OF: &str = "\
SELECT player, name, password_hash, created FROM accounts WHERE player = ?1";

/// Replaces a password hash: player, hash.
pub(crate) const CHANGE_PASSWORD: &str = "\
UPDATE accounts SET password_hash = ?2 WHERE player = ?1";

/// Adds a session: digest, player, account, name, created, seen, expires, device.
pub(crate) const ADD_SESSION: &str = "\
INSERT INTO sessions (digest, player, account, name, created, seen, expires, device)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

macro_rules! sessions {
    ($rest:literal) => {
        concat!(
            "SELECT digest, player, account, name, created, seen, expires, device FROM sessions ",
            $rest
        )
    };
}

/// Selects a session: digest.
pub(crate) const SESSION: &str = sessions!("WHERE digest = ?1");

/// Selects a player's sessions: player, limit.
pub(crate) const SESSIONS_OF: &str =
    sessions!("WHERE player = ?1 ORDER BY seen DESC, created DESC, digest LIMIT ?2");

/// Records the use of a session: digest, seen, expires.
pub(crate) const TOUCH_SESSION: &str = "\
UPDATE sessions SET seen = ?2, expires = ?3 WHERE digest = ?1";

/// Deletes a session: digest.
pub(crate) const DELETE_SESSION: &str = "DELETE FROM sessions WHERE digest = ?1";

/// Deletes all sessions of a player except one: player, digest.
pub(crate) const DELETE_SESSIONS_OF: &str = "\
DELETE FROM sessions WHERE player = ?1 AND digest <> ?2";

/// Selects a player's ratings: player.
pub(crate) const RATINGS_OF: &str = "\
SELECT category, rating, deviation, volatility, games FROM ratings
WHERE player = ?1 ORDER BY category";

/// Selects the time when a rating last changed: player, category.
pub(crate) const LAST_RATED: &str = "\
SELECT rated FROM ratings WHERE player = ?1 AND category = ?2";

/// Adds a chat line: game, at, player, name, text.
pub(crate) const ADD_CHAT: &str = "\
INSERT INTO chat (game, at, player, name, text)
SELECT number, ?2, ?3, ?4, ?5 FROM games WHERE id = ?1";

/// Selects the most recent chat lines, newest first: game, limit.
pub(crate) const CHAT: &str = "\
SELECT chat.at, chat.player, chat.name, chat.text FROM chat JOIN games ON chat.game = games.number
WHERE games.id = ?1 ORDER BY chat.number DESC LIMIT ?2";

/// Adds an invitation: id, host, name, color, settings, created, expires.
pub(crate) const ADD_INVITATION: &str = "\
INSERT INTO invitations (id, host, host_name, host_color, settings, created, expires)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

macro_rules! invitations {
    ($rest:literal) => {
        concat!(
            "SELECT id, host, host_name, host_color, settings, created, expires FROM invitations ",
            $rest
        )
    };
}

/// Selects an invitation: id.
pub(crate) const INVITATION: &str = invitations!("WHERE id = ?1");

/// Selects a host's invitations: host, limit.
pub(crate) const INVITATIONS_OF: &str =
    invitations!("WHERE host = ?1 ORDER BY created, id LIMIT ?2");

/// Deletes an invitation: id.
pub(crate) const DELETE_INVITATION: &str = "DELETE FROM invitations WHERE id = ?1";

/// Raises a counter to at least a number: name, number.
pub(crate) const RAISE: &str = "\
INSERT INTO counters (name, value) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE counters.value < excluded.value";

/// Sets a counter to the value of another one if that value is below a bound and more than a
/// distance above a third counter, or there is no third one: name, other, bound, third, distance.
pub(crate) const COPY_IF_LOWER: &str = "\
INSERT INTO counters (name, value)
SELECT ?1, value FROM counters WHERE name = ?2 AND value < ?3
  AND NOT EXISTS (
    SELECT 1 FROM counters AS third WHERE third.name = ?4 AND third.value >= counters.value - ?5)
ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/// Sets a counter if another one is below a bound: name, other, bound, value.
pub(crate) const SET_IF_LOWER: &str = "\
INSERT INTO counters (name, value)
SELECT ?1, ?4 FROM counters WHERE name = ?2 AND value < ?3
ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/// Adds a counter that does not exist yet: name, value.
pub(crate) const ADD_COUNTER: &str = "\
INSERT INTO counters (name, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING";

/// Adds to a counter and returns its new value: name, amount.
pub(crate) const COUNT_UP: &str = "\
INSERT INTO counters (name, value) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET value = counters.value + excluded.value RETURNING value";

/// Sets a counter: name, value.
pub(crate) const SET_COUNTER: &str = "\
INSERT INTO counters (name, value) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/// Selects a counter: name.
pub(crate) const COUNTER: &str = "SELECT value FROM counters WHERE name = ?1";
