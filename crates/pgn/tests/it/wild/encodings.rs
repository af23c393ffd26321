//! Letters and line ends.

use super::{check_clean, check_forgiven, sample};

#[test]
fn utf_8() {
    let games = check_clean(sample!("utf8"), &["e4 {čtvrtý řádek, 王} e5 *"]);
    assert_eq!(games[0].tags.get("Event"), Some("Łódź"));
    assert_eq!(games[0].tags.get("White"), Some("Žukov, Ö."));
}

#[test]
fn latin_1() {
    let games = check_forgiven(
        sample!("latin1"),
        &["e4 {très bien} e5 *"],
        &[
            "1:9 'M?nchen' the text is not UTF-8 and was read as Latin-1",
            "2:9 'Fran?ois' the text is not UTF-8 and was read as Latin-1",
            "5:8 'tr?s bien' the text is not UTF-8 and was read as Latin-1",
        ],
    );
    assert_eq!(games[0].tags.get("Event"), Some("München"));
    assert_eq!(games[0].tags.get("White"), Some("François"));
}

#[test]
fn a_byte_order_mark() {
    let games = check_clean(sample!("bom"), &["e4 e5 *"]);
    assert_eq!(games[0].tags.get("Event"), Some("Mark"));
}

#[test]
fn carriage_returns() {
    let source = sample!("crlf");
    assert!(source.windows(2).any(|pair| pair == b"\r\n"), "the sample has been converted");
    let games = check_clean(source, &["e4 {two lines} e5 {a comment} Nf3 *"]);
    assert_eq!(games[0].tags.get("White"), Some("Ash"));
}
