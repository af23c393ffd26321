//! `castellan migrate`: brings a database to the schema of this version, or only tries that.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use castellan_store::{DryRun, MigrationPlan, SCHEMA_VERSION, postgres, sqlite};
use clap::Args;

use crate::CommandStatus;
use crate::serve::{DATABASE, data_folder};

/// Migrate the database of a server to the schema of this version
///
/// The server does the same when it starts. Use this command before an upgrade to find out what will
/// be done and whether it works.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan migrate --data /var/lib/castellan --dry-run\n  \
        castellan migrate --data /var/lib/castellan\n  \
        CASTELLAN_DATABASE=postgres://castellan:secret@db/castellan castellan migrate --dry-run")]
pub(crate) struct MigrateArgs {
    /// Folder with the games and accounts of the server
    #[arg(long, value_name = "DIR", env = "CASTELLAN_DATA")]
    data: Option<PathBuf>,
    /// PostgreSQL database of the server: postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "URL", env = "CASTELLAN_DATABASE", hide_env_values = true)]
    database: Option<String>,
    /// Print what would be done and try it without changing the database: on a copy of a SQLite
    /// database, or in a transaction of PostgreSQL that is rolled back
    #[arg(long)]
    dry_run: bool,
}

/// Where the database is.
enum Place {
    File(PathBuf),
    Server(String),
}

/// Runs the command.
pub(crate) fn run(args: &MigrateArgs) -> anyhow::Result<CommandStatus> {
    let place = match (&args.database, &args.data) {
        (Some(_), Some(_)) => bail!("use either --data or --database, not both"),
        (Some(url), None) => Place::Server(url.clone()),
        (None, data) => Place::File(data_folder(data.clone())?.join(DATABASE)),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let text = runtime.block_on(async {
        if args.dry_run { dry_run(&place).await } else { migrate(&place).await }
    })?;
    write!(io::stdout(), "{text}")?;
    Ok(CommandStatus::Success)
}

async fn dry_run(place: &Place) -> anyhow::Result<String> {
    let DryRun { plan, was_tried } = match place {
        Place::File(path) => sqlite::dry_run_migration(path)?,
        Place::Server(url) => postgres::dry_run_migration(url).await?,
    };
    let mut text = plan_text(&plan);
    match place {
        _ if plan.steps.is_empty() => {}
        Place::File(path) if was_tried => {
            let kept = kept_copy(path, plan.found);
            text += &format!(
                "tried on a copy: it works, and nothing was changed\nbefore the migration, the \
                 database is copied to {kept}\n"
            );
        }
        Place::Server(_) if was_tried => {
            text += "tried and rolled back: it works, and nothing was changed\nmake a backup with \
                     pg_dump before you start the new version\n";
        }
        _ => {
            text += "not tried, because servers are using the database; stop all of them before \
                     you start the new version\n";
        }
    }
    Ok(text)
}

async fn migrate(place: &Place) -> anyhow::Result<String> {
    let plan = match place {
        Place::File(path) => sqlite::migration_plan(path)?,
        Place::Server(url) => postgres::migration_plan(url).await?,
    };
    if plan.steps.is_empty() {
        return Ok(plan_text(&plan));
    }
    let store = match place {
        Place::File(path) => sqlite::open(path, sqlite::SqliteOptions::default())?,
        Place::Server(url) => {
            // Servers of a cluster share the database, and this fails while one of them is running.
            let options = postgres::PostgresOptions {
                is_shared: true,
                ..postgres::PostgresOptions::default()
            };
            postgres::connect(url, options).await?
        }
    };
    store.close().await?;
    let mut text = plan_text(&plan);
    text += "migrated\n";
    if let Place::File(path) = place {
        text += &format!("the database as it was: {}\n", kept_copy(path, plan.found));
    }
    Ok(text)
}

fn kept_copy(database: &Path, version: u32) -> String {
    format!("{}.schema-{version}", database.display())
}

fn plan_text(plan: &MigrationPlan) -> String {
    let found = plan.found;
    if plan.steps.is_empty() {
        return format!("the database has schema {found}, as it should; there is nothing to do\n");
    }
    let mut text =
        format!("the database has schema {found}, and this version uses {SCHEMA_VERSION}:\n");
    for step in &plan.steps {
        text += &format!("  {}  {}\n", step.version, step.about);
    }
    text
}
