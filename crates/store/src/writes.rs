//! Writes, checked and turned into steps before they are queued.
//!
//! This module enforces the limits on stored data and chooses the statements of each write; the
//! queue and the backends store it. Invariant: a write that passes these checks can be stored by
//! either database, so a caller's mistake never fails a transaction that other callers share.

use core::time::Duration;

use castellan_game::{Event, GameId, Moment, Player, PlayerId, Recorded};
use castellan_rules::Color;
use serde::Serialize;

use crate::chat::ChatLine;
use crate::emails;
use crate::encoding::{color_name, reason_name, to_int};
use crate::error::StoreError;
use crate::games::{Batch, NewGame, NewGameBatch, Summary};
use crate::names::fold;
use crate::people::{Account, Invitation, Session, TokenDigest};
use crate::ratings::RatingChange;
use crate::sql;
use crate::statement::{NewEvent, OnZero, Step, StepResult, Value, Write};

/// Maximum length of a name, in bytes: enough for twenty letters of any script with their marks.
pub(crate) const MAX_NAME_BYTES: usize = 256;
/// Maximum length of a chat line, in bytes.
pub(crate) const MAX_CHAT_BYTES: usize = 2048;
/// Maximum length of any other text, in bytes: a hash, a device, an id.
pub(crate) const MAX_TEXT_BYTES: usize = 512;
/// Maximum length of the JSON of settings or of an event, in bytes.
const MAX_JSON_BYTES: usize = 4096;
/// Maximum number of events in a batch.
const MAX_EVENTS: usize = 64;
/// Maximum length of the name of a claim, in bytes.
pub(crate) const MAX_CLAIM_BYTES: usize = 64;
/// Maximum number of claims of each kind per game: one for each seat.
const MAX_CLAIMS: usize = 2;
/// How long a claim is remembered: much longer than any node keeps trying to take it.
const CLAIMED_MS: u64 = 7 * 86_400_000;
/// Maximum number of ratings that one game changes.
const MAX_RATINGS: usize = 2;

/// The counter that allocates player ids.
const PLAYERS: &str = "players";
/// The counter that holds the time of the last heartbeat.
pub(crate) const HEARTBEAT: &str = "heartbeat";
/// The counters that hold the start and the end of the last outage.
pub(crate) const OUTAGE_FROM: &str = "outage from";
pub(crate) const OUTAGE_UNTIL: &str = "outage until";
/// Two outages with at most this much service between them count as one.
const BRIEF_SERVICE_MS: u32 = 20_000;

pub(crate) type Checked = Result<Write, StoreError>;

pub(crate) fn create_game(game: &NewGame) -> Checked {
    let id = game.id;
    let settings = json("the settings of a game", &game.settings)?;
    let args = vec![id.to_string().into(), settings.into(), moment(game.created)];
    one(Step::new(sql::ADD_GAME, args).or_fail(StoreError::GameExists { game: id }))
}

pub(crate) fn begin_game(batch: NewGameBatch) -> Checked {
    let NewGameBatch { game, events, claims, claims_while_running } = batch;
    check_size("a list of claims", claims.len(), MAX_CLAIMS)?;
    check_size("a list of claims", claims_while_running.len(), MAX_CLAIMS)?;
    let mut steps = create_game(&game)?.into_steps();
    let lasting = claims.into_iter().map(|name| (sql::CLAIM, name));
    let temporary = claims_while_running.into_iter().map(|name| (sql::CLAIM_WHILE_RUNNING, name));
    for (sql, name) in lasting.chain(temporary) {
        let step = Step::new(sql, claim(&name, Some(game.id), game.created)?);
        steps.push(step.or_fail(StoreError::AlreadyClaimed { claim: name }));
    }
    steps.append(&mut append(Batch::new(game.id, events))?.into_steps());
    Ok(Write::Steps(steps))
}

pub(crate) fn withdraw(name: &str, now: Moment) -> Checked {
    one(Step::new(sql::CLAIM, claim(name, None, now)?))
}

pub(crate) fn release_claim(name: &str, game: GameId) -> Checked {
    let args = vec![text("a claim", name, MAX_CLAIM_BYTES)?, game.to_string().into()];
    one(Step::new(sql::RELEASE_CLAIM, args))
}

/// Returns the arguments of a statement that takes a claim.
fn claim(name: &str, game: Option<GameId>, now: Moment) -> Result<Vec<Value>, StoreError> {
    Ok(vec![
        text("a claim", name, MAX_CLAIM_BYTES)?,
        Value::Text(game.map(|game| game.to_string().into())),
        moment(now.plus_ms(CLAIMED_MS)),
    ])
}

pub(crate) fn append(batch: Batch) -> Checked {
    let Batch { game, events, finish, ratings } = batch;
    check_size("a batch of events", events.len(), MAX_EVENTS)?;
    check_size("a list of changed ratings", ratings.len(), MAX_RATINGS)?;
    check_versions(game, &events)?;
    check_ratings(game, &ratings)?;
    let mut encoded = Vec::with_capacity(events.len());
    let mut then = Vec::new();
    for recorded in &events {
        encoded.push(encode_event(game, recorded)?);
        if let Event::Seated { color, player } = &recorded.event {
            then.push(seat(game, *color, player)?);
            then.push(Step::new(sql::ADD_NAME, vec![fold(&player.name).into()]));
        }
    }
    then.extend(finish.map(|summary| end(game, &summary)));
    let rated = events.last().map_or(Moment::default(), |last| last.at);
    then.extend(ratings.iter().map(|change| rate(change, rated)));
    if then.is_empty() {
        return Ok(Write::Events(encoded));
    }
    let mut steps: Vec<Step> = encoded.into_iter().map(Step::event).collect();
    steps.append(&mut then);
    Ok(Write::Steps(steps))
}

fn check_versions(game: GameId, events: &[Recorded]) -> Result<(), StoreError> {
    let malformed = |why| Err(StoreError::MalformedBatch { game, why });
    let follows = |pair: &[Recorded]| pair[0].version.checked_add(1) == Some(pair[1].version);
    match events.first() {
        None => malformed("it has no events"),
        Some(first) if first.version == 0 => malformed("versions start at 1"),
        Some(_) if !events.windows(2).all(follows) => malformed("its versions are not consecutive"),
        Some(_) => Ok(()),
    }
}

/// Rejects ratings that are not finite, because the databases treat such numbers differently.
fn check_ratings(game: GameId, ratings: &[RatingChange]) -> Result<(), StoreError> {
    let is_finite = |change: &RatingChange| {
        let after = &change.after;
        [after.rating, after.deviation, after.volatility].iter().all(|part| part.is_finite())
    };
    if ratings.iter().all(is_finite) {
        return Ok(());
    }
    Err(StoreError::MalformedBatch { game, why: "a rating is not a number" })
}

fn encode_event(game: GameId, recorded: &Recorded) -> Result<NewEvent, StoreError> {
    let json = json("an event", &recorded.event)?;
    Ok(NewEvent { game, version: recorded.version, at: to_int(recorded.at), json })
}

fn seat(game: GameId, color: Color, player: &Player) -> Result<Step, StoreError> {
    let sql = color.fold(sql::SEAT_WHITE, sql::SEAT_BLACK);
    let name = text("a name", &player.name, MAX_NAME_BYTES)?;
    let rating = Value::Int(player.rating.map(i64::from));
    let args =
        vec![game.to_string().into(), id(player.id), name, fold(&player.name).into(), rating];
    Ok(Step::new(sql, args).or_fail(StoreError::NoSuchGame { game }))
}

fn end(game: GameId, summary: &Summary) -> Step {
    let winner = Value::Text(summary.end.winner.map(|color| color_name(color).into()));
    let args = vec![
        game.to_string().into(),
        reason_name(summary.end.reason).into(),
        winner,
        summary.plies.into(),
        moment(summary.finished),
    ];
    Step::new(sql::FINISH, args).or_fail(StoreError::AlreadyFinished { game })
}

fn rate(change: &RatingChange, rated: Moment) -> Step {
    let RatingChange { player, category, games_before, after } = *change;
    let args = vec![
        id(player),
        category.as_str().into(),
        after.rating.into(),
        after.deviation.into(),
        after.volatility.into(),
        after.games.into(),
        games_before.into(),
        moment(rated),
    ];
    Step::new(sql::RATE, args).or_fail(StoreError::RatingConflict { player, category })
}

pub(crate) fn create_account(account: &Account) -> Checked {
    let args = vec![
        id(account.player),
        text("a name", &account.name, MAX_NAME_BYTES)?,
        fold(&account.name).into(),
        text("a password hash", &account.password_hash, MAX_TEXT_BYTES)?,
        moment(account.created),
    ];
    let taken = StoreError::NameTaken { name: account.name.clone() };
    one(Step::new(sql::ADD_ACCOUNT, args).or_fail(taken))
}

pub(crate) fn change_password(player: PlayerId, password_hash: &str) -> Checked {
    let hash = text("a password hash", password_hash, MAX_TEXT_BYTES)?;
    let step = Step::new(sql::CHANGE_PASSWORD, vec![id(player), hash]);
    let step = step.or_fail(StoreError::NoSuchAccount { player });
    Ok(Write::Steps(vec![step, emails::forget_reset_codes(player)]))
}

pub(crate) fn put_session(session: &Session) -> Checked {
    one(add_session(session)?)
}

pub(crate) fn touch_session(digest: TokenDigest, seen: Moment, expires: Moment) -> Checked {
    let args = vec![bytes(digest), moment(seen), moment(expires)];
    one(Step::new(sql::TOUCH_SESSION, args).or_fail(StoreError::NoSuchSession))
}

pub(crate) fn rotate_session(old: TokenDigest, new: &Session) -> Checked {
    let delete =
        Step::new(sql::DELETE_SESSION, vec![bytes(old)]).or_fail(StoreError::NoSuchSession);
    Ok(Write::Steps(vec![delete, add_session(new)?]))
}

pub(crate) fn delete_session(digest: TokenDigest) -> Checked {
    one(Step::new(sql::DELETE_SESSION, vec![bytes(digest)]))
}

pub(crate) fn delete_sessions_of(player: PlayerId, except: Option<TokenDigest>) -> Checked {
    // No digest is empty, so an empty one exempts no session.
    let except = except.map_or(Value::Bytes(Vec::new()), bytes);
    one(Step::new(sql::DELETE_SESSIONS_OF, vec![id(player), except]))
}

fn add_session(session: &Session) -> Result<Step, StoreError> {
    let account = session.is_account.then_some(session.player.0.cast_signed());
    let args = vec![
        bytes(session.digest),
        id(session.player),
        Value::Int(account),
        text("a name", &session.name, MAX_NAME_BYTES)?,
        moment(session.created),
        moment(session.seen),
        moment(session.expires),
        text("a device name", &session.device, MAX_TEXT_BYTES)?,
    ];
    Ok(Step::new(sql::ADD_SESSION, args))
}

pub(crate) fn add_chat(line: &ChatLine) -> Checked {
    let args = vec![
        line.game.to_string().into(),
        moment(line.at),
        id(line.player),
        text("a name", &line.name, MAX_NAME_BYTES)?,
        text("a chat line", &line.text, MAX_CHAT_BYTES)?,
    ];
    one(Step::new(sql::ADD_CHAT, args).or_fail(StoreError::NoSuchGame { game: line.game }))
}

pub(crate) fn put_invitation(invitation: &Invitation) -> Checked {
    let color = Value::Text(invitation.host_color.map(|color| color_name(color).into()));
    let args = vec![
        text("an invitation id", &invitation.id, MAX_TEXT_BYTES)?,
        id(invitation.host),
        text("a name", &invitation.host_name, MAX_NAME_BYTES)?,
        color,
        json("the settings of a game", &invitation.settings)?.into(),
        moment(invitation.created),
        moment(invitation.expires),
    ];
    one(Step::new(sql::ADD_INVITATION, args))
}

pub(crate) fn take_invitation(id: &str) -> Checked {
    let id = text("an invitation id", id, MAX_TEXT_BYTES)?;
    one(Step::new(sql::DELETE_INVITATION, vec![id]))
}

pub(crate) fn heartbeat(now: Moment) -> Write {
    Write::Steps(vec![Step::new(sql::RAISE, vec![HEARTBEAT.into(), moment(now)])])
}

pub(crate) fn begin_service(now: Moment, silence: Duration) -> Write {
    let silence_ms = u64::try_from(silence.as_millis()).unwrap_or(u64::MAX);
    let before = Moment::from_millis(now.as_millis().saturating_sub(silence_ms));
    let (beat, limit) = (|| Value::from(HEARTBEAT), || moment(before));
    // If the last outage ended only a short time before the last heartbeat, or that server died
    // before its first heartbeat, the outage goes on.
    let (from, until) = (OUTAGE_FROM.into(), OUTAGE_UNTIL.into());
    let steps = vec![
        Step::new(sql::COPY_IF_LOWER, vec![from, beat(), limit(), until, BRIEF_SERVICE_MS.into()]),
        Step::new(sql::SET_IF_LOWER, vec![OUTAGE_UNTIL.into(), beat(), limit(), moment(now)]),
        // A start is a heartbeat only if it ends an outage: a server that finds another one has not
        // served anyone yet.
        Step::new(sql::SET_IF_LOWER, vec![beat(), beat(), limit(), moment(now)]),
        Step::new(sql::ADD_COUNTER, vec![beat(), moment(now)]),
    ];
    Write::Steps(steps)
}

pub(crate) fn reserve_player_ids(count: u32) -> Write {
    let args = vec![PLAYERS.into(), count.max(1).into()];
    let (result, on_zero) = (StepResult::Value, OnZero::Fine);
    Write::Steps(vec![Step { sql: sql::COUNT_UP, args, result, on_zero }])
}

fn one(step: Step) -> Checked {
    Ok(Write::Steps(vec![step]))
}

/// Checks a text and returns it as a value that can be stored unchanged.
pub(crate) fn text(what: &'static str, text: &str, limit: usize) -> Result<Value, StoreError> {
    check_size(what, text.len(), limit)?;
    // PostgreSQL cannot store NUL, and many SQLite functions stop at it.
    if text.contains('\0') {
        return Err(StoreError::NulCharacter { what });
    }
    Ok(text.to_owned().into())
}

pub(crate) fn json(what: &'static str, value: &impl Serialize) -> Result<String, StoreError> {
    let json = serde_json::to_string(value).map_err(|error| StoreError::Refused {
        why: format!("cannot convert {what} to JSON: {error}"),
    })?;
    check_size(what, json.len(), MAX_JSON_BYTES)?;
    Ok(json)
}

pub(crate) fn check_size(what: &'static str, size: usize, limit: usize) -> Result<(), StoreError> {
    if size > limit { Err(StoreError::TooLarge { what, size, limit }) } else { Ok(()) }
}

pub(crate) fn id(player: PlayerId) -> Value {
    player.0.cast_signed().into()
}

pub(crate) fn bytes(digest: TokenDigest) -> Value {
    Value::Bytes(digest.as_bytes().to_vec())
}

pub(crate) fn moment(moment: Moment) -> Value {
    to_int(moment).into()
}
