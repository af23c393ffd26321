//! Mail goes out encrypted: SMTPS, and SMTP with STARTTLS, to a server whose certificate is trusted.

use std::path::Path;
use std::sync::Arc;

use castellan_testkit::waiting::LIMIT;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::certificate::Certificate;
use crate::serve::Server;
use crate::shell::binary;

/// How a mail server encrypts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// From the first byte.
    Implicit,
    /// After STARTTLS, which it offers.
    StartTls,
    /// Not at all.
    Plain,
}

/// What a mail server saw of one connection.
#[derive(Default, Debug)]
struct Seen {
    /// The commands that came without encryption.
    plain: Vec<String>,
    /// The commands, and the lines of messages, that came encrypted.
    encrypted: Vec<String>,
    /// Whether encryption was agreed on.
    is_encrypted: bool,
}

/// A mail server on a free port of this machine.
struct MailServer {
    port: u16,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl MailServer {
    async fn start(manner: Manner, certificate: &Certificate) -> MailServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let acceptor = acceptor(certificate);
        let (sender, seen) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    // The test may have ended.
                    let _ = sender.send(serve(stream, manner, &acceptor).await);
                });
            }
        });
        MailServer { port, seen }
    }

    /// Waits for the end of the next connection.
    async fn next(&mut self) -> Seen {
        let next = tokio::time::timeout(LIMIT, self.seen.recv()).await;
        next.expect("a connection comes").expect("the server runs")
    }
}

fn acceptor(Certificate { certificate, key, .. }: &Certificate) -> TlsAcceptor {
    let chain = vec![CertificateDer::from_pem_file(certificate).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(key).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("the key is that of the certificate");
    TlsAcceptor::from(Arc::new(config))
}

async fn serve(mut stream: TcpStream, manner: Manner, acceptor: &TlsAcceptor) -> Seen {
    let mut seen = Seen::default();
    if manner != Manner::Implicit {
        let is_upgrading = talk(&mut stream, manner == Manner::StartTls, &mut seen.plain).await;
        if !is_upgrading {
            return seen;
        }
    }
    if let Ok(mut encrypted) = acceptor.accept(stream).await {
        seen.is_encrypted = true;
        if manner == Manner::Implicit {
            talk(&mut encrypted, false, &mut seen.encrypted).await;
        } else {
            answer(&mut encrypted, false, &mut seen.encrypted).await;
        }
    }
    seen
}

/// Greets the client, and answers it. Returns `true` if it asks for encryption.
async fn talk(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    offers_tls: bool,
    heard: &mut Vec<String>,
) -> bool {
    stream.write_all(b"220 test\r\n").await.is_ok() && answer(stream, offers_tls, heard).await
}

/// Speaks as much SMTP as it takes to receive messages (RFC 5321), after the greeting.
async fn answer(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    offers_tls: bool,
    heard: &mut Vec<String>,
) -> bool {
    let mut lines = BufReader::new(stream).lines();
    let mut is_message = false;
    while let Ok(Some(line)) = lines.next_line().await {
        let verb = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
        let reply = match verb.as_str() {
            "." => "250 fine\r\n",
            _ if is_message => "",
            "EHLO" if offers_tls => "250-test\r\n250 STARTTLS\r\n",
            "EHLO" => "250-test\r\n250 AUTH PLAIN LOGIN\r\n",
            "AUTH" => "235 welcome\r\n",
            "STARTTLS" => "220 go on\r\n",
            "DATA" => "354 go on\r\n",
            _ => "250 fine\r\n",
        };
        is_message = verb == "DATA" || is_message && verb != ".";
        heard.push(line);
        if lines.get_mut().get_mut().write_all(reply.as_bytes()).await.is_err() {
            return false;
        }
        if verb == "STARTTLS" {
            return true;
        }
    }
    false
}

/// Starts a server that sends mail to this address, and lets an account ask for a message.
fn request_mail(folder: &Path, address: &str, authority: Option<&Path>) -> Server {
    let data = folder.join("data");
    let mut command = binary(&["serve", "--listen", "127.0.0.1:0", "--data"]);
    command.arg(&data).args(["--smtp", address, "--mail-from", "chess@example.org"]);
    match authority {
        Some(authority) => command.env("SSL_CERT_FILE", authority),
        None => command.env_remove("SSL_CERT_FILE"),
    };
    let server = Server::run("serve", &mut command);
    let password = "correct horse battery";
    let account = format!(r#"{{"name": "Anna", "password": "{password}"}}"#);
    let answer = server.ask("POST", "/api/register", "", &account);
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.and_then(|cookie| cookie.split(';').next()).expect("a cookie is set");
    let headers = format!("Cookie: {cookie}\r\nOrigin: http://{}\r\n", server.address());
    let body =
        format!(r#"{{"email": "anna@example.org", "language": "en", "password": "{password}"}}"#);
    let answer = server.ask("POST", "/api/email", &headers, &body);
    assert!(answer.starts_with("HTTP/1.1 2"), "{answer}");
    server
}

/// Ends a server once it has sent its message, and with it the connection, which stays open for
/// further messages.
async fn end_after_sending(server: Server) {
    let ending = tokio::task::spawn_blocking(move || {
        castellan_testkit::waiting::wait_until("the message is sent", || {
            server.ask("GET", "/metrics", "", "").contains("castellan_mail_sent_total 1")
        });
        server.end("-TERM")
    });
    ending.await.expect("it ends");
}

/// Returns whether a message to the account arrived.
fn is_for_anna(heard: &[String]) -> bool {
    heard.iter().any(|line| line.to_ascii_uppercase().starts_with("RCPT TO:<ANNA@EXAMPLE.ORG>"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn smtps_is_encrypted_from_the_first_byte() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = Certificate::create(folder.path(), &["localhost"]);
    let mut mail = MailServer::start(Manner::Implicit, &certificate).await;
    let address = format!("smtps://chess:s%40cret@localhost:{}", mail.port);
    let server = request_mail(folder.path(), &address, Some(&certificate.authority));
    end_after_sending(server).await;
    let seen = mail.next().await;
    assert!(seen.is_encrypted && seen.plain.is_empty(), "{seen:?}");
    assert!(is_for_anna(&seen.encrypted), "{seen:?}");
    assert!(seen.encrypted.iter().any(|line| line.starts_with("AUTH ")), "{seen:?}");
}

/// The address 0.0.0.0 is this machine, too, but not one for which mail stays unencrypted.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn smtp_to_another_machine_is_encrypted_with_starttls() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = Certificate::create(folder.path(), &["0.0.0.0"]);
    let mut mail = MailServer::start(Manner::StartTls, &certificate).await;
    let address = format!("smtp://chess:s%40cret@0.0.0.0:{}", mail.port);
    let server = request_mail(folder.path(), &address, Some(&certificate.authority));
    end_after_sending(server).await;
    let seen = mail.next().await;
    let verbs: Vec<&str> = seen.plain.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(verbs, ["EHLO", "STARTTLS"], "{seen:?}");
    assert!(seen.is_encrypted && is_for_anna(&seen.encrypted), "{seen:?}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_sent_to_a_server_without_starttls() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = Certificate::create(folder.path(), &["0.0.0.0"]);
    let mut mail = MailServer::start(Manner::Plain, &certificate).await;
    let address = format!("smtp://chess:s%40cret@0.0.0.0:{}", mail.port);
    let _server = request_mail(folder.path(), &address, Some(&certificate.authority));
    let seen = mail.next().await;
    let verbs: Vec<&str> = seen.plain.iter().filter_map(|line| line.split(' ').next()).collect();
    assert!(verbs.iter().all(|verb| ["EHLO", "QUIT"].contains(verb)), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_sent_to_a_server_that_is_not_trusted() {
    // The authority is unknown, or the certificate is for another name.
    for (name, is_known) in [("localhost", false), ("mail.example.org", true)] {
        let folder = tempfile::tempdir().unwrap();
        let certificate = Certificate::create(folder.path(), &[name]);
        let mut mail = MailServer::start(Manner::Implicit, &certificate).await;
        let address = format!("smtps://chess:s%40cret@localhost:{}", mail.port);
        let authority = is_known.then_some(certificate.authority.as_path());
        let _server = request_mail(folder.path(), &address, authority);
        let seen = mail.next().await;
        assert!(seen.encrypted.is_empty() && seen.plain.is_empty(), "{name}: {seen:?}");
    }
}
