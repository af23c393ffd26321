//! Moderation: bans, registration, and the commands of admins and operators.
//!
//! | file | responsible for |
//! |---|---|
//! | `policy` | the bans and the mode of registration in memory, and what a ban means |
//! | `request` | the commands and their replies, as JSON |
//! | `perform` | what each command does |
//! | `views` | rows of the store as admins see them |
//! | `routes` | which clients may send commands over HTTP |
//! | `deletion` | deleting an account and its name |
//! | `reports` | complaints of players |
//!
//! `castellan admin` sends the same commands to a running server, or performs them itself if none is
//! running. Invariant: every act is in the audit log, in the same transaction as its effect.

mod deletion;
mod perform;
mod policy;
mod reports;
mod request;
mod routes;
mod views;

pub(crate) use deletion::delete_account;
pub(crate) use perform::entry as audit_entry;
pub use perform::{Actor, perform};
pub use policy::BanNotice;
pub(crate) use policy::{Policy, Visitor};
pub(crate) use reports::{__path_report_player, report_player};
pub use request::{
    AccountView, AdminRefusal, AdminReply, AdminRequest, AdminTarget, AuditView, BanView, Mode,
    ReportView, StatusView,
};
pub use routes::AdminKey;
pub(crate) use routes::{__path_administer, administer};
