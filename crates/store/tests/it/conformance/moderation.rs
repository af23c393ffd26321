//! Laws about bans, reports, the audit log, registration, recovery codes, and second factors.

use castellan_game::{Moment, PlayerId};
use castellan_store::{
    BanTarget, FormerPlayer, HistoryQuery, ModerationAct, ModerationStore, NewAuditEntry, NewBan,
    NewReport, RegistrationMode, SECRET_BYTES, SecondFactor, Session, StoreError, TokenDigest,
};

use crate::fixtures::*;
use crate::rig::Rig;

fn entry(action: &'static str) -> NewAuditEntry {
    NewAuditEntry {
        at: at(100),
        actor: "Admin".to_owned(),
        action,
        target: "somebody".to_owned(),
        details: "because".to_owned(),
    }
}

fn new_ban(target: BanTarget, until: Option<Moment>) -> NewBan {
    NewBan { target, label: "label".to_owned(), reason: "rude".to_owned(), until }
}

async fn actions(store: &dyn ModerationStore) -> Vec<String> {
    let log = store.audit(u64::MAX, 100).await.expect("the log");
    log.into_iter().rev().map(|entry| entry.action).collect()
}

pub(super) async fn a_ban_holds_until_it_ends_or_is_lifted(rig: &Rig) {
    let store = rig.open().await;
    let store = store.moderation();
    let network = BanTarget::Network("2001:db8::/32".parse().expect("a network"));
    let name = BanTarget::Name("Jose".to_owned());
    for (target, until) in [
        (BanTarget::Player(PlayerId(u64::MAX)), None),
        (name.clone(), Some(at(500))),
        (network.clone(), Some(at(900))),
        (network.clone(), None),
    ] {
        assert_eq!(
            store.act(ModerationAct::Ban(new_ban(target, until)), entry("ban")).await,
            Ok(1)
        );
    }
    let targets = async |now| {
        let bans = store.bans(at(now)).await.expect("bans");
        bans.into_iter().map(|ban| (ban.ban.target, ban.ban.until)).collect::<Vec<_>>()
    };
    let player = (BanTarget::Player(PlayerId(u64::MAX)), None);
    let named = (BanTarget::Name("jose".to_owned()), Some(at(500)));
    let (short, long) = ((network.clone(), Some(at(900))), (network.clone(), None));
    assert_eq!(targets(499).await, [player.clone(), named, short.clone(), long.clone()]);
    assert_eq!(targets(500).await, [player.clone(), short, long.clone()]);
    assert_eq!(targets(900).await, [player.clone(), long]);
    let first = store.bans(at(0)).await.expect("bans").remove(0);
    assert_eq!((first.by.as_str(), first.since), ("Admin", at(100)));
    assert_eq!((first.ban.reason.as_str(), first.ban.label.as_str()), ("rude", "label"));

    let lift = |target| store.act(ModerationAct::LiftBans(target), entry("unban"));
    assert_eq!(lift(network.clone()).await, Ok(2));
    assert_eq!(lift(network).await, Err(StoreError::NoSuchBan));
    assert_eq!(lift(BanTarget::Name("JOSÉ".to_owned())).await, Ok(1), "names are folded");
    assert_eq!(targets(0).await, [player]);
    // What failed is not in the log.
    assert_eq!(actions(store).await, ["ban", "ban", "ban", "ban", "unban", "unban"]);
}

pub(super) async fn registration_is_open_unless_it_was_closed(rig: &Rig) {
    let store = rig.open().await;
    let moderation = store.moderation();
    assert_eq!(moderation.registration().await, Ok(RegistrationMode::Open));
    for mode in [RegistrationMode::Closed, RegistrationMode::Invitation] {
        moderation
            .act(ModerationAct::SetRegistration(mode), entry("registration"))
            .await
            .expect("a mode");
        assert_eq!(moderation.registration().await, Ok(mode));
    }
    let digest = TokenDigest::of(b"code");
    let code = ModerationAct::AddRegistrationCode { digest, uses: 2, expires: at(50) };
    moderation.act(code, entry("invite")).await.expect("a code");
    let register = |player, name, code: &[u8]| {
        moderation.create_account_with_code(account(player, name), TokenDigest::of(code))
    };
    assert_eq!(register(1, "Anna", b"other").await, Err(StoreError::CodeRefused));
    register(1, "Anna", b"code").await.expect("an account");
    // A name that is taken costs no use.
    let taken = StoreError::NameTaken { name: "anna".to_owned() };
    assert_eq!(register(2, "anna", b"code").await, Err(taken));
    assert_eq!(register(50, "Late", b"code").await, Err(StoreError::CodeRefused), "it expired");
    register(3, "Boris", b"code").await.expect("an account");
    assert_eq!(register(4, "Clara", b"code").await, Err(StoreError::CodeRefused), "it is used up");
    assert_eq!(store.account_by_name("Clara").await, Ok(None));
    assert_eq!(store.delete_expired(at(51)).await, Ok(1));
}

pub(super) async fn accounts_are_listed_by_name(rig: &Rig) {
    let store = rig.open().await;
    for (player, name) in [(1, "Zoé"), (2, "anna"), (3, "Hanna"), (4, "a_b"), (5, "Boris")] {
        store.create_account(account(player, name)).await.expect("an account");
    }
    let moderation = store.moderation();
    let names = async |part: &str, after: &str, limit| {
        let rows = moderation.accounts(part, after, limit).await.expect("accounts");
        rows.into_iter().map(|row| row.name).collect::<Vec<_>>()
    };
    assert_eq!(names("", "", 3).await, ["a_b", "anna", "Boris"]);
    assert_eq!(names("", "BORIS", 3).await, ["Hanna", "Zoé"]);
    assert_eq!(names("ÀNN", "", 9).await, ["anna", "Hanna"]);
    assert_eq!(names("_", "", 9).await, ["a_b"]);
    assert_eq!(names("%", "", 9).await, [""; 0]);

    let admin = |player, is_admin| {
        let player = PlayerId(player);
        moderation.act(ModerationAct::SetAdmin { player, is_admin }, entry("admin"))
    };
    admin(2, true).await.expect("an admin");
    assert_eq!(moderation.is_admin(PlayerId(2)).await, Ok(true));
    assert_eq!(moderation.is_admin(PlayerId(1)).await, Ok(false));
    assert_eq!(moderation.is_admin(PlayerId(9)).await, Ok(false));
    let nobody = StoreError::NoSuchAccount { player: PlayerId(9) };
    assert_eq!(admin(9, true).await, Err(nobody));
    store
        .put_session(Session { is_account: true, seen: at(7), ..session("s", 2) })
        .await
        .expect("a session");
    let row = moderation.accounts("anna", "", 1).await.expect("accounts").remove(0);
    assert_eq!((row.player, row.is_admin, row.seen), (PlayerId(2), true, Some(at(7))));
    assert!(!row.has_second_factor);
    admin(2, false).await.expect("a user");
    assert_eq!(moderation.is_admin(PlayerId(2)).await, Ok(false));
}

pub(super) async fn reports_are_open_until_they_are_closed(rig: &Rig) {
    let store = rig.open().await;
    let store = store.moderation();
    let report = |number: u32, reporter| NewReport {
        at: at(number.into()),
        reporter: PlayerId(reporter),
        reporter_name: "Anna".to_owned(),
        reported: PlayerId(9),
        reported_name: "Boris".to_owned(),
        game: game(number),
        text: "<b>rude</b>".to_owned(),
    };
    for number in 1..=3 {
        assert_eq!(store.add_report(report(number, 1)).await, Ok(true));
    }
    assert_eq!(store.add_report(report(3, 1)).await, Ok(false), "once for each game");
    assert_eq!(store.add_report(report(3, 2)).await, Ok(true), "but by everyone");
    let open = store.reports(true, u64::MAX, 2).await.expect("reports");
    assert_eq!(
        open.iter().map(|it| it.report.clone()).collect::<Vec<_>>(),
        [report(3, 2), report(3, 1)]
    );
    let rest = store.reports(true, open[1].number, 9).await.expect("reports");
    assert_eq!(rest.len(), 2);
    let close = |number| store.act(ModerationAct::CloseReport { number }, entry("close"));
    close(rest[0].number).await.expect("it is open");
    assert_eq!(close(rest[0].number).await, Err(StoreError::NoSuchReport));
    assert_eq!(close(999).await, Err(StoreError::NoSuchReport));
    assert_eq!(store.reports(true, u64::MAX, 9).await.expect("reports").len(), 3);
    let all = store.reports(false, u64::MAX, 9).await.expect("reports");
    assert_eq!(all.len(), 4);
    assert_eq!(all[2].closed, Some((at(100), "Admin".to_owned())));
    assert_eq!(all[3].closed, None);
}

pub(super) async fn the_audit_log_goes_back_page_by_page(rig: &Rig) {
    let store = rig.open().await;
    let store = store.moderation();
    for number in 0..5 {
        let entry = NewAuditEntry { details: format!("number {number}"), ..entry("message") };
        assert_eq!(store.act(ModerationAct::Note, entry).await, Ok(0));
    }
    let newest = store.audit(u64::MAX, 3).await.expect("a page");
    assert_eq!(
        newest.iter().map(|it| it.details.as_str()).collect::<Vec<_>>(),
        ["number 4", "number 3", "number 2"]
    );
    let oldest = store.audit(newest[2].number, 3).await.expect("a page");
    assert_eq!(oldest.len(), 2);
    let first = &oldest[1];
    assert_eq!(
        (first.at, first.actor.as_str(), first.action.as_str()),
        (at(100), "Admin", "message")
    );
    assert_eq!((first.target.as_str(), first.details.as_str()), ("somebody", "number 0"));
    let long = NewAuditEntry { details: "x".repeat(2049), ..entry("message") };
    assert!(matches!(store.act(ModerationAct::Note, long).await, Err(StoreError::TooLarge { .. })));
}

pub(super) async fn a_recovery_code_works_once(rig: &Rig) {
    let store = rig.open().await;
    let moderation = store.moderation();
    let (player, other) = (PlayerId(1), PlayerId(2));
    store.create_account(account(1, "Anna")).await.expect("an account");
    store.create_account(account(2, "Boris")).await.expect("an account");
    let digest = |text: &str| TokenDigest::of(text.as_bytes());
    moderation.set_recovery_codes(player, vec![digest("old")]).await.expect("codes");
    let codes = vec![digest("a"), digest("b")];
    moderation.set_recovery_codes(player, codes).await.expect("codes");
    assert_eq!(moderation.recovery_codes_left(player).await, Ok(2));
    store.put_session(Session { is_account: true, ..session("s", 1) }).await.expect("a session");
    let try_code = |player, code: &str, now, hash: Option<&str>| {
        moderation.use_recovery_code(player, digest(code), at(now), hash.map(str::to_owned))
    };
    assert_eq!(try_code(player, "old", 0, None).await, Err(StoreError::CodeRefused));
    assert_eq!(try_code(other, "a", 0, None).await, Err(StoreError::CodeRefused));
    try_code(player, "a", 0, None).await.expect("in place of the second factor");
    assert_eq!(store.sessions_of(player).await.expect("sessions").len(), 1);
    assert_eq!(try_code(player, "a", 0, Some("hash")).await, Err(StoreError::CodeRefused));
    try_code(player, "b", 0, Some("hash")).await.expect("a new password");
    let changed = store.account_of(player).await.expect("no error").expect("the account");
    assert_eq!(changed.password_hash, "hash");
    assert_eq!(store.sessions_of(player).await, Ok(Vec::new()), "all sessions end");
    assert_eq!(moderation.recovery_codes_left(player).await, Ok(0));

    let reset = |player, digest| {
        let act = ModerationAct::AddRecoveryCode { player, digest, expires: at(50) };
        moderation.act(act, entry("reset-password"))
    };
    reset(player, digest("of the operator")).await.expect("a code");
    assert_eq!(
        try_code(player, "of the operator", 50, Some("x")).await,
        Err(StoreError::CodeRefused)
    );
    try_code(player, "of the operator", 49, Some("x")).await.expect("a new password");
    let nobody = StoreError::NoSuchAccount { player: PlayerId(9) };
    assert_eq!(reset(PlayerId(9), digest("x")).await, Err(nobody));
}

pub(super) async fn no_time_step_is_used_twice(rig: &Rig) {
    let store = rig.open().await;
    let moderation = store.moderation();
    let player = PlayerId(1);
    store.create_account(account(1, "Anna")).await.expect("an account");
    assert_eq!(moderation.second_factor(player).await, Ok(None));
    assert_eq!(moderation.use_step(player, 7).await, Ok(false));
    let factor = SecondFactor { secret: [5; SECRET_BYTES], last_step: 7 };
    moderation.set_second_factor(player, Some(factor)).await.expect("a factor");
    assert_eq!(moderation.second_factor(player).await, Ok(Some(factor)));
    let row = moderation.accounts("anna", "", 1).await.expect("accounts").remove(0);
    assert!(row.has_second_factor);
    assert_eq!(moderation.use_step(player, 7).await, Ok(false));
    assert_eq!(moderation.use_step(player, 9).await, Ok(true));
    assert_eq!(moderation.use_step(player, 8).await, Ok(false), "an earlier one does not count");
    moderation.set_second_factor(player, None).await.expect("none");
    assert_eq!(moderation.second_factor(player).await, Ok(None));
    let nobody = moderation.set_second_factor(PlayerId(9), Some(factor)).await;
    assert_eq!(nobody, Err(StoreError::NoSuchAccount { player: PlayerId(9) }));
}

pub(super) async fn deleted_rows_are_gone(rig: &Rig) {
    let store = rig.open().await;
    let moderation = store.moderation();
    let end = castellan_game::End::without_winner(castellan_game::EndReason::Agreement);
    for number in [1, 2] {
        let names = ["Anna", "Boris"];
        finished_game(&*store, number, names, summary(end, 9, number.into()))
            .await
            .expect("a game");
        store.add_chat(chat_line(number, "one")).await.expect("a line");
    }
    store.create_game(new_game(3)).await.expect("a game");
    let act = |act| moderation.act(act, entry("delete"));
    let (game_1, player) = (game(1), None);
    let of_nobody = ModerationAct::DeleteChat { game: game_1, player: Some(PlayerId(99)) };
    assert_eq!(act(of_nobody).await, Ok(0));
    assert_eq!(act(ModerationAct::DeleteChat { game: game_1, player }).await, Ok(1));
    assert_eq!(store.chat(game(1), 9).await, Ok(Vec::new()));
    assert_eq!(store.chat(game(2), 9).await.expect("chat").len(), 1);

    let delete =
        |number, is_damaged| act(ModerationAct::DeleteGame { game: game(number), is_damaged });
    delete(2, false).await.expect("it has ended");
    assert!(store.load_game(game(2)).await.expect("no error").is_none());
    assert!(store.load_game(game(1)).await.expect("no error").is_some());
    for number in [2, 3, 4] {
        let refused = delete(number, false).await;
        assert_eq!(refused, Err(StoreError::NoSuchGame { game: game(number) }));
    }
    assert!(store.load_game(game(3)).await.expect("no error").is_some(), "it is running");
    delete(3, true).await.expect("a damaged game need not have ended");
    assert!(store.load_game(game(3)).await.expect("no error").is_none());
    let refused = delete(3, true).await;
    assert_eq!(refused, Err(StoreError::NoSuchGame { game: game(3) }));
}

pub(super) async fn a_deleted_account_leaves_no_name_behind(rig: &Rig) {
    let store = rig.open().await;
    let moderation = store.moderation();
    let end = castellan_game::End::without_winner(castellan_game::EndReason::Agreement);
    // The fixture seats player 1 with White and player 2 with Black.
    finished_game(&*store, 1, ["Anna", "Boris"], summary(end, 9, 1)).await.expect("a game");
    finished_game(&*store, 2, ["Boris", "Clara"], summary(end, 9, 2)).await.expect("a game");
    store.create_account(account(2, "Boris")).await.expect("an account");
    store
        .add_chat(castellan_store::ChatLine { player: PlayerId(2), ..chat_line(1, "hi") })
        .await
        .expect("a line");
    store.add_chat(chat_line(1, "of another player")).await.expect("a line");
    store.put_session(Session { is_account: true, ..session("s", 2) }).await.expect("a session");
    let player = PlayerId(2);
    assert_eq!(moderation.games_under_name(player, "BORIS", 9).await, Ok(vec![game(1)]));
    let former = |player, name: &str| FormerPlayer {
        player: PlayerId(player),
        name: name.to_owned(),
        replacement: "Former player".to_owned(),
    };
    moderation.forget_player(game(1), former(2, "Boris")).await.expect("no error");
    assert_eq!(moderation.games_under_name(player, "Boris", 9).await, Ok(Vec::new()));
    moderation.forget_name("Boris").await.expect("no error");
    let act = ModerationAct::DeleteAccount { player };
    assert!(moderation.act(act.clone(), entry("delete-account")).await.is_ok());
    let gone = moderation.act(act, entry("delete-account")).await;
    assert_eq!(gone, Err(StoreError::NoSuchAccount { player }));

    assert_eq!(store.account_of(player).await, Ok(None));
    assert_eq!(store.sessions_of(player).await, Ok(Vec::new()));
    assert_eq!(store.chat(game(1), 9).await.expect("chat").len(), 1);
    let stored = store.load_game(game(1)).await.expect("no error").expect("the game");
    assert!(!format!("{stored:?}").contains("Boris"), "{stored:?}");
    let search = async |name: &str| {
        let query = HistoryQuery { name: name.to_owned(), limit: 9, after: None };
        store.history(query).await.expect("a page").games.len()
    };
    // Another player of that name has a game, so the search still knows the name.
    assert_eq!((search("boris").await, search("former").await), (1, 1));
    moderation.forget_player(game(2), former(1, "Boris")).await.expect("no error");
    moderation.forget_name("Boris").await.expect("no error");
    assert_eq!((search("boris").await, search("former").await), (0, 2));
    let nothing = moderation.forget_player(game(9), former(1, "Boris")).await;
    assert_eq!(nothing, Ok(()), "a game that is gone");
}
