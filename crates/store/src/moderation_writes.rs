//! Writes of moderation, checked and turned into steps before they are queued.
//!
//! Invariant: the entry in the audit log is a step of the same write as the act.

use castellan_game::{Event, GameId, Moment, Player, PlayerId};

use crate::encoding::to_int;
use crate::error::StoreError;
use crate::moderation::{
    BanTarget, FormerPlayer, MAX_BANS, ModerationAct, NewAuditEntry, NewBan, NewReport,
    RegistrationMode, SecondFactor,
};
use crate::moderation_sql as sql;
use crate::names::fold;
use crate::people::{Account, TokenDigest};
use crate::statement::{Step, Value, Write};
use crate::writes::{
    Checked, MAX_NAME_BYTES, MAX_TEXT_BYTES, bytes, check_size, create_account, delete_sessions_of,
    id, json, moment, text,
};

/// Maximum length of the reason of a ban, the text of a report, or the details of an act, in bytes.
const MAX_REASON_BYTES: usize = 2048;
/// Maximum number of recovery codes of an account.
const MAX_RECOVERY_CODES: usize = 32;

/// The counter that holds the mode of registration.
pub(crate) const REGISTRATION: &str = "registration";

/// Returns the kind and the text of a target, as they are stored.
pub(crate) fn target_columns(target: &BanTarget) -> (&'static str, String) {
    match target {
        BanTarget::Player(player) => ("player", player.0.to_string()),
        BanTarget::Name(name) => ("name", fold(name)),
        BanTarget::Network(network) => ("network", network.to_string()),
    }
}

pub(crate) fn mode_number(mode: RegistrationMode) -> i64 {
    match mode {
        RegistrationMode::Open => 0,
        RegistrationMode::Invitation => 1,
        RegistrationMode::Closed => 2,
    }
}

/// Returns the steps of an act: the entry in the audit log, then the changes themselves.
pub(crate) fn act(act: ModerationAct, entry: &NewAuditEntry) -> Checked {
    let mut steps = vec![audit(entry)?];
    match act {
        ModerationAct::Ban(ban) => steps.push(add_ban(&ban, entry)?),
        ModerationAct::LiftBans(target) => {
            let (kind, target) = target_columns(&target);
            let target = text("the target of a ban", &target, MAX_NAME_BYTES)?;
            let step = Step::new(sql::DELETE_BANS, vec![kind.into(), target]);
            steps.push(step.or_fail(StoreError::NoSuchBan));
        }
        ModerationAct::SetRegistration(mode) => {
            let args = vec![REGISTRATION.into(), mode_number(mode).into()];
            steps.push(Step::new(crate::sql::SET_COUNTER, args));
        }
        ModerationAct::AddRegistrationCode { digest, uses, expires } => {
            let args = vec![bytes(digest), uses.into(), moment(expires)];
            steps.push(Step::new(sql::ADD_REGISTRATION_CODE, args));
        }
        ModerationAct::SetAdmin { player, is_admin } => {
            let step = Step::new(sql::SET_ADMIN, vec![id(player), i64::from(is_admin).into()]);
            steps.push(step.or_fail(StoreError::NoSuchAccount { player }));
        }
        ModerationAct::CloseReport { number } => {
            let by = text("a name", &entry.actor, MAX_NAME_BYTES)?;
            let args = vec![number.cast_signed().into(), moment(entry.at), by];
            steps.push(Step::new(sql::CLOSE_REPORT, args).or_fail(StoreError::NoSuchReport));
        }
        ModerationAct::DeleteChat { game, player } => steps.push(match player {
            None => Step::new(sql::DELETE_CHAT, vec![game.to_string().into()]),
            Some(player) => {
                Step::new(sql::DELETE_CHAT_OF, vec![game.to_string().into(), id(player)])
            }
        }),
        ModerationAct::DeleteGame { game, is_damaged } => {
            let args = || vec![game.to_string().into(), i64::from(is_damaged).into()];
            steps.push(Step::new(sql::DELETE_GAME_CHAT, args()));
            steps.push(Step::new(sql::DELETE_GAME_EVENTS, args()));
            let last = Step::new(sql::DELETE_GAME, args());
            steps.push(last.or_fail(StoreError::NoSuchGame { game }));
        }
        ModerationAct::DeleteAccount { player } => {
            steps.push(Step::new(sql::FORGET_REPORTER, vec![id(player)]));
            steps.push(Step::new(sql::FORGET_REPORTED, vec![id(player)]));
            steps.append(&mut delete_sessions_of(player, None)?.into_steps());
            let last = Step::new(sql::DELETE_ACCOUNT, vec![id(player)]);
            steps.push(last.or_fail(StoreError::NoSuchAccount { player }));
        }
        ModerationAct::AddRecoveryCode { player, digest, expires } => {
            steps.push(add_recovery_code(player, digest, Some(expires)));
        }
        ModerationAct::Note => {}
    }
    Ok(Write::Steps(steps))
}

pub(crate) fn audit(entry: &NewAuditEntry) -> Result<Step, StoreError> {
    let args = vec![
        moment(entry.at),
        text("a name", &entry.actor, MAX_NAME_BYTES)?,
        entry.action.into(),
        text("the target of an act", &entry.target, MAX_TEXT_BYTES)?,
        text("the details of an act", &entry.details, MAX_REASON_BYTES)?,
    ];
    Ok(Step::new(sql::ADD_AUDIT, args))
}

fn add_ban(ban: &NewBan, entry: &NewAuditEntry) -> Result<Step, StoreError> {
    let (kind, target) = target_columns(&ban.target);
    let args = vec![
        kind.into(),
        text("the target of a ban", &target, MAX_NAME_BYTES)?,
        text("the target of a ban", &ban.label, MAX_NAME_BYTES)?,
        text("the reason of a ban", &ban.reason, MAX_REASON_BYTES)?,
        text("a name", &entry.actor, MAX_NAME_BYTES)?,
        moment(entry.at),
        Value::Int(ban.until.map(to_int)),
        MAX_BANS.into(),
    ];
    let limit = MAX_BANS as usize;
    let full = StoreError::TooLarge { what: "the list of bans", size: limit + 1, limit };
    Ok(Step::new(sql::ADD_BAN, args).or_fail(full))
}

pub(crate) fn create_account_with_code(account: &Account, digest: TokenDigest) -> Checked {
    let args = vec![bytes(digest), moment(account.created)];
    let mut steps =
        vec![Step::new(sql::USE_REGISTRATION_CODE, args).or_fail(StoreError::CodeRefused)];
    steps.append(&mut create_account(account)?.into_steps());
    Ok(Write::Steps(steps))
}

pub(crate) fn add_report(report: &NewReport) -> Checked {
    let args = vec![
        moment(report.at),
        id(report.reporter),
        text("a name", &report.reporter_name, MAX_NAME_BYTES)?,
        id(report.reported),
        text("a name", &report.reported_name, MAX_NAME_BYTES)?,
        report.game.to_string().into(),
        text("a report", &report.text, MAX_REASON_BYTES)?,
    ];
    Ok(Write::Steps(vec![Step::new(sql::ADD_REPORT, args)]))
}

fn add_recovery_code(player: PlayerId, digest: TokenDigest, expires: Option<Moment>) -> Step {
    let args = vec![id(player), bytes(digest), Value::Int(expires.map(to_int))];
    Step::new(sql::ADD_RECOVERY_CODE, args).or_fail(StoreError::NoSuchAccount { player })
}

pub(crate) fn set_recovery_codes(player: PlayerId, digests: &[TokenDigest]) -> Checked {
    check_size("a list of recovery codes", digests.len(), MAX_RECOVERY_CODES)?;
    let mut steps = vec![Step::new(sql::DELETE_RECOVERY_CODES, vec![id(player)])];
    steps.extend(digests.iter().map(|digest| add_recovery_code(player, *digest, None)));
    Ok(Write::Steps(steps))
}

pub(crate) fn use_recovery_code(
    player: PlayerId,
    digest: TokenDigest,
    now: Moment,
    password_hash: Option<&str>,
) -> Checked {
    let args = vec![id(player), bytes(digest), moment(now)];
    let mut steps = vec![Step::new(sql::USE_RECOVERY_CODE, args).or_fail(StoreError::CodeRefused)];
    if let Some(hash) = password_hash {
        steps.append(&mut crate::writes::change_password(player, hash)?.into_steps());
        steps.append(&mut delete_sessions_of(player, None)?.into_steps());
    }
    Ok(Write::Steps(steps))
}

pub(crate) fn set_second_factor(player: PlayerId, factor: Option<&SecondFactor>) -> Checked {
    let step = match factor {
        None => Step::new(sql::DELETE_SECOND_FACTOR, vec![id(player)]),
        Some(factor) => {
            let secret = Value::Bytes(factor.secret.to_vec());
            let args = vec![id(player), secret, factor.last_step.cast_signed().into()];
            let step = Step::new(sql::SET_SECOND_FACTOR, args);
            step.or_fail(StoreError::NoSuchAccount { player })
        }
    };
    Ok(Write::Steps(vec![step]))
}

/// Records that the code of a time step of the second factor was used.
pub(crate) fn use_step(player: PlayerId, step: u64) -> Checked {
    let args = vec![id(player), step.cast_signed().into()];
    Ok(Write::Steps(vec![Step::new(sql::USE_STEP, args)]))
}

/// Returns the steps that replace a name in a game with these events, each with its version.
pub(crate) fn forget_player(
    game: GameId,
    former: &FormerPlayer,
    events: &[(i64, String)],
) -> Checked {
    let FormerPlayer { player, name: _, replacement } = former;
    let new_name = text("a name", replacement, MAX_NAME_BYTES)?;
    let mut steps = Vec::new();
    for (version, written) in events {
        if let Some(json) = without_name(written, former)? {
            let args = vec![game.to_string().into(), (*version).into(), json.into()];
            steps.push(Step::new(sql::REPLACE_EVENT, args));
        }
    }
    for rename in [sql::RENAME_WHITE, sql::RENAME_BLACK] {
        let folded = fold(replacement).into();
        let args = vec![game.to_string().into(), id(*player), new_name.clone(), folded];
        steps.push(Step::new(rename, args));
    }
    steps.push(Step::new(crate::sql::ADD_NAME, vec![fold(replacement).into()]));
    steps.push(Step::new(sql::DELETE_CHAT_OF, vec![game.to_string().into(), id(*player)]));
    Ok(Write::Steps(steps))
}

/// Returns what replaces an event, if it contains the name of a former player.
fn without_name(written: &str, former: &FormerPlayer) -> Result<Option<String>, StoreError> {
    match serde_json::from_str(written) {
        Ok(Event::Seated { color, player }) if player.id == former.player => {
            let player = Player { name: former.replacement.clone(), ..player };
            json("an event", &Event::Seated { color, player }).map(Some)
        }
        Ok(_) => Ok(None),
        // An event that cannot be read cannot be changed, either. Without a text it is as damaged as
        // before.
        Err(_) => Ok(written.contains(&former.name).then(String::new)),
    }
}

pub(crate) fn forget_name(name: &str) -> Checked {
    let name = text("a name", &fold(name), MAX_NAME_BYTES)?;
    Ok(Write::Steps(vec![Step::new(sql::FORGET_NAME, vec![name])]))
}
