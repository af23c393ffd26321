//! Tests of which file is served for which path, and how.

use super::*;

fn site() -> Page {
    let index = Asset {
        path: "index.html".into(),
        kind: "text/html; charset=utf-8",
        etag: HeaderValue::from_static("\"1\""),
        bytes: Bytes::from_static(b"<p>page</p>"),
        gzip: Some(Bytes::from_static(b"small")),
    };
    let module = Asset {
        path: "assets/a-123.wasm".into(),
        kind: "application/wasm",
        etag: HeaderValue::from_static("\"2\""),
        bytes: Bytes::from_static(b"\0asm"),
        gzip: None,
    };
    Page([index, module].into())
}

#[track_caller]
fn check(path: &str, expected: Option<&str>) {
    assert_eq!(site().find(path).map(|asset| asset.path.as_ref()), expected, "{path}");
}

#[test]
fn places_get_the_page_and_missing_files_do_not() {
    check("", Some("index.html"));
    check("index.html", Some("index.html"));
    check("game/k3YzQ0aBcD12", Some("index.html"));
    check("assets/a-123.wasm", Some("assets/a-123.wasm"));
    check("assets/b-456.js", None);
    check("../../etc/passwd.txt", None);
    check("assets/a-123.wasm/..", None);
}

fn request(lines: &[(&'static str, &str)]) -> HeaderMap {
    let pairs = lines.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    pairs.collect()
}

#[tokio::test]
async fn files_are_compressed_for_clients_that_accept_it() {
    for (coding, is_small) in [
        ("gzip, br", true),
        ("br;q=1, GZIP ;q=0.5", true),
        ("gzip;q=0", false),
        ("identity", false),
    ] {
        let response = respond(&site().0[0], &request(&[("accept-encoding", coding)]));
        assert_eq!(response.headers().contains_key(CONTENT_ENCODING), is_small, "{coding}");
        assert_eq!(response.headers()[VARY], "accept-encoding");
        let bytes = axum::body::to_bytes(response.into_body(), 100).await.unwrap();
        assert_eq!(bytes.as_ref(), if is_small { &b"small"[..] } else { b"<p>page</p>" });
    }
}

#[test]
fn a_file_that_the_client_has_is_not_sent_again() {
    for (tags, is_known) in
        [("\"1\"", true), ("\"0\", W/\"1\"", true), ("*", true), ("\"2\"", false), ("1", false)]
    {
        let response = respond(&site().0[0], &request(&[("if-none-match", tags)]));
        let expected = if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
        assert_eq!(response.status(), expected, "{tags}");
    }
}

#[test]
fn only_files_whose_names_change_with_them_are_kept_for_ever() {
    assert!(respond(&site().0[1], &request(&[])).headers()[CACHE_CONTROL] != "no-cache");
    assert!(respond(&site().0[0], &request(&[])).headers()[CACHE_CONTROL] == "no-cache");
}

#[test]
fn the_placeholder_needs_nothing_that_the_policy_forbids() {
    for word in ["<script", "<style", "style=", "onclick", "http:", "https:"] {
        assert!(!PLACEHOLDER.contains(word), "{word}");
    }
}
