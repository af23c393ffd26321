//! The statements of moderation, for both databases.
//!
//! Invariant: each statement is constant text with numbered parameters. The comments list the
//! parameters in order after the colon.

/// Adds a ban unless there are too many: kind, target, label, reason, by, since, until, limit.
pub(crate) const ADD_BAN: &str = "\
INSERT INTO bans (kind, target, label, reason, banned_by, since, until)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
WHERE (SELECT COUNT(*) FROM bans WHERE until IS NULL OR until > ?6) < ?8";

/// Removes the bans of a target: kind, target.
pub(crate) const DELETE_BANS: &str = "DELETE FROM bans WHERE kind = ?1 AND target = ?2";

/// Selects the bans in force: now, limit.
pub(crate) const BANS: &str = "\
SELECT number, kind, target, label, reason, banned_by, since, until FROM bans
WHERE until IS NULL OR until > ?1 ORDER BY number LIMIT ?2";

/// Adds a registration code: digest, uses, expires.
pub(crate) const ADD_REGISTRATION_CODE: &str = "\
INSERT INTO registration_codes (digest, uses_left, expires) VALUES (?1, ?2, ?3)";

/// Takes one use from a registration code: digest, now.
pub(crate) const USE_REGISTRATION_CODE: &str = "\
UPDATE registration_codes SET uses_left = uses_left - 1
WHERE digest = ?1 AND expires > ?2 AND uses_left > 0";

/// Sets whether a player is an admin: player, 0 or 1.
pub(crate) const SET_ADMIN: &str = "UPDATE accounts SET is_admin = ?2 WHERE player = ?1";

/// Selects whether a player is an admin: player.
pub(crate) const IS_ADMIN: &str = "SELECT is_admin FROM accounts WHERE player = ?1";

/// Selects accounts by name: pattern, the folded name before, limit.
pub(crate) const ACCOUNTS: &str = "\
SELECT player, name, created, is_admin,
  (SELECT MAX(seen) FROM sessions WHERE sessions.player = accounts.player),
  (SELECT COUNT(*) FROM second_factors WHERE second_factors.player = accounts.player)
FROM accounts WHERE folded LIKE ?1 ESCAPE '!' AND folded > ?2 ORDER BY folded LIMIT ?3";

/// Adds a report unless there is the same one: at, reporter, name, reported, name, game, text.
pub(crate) const ADD_REPORT: &str = "\
INSERT INTO reports (at, reporter, reporter_name, reported, reported_name, game, text)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";

macro_rules! reports {
    ($rest:literal) => {
        concat!(
            "SELECT number, at, reporter, reporter_name, reported, reported_name, game, text, \
             closed, closed_by FROM reports WHERE number < ?1 ",
            $rest
        )
    };
}

/// Selects all reports: before, limit.
pub(crate) const REPORTS: &str = reports!("ORDER BY number DESC LIMIT ?2");

/// Selects open reports: before, limit.
pub(crate) const OPEN_REPORTS: &str = reports!("AND closed IS NULL ORDER BY number DESC LIMIT ?2");

/// Closes an open report: number, at, by.
pub(crate) const CLOSE_REPORT: &str = "\
UPDATE reports SET closed = ?2, closed_by = ?3 WHERE number = ?1 AND closed IS NULL";

/// Removes a player's name from the reports they made: player.
pub(crate) const FORGET_REPORTER: &str =
    "UPDATE reports SET reporter_name = '' WHERE reporter = ?1";

/// Removes a player's name from the reports about them: player.
pub(crate) const FORGET_REPORTED: &str =
    "UPDATE reports SET reported_name = '' WHERE reported = ?1";

/// Adds an entry to the audit log: at, actor, action, target, details.
pub(crate) const ADD_AUDIT: &str = "\
INSERT INTO audit (at, actor, action, target, details) VALUES (?1, ?2, ?3, ?4, ?5)";

/// Selects entries of the audit log: before, limit.
pub(crate) const AUDIT: &str = "\
SELECT number, at, actor, action, target, details FROM audit
WHERE number < ?1 ORDER BY number DESC LIMIT ?2";

/// Deletes the chat of a game: game.
pub(crate) const DELETE_CHAT: &str = "\
DELETE FROM chat WHERE game = (SELECT number FROM games WHERE id = ?1)";

/// Deletes what a player wrote in the chat of a game: game, player.
pub(crate) const DELETE_CHAT_OF: &str = "\
DELETE FROM chat WHERE game = (SELECT number FROM games WHERE id = ?1) AND player = ?2";

/// Deletes the chat of a game that has ended or is damaged: game, 1 if it is damaged.
pub(crate) const DELETE_GAME_CHAT: &str = "\
DELETE FROM chat WHERE game =
  (SELECT number FROM games WHERE id = ?1 AND (finished IS NOT NULL OR CAST(?2 AS BIGINT) = 1))";

/// Deletes the events of a game that has ended or is damaged: game, 1 if it is damaged.
pub(crate) const DELETE_GAME_EVENTS: &str = "\
DELETE FROM events WHERE game =
  (SELECT number FROM games WHERE id = ?1 AND (finished IS NOT NULL OR CAST(?2 AS BIGINT) = 1))";

/// Deletes a game that has ended or is damaged: game, 1 if it is damaged.
pub(crate) const DELETE_GAME: &str = "\
DELETE FROM games WHERE id = ?1 AND (finished IS NOT NULL OR CAST(?2 AS BIGINT) = 1)";

/// Deletes an account: player.
pub(crate) const DELETE_ACCOUNT: &str = "DELETE FROM accounts WHERE player = ?1";

/// Adds a recovery code: player, digest, expires.
pub(crate) const ADD_RECOVERY_CODE: &str = "\
INSERT INTO recovery_codes (player, digest, expires)
SELECT player, ?2, ?3 FROM accounts WHERE player = ?1";

/// Deletes all recovery codes: player.
pub(crate) const DELETE_RECOVERY_CODES: &str = "DELETE FROM recovery_codes WHERE player = ?1";

/// Takes a recovery code: player, digest, now.
pub(crate) const USE_RECOVERY_CODE: &str = "\
DELETE FROM recovery_codes
WHERE player = ?1 AND digest = ?2 AND (expires IS NULL OR expires > ?3)";

/// Counts recovery codes without an end: player.
pub(crate) const RECOVERY_CODES_LEFT: &str = "\
SELECT COUNT(*) FROM recovery_codes WHERE player = ?1 AND expires IS NULL";

/// Selects a second factor: player.
pub(crate) const SECOND_FACTOR: &str =
    "SELECT secret, last_step FROM second_factors WHERE player = ?1";

/// Sets a second factor: player, secret, step.
pub(crate) const SET_SECOND_FACTOR: &str = "\
INSERT INTO second_factors (player, secret, last_step)
SELECT player, ?2, ?3 FROM accounts WHERE player = ?1
ON CONFLICT (player) DO UPDATE SET secret = excluded.secret, last_step = excluded.last_step";

/// Removes a second factor: player.
pub(crate) const DELETE_SECOND_FACTOR: &str = "DELETE FROM second_factors WHERE player = ?1";

/// Records the use of a time step: player, step.
pub(crate) const USE_STEP: &str = "\
UPDATE second_factors SET last_step = ?2 WHERE player = ?1 AND last_step < ?2";

/// Selects games that have ended by name and player: folded name, player, limit.
pub(crate) const GAMES_UNDER_NAME: &str = "\
SELECT id FROM games WHERE finished IS NOT NULL AND white_folded = ?1 AND white_player = ?2
UNION
SELECT id FROM games WHERE finished IS NOT NULL AND black_folded = ?1 AND black_player = ?2
LIMIT ?3";

/// Selects the events of a game as they are written: game.
pub(crate) const EVENT_TEXTS: &str = "\
SELECT version, event FROM events WHERE game = (SELECT number FROM games WHERE id = ?1)
ORDER BY version";

/// Replaces an event: game, version, event.
pub(crate) const REPLACE_EVENT: &str = "\
UPDATE events SET event = ?3
WHERE game = (SELECT number FROM games WHERE id = ?1) AND version = ?2";

/// Replaces the name of the player with the white pieces: game, player, name, folded name.
pub(crate) const RENAME_WHITE: &str = "\
UPDATE games SET white_name = ?3, white_folded = ?4 WHERE id = ?1 AND white_player = ?2";

/// Replaces the name of the player with the black pieces: game, player, name, folded name.
pub(crate) const RENAME_BLACK: &str = "\
UPDATE games SET black_name = ?3, black_folded = ?4 WHERE id = ?1 AND black_player = ?2";

/// Deletes the endings of a name that no game has: folded name.
pub(crate) const FORGET_NAME: &str = "\
DELETE FROM name_endings WHERE folded = ?1
  AND ending IN (
    WITH RECURSIVE endings (ending) AS (
      SELECT CAST(?1 AS TEXT)
      UNION ALL SELECT substr(ending, 2) FROM endings WHERE length(ending) > 1)
    SELECT ending FROM endings)
  AND NOT EXISTS (SELECT 1 FROM games WHERE finished IS NOT NULL AND white_folded = ?1)
  AND NOT EXISTS (SELECT 1 FROM games WHERE finished IS NOT NULL AND black_folded = ?1)
  AND NOT EXISTS (
    SELECT 1 FROM games WHERE finished IS NULL AND (white_folded = ?1 OR black_folded = ?1))";
