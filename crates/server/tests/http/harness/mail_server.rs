//! A mail server that keeps what it is sent, or misbehaves on request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use castellan_server::MailConfig;
use castellan_testkit::waiting::LIMIT;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// A message as it arrived.
#[derive(Debug)]
pub(crate) struct ReceivedMail {
    pub(crate) to: String,
    /// Headers and body, as they were sent.
    pub(crate) text: String,
}

impl ReceivedMail {
    /// Returns the code in the message, which has a line of its own.
    #[track_caller]
    pub(crate) fn code(&self) -> String {
        let line = self.text.lines().map(str::trim).find(|line| {
            line.len() == 19 && line.split('-').all(|group| group.len() == 4) && line.contains('-')
        });
        line.unwrap_or_else(|| panic!("no code in {self:?}")).to_owned()
    }
}

/// How a mail server treats the next messages.
#[derive(Debug, Default)]
pub(crate) struct Manners {
    /// Number of messages to refuse for now.
    pub(crate) refuses_for_now: AtomicU32,
    /// Number of messages to refuse for good.
    pub(crate) refuses_for_good: AtomicU32,
    /// Number of connections to accept without ever saying a word.
    pub(crate) silences: AtomicU32,
    /// Number of connections so far.
    pub(crate) connections: AtomicU32,
}

pub(crate) struct MailServer {
    address: SocketAddr,
    pub(crate) manners: Arc<Manners>,
    received: mpsc::UnboundedReceiver<ReceivedMail>,
}

impl MailServer {
    pub(crate) async fn start() -> MailServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, received) = mpsc::unbounded_channel();
        let manners = Arc::new(Manners::default());
        let shared = Arc::clone(&manners);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let (sender, manners) = (sender.clone(), Arc::clone(&shared));
                tokio::spawn(async move { talk(stream, &manners, &sender).await });
            }
        });
        MailServer { address, manners, received }
    }

    /// Returns settings with which a server sends mail here.
    pub(crate) fn config(&self) -> MailConfig {
        let server = format!("smtp://{}", self.address).parse().unwrap();
        let from = "Castellan <chess@example.org>".parse().unwrap();
        MailConfig::new(&server, from).unwrap()
    }

    /// Waits for the next message.
    pub(crate) async fn next(&mut self) -> ReceivedMail {
        let next = tokio::time::timeout(LIMIT, self.received.recv()).await;
        next.expect("a message comes").expect("the server runs")
    }

    /// Returns whether nothing has arrived that was not looked at.
    pub(crate) fn is_quiet(&mut self) -> bool {
        self.received.try_recv().is_err()
    }
}

/// Takes one from a number, unless it is zero.
fn take(number: &AtomicU32) -> bool {
    number.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

/// Speaks as much SMTP as it takes to receive messages (RFC 5321).
async fn talk(
    mut stream: TcpStream,
    manners: &Manners,
    sender: &mpsc::UnboundedSender<ReceivedMail>,
) -> Option<()> {
    if take(&manners.silences) {
        return std::future::pending().await;
    }
    let (reader, mut writer) = stream.split();
    let mut lines = BufReader::new(reader).lines();
    writer.write_all(b"220 test\r\n").await.ok()?;
    let mut to = String::new();
    while let Some(line) = lines.next_line().await.ok()? {
        let verb = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        let answer = match verb.as_str() {
            "RCPT" if take(&manners.refuses_for_now) => "451 come back later",
            "RCPT" if take(&manners.refuses_for_good) => "550 there is no such mailbox",
            "RCPT" => {
                to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                "250 fine"
            }
            "DATA" => {
                writer.write_all(b"354 go on\r\n").await.ok()?;
                let mut text = String::new();
                while let Some(line) = lines.next_line().await.ok()? {
                    if line == "." {
                        break;
                    }
                    text += &line;
                    text.push('\n');
                }
                sender.send(ReceivedMail { to: to.clone(), text }).ok()?;
                "250 fine"
            }
            "QUIT" => "221 bye",
            _ => "250 fine",
        };
        writer.write_all(format!("{answer}\r\n").as_bytes()).await.ok()?;
    }
    Some(())
}
