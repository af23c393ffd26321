//! Deletes data that has expired and data that is older than the operator wants to keep.
//!
//! Invariant: one call deletes a bounded number of rows of each kind, so that the writes of players,
//! which wait in the same queue, do not wait long. The caller repeats it until nothing is left.

use core::time::Duration;

use castellan_game::Moment;

use crate::statement::{Step, Value, Write};
use crate::writes::moment;

/// Maximum number of rows of a kind that are deleted at a time.
pub const DELETED_AT_ONCE: u32 = 1000;

/// The counter with the time from which entries of the audit log are kept. The database refuses to
/// delete later ones.
const AUDIT_KEPT_FROM: &str = "audit_kept_from";

/// Returns the SQL that deletes the rows of a table by their key if a time in them has passed. Its
/// parameters are the current time and the maximum number of rows; the oldest are deleted first.
macro_rules! delete_before {
    ($table:literal, $key:literal, $time:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE (",
            $key,
            ") IN (SELECT ",
            $key,
            " FROM ",
            $table,
            " WHERE ",
            $time,
            " < ?1 ORDER BY ",
            $time,
            " LIMIT ?2)"
        )
    };
}

/// How long to keep data without an expiry time of its own; `None` keeps it forever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Chat of games that have ended, from the end of the game.
    pub chat: Option<Duration>,
    /// Reports, from the time when they were closed.
    pub reports: Option<Duration>,
    /// Entries of the audit log.
    pub audit: Option<Duration>,
}

/// Returns the write that deletes rows that expired before `now`.
pub(crate) fn delete_expired(now: Moment) -> Write {
    let delete = |sql| Step::new(sql, vec![moment(now), DELETED_AT_ONCE.into()]);
    let steps = [
        delete_before!("sessions", "digest", "expires"),
        delete_before!("invitations", "id", "expires"),
        delete_before!("claims", "name", "expires"),
        delete_before!("bans", "number", "until"),
        delete_before!("registration_codes", "digest", "expires"),
        // Only the recovery codes of operators expire.
        delete_before!("recovery_codes", "player, digest", "expires"),
        delete_before!("mail_codes", "player, digest", "expires"),
    ];
    Write::Steps(steps.map(delete).into())
}

/// Returns the write that deletes rows that have passed their retention period.
pub(crate) fn delete_old(now: Moment, retention: Retention) -> Write {
    let limit = || Value::from(DELETED_AT_ONCE);
    let mut steps = Vec::new();
    if let Some(kept) = retention.chat {
        steps.push(Step::new(DELETE_OLD_CHAT, vec![before(now, kept), limit()]));
    }
    if let Some(kept) = retention.reports {
        steps.push(Step::new(DELETE_OLD_REPORTS, vec![before(now, kept), limit()]));
    }
    if let Some(kept) = retention.audit {
        let args = vec![AUDIT_KEPT_FROM.into(), before(now, kept)];
        steps.push(Step::new(crate::sql::SET_COUNTER, args));
        steps.push(Step::new(DELETE_OLD_AUDIT, vec![before(now, kept), limit()]));
    }
    Write::Steps(steps)
}

fn before(now: Moment, kept: Duration) -> Value {
    let kept_ms = u64::try_from(kept.as_millis()).unwrap_or(u64::MAX);
    moment(Moment::from_millis(now.as_millis().saturating_sub(kept_ms)))
}

/// Deletes chat of games that ended before a time: time, limit. Lines are older than the end of their
/// game, except a few that were written after it.
const DELETE_OLD_CHAT: &str = "\
DELETE FROM chat WHERE number IN (
  SELECT number FROM chat WHERE at < ?1
    AND EXISTS (SELECT 1 FROM games WHERE games.number = chat.game AND games.finished < ?1)
  ORDER BY at LIMIT ?2)";

/// Deletes reports that were closed before a time: time, limit.
const DELETE_OLD_REPORTS: &str = delete_before!("reports", "number", "closed");

/// Deletes the oldest entries of the audit log that are from before a time: time, limit.
const DELETE_OLD_AUDIT: &str = "\
DELETE FROM audit WHERE at < ?1 AND number < ?2 + (SELECT MIN(number) FROM audit)";
