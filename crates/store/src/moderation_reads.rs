//! Queries of moderation, and the implementation of [`ModerationStore`].
//!
//! Invariant: a row that cannot be decoded is an error that says where, and is never skipped.

use castellan_game::{GameId, Moment, PlayerId};

use crate::database::{Database, Readers};
use crate::encoding::{damaged, to_moment, to_player};
use crate::error::StoreError;
use crate::moderation::{
    AccountRow, AuditEntry, Ban, BanTarget, FormerPlayer, MAX_BANS, ModerationAct, ModerationStore,
    NewAuditEntry, NewBan, NewReport, RegistrationMode, Report, SecondFactor,
};
use crate::moderation_sql as sql;
use crate::moderation_writes::{self as writes, REGISTRATION, mode_number};
use crate::names::{fold, pattern};
use crate::people::{Account, TokenDigest};
use crate::reads::{MAX_ROWS, Read, all, first, game_id, search};
use crate::retention::{self, Retention};
use crate::statement::{Row, Value};
use crate::store::StoreFuture;
use crate::writes::{MAX_NAME_BYTES, check_size, id, moment};

impl<R: Readers> ModerationStore for Database<R> {
    fn act(&self, act: ModerationAct, entry: NewAuditEntry) -> StoreFuture<'_, u64> {
        let answer = self.write(writes::act(act, &entry));
        // The first step is the entry in the log.
        Box::pin(async move { Ok(answer.await?.saturating_sub(1)) })
    }

    fn bans(&self, now: Moment) -> StoreFuture<'_, Vec<Ban>> {
        Box::pin(async move {
            let rows = all(&self.readers, sql::BANS, vec![moment(now), MAX_BANS.into()]).await?;
            rows.into_iter().map(ban).collect()
        })
    }

    fn registration(&self) -> StoreFuture<'_, RegistrationMode> {
        Box::pin(async move {
            let row = first(&self.readers, crate::sql::COUNTER, vec![REGISTRATION.into()]).await?;
            let Some(mut row) = row else { return Ok(RegistrationMode::default()) };
            let number = row.int()?;
            [RegistrationMode::Open, RegistrationMode::Invitation, RegistrationMode::Closed]
                .into_iter()
                .find(|mode| mode_number(*mode) == number)
                .ok_or_else(|| damaged("the mode of registration is unknown"))
        })
    }

    fn create_account_with_code(
        &self,
        account: Account,
        digest: TokenDigest,
    ) -> StoreFuture<'_, ()> {
        self.store(writes::create_account_with_code(&account, digest))
    }

    fn is_admin(&self, player: PlayerId) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let row = first(&self.readers, sql::IS_ADMIN, vec![id(player)]).await?;
            row.map_or(Ok(false), |mut row| Ok(row.int()? == 1))
        })
    }

    fn accounts(&self, part: &str, after: &str, limit: u32) -> StoreFuture<'_, Vec<AccountRow>> {
        let (part, after) = (part.to_owned(), fold(after));
        Box::pin(async move {
            check_size("a name", part.len().max(after.len()), MAX_NAME_BYTES)?;
            let args = vec![pattern(&part).into(), after.into(), limit.min(MAX_ROWS).into()];
            let rows = search(&self.readers, sql::ACCOUNTS, args).await?;
            rows.into_iter().map(account_row).collect()
        })
    }

    fn add_report(&self, report: NewReport) -> StoreFuture<'_, bool> {
        let answer = self.write(writes::add_report(&report));
        Box::pin(async move { Ok(answer.await? > 0) })
    }

    fn reports(&self, is_open: bool, before: u64, limit: u32) -> StoreFuture<'_, Vec<Report>> {
        let sql = if is_open { sql::OPEN_REPORTS } else { sql::REPORTS };
        Box::pin(async move {
            let rows = search(&self.readers, sql, page(before, limit)).await?;
            rows.into_iter().map(report).collect()
        })
    }

    fn audit(&self, before: u64, limit: u32) -> StoreFuture<'_, Vec<AuditEntry>> {
        Box::pin(async move {
            let rows = search(&self.readers, sql::AUDIT, page(before, limit)).await?;
            rows.into_iter().map(audit_entry).collect()
        })
    }

    fn set_recovery_codes(
        &self,
        player: PlayerId,
        digests: Vec<TokenDigest>,
    ) -> StoreFuture<'_, ()> {
        self.store(writes::set_recovery_codes(player, &digests))
    }

    fn recovery_codes_left(&self, player: PlayerId) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let row = first(&self.readers, sql::RECOVERY_CODES_LEFT, vec![id(player)]).await?;
            row.map_or(Ok(0), |mut row| Ok(row.int()?.cast_unsigned()))
        })
    }

    fn use_recovery_code(
        &self,
        player: PlayerId,
        digest: TokenDigest,
        now: Moment,
        password_hash: Option<String>,
    ) -> StoreFuture<'_, ()> {
        self.store(writes::use_recovery_code(player, digest, now, password_hash.as_deref()))
    }

    fn second_factor(&self, player: PlayerId) -> StoreFuture<'_, Option<SecondFactor>> {
        Box::pin(async move {
            let row = first(&self.readers, sql::SECOND_FACTOR, vec![id(player)]).await?;
            row.map(second_factor).transpose()
        })
    }

    fn set_second_factor(
        &self,
        player: PlayerId,
        factor: Option<SecondFactor>,
    ) -> StoreFuture<'_, ()> {
        self.store(writes::set_second_factor(player, factor.as_ref()))
    }

    fn use_step(&self, player: PlayerId, step: u64) -> StoreFuture<'_, bool> {
        let answer = self.write(writes::use_step(player, step));
        Box::pin(async move { Ok(answer.await? > 0) })
    }

    fn games_under_name(
        &self,
        player: PlayerId,
        name: &str,
        limit: u32,
    ) -> StoreFuture<'_, Vec<GameId>> {
        let name = fold(name);
        Box::pin(async move {
            let args = vec![name.into(), id(player), limit.min(MAX_ROWS).into()];
            let rows = search(&self.readers, sql::GAMES_UNDER_NAME, args).await?;
            rows.into_iter().map(|mut row| game_id(&row.text()?)).collect()
        })
    }

    fn forget_player(&self, game: GameId, former: FormerPlayer) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let args = vec![game.to_string().into()];
            let rows = all(&self.readers, sql::EVENT_TEXTS, args).await?;
            let events = rows.into_iter().map(|mut row| Ok((row.int()?, row.lossy_text()?)));
            let events = events.collect::<Read<Vec<_>>>()?;
            self.store(writes::forget_player(game, &former, &events)).await
        })
    }

    fn forget_name(&self, name: &str) -> StoreFuture<'_, ()> {
        self.store(writes::forget_name(name))
    }

    fn delete_old(&self, now: Moment, retention: Retention) -> StoreFuture<'_, u64> {
        // One of the steps for the audit log changes a row that stays.
        let uncounted = u64::from(retention.audit.is_some());
        Box::pin(async move {
            if retention == Retention::default() {
                return Ok(0);
            }
            let changed = self.write(Ok(retention::delete_old(now, retention))).await?;
            Ok(changed.saturating_sub(uncounted))
        })
    }
}

/// Returns the arguments for a page of numbered rows.
fn page(before: u64, limit: u32) -> Vec<Value> {
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    vec![before.into(), limit.min(MAX_ROWS).into()]
}

fn ban(mut row: Row) -> Read<Ban> {
    let number = row.int()?.cast_unsigned();
    let (kind, target) = (row.text()?, row.text()?);
    let target = match kind.as_str() {
        "player" => target.parse().ok().map(|number| BanTarget::Player(PlayerId(number))),
        "name" => Some(BanTarget::Name(target)),
        "network" => target.parse().ok().map(BanTarget::Network),
        _ => None,
    };
    let target = target.ok_or_else(|| damaged("the target of a ban is unknown"))?;
    let (label, reason, by) = (row.text()?, row.text()?, row.text()?);
    let since = to_moment(row.int()?)?;
    let until = row.maybe_int()?.map(to_moment).transpose()?;
    Ok(Ban { number, ban: NewBan { target, label, reason, until }, by, since })
}

fn account_row(mut row: Row) -> Read<AccountRow> {
    Ok(AccountRow {
        player: to_player(row.int()?),
        name: row.text()?,
        created: to_moment(row.int()?)?,
        is_admin: row.int()? == 1,
        seen: row.maybe_int()?.map(to_moment).transpose()?,
        has_second_factor: row.int()? > 0,
    })
}

fn report(mut row: Row) -> Read<Report> {
    let number = row.int()?.cast_unsigned();
    let report = NewReport {
        at: to_moment(row.int()?)?,
        reporter: to_player(row.int()?),
        reporter_name: row.text()?,
        reported: to_player(row.int()?),
        reported_name: row.text()?,
        game: game_id(&row.text()?)?,
        text: row.text()?,
    };
    let closed = row.maybe_int()?.map(to_moment).transpose()?;
    Ok(Report { number, report, closed: closed.zip(row.maybe_text()?) })
}

fn audit_entry(mut row: Row) -> Read<AuditEntry> {
    Ok(AuditEntry {
        number: row.int()?.cast_unsigned(),
        at: to_moment(row.int()?)?,
        actor: row.text()?,
        action: row.text()?,
        target: row.text()?,
        details: row.text()?,
    })
}

fn second_factor(mut row: Row) -> Result<SecondFactor, StoreError> {
    let secret = row.bytes()?.try_into();
    let secret = secret.map_err(|_| damaged("the secret of a second factor has a wrong length"))?;
    Ok(SecondFactor { secret, last_step: row.int()?.cast_unsigned() })
}
