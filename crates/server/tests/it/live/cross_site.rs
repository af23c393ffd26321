//! Class: a page of another site opens a WebSocket with a visitor's cookie.

use tokio_tungstenite::tungstenite::Error;

use super::client::{Client, open};
use super::server::TestServer;

#[tokio::test]
async fn other_pages_open_no_sockets() {
    let server = TestServer::start().await;
    let cookie = server.account("Carla").await;
    let own = format!("http://{}", server.address);
    for path in ["/ws", "/ws/simple"] {
        for origin in ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:1"] {
            for headers in [
                vec![("origin", origin)],
                vec![("origin", origin), ("cookie", cookie.as_str())],
                vec![("origin", own.as_str()), ("sec-fetch-site", "cross-site")],
            ] {
                match open(&server, path, &headers).await {
                    Err(Error::Http(response)) => assert_eq!(response.status(), 403),
                    other => panic!("{path} {headers:?}: {:?}", other.err()),
                }
            }
        }
        let with_cookie_only = [("cookie", cookie.as_str())];
        assert!(open(&server, path, &with_cookie_only).await.is_err(), "a browser says its origin");
        open(&server, path, &[("origin", own.as_str())]).await.unwrap();
        open(&server, path, &[]).await.unwrap();
    }
    let carla = Client::with_cookie(&server, &cookie).await;
    assert_eq!((carla.welcome.you.name.as_str(), carla.welcome.you.is_guest), ("Carla", false));
}
