//! A client that keeps one cookie and reads each response to its end.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A browser, which sends `Origin` and keeps the cookie.
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    /// Cookie as in the header: `castellan=...`.
    pub(crate) cookie: Option<String>,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Client {
        Client { address, cookie: None }
    }

    /// Returns the secret in the cookie.
    #[track_caller]
    pub(crate) fn token(&self) -> String {
        let cookie = self.cookie.as_deref().expect("there is a cookie");
        cookie.split_once('=').expect("it has a value").1.to_owned()
    }

    pub(crate) async fn get(&mut self, path: &str) -> Response {
        self.send(Request::new("GET", path)).await
    }

    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Response {
        self.send(Request::new("POST", path).json(body)).await
    }

    pub(crate) async fn delete(&mut self, path: &str) -> Response {
        self.send(Request::new("DELETE", path)).await
    }

    /// Sends a request as our page would, and keeps the cookie from the response.
    pub(crate) async fn send(&mut self, mut request: Request) -> Response {
        if let Some(cookie) = &self.cookie {
            request = request.header("Cookie", cookie);
        }
        if request.method != "GET" && !request.has("Origin") {
            request = request.header("Origin", &format!("http://{}", self.address));
        }
        let response = request.send(self.address).await;
        if let Some(cookie) = response.header("set-cookie") {
            let pair = cookie.split(';').next().unwrap_or_default().to_owned();
            self.cookie = Some(pair).filter(|pair| !pair.ends_with('='));
        }
        response
    }
}

/// An HTTP request as sent over the wire.
#[derive(Clone)]
pub(crate) struct Request {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &str, path: &str) -> Request {
        let (method, path) = (method.to_owned(), path.to_owned());
        Request { method, path, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Request {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn json(self, body: &Value) -> Request {
        self.header("Content-Type", "application/json").body(body.to_string().as_bytes())
    }

    pub(crate) fn body(mut self, body: &[u8]) -> Request {
        self.body = body.to_vec();
        self
    }

    fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(key, _)| key.eq_ignore_ascii_case(name))
    }

    /// Sets the `Connection` header in place of `close`.
    pub(crate) fn connection(self, wish: &str) -> Request {
        self.header("Connection", wish)
    }

    /// Sends exactly this request on a connection of its own, and reads the response to its end.
    pub(crate) async fn send(&self, address: SocketAddr) -> Response {
        exchange(address, &self.to_bytes(address)).await
    }

    /// Sends the request and reads only the start of the response, for responses that have no
    /// end.
    pub(crate) async fn send_head(&self, address: SocketAddr) -> Response {
        let mut stream = TcpStream::connect(address).await.expect("the server listens");
        stream.write_all(&self.to_bytes(address)).await.expect("the server reads");
        let mut answer = vec![0; 16_384];
        let length = stream.read(&mut answer).await.expect("the server answers");
        Response::parse(&answer[..length])
    }

    pub(crate) fn to_bytes(&self, address: SocketAddr) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !self.has("Host") {
            text.push_str(&format!("Host: {address}\r\n"));
        }
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.method != "GET" && !self.has("Transfer-Encoding") && !self.has("Content-Length") {
            text.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        if !self.has("Connection") {
            text.push_str("Connection: close\r\n");
        }
        text.push_str("\r\n");
        [text.as_bytes(), &self.body].concat()
    }
}

/// Sends bytes and reads until the connection is closed.
pub(crate) async fn exchange(address: SocketAddr, bytes: &[u8]) -> Response {
    let mut stream = TcpStream::connect(address).await.expect("the server listens");
    let (mut reader, mut writer) = stream.split();
    // A server that refuses early closes the connection while we are still writing.
    let write = async { drop(writer.write_all(bytes).await) };
    let mut answer = Vec::new();
    let read = async { drop(reader.read_to_end(&mut answer).await) };
    tokio::join!(write, read);
    Response::parse(&answer)
}

/// An HTTP response.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn parse(bytes: &[u8]) -> Response {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or("0");
        let headers = lines.filter_map(|line| line.split_once(": "));
        Response {
            status: status.parse().unwrap_or(0),
            headers: headers.map(|(name, value)| (name.to_lowercase(), value.into())).collect(),
            body: body.to_owned(),
        }
    }

    /// Returns the first header with this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Parses the body as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts the status.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> &Response {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    /// Asserts that the response is one of our errors.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) {
        assert_eq!(
            (self.status, &*self.json()["code"].to_string()),
            (status, &*format!("{code:?}")),
            "{self:?}"
        );
        assert_eq!(self.header("content-type"), Some("application/json"));
        assert_eq!(self.header("cache-control"), Some("no-store"));
    }
}
