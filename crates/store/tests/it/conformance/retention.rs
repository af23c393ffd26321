//! Laws about data that is deleted because it is old.

use core::time::Duration;

use castellan_game::{End, EndReason, Moment, PlayerId};
use castellan_store::{
    ChatLine, DELETED_AT_ONCE, ModerationAct, NewAuditEntry, NewReport, Retention, Session, Store,
    TokenDigest,
};

use crate::fixtures::*;
use crate::rig::Rig;

const DAY: Duration = Duration::from_secs(86_400);

fn day(number: u64) -> Moment {
    at(number * 86_400_000)
}

fn entry(number: u64) -> NewAuditEntry {
    NewAuditEntry {
        at: day(number),
        actor: "operator".to_owned(),
        action: "message",
        target: String::new(),
        details: format!("day {number}"),
    }
}

async fn note(store: &dyn Store, number: u64) {
    store.moderation().act(ModerationAct::Note, entry(number)).await.expect("an entry");
}

async fn log(store: &dyn Store) -> Vec<String> {
    let log = store.moderation().audit(u64::MAX, 100).await.expect("the log");
    log.into_iter().rev().map(|entry| entry.details).collect()
}

async fn say(store: &dyn Store, number: u32, day_said: u64) {
    let line = ChatLine { at: day(day_said), ..chat_line(number, "hello") };
    store.add_chat(line).await.expect("a line");
}

pub(super) async fn what_is_too_old_is_deleted(rig: &Rig) {
    let store = rig.open().await;
    let end = End::without_winner(EndReason::Agreement);
    // Game 1 ends on day 2, game 2 on day 9, and game 3 goes on.
    for (number, ended) in [(1, 2), (2, 9)] {
        let summary = summary(end, 9, ended * 86_400_000);
        finished_game(&*store, number, ["Anna", "Boris"], summary).await.expect("a game");
    }
    store.create_game(new_game(3)).await.expect("a game");
    for number in [1, 2, 3] {
        say(&*store, number, 1).await;
    }
    let chats = async || {
        let mut lines = Vec::new();
        for number in [1, 2, 3] {
            lines.push(store.chat(game(number), 9).await.expect("chat").len());
        }
        lines
    };
    for number in [1, 2, 3] {
        note(&*store, number).await;
    }
    let report = |number: u32| NewReport {
        at: day(1),
        reporter: PlayerId(1),
        reporter_name: "Anna".to_owned(),
        reported: PlayerId(2),
        reported_name: "Boris".to_owned(),
        game: game(number),
        text: "rude".to_owned(),
    };
    let moderation = store.moderation();
    for number in [1, 2, 3] {
        assert_eq!(moderation.add_report(report(number)).await, Ok(true));
    }
    let reports = moderation.reports(false, u64::MAX, 9).await.expect("reports");
    // The first report is closed on day 4, the second on day 8, and the third stays open.
    for (index, closed) in [(2, 4), (1, 8)] {
        let act = ModerationAct::CloseReport { number: reports[index].number };
        moderation.act(act, entry(closed)).await.expect("it is open");
    }

    let forever = Retention::default();
    assert_eq!(moderation.delete_old(day(1000), forever).await, Ok(0), "nothing is deleted");
    let week = Some(7 * DAY);
    let chat = Retention { chat: week, ..forever };
    assert_eq!(moderation.delete_old(day(9), chat).await, Ok(0), "a week has not passed");
    assert_eq!(moderation.delete_old(day(10), chat).await, Ok(1));
    assert_eq!(chats().await, [0, 1, 1], "the other games ended later or not at all");
    assert_eq!(moderation.delete_old(day(1000), chat).await, Ok(1));
    assert_eq!(chats().await, [0, 0, 1], "a running game has its chat");
    assert!(store.load_game(game(1)).await.expect("no error").is_some(), "games stay");

    let old_reports = Retention { reports: week, ..forever };
    assert_eq!(moderation.delete_old(day(12), old_reports).await, Ok(1));
    assert_eq!(moderation.delete_old(day(1000), old_reports).await, Ok(1));
    let left = moderation.reports(false, u64::MAX, 9).await.expect("reports");
    assert_eq!(left.iter().map(|it| it.report.game).collect::<Vec<_>>(), [game(3)]);

    let audit = Retention { audit: week, ..forever };
    assert_eq!(moderation.delete_old(day(9), audit).await, Ok(1));
    assert_eq!(log(&*store).await, ["day 2", "day 3", "day 4", "day 8"]);
    assert_eq!(moderation.delete_old(day(9), audit).await, Ok(0));
    assert_eq!(moderation.delete_old(day(11), audit).await, Ok(2));
    assert_eq!(log(&*store).await, ["day 4", "day 8"]);
}

pub(super) async fn little_is_deleted_at_a_time(rig: &Rig) {
    let store = rig.open().await;
    let more = u64::from(DELETED_AT_ONCE) + 5;
    let guests = (0..more).map(|number| {
        let guest = session(&format!("guest {number}"), number);
        store.put_session(Session { expires: at(100), ..guest })
    });
    for guest in guests.collect::<Vec<_>>() {
        guest.await.expect("a session");
    }
    assert_eq!(store.delete_expired(at(101)).await, Ok(DELETED_AT_ONCE.into()));
    assert_eq!(store.delete_expired(at(101)).await, Ok(5));
    assert_eq!(store.delete_expired(at(101)).await, Ok(0));
}

/// Codes that owners create for themselves do not expire.
pub(super) async fn codes_of_operators_expire(rig: &Rig) {
    let store = rig.open().await;
    let (player, moderation) = (PlayerId(1), store.moderation());
    store.create_account(account(1, "Anna")).await.expect("an account");
    let digest = |text: &str| TokenDigest::of(text.as_bytes());
    moderation.set_recovery_codes(player, vec![digest("own")]).await.expect("a code");
    let act =
        ModerationAct::AddRecoveryCode { player, digest: digest("operator"), expires: at(50) };
    moderation.act(act, entry(1)).await.expect("a code");
    assert_eq!(store.delete_expired(at(50)).await, Ok(0));
    assert_eq!(store.delete_expired(at(51)).await, Ok(1));
    assert_eq!(moderation.recovery_codes_left(player).await, Ok(1));
}
