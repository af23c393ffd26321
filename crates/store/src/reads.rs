//! Queries, and how their rows become values.
//!
//! This module chooses the statement for each query and decodes its rows; the backends run it.
//! Invariant: a row that cannot be decoded is an error that says where. Only lists of games leave
//! such a row out and log it, because one damaged game must not hide all others.

use castellan_game::{EndReason, GameId, Moment, PlayerId, Recorded};
use castellan_rules::Color;

use crate::chat::ChatLine;
use crate::database::Readers;
use crate::encoding::{
    damaged, from_json, reason_name, to_color, to_moment, to_player, to_reason, to_u32,
};
use crate::error::StoreError;
use crate::games::StoredGame;
use crate::history::{Cursor, FinishedGame, HistoryQuery, Page, ResultCounts, Results, Seat};
use crate::names::{end_of_range, fold, pattern};
use crate::people::{Account, Invitation, Session, TokenDigest};
use crate::ratings::{Category, StoredRating};
use crate::sql;
use crate::statement::{ReadKind, Row, Select, Value};
use crate::store::Outage;
use crate::writes::{
    HEARTBEAT, MAX_CLAIM_BYTES, MAX_NAME_BYTES, OUTAGE_FROM, OUTAGE_UNTIL, bytes, check_size,
    id as player_id, text,
};

/// Maximum number of rows in any list except a game's events and the unfinished games.
pub(crate) const MAX_ROWS: u32 = 500;

pub(crate) type Read<T> = Result<T, StoreError>;

/// Returns every row of a quick lookup.
pub(crate) async fn all<R: Readers>(
    readers: &R,
    sql: &'static str,
    args: Vec<Value>,
) -> Read<Vec<Row>> {
    readers.fetch(Select { kind: ReadKind::Lookup, sql, args }).await
}

/// Returns every row of a query that may take long, and is interrupted if it takes too long.
pub(crate) async fn search<R: Readers>(
    readers: &R,
    sql: &'static str,
    args: Vec<Value>,
) -> Read<Vec<Row>> {
    readers.fetch(Select { kind: ReadKind::Search, sql, args }).await
}

/// Returns the first row of a quick lookup.
pub(crate) async fn first<R: Readers>(
    readers: &R,
    sql: &'static str,
    args: Vec<Value>,
) -> Read<Option<Row>> {
    Ok(all(readers, sql, args).await?.into_iter().next())
}

pub(crate) async fn load_game<R: Readers>(readers: &R, id: GameId) -> Read<Option<StoredGame>> {
    let Some(mut game) = first(readers, sql::GAME, vec![id.to_string().into()]).await? else {
        return Ok(None);
    };
    let number = game.int()?;
    let settings = from_json(&format!("the settings of game {id}"), &game.text()?)?;
    let created = to_moment(game.int()?)?;
    let rows = all(readers, sql::EVENTS, vec![number.into()]).await?;
    let events = rows.into_iter().map(|row| event(id, row)).collect::<Read<Vec<_>>>()?;
    // A gap would be a move that was acknowledged and is no longer there.
    let versions = events.iter().map(|event| event.version);
    if !versions.eq(1..=events.len() as u32) {
        return Err(damaged(&format!("an event of game {id} is missing")));
    }
    Ok(Some(StoredGame { id, settings, created, events }))
}

pub(crate) async fn events_after<R: Readers>(
    readers: &R,
    id: GameId,
    version: u32,
) -> Read<Option<Vec<Recorded>>> {
    let rows = all(readers, sql::EVENTS_AFTER, vec![id.to_string().into(), version.into()]).await?;
    let mut last = None;
    let mut events = Vec::new();
    for mut row in rows {
        last = Some(to_u32(row.int()?)?);
        if let Some(number) = row.maybe_int()? {
            events.push(event_at(id, to_u32(number)?, row)?);
        }
    }
    let Some(last) = last.filter(|last| *last >= version) else { return Ok(None) };
    let versions = events.iter().map(|event| event.version);
    if !versions.eq((version..last).map(|before| before + 1)) {
        return Err(damaged(&format!("an event of game {id} is missing")));
    }
    Ok(Some(events))
}

fn event(id: GameId, mut row: Row) -> Read<Recorded> {
    let version = to_u32(row.int()?)?;
    event_at(id, version, row)
}

fn event_at(id: GameId, version: u32, mut row: Row) -> Read<Recorded> {
    let at = to_moment(row.int()?)?;
    let event = from_json(&format!("event {version} of game {id}"), &row.text()?)?;
    Ok(Recorded { version, at, event })
}

pub(crate) async fn unfinished_of<R: Readers>(readers: &R, player: PlayerId) -> Read<Vec<GameId>> {
    let rows = all(readers, sql::UNFINISHED_OF, vec![player_id(player)]).await?;
    rows.into_iter().map(|mut row| game_id(&row.text()?)).collect()
}

pub(crate) async fn claimed_by<R: Readers>(readers: &R, claim: String) -> Read<Option<GameId>> {
    let claim = text("a claim", &claim, MAX_CLAIM_BYTES)?;
    let Some(mut row) = first(readers, sql::CLAIMED, vec![claim]).await? else { return Ok(None) };
    row.maybe_text()?.map(|id| game_id(&id)).transpose()
}

pub(crate) async fn unfinished<R: Readers>(readers: &R) -> Read<Vec<GameId>> {
    let rows = all(readers, sql::UNFINISHED, Vec::new()).await?;
    let ids = rows.into_iter().map(|mut row| game_id(&row.text()?));
    Ok(ids.filter_map(readable).collect())
}

/// Leaves out and logs what cannot be read.
fn readable<T>(read: Read<T>) -> Option<T> {
    read.inspect_err(|error| tracing::error!("a game is left out of a list: {error}")).ok()
}

pub(crate) fn game_id(text: &str) -> Read<GameId> {
    text.parse().map_err(|error| damaged(&format!("the id of a game: {error}")))
}

pub(crate) async fn history<R: Readers>(readers: &R, query: HistoryQuery) -> Read<Page> {
    check_size("a name", query.name.len(), MAX_NAME_BYTES)?;
    let after = query.after.unwrap_or(Cursor { finished: i64::MAX, number: i64::MAX });
    let limit = query.limit.clamp(1, HistoryQuery::MAX_LIMIT);
    // One more row than requested shows whether there is a next page.
    let mut args = vec![after.finished.into(), after.number.into(), (limit + 1).into()];
    let part = fold(&query.name);
    let rows = if part.is_empty() {
        search(readers, sql::HISTORY, args).await?
    } else if is_common(readers, &part).await? {
        args.push(pattern(&part).into());
        search(readers, sql::HISTORY_OF_MANY, args).await?
    } else {
        args.extend([part.clone().into(), end_of_range(&part).into()]);
        search(readers, sql::HISTORY_OF_FEW, args).await?
    };
    let has_more = rows.len() > limit as usize;
    let mut next = None;
    let mut games = Vec::new();
    for row in rows.into_iter().take(limit as usize) {
        let (cursor, game) = finished_game(row)?;
        next = Some(cursor);
        games.extend(readable(game));
    }
    Ok(Page { games, next: next.filter(|_| has_more) })
}

/// Number of names above which a text counts as common.
const COMMON_NAMES: u32 = 500;

/// Returns `true` if many names contain a text.
async fn is_common<R: Readers>(readers: &R, part: &str) -> Read<bool> {
    let limit = (COMMON_NAMES + 1).into();
    let args = vec![part.to_owned().into(), end_of_range(part).into(), limit];
    let names = search(readers, sql::NAMES_WITH, args).await?;
    Ok(names.len() > COMMON_NAMES as usize)
}

pub(crate) async fn longest<R: Readers>(readers: &R, limit: u32) -> Read<Vec<FinishedGame>> {
    let limit = limit.min(HistoryQuery::MAX_LIMIT);
    let args = vec![limit.into(), reason_name(EndReason::Aborted).into()];
    let rows = search(readers, sql::LONGEST, args).await?;
    Ok(rows
        .into_iter()
        .filter_map(|row| readable(finished_game(row)).and_then(|it| readable(it.1)))
        .collect())
}

/// Returns the position of a game in the list, and the game if its row can be read.
fn finished_game(mut row: Row) -> Read<(Cursor, Read<FinishedGame>)> {
    let (number, finished) = (row.int()?, row.int()?);
    let cursor = Cursor { finished, number };
    Ok((cursor, finished_game_at(cursor, row)))
}

fn finished_game_at(cursor: Cursor, mut row: Row) -> Read<FinishedGame> {
    let id = game_id(&row.text()?)?;
    let created = to_moment(row.int()?)?;
    let plies = to_u32(row.int()?)?;
    let reason = to_reason(row.text()?)?;
    let winner = row.maybe_text()?.as_deref().map(to_color).transpose()?;
    let white = seat(&mut row)?;
    let black = seat(&mut row)?;
    let end = castellan_game::End { reason, winner };
    let finished = to_moment(cursor.finished)?;
    Ok(FinishedGame { id, white, black, end, plies, created, finished })
}

fn seat(row: &mut Row) -> Read<Option<Seat>> {
    let (player, name, rating) = (row.maybe_int()?, row.maybe_text()?, row.maybe_int()?);
    let (Some(player), Some(name)) = (player, name) else {
        return Ok(None);
    };
    let rating =
        rating.map(u16::try_from).transpose().map_err(|_| damaged("a rating is out of range"))?;
    Ok(Some(Seat { player: to_player(player), name, rating }))
}

pub(crate) async fn results_of<R: Readers>(readers: &R, name: String) -> Read<Results> {
    check_size("a name", name.len(), MAX_NAME_BYTES)?;
    let args = vec![fold(&name).into(), reason_name(EndReason::Aborted).into()];
    let mut results = Results::default();
    for mut row in search(readers, sql::RESULTS, args).await? {
        let color = to_color(&row.text()?)?;
        let winner = row.maybe_text()?.as_deref().map(to_color).transpose()?;
        let games = row.int()?.cast_unsigned();
        let counts = color.fold(&mut results.as_white, &mut results.as_black);
        *count(counts, color, winner) += games;
    }
    Ok(results)
}

fn count(counts: &mut ResultCounts, color: Color, winner: Option<Color>) -> &mut u64 {
    match winner {
        None => &mut counts.draws,
        Some(winner) if winner == color => &mut counts.wins,
        Some(_) => &mut counts.losses,
    }
}

pub(crate) async fn account_by_name<R: Readers>(
    readers: &R,
    name: String,
) -> Read<Option<Account>> {
    // A name that is too long to store cannot belong to an account.
    if name.len() > MAX_NAME_BYTES {
        return Ok(None);
    }
    let args = vec![fold(&name).into()];
    first(readers, sql::ACCOUNT_BY_NAME, args).await?.map(account).transpose()
}

pub(crate) async fn account_of<R: Readers>(readers: &R, player: PlayerId) -> Read<Option<Account>> {
    first(readers, sql::ACCOUNT_OF, vec![player_id(player)]).await?.map(account).transpose()
}

pub(crate) fn account(mut row: Row) -> Read<Account> {
    Ok(Account {
        player: to_player(row.int()?),
        name: row.text()?,
        password_hash: row.text()?,
        created: to_moment(row.int()?)?,
    })
}

pub(crate) async fn session<R: Readers>(readers: &R, digest: TokenDigest) -> Read<Option<Session>> {
    first(readers, sql::SESSION, vec![bytes(digest)]).await?.map(to_session).transpose()
}

pub(crate) async fn sessions_of<R: Readers>(readers: &R, player: PlayerId) -> Read<Vec<Session>> {
    let rows = all(readers, sql::SESSIONS_OF, vec![player_id(player), MAX_ROWS.into()]).await?;
    rows.into_iter().map(to_session).collect()
}

fn to_session(mut row: Row) -> Read<Session> {
    let digest = <[u8; 32]>::try_from(row.bytes()?)
        .map_err(|_| damaged("a session digest has the wrong length"))?;
    Ok(Session {
        digest: TokenDigest::from_bytes(digest),
        player: to_player(row.int()?),
        is_account: row.maybe_int()?.is_some(),
        name: row.text()?,
        created: to_moment(row.int()?)?,
        seen: to_moment(row.int()?)?,
        expires: to_moment(row.int()?)?,
        device: row.text()?,
    })
}

pub(crate) async fn ratings_of<R: Readers>(
    readers: &R,
    player: PlayerId,
) -> Read<Vec<(Category, StoredRating)>> {
    let rows = all(readers, sql::RATINGS_OF, vec![player_id(player)]).await?;
    let mut ratings = rows.into_iter().map(rating).collect::<Read<Vec<_>>>()?;
    ratings.sort_by_key(|(category, _)| *category);
    Ok(ratings)
}

fn rating(mut row: Row) -> Read<(Category, StoredRating)> {
    let category = row.text()?.parse().map_err(|_| damaged("a rating category is unknown"))?;
    let rating = StoredRating {
        rating: row.real()?,
        deviation: row.real()?,
        volatility: row.real()?,
        games: to_u32(row.int()?)?,
    };
    Ok((category, rating))
}

pub(crate) async fn last_rated<R: Readers>(
    readers: &R,
    player: PlayerId,
    category: Category,
) -> Read<Option<Moment>> {
    let args = vec![player_id(player), category.as_str().into()];
    let row = first(readers, sql::LAST_RATED, args).await?;
    row.map(|mut row| to_moment(row.int()?)).transpose()
}

pub(crate) async fn chat<R: Readers>(readers: &R, game: GameId, limit: u32) -> Read<Vec<ChatLine>> {
    let args = vec![game.to_string().into(), limit.min(MAX_ROWS).into()];
    let rows = all(readers, sql::CHAT, args).await?;
    let line = |mut row: Row| {
        let at = to_moment(row.int()?)?;
        let player = to_player(row.int()?);
        Ok(ChatLine { game, at, player, name: row.text()?, text: row.text()? })
    };
    rows.into_iter().rev().map(line).collect()
}

pub(crate) async fn invitation<R: Readers>(readers: &R, id: String) -> Read<Option<Invitation>> {
    let Ok(id) = text("an invitation id", &id, MAX_NAME_BYTES) else {
        return Ok(None);
    };
    first(readers, sql::INVITATION, vec![id]).await?.map(to_invitation).transpose()
}

pub(crate) async fn invitations_of<R: Readers>(
    readers: &R,
    host: PlayerId,
) -> Read<Vec<Invitation>> {
    let rows = all(readers, sql::INVITATIONS_OF, vec![player_id(host), MAX_ROWS.into()]).await?;
    rows.into_iter().map(to_invitation).collect()
}

fn to_invitation(mut row: Row) -> Read<Invitation> {
    Ok(Invitation {
        id: row.text()?,
        host: to_player(row.int()?),
        host_name: row.text()?,
        host_color: row.maybe_text()?.as_deref().map(to_color).transpose()?,
        settings: from_json("the settings of an invitation", &row.text()?)?,
        created: to_moment(row.int()?)?,
        expires: to_moment(row.int()?)?,
    })
}

pub(crate) async fn now<R: Readers>(readers: &R) -> Read<Option<Moment>> {
    let Some(sql) = readers.time_query() else { return Ok(None) };
    let row = first(readers, sql, Vec::new()).await?;
    row.map(|mut row| to_moment(row.int()?)).transpose()
}

pub(crate) async fn identity<R: Readers>(readers: &R) -> Read<u64> {
    let row = first(readers, sql::COUNTER, vec!["identity".into()]).await?;
    let mut row = row.ok_or_else(|| damaged("the database has no identity"))?;
    Ok(row.int()?.cast_unsigned())
}

pub(crate) async fn last_heartbeat<R: Readers>(readers: &R) -> Read<Option<Moment>> {
    moment_of(readers, HEARTBEAT).await
}

pub(crate) async fn last_outage<R: Readers>(readers: &R) -> Read<Option<Outage>> {
    let from = moment_of(readers, OUTAGE_FROM).await?;
    let until = moment_of(readers, OUTAGE_UNTIL).await?;
    Ok(from.zip(until).map(|(from, until)| Outage { from, until }))
}

async fn moment_of<R: Readers>(readers: &R, counter: &'static str) -> Read<Option<Moment>> {
    let row = first(readers, sql::COUNTER, vec![counter.into()]).await?;
    row.map(|mut row| to_moment(row.int()?)).transpose()
}
