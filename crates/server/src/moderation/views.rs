//! Rows of the store as admins see them.

use castellan_game::Moment;
use castellan_store::{AuditEntry, Ban, BanTarget, Report};

use super::request::{AdminTarget, AuditView, BanView, ReportView};

impl From<Ban> for BanView {
    fn from(Ban { number, ban, by, since }: Ban) -> BanView {
        let target = match ban.target {
            BanTarget::Player(player) => AdminTarget::Player(player.0),
            BanTarget::Name(name) => AdminTarget::Name(name),
            BanTarget::Network(network) => AdminTarget::Address(network.to_string()),
        };
        let (since, until) = (since.as_millis(), ban.until.map(Moment::as_millis));
        BanView { number, target, label: ban.label, reason: ban.reason, by, since, until }
    }
}

impl From<Report> for ReportView {
    fn from(Report { number, report, closed }: Report) -> ReportView {
        ReportView {
            number,
            at: report.at.as_millis(),
            reporter: report.reporter.0,
            reporter_name: report.reporter_name,
            reported: report.reported.0,
            reported_name: report.reported_name,
            game: report.game.to_string(),
            text: report.text,
            closed: closed.as_ref().map(|(at, _)| at.as_millis()),
            closed_by: closed.map(|(_, by)| by),
        }
    }
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> AuditView {
        AuditView {
            number: entry.number,
            at: entry.at.as_millis(),
            actor: entry.actor,
            action: entry.action,
            target: entry.target,
            details: entry.details,
        }
    }
}
