//! The commands of admins and operators and the replies to them, as JSON.
//!
//! `castellan admin` and the page for admins send the same commands. Times are milliseconds since
//! 1970.

use castellan_game::GameId;
use castellan_store::RegistrationMode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum AdminRequest {
    /// Returns what is going on.
    Status {},
    /// Lists accounts whose name contains `part`, after another name.
    Accounts {
        /// Part of the name; empty for all accounts.
        part: String,
        /// The last name of the page before; empty for the first page.
        after: String,
    },
    /// Bans a target.
    Ban {
        /// Whom.
        target: AdminTarget,
        /// Why. The banned person can read it.
        reason: String,
        /// When the ban ends; nothing for no end.
        #[serde(default)]
        until: Option<u64>,
    },
    /// Removes all bans of a target.
    Unban {
        /// Whom.
        target: AdminTarget,
    },
    /// Lists the bans in force.
    Bans {},
    /// Lists reports, newest first.
    Reports {
        /// `true` for closed reports, too.
        is_all: bool,
        /// Only reports with smaller numbers.
        #[serde(default)]
        before: Option<u64>,
    },
    /// Closes a report.
    CloseReport {
        /// Number of the report.
        number: u64,
    },
    /// Deletes chat lines of a game.
    DeleteChat {
        /// The game.
        #[schema(value_type = String)]
        game: GameId,
        /// Name of the account whose lines are deleted; nothing for all lines.
        #[serde(default)]
        account: Option<String>,
    },
    /// Deletes a game that has ended, with its moves and its chat.
    DeleteGame {
        /// The game.
        #[schema(value_type = String)]
        game: GameId,
    },
    /// Deletes an account.
    DeleteAccount {
        /// Its name.
        name: String,
    },
    /// Creates a code with which the owner of an account can choose a new password once.
    ResetPassword {
        /// The name of the account.
        name: String,
    },
    /// Makes the owner of an account an admin, or an ordinary user again.
    SetAdmin {
        /// The name of the account.
        name: String,
        /// Whether they are an admin from now on.
        is_admin: bool,
    },
    /// Returns or sets who may create an account.
    Registration {
        /// The new mode; nothing to leave it as it is.
        #[serde(default)]
        mode: Option<Mode>,
    },
    /// Creates a code with which people can register.
    Invite {
        /// How many accounts can be created with it.
        uses: u32,
        /// For how many days it is valid.
        days: u32,
    },
    /// Shows a message to everyone who is connected.
    Message {
        /// The message.
        text: String,
    },
    /// Lists the audit log, newest entries first.
    Audit {
        /// Only entries with smaller numbers.
        #[serde(default)]
        before: Option<u64>,
    },
}

/// Whom a ban keeps out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdminTarget {
    /// The owner of the account with this name.
    Account(String),
    /// A player by ID, which guests have, too.
    Player(u64),
    /// Everyone with this name, or one that looks the same.
    Name(String),
    /// An address, or a network such as 192.0.2.0/24.
    Address(String),
}

/// Who may create an account.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Everyone.
    Open,
    /// People with a code.
    Invitation,
    /// Nobody.
    Closed,
}

impl From<RegistrationMode> for Mode {
    fn from(mode: RegistrationMode) -> Mode {
        match mode {
            RegistrationMode::Open => Mode::Open,
            RegistrationMode::Invitation => Mode::Invitation,
            RegistrationMode::Closed => Mode::Closed,
        }
    }
}

impl From<Mode> for RegistrationMode {
    fn from(mode: Mode) -> RegistrationMode {
        match mode {
            Mode::Open => RegistrationMode::Open,
            Mode::Invitation => RegistrationMode::Invitation,
            Mode::Closed => RegistrationMode::Closed,
        }
    }
}

/// The reply to a command.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum AdminReply {
    /// What is going on.
    Status(StatusView),
    /// Accounts, by name. If the list is full, the next page starts after its last name.
    Accounts {
        /// The accounts.
        accounts: Vec<AccountView>,
    },
    /// The bans in force.
    Bans {
        /// The bans, oldest first.
        bans: Vec<BanView>,
    },
    /// Reports, newest first.
    Reports {
        /// The reports.
        reports: Vec<ReportView>,
    },
    /// The audit log, newest entries first.
    Audit {
        /// The entries.
        entries: Vec<AuditView>,
    },
    /// A code. It is shown only here; the server keeps its digest.
    Code {
        /// The code.
        code: String,
        /// When it expires.
        expires: u64,
    },
    /// Who may create an account.
    Registration {
        /// The mode.
        mode: Mode,
    },
    /// The command was carried out.
    Done {
        /// How many things it changed: bans removed, chat lines deleted, clients informed.
        changed: u64,
    },
}

/// What is going on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
pub struct StatusView {
    /// Version of the program.
    pub version: String,
    /// Whether a server is running. If not, everything it would count is 0.
    pub is_running: bool,
    /// Players with an open connection.
    pub players: u64,
    /// Open connections.
    pub connections: u64,
    /// Players waiting for an opponent.
    pub waiting: u64,
    /// Running games.
    pub games: u64,
    /// Requests waiting for the engine.
    pub engine_queue: u64,
    /// Writes waiting for the database.
    pub store_queue: u64,
    /// Bans in force.
    pub bans: u64,
    /// Open reports, at most 500.
    pub open_reports: u64,
    /// Who may create an account.
    pub registration: Mode,
}

/// An account.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct AccountView {
    /// ID of the player.
    pub player: u64,
    /// The name.
    pub name: String,
    /// When the account was created.
    pub created: u64,
    /// When the owner was last seen.
    pub seen: Option<u64>,
    /// Whether the owner is an admin.
    pub is_admin: bool,
    /// Whether signing in needs a second factor.
    pub has_second_factor: bool,
    /// Whether the account is banned.
    pub is_banned: bool,
}

/// A ban.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct BanView {
    /// Number of the ban.
    pub number: u64,
    /// Whom it keeps out.
    pub target: AdminTarget,
    /// The target as people write it.
    pub label: String,
    /// Why.
    pub reason: String,
    /// Who banned.
    pub by: String,
    /// Since when.
    pub since: u64,
    /// Until when; nothing for no end.
    pub until: Option<u64>,
}

/// A report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct ReportView {
    /// Number of the report.
    pub number: u64,
    /// When it was made.
    pub at: u64,
    /// ID of the player who complains.
    pub reporter: u64,
    /// Their name.
    pub reporter_name: String,
    /// ID of the player they complain about.
    pub reported: u64,
    /// The name of that player.
    pub reported_name: String,
    /// The game.
    pub game: String,
    /// What happened, in the reporter's words. Untrusted text: escape it.
    pub text: String,
    /// When the report was closed.
    pub closed: Option<u64>,
    /// Who closed it.
    pub closed_by: Option<String>,
}

/// An entry of the audit log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
pub struct AuditView {
    /// Number of the entry.
    pub number: u64,
    /// When.
    pub at: u64,
    /// Who acted.
    pub actor: String,
    /// What they did, as one word.
    pub action: String,
    /// Whom or what it concerned.
    pub target: String,
    /// Everything else.
    pub details: String,
}

/// Why a command is not possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AdminRefusal {
    /// The text is not an address.
    #[error("expected an address such as 192.0.2.1 or a network such as 192.0.2.0/24")]
    BadAddress,
    /// The network has too many addresses.
    #[error("the network is too large: ban at most /8 of IPv4 or /16 of IPv6")]
    HugeNetwork,
    /// The ban would end before it begins.
    #[error("the ban would be over already")]
    PastEnd,
    /// There is no such ban.
    #[error("there is no such ban")]
    NoSuchBan,
    /// There is no such open report.
    #[error("there is no such open report")]
    NoSuchReport,
    /// Too many bans are in force.
    #[error("there are too many bans; remove some first")]
    TooManyBans,
    /// A text is too long or empty.
    #[error("a text is empty or too long: at most 500 characters")]
    BadText,
    /// A number is out of range.
    #[error("a number is out of range")]
    BadNumber,
    /// The game is still running.
    #[error("the game does not exist or has not ended")]
    NotEnded,
    /// The player has running games, and no server can end them.
    #[error("the player has running games; start the server and repeat the command")]
    HasGames,
    /// The command is only for the operator, because it concerns an admin.
    #[error("this concerns an admin; use `castellan admin` on the server's machine")]
    OperatorOnly,
    /// Admins do not ban themselves.
    #[error("you cannot ban or delete yourself here")]
    Oneself,
}
