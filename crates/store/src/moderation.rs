//! Moderation: bans, reports, the audit log, registration, recovery codes, and second factors.
//!
//! This module defines the types and the operations; the server decides who may use them and what a
//! ban means. Invariant: an act of moderation and its entry in the audit log are stored together, or
//! neither is.

use core::fmt;

use castellan_game::{GameId, Moment, PlayerId};

use crate::network::Network;
use crate::people::{Account, TokenDigest};
use crate::retention::Retention;
use crate::store::StoreFuture;

/// Maximum number of bans that are in force at a time.
pub const MAX_BANS: u32 = 10_000;

/// Length of the secret of a second factor, in bytes: as long as the output of SHA-1.
pub const SECRET_BYTES: usize = 20;

/// The people that a ban keeps out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BanTarget {
    /// A player, with or without an account.
    Player(PlayerId),
    /// Everyone with a name that folds to this text.
    Name(String),
    /// Everyone at these addresses.
    Network(Network),
}

/// A ban that is about to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBan {
    /// The people that the ban keeps out.
    pub target: BanTarget,
    /// The target as people write it.
    pub label: String,
    /// The reason, which the banned person can read.
    pub reason: String,
    /// When the ban ends; `None` if it does not.
    pub until: Option<Moment>,
}

/// A stored ban.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban {
    /// Number of the ban.
    pub number: u64,
    /// The ban as it was requested.
    pub ban: NewBan,
    /// The name of the admin, or `operator`.
    pub by: String,
    /// When the ban was stored.
    pub since: Moment,
}

/// Who may create an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RegistrationMode {
    /// Everyone can create an account.
    #[default]
    Open,
    /// Creating an account needs an invitation code.
    Invitation,
    /// Accounts cannot be created.
    Closed,
}

/// An action of a moderator, an operator, or the owner of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModerationAct {
    /// Adds a ban. Fails with `TooLarge` if there are too many.
    Ban(NewBan),
    /// Removes all bans of a target. Fails with `NoSuchBan` if there is none.
    LiftBans(BanTarget),
    /// Sets who may create an account.
    SetRegistration(RegistrationMode),
    /// Adds a code with which people can register.
    AddRegistrationCode {
        /// The digest of the code.
        digest: TokenDigest,
        /// How many accounts can be created with it.
        uses: u32,
        /// When the code expires.
        expires: Moment,
    },
    /// Makes a player an admin, or an ordinary user again. Fails with `NoSuchAccount`.
    SetAdmin {
        /// The owner of the account.
        player: PlayerId,
        /// Whether they are an admin from now on.
        is_admin: bool,
    },
    /// Closes a report. Fails with `NoSuchReport` if there is no such open report.
    CloseReport {
        /// Number of the report.
        number: u64,
    },
    /// Deletes chat lines of a game, of one player or of all. Returns how many.
    DeleteChat {
        /// The game whose chat it is.
        game: GameId,
        /// The player whose lines are deleted; `None` for all.
        player: Option<PlayerId>,
    },
    /// Deletes a game that has ended or is damaged, with its moves and its chat. Fails with
    /// `NoSuchGame` if there is no such game.
    DeleteGame {
        /// The game to delete.
        game: GameId,
        /// Whether the game is damaged, so that no server can play it and it need not have ended.
        is_damaged: bool,
    },
    /// Deletes an account with its sessions, ratings, codes, second factor and e-mail address, and
    /// its name in reports. Fails with `NoSuchAccount`.
    DeleteAccount {
        /// The owner of the account.
        player: PlayerId,
    },
    /// Adds a code that replaces a password once. Fails with `NoSuchAccount`.
    AddRecoveryCode {
        /// The owner of the account.
        player: PlayerId,
        /// The digest of the code.
        digest: TokenDigest,
        /// When the code expires.
        expires: Moment,
    },
    /// Changes nothing; only the entry in the audit log is stored.
    Note,
}

/// An entry for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// When the act happened.
    pub at: Moment,
    /// The name of the account that acted, or `operator`.
    pub actor: String,
    /// The action, as one word.
    pub action: &'static str,
    /// The account, address, game, report or mode that the action was about; may be empty.
    pub target: String,
    /// Further details, such as the reason and the end of a ban.
    pub details: String,
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Number of the entry; later entries have larger ones.
    pub number: u64,
    /// When the act happened.
    pub at: Moment,
    /// The name of the account that acted, or `operator`.
    pub actor: String,
    /// The action, as one word.
    pub action: String,
    /// The account, address, game, report or mode that the action was about; may be empty.
    pub target: String,
    /// Further details, such as the reason and the end of a ban.
    pub details: String,
}

/// A complaint that is about to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReport {
    /// When it was made.
    pub at: Moment,
    /// The player who complains.
    pub reporter: PlayerId,
    /// The name of the player who complains.
    pub reporter_name: String,
    /// The player they complain about.
    pub reported: PlayerId,
    /// The name of that player.
    pub reported_name: String,
    /// The game in which it happened.
    pub game: GameId,
    /// What happened, in the reporter's words.
    pub text: String,
}

/// A stored complaint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Number of the report; later reports have larger ones.
    pub number: u64,
    /// The complaint as it was sent.
    pub report: NewReport,
    /// When the report was closed, and the name of the person who closed it; `None` while it is
    /// open.
    pub closed: Option<(Moment, String)>,
}

/// An account in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRow {
    /// The owner of the account.
    pub player: PlayerId,
    /// The name of the account.
    pub name: String,
    /// When the account was created.
    pub created: Moment,
    /// Whether the owner is an admin.
    pub is_admin: bool,
    /// When the owner was last seen, as far as their sessions show.
    pub seen: Option<Moment>,
    /// Whether signing in needs a second factor.
    pub has_second_factor: bool,
}

/// The second factor of an account.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SecondFactor {
    /// The secret that the owner's device shares with the server.
    pub secret: [u8; SECRET_BYTES],
    /// The time step of the last code that was used.
    pub last_step: u64,
}

impl fmt::Debug for SecondFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The secret stays out of the logs.
        f.debug_struct("SecondFactor").field("last_step", &self.last_step).finish_non_exhaustive()
    }
}

/// A player whose name is removed from their games because their account is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerPlayer {
    /// The player.
    pub player: PlayerId,
    /// The name of the account.
    pub name: String,
    /// The name that the games show instead.
    pub replacement: String,
}

/// The part of a store that moderators and the owners of accounts need.
pub trait ModerationStore: fmt::Debug + Send + Sync {
    /// Stores an act and its entry in the audit log. Returns how many rows the act changed.
    fn act(&self, act: ModerationAct, entry: NewAuditEntry) -> StoreFuture<'_, u64>;

    /// Returns the bans that are in force, oldest first, at most [`MAX_BANS`].
    fn bans(&self, now: Moment) -> StoreFuture<'_, Vec<Ban>>;

    /// Returns who may create an account.
    fn registration(&self) -> StoreFuture<'_, RegistrationMode>;

    /// Stores a new account and takes one use from a registration code. Fails with `CodeRefused` if
    /// the code is unknown, used up or expired, and as
    /// [`create_account`](crate::Store::create_account) does.
    fn create_account_with_code(
        &self,
        account: Account,
        digest: TokenDigest,
    ) -> StoreFuture<'_, ()>;

    /// Returns whether the player is an admin.
    fn is_admin(&self, player: PlayerId) -> StoreFuture<'_, bool>;

    /// Returns accounts whose folded name contains `part`, ordered by folded name, starting after
    /// the name `after`.
    fn accounts(&self, part: &str, after: &str, limit: u32) -> StoreFuture<'_, Vec<AccountRow>>;

    /// Stores a report. Returns `false` if the player has reported the same player for the same game
    /// before.
    fn add_report(&self, report: NewReport) -> StoreFuture<'_, bool>;

    /// Returns reports with a number below `before`, newest first: the open ones or all.
    fn reports(&self, is_open: bool, before: u64, limit: u32) -> StoreFuture<'_, Vec<Report>>;

    /// Returns entries of the audit log with a number below `before`, newest first.
    fn audit(&self, before: u64, limit: u32) -> StoreFuture<'_, Vec<AuditEntry>>;

    /// Replaces the recovery codes of a player.
    fn set_recovery_codes(
        &self,
        player: PlayerId,
        digests: Vec<TokenDigest>,
    ) -> StoreFuture<'_, ()>;

    /// Returns how many recovery codes a player has left.
    fn recovery_codes_left(&self, player: PlayerId) -> StoreFuture<'_, u64>;

    /// Uses up a recovery code. If there is a new password, sets it and ends all sessions. Fails
    /// with `CodeRefused` if the code is unknown, used or expired.
    fn use_recovery_code(
        &self,
        player: PlayerId,
        digest: TokenDigest,
        now: Moment,
        password_hash: Option<String>,
    ) -> StoreFuture<'_, ()>;

    /// Returns the second factor of a player, or `None` if they have none.
    fn second_factor(&self, player: PlayerId) -> StoreFuture<'_, Option<SecondFactor>>;

    /// Sets the second factor of a player, or removes it.
    fn set_second_factor(
        &self,
        player: PlayerId,
        factor: Option<SecondFactor>,
    ) -> StoreFuture<'_, ()>;

    /// Records that the code of a time step was used. Returns `false` if it or a later one was used
    /// before.
    fn use_step(&self, player: PlayerId, step: u64) -> StoreFuture<'_, bool>;

    /// Returns at most `limit` games that have ended and that the player played under this name.
    fn games_under_name(
        &self,
        player: PlayerId,
        name: &str,
        limit: u32,
    ) -> StoreFuture<'_, Vec<GameId>>;

    /// Replaces the name of a player in a game, and deletes the chat lines that the player wrote in
    /// it. This also works if the game cannot be read: a damaged event that contains the name becomes
    /// empty, and stays damaged. No server may be playing the game.
    fn forget_player(&self, game: GameId, former: FormerPlayer) -> StoreFuture<'_, ()>;

    /// Removes a name from the search index, unless a finished game still has it.
    fn forget_name(&self, name: &str) -> StoreFuture<'_, ()>;

    /// Deletes chat, reports and entries of the audit log that have passed their retention period,
    /// at most [`DELETED_AT_ONCE`](crate::DELETED_AT_ONCE) of each. Returns how many.
    fn delete_old(&self, now: Moment, retention: Retention) -> StoreFuture<'_, u64>;
}
