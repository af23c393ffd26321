//! Letters and line ends.

use super::{Expected, check, sample};

#[test]
fn utf_8() {
    let games = check(
        sample!("utf8"),
        &Expected { games: &["e4 {čtvrtý řádek, 王} e5 *"], broken: &[], forgiven: &[] },
    );
    assert_eq!(games[0].tags.get("Event"), Some("Łódź"));
    assert_eq!(games[0].tags.get("White"), Some("Žukov, Ö."));
}

#[test]
fn latin_1() {
    let games = check(
        sample!("latin1"),
        &Expected {
            games: &["e4 {très bien} e5 *"],
            broken: &[],
            forgiven: &[
                "1:9 'M?nchen' the text is not UTF-8 and was read as Latin-1",
                "2:9 'Fran?ois' the text is not UTF-8 and was read as Latin-1",
                "5:8 'tr?s bien' the text is not UTF-8 and was read as Latin-1",
            ],
        },
    );
    assert_eq!(games[0].tags.get("Event"), Some("München"));
    assert_eq!(games[0].tags.get("White"), Some("François"));
}

#[test]
fn a_byte_order_mark() {
    let games =
        check(sample!("bom"), &Expected { games: &["e4 e5 *"], broken: &[], forgiven: &[] });
    assert_eq!(games[0].tags.get("Event"), Some("Mark"));
}

#[test]
fn carriage_returns() {
    let source = sample!("crlf");
    assert!(source.windows(2).any(|pair| pair == b"\r\n"), "the sample has been converted");
    let games = check(
        source,
        &Expected { games: &["e4 {two lines} e5 {a comment} Nf3 *"], broken: &[], forgiven: &[] },
    );
    assert_eq!(games[0].tags.get("White"), Some("Ash"));
}
