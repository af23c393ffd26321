//! The commands of admins and operators and the replies to them, as JSON.
//!
//! `castellan admin` and the page for admins send the same commands. Times are milliseconds since
//! 1970.

use castellan_game::GameId;
use castellan_store::RegistrationMode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A command of an admin or an operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AdminRequest {
    /// Returns the current activity of the server.
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
        /// The account, player, name or address to ban.
        target: AdminTarget,
        /// The reason, which the banned person can read.
        reason: String,
        /// When the ban ends; omitted for a ban without an end.
        #[serde(default)]
        until: Option<u64>,
    },
    /// Removes all bans of a target.
    Unban {
        /// The target, as it was named when it was banned.
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
        /// ID of the game.
        #[schema(value_type = String)]
        game: GameId,
        /// Name of the account whose lines are deleted; omitted for all lines.
        #[serde(default)]
        account: Option<String>,
    },
    /// Deletes a game that has ended or is damaged, with its moves and its chat.
    DeleteGame {
        /// ID of the game.
        #[schema(value_type = String)]
        game: GameId,
    },
    /// Deletes an account.
    DeleteAccount {
        /// The name of the account.
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
        /// The new mode; omitted to leave it unchanged.
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
        /// The text to show: 1 to 500 characters.
        text: String,
    },
    /// Lists the audit log, newest entries first.
    Audit {
        /// Only entries with smaller numbers.
        #[serde(default)]
        before: Option<u64>,
    },
}

/// The people that a ban keeps out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
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
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "RegistrationMode"))]
pub enum Mode {
    /// Everyone can create an account.
    Open,
    /// Creating an account needs an invitation code.
    Invitation,
    /// Accounts cannot be created.
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
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AdminReply {
    /// The current activity of the server.
    Status(StatusView),
    /// Accounts, by name. If the list is full, the next page starts after its last name.
    Accounts {
        /// At most 100 accounts.
        accounts: Vec<AccountView>,
    },
    /// The bans in force.
    Bans {
        /// The bans, oldest first.
        bans: Vec<BanView>,
    },
    /// Reports, newest first.
    Reports {
        /// At most 100 reports.
        reports: Vec<ReportView>,
    },
    /// The audit log, newest entries first.
    Audit {
        /// At most 100 entries.
        entries: Vec<AuditView>,
    },
    /// A code. It is shown only here; the server keeps its digest.
    Code {
        /// The code, in plain text.
        code: String,
        /// When it expires.
        expires: u64,
    },
    /// Who may create an account.
    Registration {
        /// The current mode.
        mode: Mode,
    },
    /// The command was carried out.
    Done {
        /// How many things it changed: bans removed, chat lines deleted, clients informed.
        changed: u64,
    },
}

/// The current activity of the server, and what waits for an admin.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
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

/// An account, as admins see it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AccountView {
    /// ID of the player.
    pub player: u64,
    /// The name of the account.
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

/// A ban that is in force.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BanView {
    /// Number of the ban.
    pub number: u64,
    /// The people that the ban keeps out.
    pub target: AdminTarget,
    /// The target as people write it.
    pub label: String,
    /// The reason, which the banned person can read.
    pub reason: String,
    /// The name of the admin, or `operator`.
    pub by: String,
    /// When the ban was made.
    pub since: u64,
    /// When the ban ends; `null` if it does not.
    pub until: Option<u64>,
}

/// A complaint about a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportView {
    /// Number of the report.
    pub number: u64,
    /// When it was made.
    pub at: u64,
    /// ID of the player who complains.
    pub reporter: u64,
    /// The name of the player who complains.
    pub reporter_name: String,
    /// ID of the player they complain about.
    pub reported: u64,
    /// The name of that player.
    pub reported_name: String,
    /// ID of the game in which it happened.
    pub game: String,
    /// What happened, in the reporter's words. Untrusted text: escape it.
    pub text: String,
    /// When the report was closed.
    pub closed: Option<u64>,
    /// The name of the admin who closed it.
    pub closed_by: Option<String>,
}

/// An entry of the audit log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AuditView {
    /// Number of the entry.
    pub number: u64,
    /// When it happened.
    pub at: u64,
    /// The name of the account that acted, or `operator`.
    pub actor: String,
    /// The action, as one word.
    pub action: String,
    /// The account, address, game, report or mode that the action was about; may be empty.
    pub target: String,
    /// Further details, such as the reason and the end of a ban.
    pub details: String,
}

/// Why a command is not possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
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
    /// An admin tried to ban or delete their own account.
    #[error("you cannot ban or delete yourself here")]
    OwnAccount,
}
