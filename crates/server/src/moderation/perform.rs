//! Carries out the commands of admins and operators.

use castellan_game::{Moment, PlayerId};
use castellan_store::{
    Account, AccountRow, BanTarget, ModerationAct, Network, NewAuditEntry, NewBan,
    RegistrationMode, StoreError,
};

use super::policy::Visitor;
use super::request::{
    AccountView, AdminRefusal, AdminReply, AdminRequest, AdminTarget, AuditView, BanView, Mode,
    ReportView, StatusView,
};
use crate::codes::Code;
use crate::error::ApiError;
use crate::live::Hub;
use crate::state::Services;

/// Number of rows on a page of a list.
const PAGE: u32 = 100;
/// Maximum number of characters of a text that an admin writes.
const MAX_TEXT_CHARS: usize = 500;
/// Largest networks that can be banned: a typing error must not keep out half of the world.
const MIN_PREFIX: (u8, u8) = (8, 16);
/// How long a code for a new password is valid, in milliseconds.
const RESET_MS: u64 = 24 * 3_600_000;
const DAY_MS: u64 = 86_400_000;
/// Maximum number of uses of a registration code, and of days until it expires.
const MAX_USES: u32 = 10_000;
const MAX_DAYS: u32 = 365;

/// The sender of a command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Actor {
    /// A person with access to the server's machine.
    Operator,
    /// The owner of an account that is an admin.
    Admin {
        /// The owner of the account.
        player: PlayerId,
        /// The name of the account.
        name: String,
    },
}

impl Actor {
    fn name(&self) -> &str {
        match self {
            Actor::Operator => "operator",
            Actor::Admin { name, .. } => name,
        }
    }

    fn is(&self, other: PlayerId) -> bool {
        matches!(self, Actor::Admin { player, .. } if *player == other)
    }
}

/// Carries out a command. `hub` is `None` if no server is running.
///
/// # Errors
/// Fails if the command is not possible, or if the store fails.
pub async fn perform(
    services: &Services,
    hub: Option<&Hub>,
    actor: &Actor,
    request: AdminRequest,
) -> Result<AdminReply, ApiError> {
    if hub.is_none() {
        // A running server has read it already.
        services.policy.refresh(&*services.store, services.clock.now()).await?;
    }
    let command = Command { services, hub, actor };
    match request {
        AdminRequest::Status {} => command.status().await,
        AdminRequest::Accounts { part, after } => command.accounts(&part, &after).await,
        AdminRequest::Ban { target, reason, until } => command.ban(target, reason, until).await,
        AdminRequest::Unban { target } => command.unban(target).await,
        AdminRequest::Bans {} => command.bans().await,
        AdminRequest::Reports { is_all, before } => command.reports(!is_all, before).await,
        AdminRequest::CloseReport { number } => {
            let act = ModerationAct::CloseReport { number };
            command.done(act, "close-report", &number.to_string(), "").await
        }
        AdminRequest::DeleteChat { game, account } => {
            let player = match &account {
                Some(name) => Some(command.account(name).await?.player),
                None => None,
            };
            let act = ModerationAct::DeleteChat { game, player };
            let details = account.unwrap_or_default();
            let reply = command.done(act, "delete-chat", &game.to_string(), &details).await?;
            if let Some(hub) = hub {
                hub.forget_chat(game);
            }
            Ok(reply)
        }
        AdminRequest::DeleteGame { game } => {
            let is_damaged = super::deletion::is_damaged(services, game).await?;
            let act = ModerationAct::DeleteGame { game, is_damaged };
            let reply = command.done(act, "delete-game", &game.to_string(), "").await?;
            if let Some(hub) = hub {
                hub.forget_game(game);
            }
            Ok(reply)
        }
        AdminRequest::DeleteAccount { name } => {
            let account = command.subject(&name).await?;
            super::delete_account(services, hub, actor.name(), &account).await?;
            Ok(AdminReply::Done { changed: 1 })
        }
        AdminRequest::ResetPassword { name } => command.reset_password(&name).await,
        AdminRequest::SetAdmin { name, is_admin } => command.set_admin(&name, is_admin).await,
        AdminRequest::Registration { mode } => command.registration(mode).await,
        AdminRequest::Invite { uses, days } => command.invite(uses, days).await,
        AdminRequest::Message { text } => command.message(text).await,
        AdminRequest::Audit { before } => command.audit(before).await,
    }
}

/// A command that is being carried out.
struct Command<'a> {
    services: &'a Services,
    hub: Option<&'a Hub>,
    actor: &'a Actor,
}

impl Command<'_> {
    /// Stores an act with its entry in the audit log. Returns how much it changed.
    async fn act(
        &self,
        act: ModerationAct,
        action: &'static str,
        target: &str,
        details: &str,
    ) -> Result<u64, ApiError> {
        let entry = entry(self.services, self.actor.name(), action, target, details);
        let acted = self.services.store.moderation().act(act, entry).await;
        acted.map_err(|error| match error {
            StoreError::NoSuchBan => AdminRefusal::NoSuchBan.into(),
            StoreError::NoSuchReport => AdminRefusal::NoSuchReport.into(),
            StoreError::NoSuchGame { .. } => AdminRefusal::NotEnded.into(),
            StoreError::NoSuchAccount { .. } => ApiError::UnknownPlayer,
            StoreError::TooLarge { what: "the list of bans", .. } => {
                AdminRefusal::TooManyBans.into()
            }
            StoreError::TooLarge { .. } | StoreError::NulCharacter { .. } => {
                AdminRefusal::BadText.into()
            }
            error => error.into(),
        })
    }

    async fn done(
        &self,
        act: ModerationAct,
        action: &'static str,
        target: &str,
        details: &str,
    ) -> Result<AdminReply, ApiError> {
        Ok(AdminReply::Done { changed: self.act(act, action, target, details).await? })
    }

    async fn account(&self, name: &str) -> Result<Account, ApiError> {
        self.services.store.account_by_name(name).await?.ok_or(ApiError::UnknownPlayer)
    }

    /// Returns the account that a command is directed against. Admins act neither against
    /// themselves nor against other admins.
    async fn subject(&self, name: &str) -> Result<Account, ApiError> {
        let account = self.account(name).await?;
        self.check_subject(account.player).await?;
        Ok(account)
    }

    async fn check_subject(&self, player: PlayerId) -> Result<(), ApiError> {
        if self.actor.is(player) {
            return Err(AdminRefusal::OwnAccount.into());
        }
        if *self.actor != Actor::Operator
            && self.services.store.moderation().is_admin(player).await?
        {
            return Err(AdminRefusal::OperatorOnly.into());
        }
        Ok(())
    }

    async fn status(&self) -> Result<AdminReply, ApiError> {
        let Services { store, clock, .. } = self.services;
        let activity = self.hub.map(|hub| hub.activity(0));
        let count = |of: Option<usize>| of.unwrap_or_default() as u64;
        let reports = store.moderation().reports(true, u64::MAX, 500).await?;
        Ok(AdminReply::Status(StatusView {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            is_running: self.hub.is_some(),
            players: count(activity.as_ref().map(|now| now.players)),
            connections: count(self.hub.map(Hub::connection_count)),
            waiting: count(activity.as_ref().map(|now| now.waiting)),
            games: count(activity.as_ref().map(|now| now.playing)),
            engine_queue: count(self.hub.map(|hub| hub.shared().engines.queued())),
            store_queue: store.metrics().queued,
            bans: store.moderation().bans(clock.now()).await?.len() as u64,
            open_reports: reports.len() as u64,
            registration: store.moderation().registration().await?.into(),
        }))
    }

    async fn accounts(&self, part: &str, after: &str) -> Result<AdminReply, ApiError> {
        let found = self.services.store.moderation().accounts(part, after, PAGE).await;
        let rows = found.map_err(|error| match error {
            StoreError::TooLarge { .. } => AdminRefusal::BadText.into(),
            error => ApiError::from(error),
        })?;
        let now = self.services.clock.now();
        let view = |row: AccountRow| {
            let visitor =
                Visitor { player: Some(row.player), name: Some(&row.name), address: None };
            AccountView {
                is_banned: self.services.policy.ban_of(visitor, now).is_some(),
                player: row.player.0,
                created: row.created.as_millis(),
                seen: row.seen.map(Moment::as_millis),
                is_admin: row.is_admin,
                has_second_factor: row.has_second_factor,
                name: row.name,
            }
        };
        Ok(AdminReply::Accounts { accounts: rows.into_iter().map(view).collect() })
    }

    /// Returns the target of a ban and its text for people.
    async fn target(&self, target: AdminTarget) -> Result<(BanTarget, String), ApiError> {
        Ok(match target {
            AdminTarget::Account(name) => {
                let account = self.account(&name).await?;
                (BanTarget::Player(account.player), account.name)
            }
            AdminTarget::Player(number) => {
                let player = PlayerId(number);
                // Guests have no account, and their names are not unique.
                let account = self.services.store.account_of(player).await?;
                let label = account.map_or(format!("player {number}"), |account| account.name);
                (BanTarget::Player(player), label)
            }
            AdminTarget::Name(name) => {
                let name = check_text(&name)?;
                (BanTarget::Name(name.clone()), name)
            }
            AdminTarget::Address(text) => {
                let network: Network = text.parse().map_err(|_| AdminRefusal::BadAddress)?;
                (BanTarget::Network(network), network.to_string())
            }
        })
    }

    async fn ban(
        &self,
        target: AdminTarget,
        reason: String,
        until: Option<u64>,
    ) -> Result<AdminReply, ApiError> {
        let (target, label) = self.target(target).await?;
        let reason = if reason.is_empty() { reason } else { check_text(&reason)? };
        match &target {
            BanTarget::Player(player) => self.check_subject(*player).await?,
            BanTarget::Network(network) => {
                let least = if network.is_ipv4() { MIN_PREFIX.0 } else { MIN_PREFIX.1 };
                if network.prefix() < least {
                    return Err(AdminRefusal::HugeNetwork.into());
                }
            }
            BanTarget::Name(_) => {}
        }
        let until = until.map(Moment::from_millis);
        if until.is_some_and(|until| until <= self.services.clock.now()) {
            return Err(AdminRefusal::PastEnd.into());
        }
        let ban =
            NewBan { target: target.clone(), label: label.clone(), reason: reason.clone(), until };
        let details = match until {
            Some(until) => format!("until {}: {reason}", until.as_millis()),
            None => format!("forever: {reason}"),
        };
        self.act(ModerationAct::Ban(ban), "ban", &label, &details).await?;
        let mut changed = 0;
        if let BanTarget::Player(player) = target {
            changed += self.services.store.delete_sessions_of(player, None).await?;
        }
        if let Some(hub) = self.hub {
            hub.policy_changed().await?;
            if let BanTarget::Player(player) = target {
                hub.forfeit_games(player).await?;
            }
        }
        Ok(AdminReply::Done { changed })
    }

    async fn unban(&self, target: AdminTarget) -> Result<AdminReply, ApiError> {
        let (target, label) = self.target(target).await?;
        let reply = self.done(ModerationAct::LiftBans(target), "unban", &label, "").await?;
        self.refresh().await?;
        Ok(reply)
    }

    async fn refresh(&self) -> Result<(), ApiError> {
        if let Some(hub) = self.hub {
            hub.policy_changed().await?;
        }
        Ok(())
    }

    async fn bans(&self) -> Result<AdminReply, ApiError> {
        let bans = self.services.store.moderation().bans(self.services.clock.now()).await?;
        Ok(AdminReply::Bans { bans: bans.into_iter().map(BanView::from).collect() })
    }

    async fn reports(&self, is_open: bool, before: Option<u64>) -> Result<AdminReply, ApiError> {
        let before = before.unwrap_or(u64::MAX);
        let reports = self.services.store.moderation().reports(is_open, before, PAGE).await?;
        Ok(AdminReply::Reports { reports: reports.into_iter().map(ReportView::from).collect() })
    }

    async fn reset_password(&self, name: &str) -> Result<AdminReply, ApiError> {
        let account = self.account(name).await?;
        if !self.actor.is(account.player) {
            self.check_subject(account.player).await?;
        }
        let code = Code::new()?;
        let expires = self.services.clock.now().plus_ms(RESET_MS);
        let (player, digest) = (account.player, code.digest());
        let act = ModerationAct::AddRecoveryCode { player, digest, expires };
        self.act(act, "reset-password", &account.name, "").await?;
        Ok(AdminReply::Code { code: code.reveal(), expires: expires.as_millis() })
    }

    async fn set_admin(&self, name: &str, is_admin: bool) -> Result<AdminReply, ApiError> {
        if *self.actor != Actor::Operator {
            return Err(AdminRefusal::OperatorOnly.into());
        }
        let account = self.account(name).await?;
        let act = ModerationAct::SetAdmin { player: account.player, is_admin };
        let details = if is_admin { "admin" } else { "user" };
        self.done(act, "set-admin", &account.name, details).await
    }

    async fn registration(&self, mode: Option<Mode>) -> Result<AdminReply, ApiError> {
        if let Some(mode) = mode {
            let stored = RegistrationMode::from(mode);
            let word = match mode {
                Mode::Open => "open",
                Mode::Invitation => "invitation",
                Mode::Closed => "closed",
            };
            self.act(ModerationAct::SetRegistration(stored), "registration", word, "").await?;
            self.refresh().await?;
        }
        let mode = self.services.store.moderation().registration().await?.into();
        Ok(AdminReply::Registration { mode })
    }

    async fn invite(&self, uses: u32, days: u32) -> Result<AdminReply, ApiError> {
        if !(1..=MAX_USES).contains(&uses) || !(1..=MAX_DAYS).contains(&days) {
            return Err(AdminRefusal::BadNumber.into());
        }
        let code = Code::new()?;
        let expires = self.services.clock.now().plus_ms(u64::from(days) * DAY_MS);
        let act = ModerationAct::AddRegistrationCode { digest: code.digest(), uses, expires };
        let details = format!("{uses} accounts, {days} days");
        self.act(act, "invite", "", &details).await?;
        Ok(AdminReply::Code { code: code.reveal(), expires: expires.as_millis() })
    }

    async fn message(&self, text: String) -> Result<AdminReply, ApiError> {
        let text = check_text(&text)?;
        self.act(ModerationAct::Note, "message", "", &text).await?;
        let changed = self.hub.map_or(0, |hub| hub.announce(&text));
        Ok(AdminReply::Done { changed: changed as u64 })
    }

    async fn audit(&self, before: Option<u64>) -> Result<AdminReply, ApiError> {
        let before = before.unwrap_or(u64::MAX);
        let entries = self.services.store.moderation().audit(before, PAGE).await?;
        Ok(AdminReply::Audit { entries: entries.into_iter().map(AuditView::from).collect() })
    }
}

/// Returns an entry for the audit log.
pub(crate) fn entry(
    services: &Services,
    actor: &str,
    action: &'static str,
    target: &str,
    details: &str,
) -> NewAuditEntry {
    NewAuditEntry {
        at: services.clock.now(),
        actor: actor.to_owned(),
        action,
        target: target.to_owned(),
        details: details.to_owned(),
    }
}

/// Checks a text that an admin wrote.
fn check_text(text: &str) -> Result<String, AdminRefusal> {
    let text = text.trim();
    let is_fine = (1..=MAX_TEXT_CHARS).contains(&text.chars().count())
        && !text.chars().any(|c| c.is_control() && c != '\n');
    if is_fine { Ok(text.to_owned()) } else { Err(AdminRefusal::BadText) }
}
