//! The page, as a browser receives it. These tests serve a small page from a folder; the real page
//! is tested in a browser.

use std::fs;
use std::path::Path;

use castellan_server::{Config, Page};

use crate::harness::{Request, Response, Server, config};

/// The files of a small page.
const FILES: [(&str, &str); 6] = [
    ("index.html", "<!doctype html><script src=\"/assets/app-1.js\"></script><div id=\"app\">"),
    ("sw.js", "cache([\"/assets/app-1.js\", \"/assets/rules-2.wasm\"])"),
    ("manifest.webmanifest", "{}"),
    ("icon.svg", "<svg/>"),
    ("assets/app-1.js", "start()"),
    ("assets/rules-2.wasm", "\0asm"),
];

async fn get(server: &Server, path: &str) -> Response {
    server.browser().get(path).await
}

/// Writes the small page to a folder.
fn write_page(folder: &Path) {
    fs::create_dir(folder.join("assets")).unwrap();
    for (path, text) in FILES {
        // A real page is long enough to be worth compressing.
        fs::write(folder.join(path), text.to_owned() + &" ".repeat(500)).unwrap();
    }
}

/// Starts a server with the small page.
async fn start() -> Server {
    let folder = tempfile::tempdir().unwrap();
    write_page(folder.path());
    let page = Page::from_folder(folder.path()).unwrap();
    Server::start_with(Config { page, ..config() }).await
}

#[track_caller]
fn check_kind(path: &str, response: &Response) {
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
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
    let server = start().await;
    let home = get(&server, "/").await;
    assert!(home.body.starts_with("<!doctype html>"), "{}", home.body);
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
async fn every_file_of_the_folder_is_served() {
    let server = start().await;
    for (path, text) in FILES {
        let path = format!("/{path}");
        let file = get(&server, &path).await;
        check_kind(&path, &file);
        assert_eq!(file.body.trim_end(), text, "{path}");
    }
}

#[tokio::test]
async fn a_file_that_is_known_is_not_sent_again() {
    let server = start().await;
    let home = get(&server, "/").await;
    let etag = home.header("etag").expect("files have a tag");
    let again = Request::new("GET", "/").header("If-None-Match", etag);
    let again = again.send(server.address).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    let small = Request::new("GET", "/").header("Accept-Encoding", "gzip");
    let small = small.send(server.address).await;
    assert_eq!(small.header("content-encoding"), Some("gzip"));
}

#[tokio::test]
async fn without_a_page_the_placeholder_says_how_to_get_one() {
    let server = Server::start_with(config()).await;
    let home = get(&server, "/").await;
    check_kind("/", &home);
    let has_page = home.body.contains("<div id=\"app\">");
    assert!(has_page || home.body.contains("cargo xtask play"), "{}", home.body);
}

#[test]
fn a_folder_without_a_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("readme.txt"), "nothing here").unwrap();
    let error = Page::from_folder(folder.path()).expect_err("it has no index");
    assert!(error.to_string().ends_with("index.html is missing"), "{error}");
}
