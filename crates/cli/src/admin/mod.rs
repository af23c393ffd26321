//! `castellan admin`: accounts, bans, reports and messages of a server.
//!
//! A running server carries the commands out itself, because no second process may write to its
//! database, and because only it can close connections. It is found through the file that it writes
//! to its data folder. If no server is running, this program opens the database and carries the
//! command out with the same code.

mod duration;
mod output;
mod remote;

pub(crate) use remote::AdminFile;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use castellan_game::GameId;
use castellan_server::{
    Actor, AdminReply, AdminRequest, AdminTarget, Clock, Config, Mode, Random, Services, perform,
};
use castellan_store::{OpenError, Store, postgres, sqlite};
use clap::{Args, Subcommand, ValueEnum};

use self::output::ReplySource;
use crate::CommandStatus;
use crate::serve::{ADMIN_FILE, DATABASE, data_folder};

/// Manage accounts, bans, reports and messages of a server
///
/// Works while the server runs and while it is stopped. Every action is written to the audit log.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan admin status\n  \
        castellan admin --data /var/lib/castellan ban --account Boris --for 7d --reason spam\n  \
        castellan admin ban --address 192.0.2.0/24 --until 2027-01-31\n  \
        castellan admin reset-password Anna\n  \
        castellan admin registration invitation\n  \
        castellan admin --json audit")]
pub(crate) struct AdminArgs {
    /// Folder with the games and accounts of the server
    #[arg(long, value_name = "DIR", env = "CASTELLAN_DATA")]
    data: Option<PathBuf>,
    /// PostgreSQL database of the server: postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "URL", env = "CASTELLAN_DATABASE", hide_env_values = true)]
    database: Option<String>,
    /// File of a running server that was started with the same option
    #[arg(long, value_name = "FILE", env = "CASTELLAN_ADMIN_FILE")]
    admin_file: Option<PathBuf>,
    /// Print the reply as JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: AdminCommand,
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Show how many players, games and open reports there are
    Status,
    /// List accounts, 100 at a time
    Accounts {
        /// Part of the name
        #[arg(default_value = "")]
        part: String,
        /// Start after this name
        #[arg(long, value_name = "NAME", default_value = "")]
        after: String,
    },
    /// Ban an account, a name or an address
    ///
    /// The banned person cannot sign in, register, connect, look for games or chat. Their
    /// connections close at once, and their running games are aborted or resigned.
    Ban {
        #[command(flatten)]
        target: TargetArgs,
        /// Reason, which the banned person can read
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        /// Length of the ban: a number and m, h, d or w
        #[arg(long = "for", value_name = "TIME", value_parser = duration::parse, conflicts_with = "until")]
        length: Option<u64>,
        /// End of the ban in UTC: 2027-01-31 or 2027-01-31T18:00
        #[arg(long, value_name = "DATE", value_parser = duration::parse_date)]
        until: Option<u64>,
    },
    /// Remove all bans of an account, a name or an address
    Unban {
        #[command(flatten)]
        target: TargetArgs,
    },
    /// List the bans in force
    Bans,
    /// List reports, newest first, 100 at a time
    Reports {
        /// Also list closed reports
        #[arg(long)]
        all: bool,
        /// Start before this number
        #[arg(long, value_name = "NUMBER")]
        before: Option<u64>,
        /// Close this report
        #[arg(long, value_name = "NUMBER", conflicts_with_all = ["all", "before"])]
        close: Option<u64>,
    },
    /// Delete chat lines of a game
    DeleteChat {
        /// ID of the game
        game: GameId,
        /// Only the lines of this account
        #[arg(long, value_name = "NAME")]
        account: Option<String>,
    },
    /// Delete a game that has ended, with its moves and its chat; ratings stay
    DeleteGame {
        /// ID of the game
        game: GameId,
    },
    /// Delete an account
    ///
    /// Also deletes its sessions, ratings and codes and its chat lines, and removes its name from
    /// games, searches and reports. The moves of its games stay.
    DeleteAccount {
        /// Name of the account
        name: String,
    },
    /// Print a code with which the owner of an account can choose a new password
    ResetPassword {
        /// Name of the account
        name: String,
    },
    /// Make the owner of an account an admin
    MakeAdmin {
        /// Name of the account
        name: String,
        /// Make them an ordinary user again
        #[arg(long)]
        remove: bool,
    },
    /// Show or set who may create an account
    Registration {
        /// The new mode
        mode: Option<ModeArg>,
    },
    /// Print a code with which people can register
    Invite {
        /// Number of accounts that can be created with it
        #[arg(long, value_name = "N", default_value_t = 1)]
        uses: u32,
        /// Number of days for which it is valid
        #[arg(long, value_name = "N", default_value_t = 14)]
        days: u32,
    },
    /// Show a message to everyone who is connected
    Message {
        /// Text to show, at most 500 characters
        text: String,
    },
    /// List the audit log, newest entries first, 100 at a time
    Audit {
        /// Start before this number
        #[arg(long, value_name = "NUMBER")]
        before: Option<u64>,
    },
}

/// The target of a ban.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct TargetArgs {
    /// Name of an account
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
    /// ID of a player, for guests
    #[arg(long, value_name = "ID")]
    player: Option<u64>,
    /// Name that no player may use
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Address, or network such as 192.0.2.0/24
    #[arg(long, value_name = "IP")]
    address: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// Everyone may create an account
    Open,
    /// Creating an account needs an invitation code
    Invitation,
    /// Accounts cannot be created
    Closed,
}

impl TargetArgs {
    fn target(&self) -> anyhow::Result<AdminTarget> {
        let TargetArgs { account, player, name, address } = self;
        Ok(match (account, player, name, address) {
            (Some(name), ..) => AdminTarget::Account(name.clone()),
            (_, Some(player), ..) => AdminTarget::Player(*player),
            (_, _, Some(name), _) => AdminTarget::Name(name.clone()),
            (_, _, _, Some(address)) => AdminTarget::Address(address.clone()),
            _ => bail!("specify an account, a player, a name or an address"),
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &AdminArgs) -> anyhow::Result<CommandStatus> {
    let request = request(&args.command)?;
    let (reply, source) = match remote(args, &request)? {
        Some(reply) => (reply, ReplySource::Server),
        None if args.database.is_some() => {
            (perform_here(args, request.clone())?, ReplySource::Database)
        }
        None => (perform_here(args, request.clone())?, ReplySource::Folder),
    };
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&reply)?)?;
    } else {
        write!(out, "{}", output::text(&request, &reply, source))?;
    }
    out.flush()?;
    Ok(CommandStatus::Success)
}

fn request(command: &AdminCommand) -> anyhow::Result<AdminRequest> {
    Ok(match command {
        AdminCommand::Status => AdminRequest::Status {},
        AdminCommand::Accounts { part, after } => {
            AdminRequest::Accounts { part: part.clone(), after: after.clone() }
        }
        AdminCommand::Ban { target, reason, length, until } => AdminRequest::Ban {
            target: target.target()?,
            reason: reason.clone(),
            until: until.or(length.map(|length_ms| now_ms().saturating_add(length_ms))),
        },
        AdminCommand::Unban { target } => AdminRequest::Unban { target: target.target()? },
        AdminCommand::Bans => AdminRequest::Bans {},
        AdminCommand::Reports { close: Some(number), .. } => {
            AdminRequest::CloseReport { number: *number }
        }
        AdminCommand::Reports { all, before, close: None } => {
            AdminRequest::Reports { is_all: *all, before: *before }
        }
        AdminCommand::DeleteChat { game, account } => {
            AdminRequest::DeleteChat { game: *game, account: account.clone() }
        }
        AdminCommand::DeleteGame { game } => AdminRequest::DeleteGame { game: *game },
        AdminCommand::DeleteAccount { name } => AdminRequest::DeleteAccount { name: name.clone() },
        AdminCommand::ResetPassword { name } => AdminRequest::ResetPassword { name: name.clone() },
        AdminCommand::MakeAdmin { name, remove } => {
            AdminRequest::SetAdmin { name: name.clone(), is_admin: !remove }
        }
        AdminCommand::Registration { mode } => AdminRequest::Registration {
            mode: mode.map(|mode| match mode {
                ModeArg::Open => Mode::Open,
                ModeArg::Invitation => Mode::Invitation,
                ModeArg::Closed => Mode::Closed,
            }),
        },
        AdminCommand::Invite { uses, days } => AdminRequest::Invite { uses: *uses, days: *days },
        AdminCommand::Message { text } => AdminRequest::Message { text: text.clone() },
        AdminCommand::Audit { before } => AdminRequest::Audit { before: *before },
    })
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Sends the command to a running server. Returns `None` if there is none.
fn remote(args: &AdminArgs, request: &AdminRequest) -> anyhow::Result<Option<AdminReply>> {
    let path = match (&args.admin_file, &args.database) {
        (Some(path), _) => path.clone(),
        (None, Some(_)) => return Ok(None),
        (None, None) => data_folder(args.data.clone())?.join(ADMIN_FILE),
    };
    remote::send(&path, request)
}

/// Carries the command out in this process.
fn perform_here(args: &AdminArgs, request: AdminRequest) -> anyhow::Result<AdminReply> {
    if args.database.is_some() && args.data.is_some() {
        bail!("use either --data or --database, not both");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = open(args).await?;
        let (clock, random) = (Clock::system(), Random::system());
        let services = Services::new(Config::default(), Arc::clone(&store), clock, random);
        let reply = perform(&services, None, &Actor::Operator, request).await;
        store.close().await.context("the database was not closed cleanly")?;
        Ok(reply?)
    })
}

async fn open(args: &AdminArgs) -> anyhow::Result<Arc<dyn Store>> {
    if let Some(url) = &args.database {
        // Servers of a cluster share the database. A single server does not.
        let options =
            postgres::PostgresOptions { is_shared: true, ..postgres::PostgresOptions::default() };
        return postgres::connect(url, options).await.map_err(|error| match error {
            OpenError::InUse { .. } => anyhow::Error::new(error).context(
                "a single server is running; start it with --admin-file, and use the same file here",
            ),
            other => other.into(),
        });
    }
    let path = data_folder(args.data.clone())?.join(DATABASE);
    if !path.exists() {
        bail!("there is no database at {}; specify the folder with --data", path.display());
    }
    Ok(sqlite::open(path, sqlite::SqliteOptions::default())?)
}
