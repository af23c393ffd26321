//! The page in the binary, as a browser receives it.
//!
//! `cargo xtask test` builds the page first and sets `CASTELLAN_PAGE` to its folder; then the
//! page has to be embedded. Without it, the server's placeholder says how to build it.

use crate::harness::{Request, Response, Server};

/// `true` if the page must be embedded. It may also be embedded without having been asked for.
const IS_BUILT: bool = option_env!("CASTELLAN_PAGE").is_some();

async fn get(server: &Server, path: &str) -> Response {
    server.browser().get(path).await
}

/// Returns `true` for the page, and `false` for the placeholder.
#[track_caller]
fn has_page(home: &Response) -> bool {
    let has_page = home.body.contains("<div id=\"app\">");
    assert!(has_page || !IS_BUILT, "{}", home.body);
    has_page
}

/// Returns the text up to the next quotation mark after each `before`.
fn quoted<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split('"').next())
}

#[track_caller]
fn check_kind(path: &str, response: &Response) {
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        _ => "text/html; charset=utf-8",
    };
    assert_eq!(response.status, 200, "{path}");
    assert_eq!(response.header("content-type"), Some(kind), "{path}");
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
    let policy = response.header("content-security-policy").expect("there is a policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"));
    let caching = response.header("cache-control").expect("caching is decided");
    assert_eq!(caching.contains("immutable"), path.starts_with("/assets/"), "{path}: {caching}");
}

#[tokio::test]
async fn every_place_is_the_page() {
    let server = Server::start().await;
    let home = get(&server, "/").await;
    check_kind("/", &home);
    for path in ["/library", "/editor", "/game", "/live/k3YzQ0aBcD12", "/nowhere/at/all"] {
        let place = get(&server, path).await;
        check_kind(path, &place);
        assert_eq!(place.body, home.body, "{path}");
    }
    for path in ["/assets/no-such-file.js", "/favicon.ico", "/../Cargo.toml"] {
        assert_eq!(get(&server, path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn everything_that_the_page_names_is_there() {
    let server = Server::start().await;
    let home = get(&server, "/").await;
    if !has_page(&home) {
        return;
    }
    let named = quoted(&home.body, "src=\"").chain(quoted(&home.body, "href=\""));
    let mut named: Vec<&str> = named.collect();
    assert!(named.iter().any(|path| path.ends_with(".js")), "{named:?}");
    // The service worker lists every file that is kept for offline use.
    let worker = get(&server, "/sw.js").await;
    check_kind("/sw.js", &worker);
    named.extend(quoted(&worker.body, "\"/").filter(|path| path.contains('.')));
    let has = |end: &str| named.iter().any(|path| path.ends_with(end));
    assert!(has(".wasm") && has(".css") && has("manifest.webmanifest"), "{named:?}");
    for path in named {
        let path = format!("/{}", path.trim_start_matches('/'));
        let file = get(&server, &path).await;
        check_kind(&path, &file);
        assert!(!file.body.is_empty(), "{path}");
    }
}

#[tokio::test]
async fn a_file_that_is_known_is_not_sent_again() {
    let server = Server::start().await;
    let home = get(&server, "/").await;
    if !has_page(&home) {
        return;
    }
    let etag = home.header("etag").expect("files have a mark");
    let again = Request::new("GET", "/").header("If-None-Match", etag);
    let again = again.send(server.address).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let small = Request::new("GET", "/").header("Accept-Encoding", "gzip");
    let small = small.send(server.address).await;
    assert_eq!(small.header("content-encoding"), Some("gzip"));
}
