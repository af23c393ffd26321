//! Laws about e-mail addresses and the codes that are sent to them.

use castellan_game::PlayerId;
use castellan_store::{
    EmailStore, MailCode, MailPurpose, ModerationAct, NewAuditEntry, PasswordReset, Session, Store,
    StoreError, TokenDigest,
};

use crate::fixtures::*;
use crate::rig::Rig;

const ANNA: PlayerId = PlayerId(1);

fn digest(text: &str) -> TokenDigest {
    TokenDigest::of(text.as_bytes())
}

fn code(text: &str, purpose: MailPurpose) -> MailCode {
    MailCode { player: ANNA, digest: digest(text), purpose, expires: at(50) }
}

fn confirmation(text: &str, address: &str) -> MailCode {
    code(text, MailPurpose::ConfirmAddress(address.to_owned()))
}

fn entry(now: u64) -> NewAuditEntry {
    let (actor, target) = ("Anna".to_owned(), "Anna".to_owned());
    NewAuditEntry { at: at(now), actor, action: "recover", target, details: "by mail".to_owned() }
}

fn reset(text: &str, now: u64) -> PasswordReset {
    let (digest, password_hash) = (digest(text), format!("$argon2id$by {text}"));
    PasswordReset { player: ANNA, digest, password_hash, entry: entry(now) }
}

fn emails(store: &dyn Store) -> &dyn EmailStore {
    store.emails().expect("both databases have them")
}

async fn names(store: &dyn Store, address: &str) -> Vec<String> {
    let found = emails(store).accounts_with_email(address, 9).await.expect("accounts");
    found.into_iter().map(|account| account.name).collect()
}

pub(super) async fn an_address_counts_once_it_is_confirmed(rig: &Rig) {
    let store = rig.open().await;
    let emails = emails(&*store);
    let nobody = emails.add_mail_code(confirmation("a", "anna@example.org")).await;
    assert_eq!(nobody, Err(StoreError::NoSuchAccount { player: ANNA }));
    store.create_account(account(1, "Anna")).await.expect("an account");
    store.create_account(account(2, "Boris")).await.expect("an account");
    emails.add_mail_code(confirmation("a", "Anna@Example.org")).await.expect("a code");
    assert_eq!(emails.email_of(ANNA).await, Ok(None));
    assert_eq!(names(&*store, "anna@example.org").await, [""; 0]);

    let refused = Err(StoreError::CodeRefused);
    assert_eq!(emails.confirm_email(ANNA, digest("b"), at(1)).await, refused);
    assert_eq!(emails.confirm_email(PlayerId(2), digest("a"), at(1)).await, refused);
    assert_eq!(emails.confirm_email(ANNA, digest("a"), at(50)).await, refused, "it has expired");
    emails.confirm_email(ANNA, digest("a"), at(49)).await.expect("it is confirmed");
    assert_eq!(emails.confirm_email(ANNA, digest("a"), at(49)).await, refused, "it was used");
    assert_eq!(emails.email_of(ANNA).await, Ok(Some("Anna@Example.org".to_owned())));
    assert_eq!(names(&*store, "ANNA@example.org").await, ["Anna"]);

    // A family may share an address.
    let of_boris = MailCode { player: PlayerId(2), ..confirmation("c", "anna@example.org") };
    emails.add_mail_code(of_boris).await.expect("a code");
    emails.confirm_email(PlayerId(2), digest("c"), at(1)).await.expect("it is confirmed");
    assert_eq!(names(&*store, "anna@example.org").await, ["Anna", "Boris"]);
    assert_eq!(emails.accounts_with_email("anna@example.org", 1).await.expect("one").len(), 1);

    // Only the last of several codes counts, and then the address is another one.
    emails.add_mail_code(confirmation("d", "wrong@example.org")).await.expect("a code");
    emails.add_mail_code(confirmation("e", "new@example.org")).await.expect("a code");
    assert_eq!(emails.confirm_email(ANNA, digest("d"), at(1)).await, refused);
    emails.confirm_email(ANNA, digest("e"), at(1)).await.expect("it is confirmed");
    assert_eq!(emails.email_of(ANNA).await, Ok(Some("new@example.org".to_owned())));
    emails.remove_email(ANNA).await.expect("it is removed");
    emails.remove_email(ANNA).await.expect("there is none");
    assert_eq!(emails.email_of(ANNA).await, Ok(None));
    let long = emails.add_mail_code(confirmation("f", &"x".repeat(255))).await;
    assert!(matches!(long, Err(StoreError::TooLarge { limit: 254, .. })), "{long:?}");
}

pub(super) async fn a_mailed_code_changes_the_password_once(rig: &Rig) {
    let store = rig.open().await;
    let emails = emails(&*store);
    store.create_account(account(1, "Anna")).await.expect("an account");
    store.put_session(Session { is_account: true, ..session("s", 1) }).await.expect("a session");
    for text in ["one", "two"] {
        emails.add_mail_code(code(text, MailPurpose::ResetPassword)).await.expect("a code");
    }
    let refused = Err(StoreError::CodeRefused);
    assert_eq!(emails.reset_password(reset("other", 1)).await, refused);
    assert_eq!(emails.reset_password(reset("one", 50)).await, refused, "it has expired");
    assert_eq!(emails.confirm_email(ANNA, digest("one"), at(1)).await, refused, "another purpose");
    // Such a code is neither a recovery code nor a second factor.
    let moderation = store.moderation();
    let used = moderation.use_recovery_code(ANNA, digest("one"), at(1), None).await;
    assert_eq!(used, refused);
    assert_eq!(store.sessions_of(ANNA).await.expect("sessions").len(), 1);
    assert_eq!(moderation.audit(u64::MAX, 9).await.expect("the log"), []);

    emails.reset_password(reset("one", 49)).await.expect("a new password");
    let changed = store.account_of(ANNA).await.expect("no error").expect("the account");
    assert_eq!(changed.password_hash, "$argon2id$by one");
    assert_eq!(store.sessions_of(ANNA).await, Ok(Vec::new()));
    let log = moderation.audit(u64::MAX, 9).await.expect("the log");
    assert_eq!(log.iter().map(|it| it.action.as_str()).collect::<Vec<_>>(), ["recover"]);
    for text in ["one", "two"] {
        assert_eq!(emails.reset_password(reset(text, 1)).await, refused, "{text}");
    }
    // A code to confirm an address is no code for a new password.
    emails.add_mail_code(confirmation("three", "anna@example.org")).await.expect("a code");
    assert_eq!(emails.reset_password(reset("three", 1)).await, refused);
}

pub(super) async fn codes_end_with_what_they_were_for(rig: &Rig) {
    let store = rig.open().await;
    let emails = emails(&*store);
    store.create_account(account(1, "Anna")).await.expect("an account");
    let refused = Err(StoreError::CodeRefused);
    let add = async |text: &str| {
        emails.add_mail_code(code(text, MailPurpose::ResetPassword)).await.expect("a code");
    };
    add("before a change").await;
    store.change_password(ANNA, "$argon2id$other".to_owned()).await.expect("a new password");
    assert_eq!(emails.reset_password(reset("before a change", 1)).await, refused);

    add("before another address").await;
    emails.add_mail_code(confirmation("new", "anna@example.org")).await.expect("a code");
    emails.confirm_email(ANNA, digest("new"), at(1)).await.expect("it is confirmed");
    assert_eq!(emails.reset_password(reset("before another address", 1)).await, refused);

    add("before removing").await;
    emails.remove_email(ANNA).await.expect("it is removed");
    assert_eq!(emails.reset_password(reset("before removing", 1)).await, refused);

    add("too old").await;
    assert_eq!(store.delete_expired(at(50)).await, Ok(0));
    assert_eq!(store.delete_expired(at(51)).await, Ok(1));

    emails.add_mail_code(confirmation("again", "anna@example.org")).await.expect("a code");
    emails.confirm_email(ANNA, digest("again"), at(1)).await.expect("it is confirmed");
    add("of a deleted account").await;
    let act = ModerationAct::DeleteAccount { player: ANNA };
    store.moderation().act(act, entry(1)).await.expect("it is deleted");
    assert_eq!(emails.email_of(ANNA).await, Ok(None));
    assert_eq!(names(&*store, "anna@example.org").await, [""; 0]);
    assert_eq!(emails.reset_password(reset("of a deleted account", 1)).await, refused);
}
