//! E-mail addresses of accounts, and the codes that are sent to them.
//!
//! This module defines the operations; the server decides who may use them and sends the mail.
//! Invariant: an address counts only after its owner has entered a code that was sent to it, and a
//! code is never stored, only its digest.

use core::fmt;

use castellan_game::{Moment, PlayerId};

use crate::database::{Database, Readers};
use crate::error::StoreError;
use crate::moderation::NewAuditEntry;
use crate::moderation_writes::audit;
use crate::people::{Account, TokenDigest};
use crate::reads::{MAX_ROWS, account, all, first};
use crate::statement::{Step, Value, Write};
use crate::store::StoreFuture;
use crate::writes::{Checked, bytes, change_password, delete_sessions_of, id, moment, text};

/// Maximum length of an e-mail address in bytes (RFC 5321, 4.5.3.1.3).
pub const MAX_EMAIL_BYTES: usize = 254;

/// What a code that is sent by e-mail is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailPurpose {
    /// To confirm that this address belongs to the owner of the account. It replaces earlier codes
    /// of this kind.
    ConfirmAddress(String),
    /// To choose a new password.
    ResetPassword,
}

/// A code that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCode {
    /// The owner of the account.
    pub player: PlayerId,
    /// The digest of the code.
    pub digest: TokenDigest,
    /// What the code is for.
    pub purpose: MailPurpose,
    /// When the code expires.
    pub expires: Moment,
}

/// A new password for an account whose owner has a code that was sent to them.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordReset {
    /// The owner of the account.
    pub player: PlayerId,
    /// The digest of the code.
    pub digest: TokenDigest,
    /// The hash of the new password.
    pub password_hash: String,
    /// The entry for the audit log; its time decides whether the code has expired.
    pub entry: NewAuditEntry,
}

impl fmt::Debug for PasswordReset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The password hash stays out of the logs.
        f.debug_struct("PasswordReset").field("player", &self.player).finish_non_exhaustive()
    }
}

/// The part of a store that sending e-mail needs.
pub trait EmailStore: fmt::Debug + Send + Sync {
    /// Returns the confirmed address of a player, or `None` if there is none.
    fn email_of(&self, player: PlayerId) -> StoreFuture<'_, Option<String>>;

    /// Returns the accounts with a confirmed address, whatever its case, at most `limit`.
    fn accounts_with_email(&self, address: &str, limit: u32) -> StoreFuture<'_, Vec<Account>>;

    /// Stores a code. Fails with `NoSuchAccount`.
    fn add_mail_code(&self, code: MailCode) -> StoreFuture<'_, ()>;

    /// Sets the address that a code was sent to as the address of the account, and deletes all
    /// codes that were sent. Fails with `CodeRefused` if the code is unknown, used or expired.
    fn confirm_email(
        &self,
        player: PlayerId,
        digest: TokenDigest,
        now: Moment,
    ) -> StoreFuture<'_, ()>;

    /// Removes the address of an account, if it has one, and all codes that were sent.
    fn remove_email(&self, player: PlayerId) -> StoreFuture<'_, ()>;

    /// Uses up a code, sets the new password, ends all sessions, and writes to the audit log. Fails
    /// with `CodeRefused` if the code is unknown, used or expired.
    fn reset_password(&self, reset: PasswordReset) -> StoreFuture<'_, ()>;
}

impl<R: Readers> EmailStore for Database<R> {
    fn email_of(&self, player: PlayerId) -> StoreFuture<'_, Option<String>> {
        Box::pin(async move {
            let row = first(&self.readers, EMAIL_OF, vec![id(player)]).await?;
            row.map(|mut row| row.text()).transpose()
        })
    }

    fn accounts_with_email(&self, address: &str, limit: u32) -> StoreFuture<'_, Vec<Account>> {
        let address = text("an e-mail address", address, MAX_EMAIL_BYTES);
        Box::pin(async move {
            let args = vec![address?, limit.min(MAX_ROWS).into()];
            let rows = all(&self.readers, ACCOUNTS_WITH_EMAIL, args).await?;
            rows.into_iter().map(account).collect()
        })
    }

    fn add_mail_code(&self, code: MailCode) -> StoreFuture<'_, ()> {
        self.store(add_mail_code(&code))
    }

    fn confirm_email(
        &self,
        player: PlayerId,
        digest: TokenDigest,
        now: Moment,
    ) -> StoreFuture<'_, ()> {
        let confirm = Step::new(CONFIRM_EMAIL, vec![id(player), bytes(digest), moment(now)]);
        let steps = vec![
            confirm.or_fail(StoreError::CodeRefused),
            Step::new(DELETE_MAIL_CODES, vec![id(player)]),
        ];
        self.store(Ok(Write::Steps(steps)))
    }

    fn remove_email(&self, player: PlayerId) -> StoreFuture<'_, ()> {
        let steps = [DELETE_MAIL_CODES, DELETE_EMAIL].map(|sql| Step::new(sql, vec![id(player)]));
        self.store(Ok(Write::Steps(steps.into())))
    }

    fn reset_password(&self, reset: PasswordReset) -> StoreFuture<'_, ()> {
        self.store(reset_password(&reset))
    }
}

fn add_mail_code(code: &MailCode) -> Checked {
    let MailCode { player, digest, purpose, expires } = code;
    let (mut steps, address) = match purpose {
        MailPurpose::ConfirmAddress(address) => {
            let earlier = Step::new(DELETE_CONFIRMATIONS, vec![id(*player)]);
            (vec![earlier], text("an e-mail address", address, MAX_EMAIL_BYTES)?)
        }
        MailPurpose::ResetPassword => (Vec::new(), Value::Text(None)),
    };
    let args = vec![id(*player), bytes(*digest), address, moment(*expires)];
    let add = Step::new(ADD_MAIL_CODE, args);
    steps.push(add.or_fail(StoreError::NoSuchAccount { player: *player }));
    Ok(Write::Steps(steps))
}

fn reset_password(reset: &PasswordReset) -> Checked {
    let PasswordReset { player, digest, password_hash, entry } = reset;
    let args = vec![id(*player), bytes(*digest), moment(entry.at)];
    let mut steps = vec![Step::new(USE_RESET_CODE, args).or_fail(StoreError::CodeRefused)];
    steps.append(&mut change_password(*player, password_hash)?.into_steps());
    steps.append(&mut delete_sessions_of(*player, None)?.into_steps());
    steps.push(audit(entry)?);
    Ok(Write::Steps(steps))
}

/// Returns the step that deletes the codes for a new password, because a new password has been set.
pub(crate) fn forget_reset_codes(player: PlayerId) -> Step {
    Step::new(DELETE_RESET_CODES, vec![id(player)])
}

// The statements, for both databases. The comments list the parameters in order after the colon.

/// Selects an address: player.
const EMAIL_OF: &str = "SELECT address FROM emails WHERE player = ?1";

/// Selects accounts by address: address, limit.
const ACCOUNTS_WITH_EMAIL: &str = "\
SELECT accounts.player, accounts.name, accounts.password_hash, accounts.created
FROM emails JOIN accounts ON accounts.player = emails.player
WHERE lower(emails.address) = lower(?1) ORDER BY accounts.player LIMIT ?2";

/// Adds a code: player, digest, address or nothing, expires.
const ADD_MAIL_CODE: &str = "\
INSERT INTO mail_codes (player, digest, address, expires)
SELECT player, ?2, ?3, ?4 FROM accounts WHERE player = ?1";

/// Stores the address that a code confirms: player, digest, now.
const CONFIRM_EMAIL: &str = "\
INSERT INTO emails (player, address, confirmed)
SELECT player, address, ?3 FROM mail_codes
WHERE player = ?1 AND digest = ?2 AND address IS NOT NULL AND expires > ?3
ON CONFLICT (player) DO UPDATE SET address = excluded.address, confirmed = excluded.confirmed";

/// Takes a code for a new password: player, digest, now.
const USE_RESET_CODE: &str = "\
DELETE FROM mail_codes WHERE player = ?1 AND digest = ?2 AND address IS NULL AND expires > ?3";

/// Deletes all codes: player.
const DELETE_MAIL_CODES: &str = "DELETE FROM mail_codes WHERE player = ?1";

/// Deletes codes that confirm an address: player.
const DELETE_CONFIRMATIONS: &str =
    "DELETE FROM mail_codes WHERE player = ?1 AND address IS NOT NULL";

/// Deletes codes for a new password: player.
const DELETE_RESET_CODES: &str = "DELETE FROM mail_codes WHERE player = ?1 AND address IS NULL";

/// Removes an address: player.
const DELETE_EMAIL: &str = "DELETE FROM emails WHERE player = ?1";
