//! Tests of the list, with files split in all kinds of ways.

use serde_json::{Value, json};

use super::*;

/// Games of several kinds: valid, broken, in Latin-1, without an `Opening` tag.
const FILE: &[u8] = b"[Event \"a\"]\n[White \"Carlsen, Magnus\"]\n[Black \"Caruana, Fabiano\"]\n\
    [Date \"2018.11.??\"]\n[Result \"1/2-1/2\"]\n\n1. e4 c5 2. Nf3 d6 1/2-1/2\n\n\
    [White \"\xa9urkov\xe1, P\"]\n[Black \"M\xfcller, K\"]\n[Date \"1999.05.03\"]\n[ECO \"C20\"]\n\
    [Opening \"Mine\"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n\
    [White \"Carlsen, Henrik\"]\n[Black \"?\"]\n[UTCDate \"2020.01.02\"]\n\n1. d4 d5 1-0\n";

fn listed(pieces: &[&[u8]]) -> Library {
    let mut library = Library::default();
    for piece in pieces {
        library.feed(piece).expect("bytes are always taken");
    }
    library.finish().expect("the end is always taken");
    library
}

fn all(library: &Library) -> Value {
    serde_json::to_value(library.rows(&Span { from: 0, count: 1000 })).expect("rows are JSON")
}

#[track_caller]
fn check(filter: &Value, expected: &[u64]) {
    let mut library = listed(&[FILE]);
    let filter: Filter = serde_json::from_value(filter.clone()).expect("it is a filter");
    let counts = library.set_filter(filter).expect("the filter is right");
    let rows = all(&library);
    let numbers: Vec<u64> =
        rows.as_array().expect("a list").iter().map(|it| it["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, expected);
    assert_eq!(counts.matches, expected.len());
}

fn filter(changes: &Value) -> Value {
    let mut filter = json!({ "player": "", "opening": "", "tag": "", "result": null, "years": null, "is_broken": false, "sort": null });
    for (name, value) in changes.as_object().expect("an object") {
        filter[name] = value.clone();
    }
    filter
}

#[test]
fn rows_have_the_offset_of_their_game_and_reading_goes_on_after_a_broken_one() {
    let library = listed(&[FILE]);
    let rows = all(&library);
    assert_eq!(rows[0]["white"], "Carlsen, Magnus");
    assert_eq!((&rows[0]["date"], &rows[0]["plies"]), (&json!(20_181_100), &json!(4)));
    assert_eq!(rows[0]["opening"], "B50 Sicilian Defense: Modern Variations");
    assert_eq!(rows[1]["white"], "©urková, P");
    assert_eq!(rows[1]["opening"], "C20 Mine");
    assert_eq!(rows[1]["problem"], json!({ "line": 15, "column": 13, "token": "Ke3" }));
    assert_eq!((&rows[2]["black"], &rows[2]["result"]), (&json!(""), &json!("1-0")));
    for row in rows.as_array().unwrap() {
        let at = row["offset"].as_u64().unwrap() as usize;
        let game = &FILE[at..at + row["length"].as_u64().unwrap() as usize];
        assert!(game.starts_with(b"[") && !game.ends_with(b"\n"), "{row}");
    }
}

#[test]
fn however_the_file_is_cut_the_list_is_the_same() {
    let whole = all(&listed(&[FILE]));
    for length in [1, 2, 3, 7, 50, 200] {
        let pieces: Vec<&[u8]> = FILE.chunks(length).collect();
        assert_eq!(all(&listed(&pieces)), whole, "in pieces of {length}");
    }
}

#[test]
fn a_filter_matches_words_in_any_order_without_case_and_accents() {
    check(&filter(&json!({})), &[1, 2, 3]);
    check(&filter(&json!({ "player": " , " })), &[1, 2, 3]);
    check(&filter(&json!({ "player": "magnus CARLSEN" })), &[1]);
    check(&filter(&json!({ "player": "carlsen" })), &[1, 3]);
    check(&filter(&json!({ "player": "caruana carlsen" })), &[1]);
    check(&filter(&json!({ "player": "muller" })), &[2]);
    check(&filter(&json!({ "player": "Müller, K." })), &[2]);
    check(&filter(&json!({ "player": "nobody" })), &[]);
    check(&filter(&json!({ "opening": "sicil" })), &[1]);
    check(&filter(&json!({ "opening": "b50" })), &[1]);
    check(&filter(&json!({ "result": "*" })), &[2]);
    check(&filter(&json!({ "years": [1990, 2018] })), &[1, 2]);
    check(&filter(&json!({ "years": [2020, 2020], "player": "carlsen" })), &[3]);
    check(&filter(&json!({ "is_broken": true })), &[2]);
}

#[test]
fn games_that_arrive_later_are_filtered_too() {
    let many = FILE.repeat(2000);
    let mut library = Library::default();
    let filter = serde_json::from_value(filter(&json!({ "player": "muller" }))).unwrap();
    library.set_filter(filter).unwrap();
    let mut last = 0;
    for piece in many.chunks(100_000) {
        let counts = library.feed(piece).unwrap();
        let matches = counts.matches;
        assert!(matches >= last);
        last = matches;
    }
    let counts = library.finish().unwrap();
    assert_eq!((counts.games, counts.matches, counts.broken), (6000, 2000, 2000));
    let rows = serde_json::to_value(library.rows(&Span { from: 1999, count: 1 })).unwrap();
    let row = &rows[0];
    assert_eq!(row["number"], 5999);
    let lines = FILE.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(row["problem"]["line"], 15 + 1999 * lines);
}

#[test]
fn letters_of_old_windows_files_are_read() {
    let library = listed(&[b"[White \"\x8aimon \x9eeleznik\"]\n\n1. e4 *\n"]);
    assert_eq!(all(&library)[0]["white"], "Šimon železnik");
}

#[test]
fn a_file_without_games_is_an_empty_list() {
    for nothing in [&b""[..], b"\n\n", b"*", b"; only words\n"] {
        assert_eq!(all(&listed(&[nothing])), json!([]), "{nothing:?}");
    }
}

/// Games with tags to sort and to search by.
const TAGGED: &[u8] = b"[Event \"Open B\"]\n[Site \"https://example.org/abc\"]\n[Round \"10\"]\n[White \"b\"]\n\
    [Black \"x\"]\n[WhiteElo \"2100\"]\n[Annotator \"Cyril\"]\n\n1. e4 1-0\n\n\
    [Event \"open a\"]\n[Site \"Ko\xc5\xa1ice\"]\n[Round \"9\"]\n[White \"\xc3\xa1\"]\n[Black \"y\"]\n\
    [WhiteElo \"1800\"]\n[BlackTeam \"Slovan\"]\n\n1. e4 e5 2. d4 0-1\n\n\
    [Event \"Study: Rook endings\"]\n[White \"?\"]\n[Black \"?\"]\n\n*\n\n\
    [White \"c\"]\n\n1. d4 1/2-1/2\n";

#[track_caller]
fn check_tagged(changes: &Value, expected: &[u64]) {
    let mut library = listed(&[TAGGED]);
    let filter: Filter = serde_json::from_value(filter(changes)).expect("it is a filter");
    library.set_filter(filter).unwrap();
    let rows = all(&library);
    let number = |row: &Value| row["number"].as_u64().unwrap();
    assert_eq!(rows.as_array().unwrap().iter().map(number).collect::<Vec<_>>(), expected);
}

#[test]
fn rows_have_the_event_and_ratings_and_a_chapter_has_only_its_name() {
    let rows = all(&listed(&[TAGGED]));
    assert_eq!(rows.as_array().unwrap().len(), 4);
    assert_eq!((&rows[0]["event"], &rows[0]["round"]), (&json!("Open B"), &json!("10")));
    assert_eq!(
        (&rows[0]["site"], &rows[1]["site"]),
        (&json!("example.org"), &json!("Ko\u{161}ice"))
    );
    assert_eq!((&rows[0]["white_elo"], &rows[0]["black_elo"]), (&json!(2100), &json!(0)));
    assert_eq!((&rows[2]["event"], &rows[2]["white"]), (&json!("Study: Rook endings"), &json!("")));
    assert_eq!((&rows[3]["event"], &rows[3]["site"]), (&json!(""), &json!("")));
}

#[test]
fn any_tag_is_found_by_its_name_and_value() {
    check_tagged(&json!({ "tag": "annotator cyril" }), &[1]);
    check_tagged(&json!({ "tag": "SLOVAN" }), &[2]);
    check_tagged(&json!({ "tag": "kosice" }), &[2]);
    check_tagged(&json!({ "tag": "open" }), &[1, 2]);
    check_tagged(&json!({ "tag": "rook endings" }), &[3]);
    check_tagged(&json!({ "tag": "whiteelo 2100" }), &[1]);
    check_tagged(&json!({ "tag": "cyril", "player": "a" }), &[]);
}

#[test]
fn the_list_is_sorted_by_any_column_and_unknown_values_come_last() {
    for (column, expected) in [
        ("number", [1, 2, 3, 4]),
        ("white", [2, 1, 4, 3]),
        ("white_elo", [2, 1, 3, 4]),
        ("event", [2, 1, 3, 4]),
        ("site", [1, 2, 3, 4]),
        ("round", [2, 1, 3, 4]),
        ("result", [1, 4, 2, 3]),
        ("moves", [3, 1, 4, 2]),
    ] {
        check_tagged(&json!({ "sort": { "column": column, "is_descending": false } }), &expected);
    }
    check_tagged(&json!({ "sort": { "column": "number", "is_descending": true } }), &[4, 3, 2, 1]);
    check_tagged(
        &json!({ "sort": { "column": "white_elo", "is_descending": true } }),
        &[1, 2, 3, 4],
    );
    check_tagged(
        &json!({ "tag": "open", "sort": { "column": "event", "is_descending": false } }),
        &[2, 1],
    );
}

#[test]
fn the_filtered_games_are_ranges_of_the_file() {
    let mut library = listed(&[TAGGED]);
    let text = |FileRange { begin, end }: FileRange| {
        String::from_utf8_lossy(&TAGGED[begin as usize..end as usize]).into_owned()
    };
    let whole = library.ranges();
    assert_eq!(whole.len(), 1);
    assert!(
        text(whole[0]).starts_with("[Event \"Open B\"]") && text(whole[0]).ends_with("1/2-1/2")
    );
    let chosen = json!({ "tag": "open", "sort": { "column": "round", "is_descending": false } });
    library.set_filter(serde_json::from_value(filter(&chosen)).unwrap()).unwrap();
    let ranges: Vec<String> = library.ranges().into_iter().map(text).collect();
    assert_eq!(ranges.len(), 2);
    assert!(ranges[0].contains("open a") && ranges[0].ends_with("0-1"), "{ranges:?}");
    assert!(ranges[1].contains("Open B") && ranges[1].ends_with("1-0"), "{ranges:?}");
}
