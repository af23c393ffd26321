//! `castellan backup` and `castellan restore`: copies of the database in a data folder.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::bail;
use castellan_store::sqlite::{self, BackupSummary};
use clap::Args;

use crate::CommandStatus;
use crate::counted::counted;
use crate::serve::{DATABASE, create_folder, data_folder};

/// Copy the database of a server, even while it runs
///
/// The copy is a single file that contains everything the server had acknowledged when the command
/// started. This is for data in a folder; for PostgreSQL, use pg_dump.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  castellan backup --data /var/lib/castellan castellan-monday.db\n  \
        castellan restore --data /var/lib/castellan castellan-monday.db"
)]
pub(crate) struct BackupArgs {
    /// File to create
    file: PathBuf,
    /// Folder with the games and accounts of the server
    #[arg(long, value_name = "DIR", env = "CASTELLAN_DATA")]
    data: Option<PathBuf>,
}

/// Replace the database of a server with a backup
///
/// The server must be stopped. The server migrates an older backup when it starts.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  castellan restore --data /var/lib/castellan castellan-monday.db\n  \
        castellan restore --replace castellan-monday.db"
)]
pub(crate) struct RestoreArgs {
    /// File that `castellan backup` has written
    file: PathBuf,
    /// Folder for the games and accounts of the server
    #[arg(long, value_name = "DIR", env = "CASTELLAN_DATA")]
    data: Option<PathBuf>,
    /// Replace an existing database, which is kept as castellan.db.before-restore
    #[arg(long)]
    replace: bool,
}

/// Backs a database up.
pub(crate) fn run(args: &BackupArgs) -> anyhow::Result<CommandStatus> {
    let database = data_folder(args.data.clone())?.join(DATABASE);
    if !database.exists() {
        bail!(
            "there is no database at {}; specify the folder with --data, or use pg_dump for PostgreSQL",
            database.display()
        );
    }
    let summary = sqlite::backup(&database, &args.file)?;
    report("backed up", summary, &args.file.display().to_string())
}

/// Restores a database.
pub(crate) fn run_restore(args: &RestoreArgs) -> anyhow::Result<CommandStatus> {
    let folder = data_folder(args.data.clone())?;
    create_folder(&folder)?;
    let database = folder.join(DATABASE);
    let summary = sqlite::restore(&args.file, &database, args.replace)?;
    report("restored", summary, &database.display().to_string())
}

fn report(done: &str, summary: BackupSummary, place: &str) -> anyhow::Result<CommandStatus> {
    let BackupSummary { games, accounts, size_bytes } = summary;
    let size_kb = size_bytes.div_ceil(1000);
    writeln!(
        io::stdout(),
        "{done} {} and {} to {place} ({size_kb} kB)",
        counted(games, "game"),
        counted(accounts, "account")
    )?;
    Ok(CommandStatus::Success)
}
