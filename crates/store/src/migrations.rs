//! The schema versions, and the steps of a migration.
//!
//! The statements of the migrations are with each database; both have the same steps.

/// What each schema version added, from the first on.
pub(crate) const STEPS: [&str; 6] = [
    "games, accounts, sessions, ratings, chat and invitations",
    "claims, for several servers with one database",
    "search by a part of a name",
    "moderation, recovery codes and second factors",
    "e-mail addresses",
    "deletion of old chat, reports and entries of the audit log",
];

/// The newest schema version, which this program uses.
pub const SCHEMA_VERSION: u32 = STEPS.len() as u32;

/// A step from one schema version to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationStep {
    /// The schema version after the step.
    pub version: u32,
    /// A short description of what the version adds.
    pub about: &'static str,
}

/// The migrations that a database still needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationPlan {
    /// The schema version of the database; 0 if it is empty.
    pub found: u32,
    /// The steps from there to [`SCHEMA_VERSION`].
    pub steps: Vec<MigrationStep>,
}

impl MigrationPlan {
    /// Returns the plan for a database with this schema version.
    pub(crate) fn from(found: i64) -> MigrationPlan {
        let found = u32::try_from(found).unwrap_or(0);
        let all = (1..).zip(STEPS).map(|(version, about)| MigrationStep { version, about });
        MigrationPlan { found, steps: all.filter(|step| step.version > found).collect() }
    }
}

/// The result of a dry run of the migrations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRun {
    /// The migrations that the database still needs.
    pub plan: MigrationPlan,
    /// Whether the steps were tried. They are not if there are none, or if servers are using the
    /// database and would have to wait.
    pub was_tried: bool,
}
