//! Class: a request to a WebSocket endpoint that is not an upgrade.

use super::server::TestServer;

#[tokio::test]
async fn a_request_that_is_not_an_upgrade_gets_an_error_in_json() {
    let server = TestServer::start().await;
    for path in ["/ws", "/ws/simple"] {
        let answer = server.get(path).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let head = head.to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 426 "), "{head}");
        assert!(head.contains("\r\ncontent-type: application/json"), "{head}");
        assert!(head.contains("\r\nupgrade: websocket"), "{head}");
        let message = "this path accepts only WebSocket connections";
        assert!(
            body.contains(&format!(r#"{{"code":"sockets_only","message":"{message}"}}"#)),
            "{body}"
        );
    }
}
