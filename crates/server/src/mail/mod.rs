//! E-mail: codes that confirm an address, and codes for a new password.
//!
//! A request only puts a message into a bounded queue, so it takes equally long whether or not an
//! account or an address exists, and a mail server that is slow or unreachable delays nothing else.
//! A separate task looks up the account, stores the digest of a code, and sends the code, with a
//! timeout and a few retries.
//!
//! Invariant: nothing is sent to an address that was not confirmed, except the code that confirms
//! it.

mod smtp;
mod texts;

use std::sync::{Arc, Mutex, PoisonError};

use castellan_game::{Moment, PlayerId};
use castellan_store::{EmailStore, MailCode, MailPurpose, StoreError};
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::{AsyncTransport, Message};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::codes::Code;
use crate::config::PublicOrigin;
use crate::error::ApiError;
use crate::random::NoRandomness;
use crate::rates::Action;
use crate::state::Services;
use texts::{MailFacts, MailText, Topic};

pub(crate) use smtp::{EmailAddress, NotAnAddress};
pub use smtp::{
    MailConfig, MailFrom, MailTlsError, ParseMailFromError, ParseSmtpError, SmtpAddress,
};
pub(crate) use texts::Language;

/// How long a code is valid, in minutes.
pub(crate) const VALID_MINUTES: u64 = 30;
const VALID_MS: u64 = VALID_MINUTES * 60_000;

/// Maximum number of requests that wait.
const QUEUE: usize = 256;
/// Maximum number of messages that are sent at the same time.
const AT_ONCE: usize = 4;
/// Maximum number of accounts with one address that are sent a code at the same time.
const ACCOUNTS_AT_ONCE: u32 = 5;
/// How long a request may wait before it is dropped, because the user has given up by then.
const MAX_WAIT_MS: u64 = 10 * 60_000;

/// The queue of messages to send.
#[derive(Debug)]
pub(crate) struct Mailer {
    config: MailConfig,
    queue: mpsc::Sender<MailRequest>,
    /// The other end of the queue, until a server begins to send.
    requests: Mutex<Option<mpsc::Receiver<MailRequest>>>,
}

/// A request for a message.
#[derive(Debug)]
pub(crate) struct MailRequest {
    pub(crate) kind: MailKind,
    pub(crate) language: Language,
    /// When the request was made.
    pub(crate) at: Moment,
}

/// What a message is for.
#[derive(Debug)]
pub(crate) enum MailKind {
    /// A code that confirms the address of a player.
    Confirm {
        player: PlayerId,
        /// Name of the account.
        name: String,
        address: EmailAddress,
    },
    /// A code for a new password, by the name of an account or its address.
    Reset {
        /// What the user typed. There may be no such account.
        account: String,
    },
}

impl Mailer {
    pub(crate) fn new(config: MailConfig) -> Mailer {
        let (queue, requests) = mpsc::channel(QUEUE);
        Mailer { config, queue, requests: Mutex::new(Some(requests)) }
    }
}

impl Services {
    /// Queues a message.
    ///
    /// # Errors
    /// Fails if the server sends no mail, or if too many messages are waiting.
    pub(crate) fn request_mail(&self, kind: MailKind, language: Language) -> Result<(), ApiError> {
        let mailer = self.mailer.as_ref().ok_or(ApiError::NotFound)?;
        let request = MailRequest { kind, language, at: self.clock.now() };
        mailer.queue.try_send(request).map_err(|_| ApiError::Busy)?;
        self.metrics.mail_queued.increment(1.0);
        Ok(())
    }
}

/// Sends messages until the server ends.
pub(crate) async fn deliver(services: Arc<Services>) {
    let Some(mailer) = &services.mailer else { return };
    let requests = mailer.requests.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(mut requests) = requests else { return };
    let slots = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks = JoinSet::new();
    while let Some(request) = requests.recv().await {
        while tasks.try_join_next().is_some() {}
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
        let services = Arc::clone(&services);
        tasks.spawn(async move {
            let now = services.clock.now();
            if now.as_millis().saturating_sub(request.at.as_millis()) > MAX_WAIT_MS {
                services.metrics.mail_failed.increment(1);
            } else if let Err(error) = answer(&services, request).await {
                services.metrics.mail_failed.increment(1);
                tracing::error!("a message could not be prepared: {error}");
            }
            services.metrics.mail_queued.decrement(1.0);
            drop(slot);
        });
    }
}

/// Why a message could not be written.
#[derive(Debug, thiserror::Error)]
enum PrepareError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    #[error("the message is malformed: {0}")]
    Message(#[from] lettre::error::Error),
}

/// Sends the message of a request, if its account exists.
async fn answer(services: &Services, request: MailRequest) -> Result<(), PrepareError> {
    let (Some(mailer), Some(emails)) = (&services.mailer, services.store.emails()) else {
        return Ok(());
    };
    let sending = Sending { services, config: &mailer.config, emails, language: request.language };
    match request.kind {
        MailKind::Confirm { player, name, address } => {
            let purpose = MailPurpose::ConfirmAddress(address.as_str().to_owned());
            sending.send_code(player, &name, &address, purpose).await
        }
        MailKind::Reset { account } => sending.send_resets(&account).await,
    }
}

/// Everything that a message needs besides its recipient.
struct Sending<'a> {
    services: &'a Services,
    config: &'a MailConfig,
    emails: &'a dyn EmailStore,
    language: Language,
}

impl Sending<'_> {
    /// Sends a code for a new password to the owner of the account with this name, or of those with
    /// this address.
    async fn send_resets(&self, typed: &str) -> Result<(), PrepareError> {
        // No name contains the sign.
        let accounts = if typed.contains('@') {
            let Ok(address) = typed.parse::<EmailAddress>() else { return Ok(()) };
            self.emails.accounts_with_email(address.as_str(), ACCOUNTS_AT_ONCE).await?
        } else {
            Vec::from_iter(self.services.store.account_by_name(typed).await?)
        };
        for account in accounts {
            let address = self.emails.email_of(account.player).await?;
            let Some(Ok(address)) = address.map(|address| address.parse()) else { continue };
            let purpose = MailPurpose::ResetPassword;
            self.send_code(account.player, &account.name, &address, purpose).await?;
        }
        Ok(())
    }

    /// Creates a code and sends it, unless the recipient has received too many messages.
    async fn send_code(
        &self,
        player: PlayerId,
        name: &str,
        to: &EmailAddress,
        purpose: MailPurpose,
    ) -> Result<(), PrepareError> {
        let recipient = to.as_str().to_ascii_lowercase();
        if self.services.limits.check(Action::MailTo, recipient).is_err() {
            self.services.metrics.limited.increment(1);
            return Ok(());
        }
        let topic = match purpose {
            MailPurpose::ConfirmAddress(_) => Topic::Confirm,
            MailPurpose::ResetPassword => Topic::Reset,
        };
        let code = Code::new()?;
        let facts = MailFacts {
            name,
            code: &code.reveal(),
            minutes: VALID_MINUTES,
            site: self.services.config.origins.first().map(PublicOrigin::as_str),
        };
        let message = self.message(to, MailText::new(topic, self.language, &facts))?;
        let expires = self.services.clock.now().plus_ms(VALID_MS);
        let stored = MailCode { player, digest: code.digest(), purpose, expires };
        self.emails.add_mail_code(stored).await?;
        self.send(message).await;
        Ok(())
    }

    fn message(&self, to: &EmailAddress, text: MailText) -> Result<Message, PrepareError> {
        let from = self.config.from.clone();
        let id = format!(
            "<{}@{}>",
            hex::encode(crate::random::Random::secret::<16>()?),
            from.email.domain()
        );
        // Asks for no automatic replies (RFC 3834).
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let message = Message::builder()
            .from(from)
            .to(to.mailbox())
            .subject(text.subject)
            .message_id(Some(id))
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
            .header(ContentType::TEXT_PLAIN)
            .body(text.body)?;
        Ok(message)
    }

    /// Sends a message, with retries unless the mail server refuses it for good.
    async fn send(&self, message: Message) {
        let MailConfig { transport, attempt_timeout, retry_pauses: [first, second], .. } =
            self.config;
        let metrics = &self.services.metrics;
        for pause in [Some(first), Some(second), None] {
            let sent = transport.send(message.clone());
            let is_permanent = match tokio::time::timeout(*attempt_timeout, sent).await {
                Ok(Ok(_)) => {
                    metrics.mail_sent.increment(1);
                    return;
                }
                Ok(Err(error)) => {
                    // What the server says about a recipient stays out of the log.
                    match error.status() {
                        Some(status) => tracing::warn!("the mail server answered {status}"),
                        None => tracing::warn!("a message could not be sent: {error}"),
                    }
                    error.is_permanent()
                }
                Err(_) => {
                    tracing::warn!("a message could not be sent in time");
                    false
                }
            };
            match pause {
                Some(pause) if !is_permanent => tokio::time::sleep(*pause).await,
                _ => break,
            }
        }
        metrics.mail_failed.increment(1);
    }
}
