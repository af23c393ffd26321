//! Replies as text for people.
//!
//! Names and other text that users chose may contain control characters of a terminal, which are
//! replaced.

use std::fmt::Write;

use castellan_pgn::{pgn_date, pgn_time};
use castellan_server::{AdminReply, AdminRequest, AdminTarget, Mode, StatusView};

use crate::counted::counted;

/// Where a reply comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplySource {
    /// A running server.
    Server,
    /// A data folder that no server uses.
    Folder,
    /// A PostgreSQL database. Servers of a cluster may be using it.
    Database,
}

/// Returns the text of a reply to a request, with a line for each row.
pub(super) fn text(request: &AdminRequest, reply: &AdminReply, source: ReplySource) -> String {
    match reply {
        AdminReply::Status(status) => status_text(status, source),
        AdminReply::Accounts { accounts } => lines(accounts, "no accounts", |account| {
            let mut marks = String::new();
            for (is_set, mark) in [
                (account.is_admin, " admin"),
                (account.has_second_factor, " second-factor"),
                (account.is_banned, " banned"),
            ] {
                marks.push_str(if is_set { mark } else { "" });
            }
            let seen = account.seen.map_or("never".to_owned(), date);
            let (player, name) = (account.player, plain(&account.name));
            format!("{player:>8}  created {}  seen {seen}  {name}{marks}", date(account.created))
        }),
        AdminReply::Bans { bans } => lines(bans, "no bans", |ban| {
            let kind = match ban.target {
                AdminTarget::Account(_) | AdminTarget::Player(_) => "player",
                AdminTarget::Name(_) => "name",
                AdminTarget::Address(_) => "address",
            };
            let until =
                ban.until.map_or("forever".to_owned(), |until| format!("until {}", date(until)));
            format!(
                "{:>6}  {kind} {}  {until}  by {} on {}  {}",
                ban.number,
                plain(&ban.label),
                plain(&ban.by),
                date(ban.since),
                plain(&ban.reason)
            )
        }),
        AdminReply::Reports { reports } => lines(reports, "no reports", |report| {
            let closed = match &report.closed_by {
                Some(by) => format!("  closed by {}", plain(by)),
                None => String::new(),
            };
            format!(
                "{:>6}  {}  {} (player {}) about {} (player {}) in game {}{closed}\n        {}",
                report.number,
                date(report.at),
                plain(&report.reporter_name),
                report.reporter,
                plain(&report.reported_name),
                report.reported,
                report.game,
                plain(&report.text)
            )
        }),
        AdminReply::Audit { entries } => lines(entries, "no entries", |entry| {
            format!(
                "{:>6}  {}  {}  {}  {}  {}",
                entry.number,
                date(entry.at),
                plain(&entry.actor),
                plain(&entry.action),
                plain(&entry.target),
                details(&entry.action, &plain(&entry.details))
            )
        }),
        AdminReply::Code { code, expires } => {
            format!("{code}\nvalid until {} UTC\n", date(*expires))
        }
        AdminReply::Registration { mode } => format!("registration: {}\n", mode_word(*mode)),
        AdminReply::Done { changed } => done_text(request, *changed) + "\n",
    }
}

/// Says what a command has done.
fn done_text(request: &AdminRequest, changed: u64) -> String {
    match request {
        AdminRequest::Ban { .. } => format!("banned, {} ended", counted(changed, "session")),
        AdminRequest::Unban { .. } => format!("{} lifted", counted(changed, "ban")),
        AdminRequest::CloseReport { .. } => "report closed".to_owned(),
        AdminRequest::DeleteChat { .. } => format!("{} deleted", counted(changed, "chat line")),
        AdminRequest::DeleteGame { .. } => "game deleted".to_owned(),
        AdminRequest::DeleteAccount { .. } => "account deleted".to_owned(),
        AdminRequest::SetAdmin { name, is_admin: true } => format!("{} is an admin", plain(name)),
        AdminRequest::SetAdmin { name, is_admin: false } => {
            format!("{} is not an admin", plain(name))
        }
        AdminRequest::Message { .. } => format!("shown to {}", counted(changed, "client")),
        // These are answered with more than this.
        AdminRequest::Status {}
        | AdminRequest::Accounts { .. }
        | AdminRequest::Bans {}
        | AdminRequest::Reports { .. }
        | AdminRequest::ResetPassword { .. }
        | AdminRequest::Registration { .. }
        | AdminRequest::Invite { .. }
        | AdminRequest::Audit { .. } => "done".to_owned(),
    }
}

fn status_text(status: &StatusView, source: ReplySource) -> String {
    let note = match source {
        ReplySource::Server => "",
        ReplySource::Folder => ", no server is running",
        ReplySource::Database => ", from the database alone; --admin-file asks a server",
    };
    let mut text = format!("castellan {}{note}\n", status.version);
    let live = [
        ("players", status.players),
        ("connections", status.connections),
        ("waiting", status.waiting),
        ("games", status.games),
        ("engine queue", status.engine_queue),
        ("store queue", status.store_queue),
    ];
    let stored = [("bans", status.bans), ("open reports", status.open_reports)];
    // Only a server knows what happens in it.
    let live = live.into_iter().filter(|_| source == ReplySource::Server);
    for (name, number) in live.chain(stored) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name}: {number}");
    }
    let _ = writeln!(text, "registration: {}", mode_word(status.registration));
    text
}

fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Open => "open",
        Mode::Invitation => "invitation",
        Mode::Closed => "closed",
    }
}

fn lines<T>(rows: &[T], none: &str, line: impl Fn(&T) -> String) -> String {
    match rows {
        [] => format!("{none}\n"),
        rows => rows.iter().map(|row| line(row) + "\n").collect(),
    }
}

/// Returns a date and time in UTC.
fn date(ms: u64) -> String {
    format!("{} {}", pgn_date(ms / 1000).replace('.', "-"), pgn_time(ms / 1000))
}

/// Returns the details of an entry. Those of a ban begin with its end, in milliseconds since 1970.
fn details(action: &str, details: &str) -> String {
    let end = details.strip_prefix("until ").and_then(|rest| rest.split_once(':'));
    match end.and_then(|(ms, reason)| Some((ms.parse().ok()?, reason))) {
        Some((ms, reason)) if action == "ban" => format!("until {}:{reason}", date(ms)),
        _ => details.to_owned(),
    }
}

/// Replaces control characters.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use castellan_server::{AuditView, BanView};

    use super::*;

    #[test]
    fn a_terminal_is_not_controlled_by_strangers() {
        let entry = AuditView {
            number: 1,
            at: 0,
            actor: "a".to_owned(),
            action: "b".to_owned(),
            target: "\u{1b}[31m\n".to_owned(),
            details: "\r\u{7}".to_owned(),
        };
        let text = text(
            &AdminRequest::Audit { before: None },
            &AdminReply::Audit { entries: vec![entry] },
            ReplySource::Server,
        );
        assert_eq!(text.matches(char::is_control).count(), 1, "{text:?}");
    }

    #[test]
    fn the_end_of_a_ban_is_a_date_in_the_log() {
        assert_eq!(details("ban", "until 86400000: spam"), "until 1970-01-02 00:00:00: spam");
        for (action, text) in
            [("ban", "forever: until 5: x"), ("message", "until 5: x"), ("ban", "")]
        {
            assert_eq!(details(action, text), text);
        }
    }

    #[test]
    fn a_ban_is_one_line() {
        let ban = BanView {
            number: 7,
            target: AdminTarget::Address("192.0.2.0/24".to_owned()),
            label: "192.0.2.0/24".to_owned(),
            reason: "spam".to_owned(),
            by: "operator".to_owned(),
            since: 0,
            until: Some(86_400_000),
        };
        assert_eq!(
            text(
                &AdminRequest::Bans {},
                &AdminReply::Bans { bans: vec![ban] },
                ReplySource::Server
            ),
            "     7  address 192.0.2.0/24  until 1970-01-02 00:00:00  by operator on 1970-01-01 \
             00:00:00  spam\n"
        );
        assert_eq!(
            text(
                &AdminRequest::Bans {},
                &AdminReply::Bans { bans: Vec::new() },
                ReplySource::Server
            ),
            "no bans\n"
        );
    }

    #[test]
    fn the_status_of_a_database_does_not_speak_for_servers() {
        let status = StatusView {
            version: "1.2.3".to_owned(),
            is_running: false,
            players: 0,
            connections: 0,
            waiting: 0,
            games: 0,
            engine_queue: 0,
            store_queue: 0,
            bans: 2,
            open_reports: 1,
            registration: Mode::Open,
        };
        let stored = "bans: 2\nopen reports: 1\nregistration: open\n";
        let text = status_text(&status, ReplySource::Folder);
        assert_eq!(text, format!("castellan 1.2.3, no server is running\n{stored}"));
        let text = status_text(&status, ReplySource::Database);
        assert!(text.starts_with("castellan 1.2.3, from the database alone"), "{text}");
        assert!(text.ends_with(stored) && !text.contains("games"), "{text}");
        let text = status_text(&status, ReplySource::Server);
        assert!(text.starts_with("castellan 1.2.3\nplayers: 0\n"), "{text}");
    }
}
