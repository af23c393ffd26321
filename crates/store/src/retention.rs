//! Deleting what expired and what is older than the operator wants to keep.
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

/// How long data is kept that has no end of its own; `None` keeps it for good.
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
        EXPIRE_SESSIONS,
        EXPIRE_INVITATIONS,
        EXPIRE_CLAIMS,
        EXPIRE_BANS,
        EXPIRE_REGISTRATION_CODES,
        EXPIRE_RECOVERY_CODES,
        EXPIRE_MAIL_CODES,
    ];
    Write::Steps(steps.map(delete).into())
}

/// Returns the write that deletes rows that are older than they are kept.
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

/// Deletes expired sessions: now, limit.
const EXPIRE_SESSIONS: &str = "\
DELETE FROM sessions WHERE digest IN (
  SELECT digest FROM sessions WHERE expires < ?1 ORDER BY expires LIMIT ?2)";

/// Deletes expired invitations: now, limit.
const EXPIRE_INVITATIONS: &str = "\
DELETE FROM invitations WHERE id IN (
  SELECT id FROM invitations WHERE expires < ?1 ORDER BY expires LIMIT ?2)";

/// Deletes expired claims: now, limit.
const EXPIRE_CLAIMS: &str = "\
DELETE FROM claims WHERE name IN (
  SELECT name FROM claims WHERE expires < ?1 ORDER BY expires LIMIT ?2)";

/// Deletes bans that ended: now, limit.
const EXPIRE_BANS: &str = "\
DELETE FROM bans WHERE number IN (
  SELECT number FROM bans WHERE until < ?1 ORDER BY until LIMIT ?2)";

/// Deletes registration codes that expired: now, limit.
const EXPIRE_REGISTRATION_CODES: &str = "\
DELETE FROM registration_codes WHERE digest IN (
  SELECT digest FROM registration_codes WHERE expires < ?1 ORDER BY expires LIMIT ?2)";

/// Deletes recovery codes that expired, which are those of operators: now, limit.
const EXPIRE_RECOVERY_CODES: &str = "\
DELETE FROM recovery_codes WHERE (player, digest) IN (
  SELECT player, digest FROM recovery_codes WHERE expires < ?1 ORDER BY expires LIMIT ?2)";

/// Deletes codes of e-mails that expired: now, limit.
const EXPIRE_MAIL_CODES: &str = "\
DELETE FROM mail_codes WHERE (player, digest) IN (
  SELECT player, digest FROM mail_codes WHERE expires < ?1 ORDER BY expires LIMIT ?2)";

/// Deletes chat of games that ended before a time: time, limit. Lines are older than the end of their
/// game, except a few that were written after it.
const DELETE_OLD_CHAT: &str = "\
DELETE FROM chat WHERE number IN (
  SELECT number FROM chat WHERE at < ?1
    AND EXISTS (SELECT 1 FROM games WHERE games.number = chat.game AND games.finished < ?1)
  ORDER BY at LIMIT ?2)";

/// Deletes reports that were closed before a time: time, limit.
const DELETE_OLD_REPORTS: &str = "\
DELETE FROM reports WHERE number IN (
  SELECT number FROM reports WHERE closed < ?1 ORDER BY closed LIMIT ?2)";

/// Deletes entries of the audit log from before a time, of the oldest ones: time, limit.
const DELETE_OLD_AUDIT: &str = "\
DELETE FROM audit WHERE at < ?1 AND number < ?2 + (SELECT MIN(number) FROM audit)";
