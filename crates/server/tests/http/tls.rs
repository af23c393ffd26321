//! TLS with certificates from files: what clients see, and what half handshakes cost.

use core::time::Duration;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use castellan_protocol::{ClientMessage, Features, Hello, PROTOCOL_VERSION, ServerMessage};
use castellan_server::{Config, Tls, TlsFiles};
use castellan_testkit::waiting::LIMIT;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::harness::{PASSWORD, Request, Response, Server, config};

/// A thousand times as long as a handshake takes. The tests run for about this long.
const SOON: Duration = Duration::from_secs(2);

/// Writes a new certificate for this machine. Returns it.
fn write_certificate(files: &TlsFiles) -> CertificateDer<'static> {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let new = rcgen::generate_simple_self_signed(names).unwrap();
    fs::write(&files.key, new.signing_key.serialize_pem()).unwrap();
    fs::write(&files.certificate, new.cert.pem()).unwrap();
    new.cert.der().clone()
}

/// A server with a certificate, in files that live as long as it.
struct Secured {
    server: Server,
    files: TlsFiles,
    certificate: CertificateDer<'static>,
    _folder: tempfile::TempDir,
}

impl Secured {
    async fn start(config: Config) -> Secured {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| Path::new(folder.path()).join(name);
        let files = TlsFiles { certificate: file("cert.pem"), key: file("key.pem") };
        let certificate = write_certificate(&files);
        let tls = Some(Tls::load(files.clone()).unwrap());
        let server = Server::start_with(Config { tls, ..config }).await;
        Secured { server, files, certificate, _folder: folder }
    }

    async fn connect(&self) -> TlsStream<TcpStream> {
        connect(self.server.address, &self.certificate, &[b"http/1.1"]).await.unwrap()
    }

    async fn send(&self, request: &Request) -> Response {
        let mut stream = self.connect().await;
        stream.write_all(&request.to_bytes(self.server.address)).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        Response::parse(&answer)
    }

    async fn post(&self, path: &str, body: &Value) -> Response {
        let origin = format!("https://{}", self.server.address);
        self.send(&Request::new("POST", path).json(body).header("Origin", &origin)).await
    }
}

/// Connects to a server that must have this certificate.
async fn connect(
    address: SocketAddr,
    certificate: &CertificateDer<'static>,
    protocols: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from("127.0.0.1").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

#[tokio::test]
async fn people_sign_in_and_play_over_tls() {
    let secured = Secured::start(config()).await;
    let body = json!({"name": "Anna", "password": PASSWORD});
    secured.post("/api/register", &body).await.expect(200);
    let answer = secured.post("/api/login", &body).await;
    let cookie = answer.expect(200).header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-castellan=") && cookie.ends_with("; Secure"), "{cookie}");
    assert!(answer.header("strict-transport-security").is_some());
    let cookie = cookie.split(';').next().unwrap();
    let address = secured.server.address;
    let open = async |origin: &str| {
        let mut request = format!("wss://{address}/ws").into_client_request().unwrap();
        request.headers_mut().append("cookie", cookie.parse().unwrap());
        request.headers_mut().append("origin", origin.parse().unwrap());
        client_async(request, secured.connect().await).await
    };
    open(&format!("http://{address}")).await.expect_err("a page without TLS is another site");
    let (mut socket, _) = open(&format!("https://{address}")).await.unwrap();
    let hello = Hello {
        version: PROTOCOL_VERSION,
        name: None,
        session: None,
        features: Features::default(),
    };
    socket.send(Message::text(ClientMessage::Hello(hello).to_json())).await.unwrap();
    let message = tokio::time::timeout(LIMIT, socket.next()).await.unwrap().unwrap().unwrap();
    match ServerMessage::parse(message.to_text().unwrap()) {
        Ok(ServerMessage::Welcome(welcome)) => assert_eq!(welcome.you.name.as_str(), "Anna"),
        other => panic!("expected a welcome: {other:?}"),
    }
}

#[tokio::test]
async fn only_http_1_1_is_spoken() {
    let secured = Secured::start(config()).await;
    let address = secured.server.address;
    let stream = connect(address, &secured.certificate, &[b"h2", b"http/1.1"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    connect(address, &secured.certificate, &[b"h2"]).await.expect_err("it is not spoken");
}

#[tokio::test]
async fn plain_http_is_told_to_use_https() {
    let secured = Secured::start(config()).await;
    for method in ["GET", "POST"] {
        let answer = Request::new(method, "/api/me").send(secured.server.address).await;
        answer.expect(400);
        assert!(answer.body.contains("https://"), "{answer:?}");
        assert_eq!(answer.header("set-cookie"), None);
    }
}

/// Reads until the server closes the connection.
async fn closed(stream: &mut TcpStream) {
    let mut bytes = Vec::new();
    // It may also be reset.
    let _ = stream.read_to_end(&mut bytes).await;
}

/// The beginning of a handshake record that claims to have 512 bytes.
const HALF_HELLO: [u8; 10] = [0x16, 3, 1, 2, 0, 1, 0, 1, 252, 3];

#[tokio::test]
async fn a_handshake_that_never_ends_is_not_waited_for() {
    let secured = Secured::start(Config { head_timeout: SOON, ..config() }).await;
    let address = secured.server.address;
    let mut silent = TcpStream::connect(address).await.unwrap();
    let mut slow = TcpStream::connect(address).await.unwrap();
    slow.write_all(&HALF_HELLO).await.unwrap();
    let mut half_plain = TcpStream::connect(address).await.unwrap();
    half_plain.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").await.unwrap();
    for stream in [&mut silent, &mut slow, &mut half_plain] {
        tokio::time::timeout(LIMIT, closed(stream)).await.expect("it is cut off");
    }
    secured.send(&Request::new("GET", "/api/me")).await.expect(200);
    let metrics = secured.send(&Request::new("GET", "/metrics")).await.body;
    assert!(metrics.contains("castellan_tls_failures_total 2"), "{metrics}");
}

#[tokio::test]
async fn half_handshakes_count_as_connections() {
    let limits = Config { max_connections_per_address: 3, head_timeout: LIMIT * 10, ..config() };
    let secured = Secured::start(limits).await;
    let address = secured.server.address;
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&HALF_HELLO).await.unwrap();
        held.push(stream);
    }
    // The server accepts connections in the order in which they come.
    let mut beyond = TcpStream::connect(address).await.unwrap();
    tokio::time::timeout(LIMIT, closed(&mut beyond)).await.expect("it is one too many");
    drop(held);
    let free = async {
        while connect(address, &secured.certificate, &[b"http/1.1"]).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, free).await.expect("the connections are free again");
}

#[tokio::test]
async fn bytes_that_are_neither_are_refused() {
    let secured = Secured::start(config()).await;
    for bytes in [&[0, 0, 0, 0, 0][..], &[0x16, 3, 1, 0, 4, 9, 9, 9, 9], &[0xff; 100]] {
        let mut stream = TcpStream::connect(secured.server.address).await.unwrap();
        // The server may already have closed the connection.
        let _ = stream.write_all(bytes).await;
        tokio::time::timeout(LIMIT, closed(&mut stream)).await.expect("it is refused");
    }
}

#[tokio::test]
async fn a_new_certificate_is_used_without_a_restart() {
    let secured = Secured::start(config()).await;
    let address = secured.server.address;
    secured.connect().await;
    let new = write_certificate(&secured.files);
    let reloaded = async {
        while connect(address, &new, &[b"http/1.1"]).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(LIMIT, reloaded).await.expect("it is noticed");
    // A file that cannot be used changes nothing, and the metrics say so.
    fs::write(&secured.files.certificate, "broken").unwrap();
    let secured = Secured { certificate: new, ..secured };
    let told = async {
        let request = Request::new("GET", "/metrics");
        let is_told =
            |metrics: &str| metrics.lines().any(|line| line == "castellan_tls_reload_failed 1");
        while !is_told(&secured.send(&request).await.body) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(LIMIT, told).await.expect("it is noticed");
    secured.connect().await;
}
