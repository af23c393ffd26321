//! Properties of reading over good and damaged texts, then examples.

use castellan_rules::{Color, File, Position, Rank};
use castellan_testkit::random::SplitMix64;

use super::*;

/// Returns FENs of a few random games, with and without clocks.
fn texts(rng: &mut SplitMix64) -> Vec<String> {
    let mut texts = Vec::new();
    for number in [518, 518, 7, 333, 959] {
        let mut position = Position::chess960(number).unwrap();
        for _ in 0..80 {
            let fen = position.to_fen();
            let short = fen.rsplitn(3, ' ').nth(2).unwrap().to_string();
            texts.extend([fen, short]);
            let moves = position.legal_moves();
            let Some(&mv) = rng.pick(&moves) else { break };
            position = position.play_unchecked(mv);
        }
    }
    texts
}

/// Returns a text with a few characters removed, inserted or changed.
fn damaged(text: &str, rng: &mut SplitMix64) -> String {
    const LETTERS: &str = "KQRBNPkqrbnp123456789/ -wbahe0xß♞_\t\u{a0}+.,🦀";
    let letters: Vec<char> = LETTERS.chars().collect();
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=rng.below(3) {
        let at = rng.below(chars.len() + 1);
        let letter = letters[rng.below(letters.len())];
        match rng.below(4) {
            0 => chars.insert(at, letter),
            1 if at < chars.len() => chars[at] = letter,
            2 if at < chars.len() => drop(chars.remove(at)),
            _ => chars.truncate(chars.len().max(at)),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn a_good_text_is_read_as_the_rules_read_it() {
    let mut rng = SplitMix64::new(1);
    for text in texts(&mut rng) {
        let setup = Some(fen::parse(&text).unwrap());
        let letters = Letters::Chess960;
        let expected = Reading { setup, findings: Vec::new(), is_malformed: false, letters };
        assert_eq!(read(&text, true), expected, "{text}");
        assert_eq!(read_with_recovery(&text), expected, "{text}");
        let padded = format!("\u{feff} {text}\t\r\n");
        assert_eq!(read(&padded, true), expected, "{text}");
    }
}

#[test]
fn a_text_is_malformed_exactly_if_the_rules_cannot_read_it() {
    let mut rng = SplitMix64::new(2);
    let texts = texts(&mut rng);
    for round in 0..40_000 {
        let text = damaged(&texts[round % texts.len()], &mut rng);
        let parsed = fen::parse(text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}'));
        let is_good =
            parsed.is_ok_and(|setup| setup.clocks.is_none_or(|it| it.fullmove_number > 0));
        let reading = read(&text, round % 2 == 0);
        assert_eq!(reading.is_malformed, !is_good, "{text:?} {:?}", reading.findings);
        let columns: Vec<usize> = reading.findings.iter().map(|finding| finding.column).collect();
        assert!(columns.is_sorted(), "{text:?} {columns:?}");
        let last = text.chars().count() + 1;
        assert!(columns.iter().all(|column| (1..=last).contains(column)), "{text:?} {columns:?}");
    }
}

/// Creates a finding about a field and some squares.
fn about(field: Field, squares: impl Into<Bitboard>) -> Finding {
    let code = Code::ALL.iter().find(|code| code.field() == field).unwrap();
    Finding::new(*code, squares.into())
}

#[test]
fn columns_point_at_the_letters_of_the_pieces() {
    let mut rng = SplitMix64::new(3);
    for text in texts(&mut rng) {
        let setup = fen::parse(&text).unwrap();
        for (square, piece) in setup.pieces.iter() {
            let column = column_of(&text, &about(Field::Placement, square), true);
            assert_eq!(text.chars().nth(column - 1), Some(piece.letter()), "{text} {square}");
        }
        let castling = text.split(' ').nth(2).unwrap();
        for rook in setup.castling_rooks {
            let column = column_of(&text, &about(Field::Castling, rook), true);
            let letter = text.chars().nth(column - 1).unwrap();
            assert!(castling.contains(letter), "{text} {rook}");
            let meant = rook_of_letter(&setup.pieces, letter, Letters::Chess960);
            assert_eq!(meant, Some(rook), "{text} {rook}");
        }
    }
}

/// Checks the findings, formatted as `code column`, and the placement that was understood.
#[track_caller]
fn check(text: &str, expected: &[&str], placement: &str) {
    let reading = read(text, false);
    let line = |finding: &Finding| format!("{} {}", finding.code.name(), finding.column);
    let found: Vec<String> = reading.findings.iter().map(line).collect();
    assert_eq!(found, expected, "{text}");
    let fen = reading.setup.map(|setup| fen::write(&setup, Default::default()));
    assert_eq!(fen.as_deref().unwrap_or("").split(' ').next(), Some(placement), "{text}");
}

const KINGS: &str = "4k3/8/8/8/8/8/8/4K3";

#[test]
fn text_that_is_not_a_fen_gives_no_board() {
    check("", &["empty 1"], "");
    check(" \t ", &["empty 1"], "");
    check(
        "hello",
        &[
            "bad-piece 1",
            "rank-length 6",
            "missing-rank 6",
            "missing-field 6",
            "missing-field 6",
            "missing-field 6",
        ],
        "",
    );
    check(&"8".repeat(5000), &["too-long 4097"], "");
    check(&"ß".repeat(4000), &["too-long 2049"], "");
}

#[test]
fn every_fault_of_the_placement_is_named() {
    check("4k3/8/8/8/8/8/4P4/4K3 w - -", &["rank-length 17"], "4k3/8/8/8/8/8/4P3/4K3");
    check("4k3/8/8/8/8/8/8/4K2 w - -", &["rank-length 20"], KINGS);
    check(
        "4k2/8/8/44/8/8/7/4K4 w - -",
        &["rank-length 4", "two-digits 10", "rank-length 17", "rank-length 20"],
        KINGS,
    );
    check("4k3/8/8/8/8/8/8/4Kß2 w - -", &["bad-piece 19"], KINGS);
    check("4k3/8/8/8/8/8/8/4K3; w - -", &["bad-piece 20"], KINGS);
    check("4♚3/8/8/8/8/8/8/4♔3 w - -", &["bad-piece 2", "bad-piece 18"], KINGS);
    check("4k3/9/8/8/8/8/8/4K3 w - -", &["bad-piece 5", "rank-length 5"], KINGS);
    check("4k3/8/8/8/8/8/4K3 w - -", &["missing-rank 18"], "4k3/8/8/8/8/8/4K3/8");
    check("4k3/8/8/8/8/8/8/8/4K3 w - -", &["many-ranks 19"], KINGS);
    check("4k3//8/8/8/8/8/4K3 w - -", &["rank-length 5"], KINGS);
    check("4k3/8/8/8/8/8/8/4K3/ w - -", &["many-ranks 21"], KINGS);
}

#[test]
fn every_fault_of_the_other_fields_is_named() {
    let check = |rest: &str, expected: &[&str]| check(&format!("{KINGS} {rest}"), expected, KINGS);
    check("x - -", &["bad-turn 21"]);
    check(
        "W KQxy-zK e9 -5 1.5 huh ?",
        &[
            "bad-turn 21",
            "bad-castling 25",
            "castling-dash 27",
            "bad-castling 28",
            "repeated-castling 29",
            "bad-en-passant 31",
            "bad-halfmove-clock 34",
            "bad-fullmove-number 37",
            "trailing-text 41",
        ],
    );
    check("w kK - 0 1", &["castling-order 23"]);
    check("w KQkq E3 0 1", &["bad-en-passant 28"]);
    check("w - - 65536 4294967296", &["number-too-large 27", "number-too-large 33"]);
    check("w - - 65535 4294967295", &[]);
    check("w - - 99999999999999999999999 1", &["number-too-large 27"]);
    check("w - - 0 0", &["move-number-zero 29"]);
    check("w - - 0 00", &["move-number-zero 29"]);
    check("w - - 0", &["missing-field 28"]);
    check("w  -\t- 0 1", &["extra-space 22", "extra-space 25"]);
    check("w - - 0 1 x", &["trailing-text 31"]);
    check("w - - bm e4; id \"1\";", &["trailing-text 27"]);
}

#[test]
fn a_missing_field_does_not_spoil_those_after_it() {
    let check = |rest: &str, expected: &[&str]| check(&format!("{KINGS}{rest}"), expected, KINGS);
    check("", &["missing-field 20", "missing-field 20", "missing-field 20"]);
    check(" w", &["missing-field 22", "missing-field 22"]);
    check(" KQkq - 0 1", &["missing-field 21"]);
    check(" b 3 7", &["missing-field 23", "missing-field 23"]);
    check(
        "_w_-_-_0_1",
        &["extra-space 20", "extra-space 22", "extra-space 24", "extra-space 26", "extra-space 28"],
    );
    let setup = read("4k3/8/8/8/8/8/8/4K3 b 3 7", false).setup.unwrap();
    assert_eq!(setup.turn, Color::Black);
    assert_eq!(setup.clocks, Some(Clocks { halfmove_clock: 3, fullmove_number: 7 }));
}

#[test]
fn a_fault_has_the_words_for_its_sentence() {
    let values = |text: &str| -> Vec<Value> {
        read(text, false).findings.into_iter().flat_map(|finding| finding.values).collect()
    };
    let rank = values("4k3/8/8/8/8/8/4P4/4K3 w - -");
    assert_eq!(rank, [Value::Number(2), Value::Number(9)]);
    assert_eq!(values("4k3/8/8/8/8/8/8/4K3 white - -"), [Value::Text("white".into())]);
    let long = values(&format!("4k3/8/8/8/8/8/8/4K3 w - - 0 1 {}", "ß".repeat(100)));
    assert_eq!(long, [Value::Text(format!("{}…", "ß".repeat(MAX_QUOTED_CHARS)))]);
}

#[test]
fn columns_of_squares_that_are_empty_or_of_fields_that_are_not_there() {
    let text = " 4k3/8/8/8/8/8/8/4K3 w KQ e3 0 1";
    let e2 = Square::new(File::E, Rank::Second);
    let check = |text: &str, field, squares: Bitboard, expected| {
        assert_eq!(column_of(text, &about(field, squares), false), expected, "{text} {squares:?}");
    };
    check(text, Field::Placement, e2.into(), 16);
    check(text, Field::Placement, Bitboard::EMPTY, 2);
    check(text, Field::Placement, Bitboard::FULL, 2);
    check(text, Field::Turn, e2.into(), 22);
    check(text, Field::Castling, Square::A1.into(), 25);
    check(text, Field::Castling, e2.into(), 24);
    check(text, Field::FullmoveNumber, Bitboard::EMPTY, 32);
    check("4k3/8/8/8/8/8/8/4K3 w - -", Field::HalfmoveClock, Bitboard::EMPTY, 26);
}

/// Checks the rooks that a castling field means in standard chess, or `960` and those of
/// Chess960.
#[track_caller]
fn check_castling(placement: &str, word: &str, expected: &str) {
    let reading = read(&format!("{placement} w {word} -"), false);
    let rooks = reading.setup.unwrap().castling_rooks;
    let mark = if reading.letters == Letters::Chess960 { "960 " } else { "" };
    let names: Vec<String> = rooks.into_iter().map(|rook| rook.to_string()).collect();
    assert_eq!(format!("{mark}{}", names.join(",")), expected, "{placement} {word}");
}

#[test]
fn letters_are_those_of_standard_chess_unless_they_cannot_be() {
    let usual = "r3k2r/8/8/8/8/8/8/R3K2R";
    check_castling(usual, "KQkq", "a1,h1,a8,h8");
    check_castling(usual, "HAha", "a1,h1,a8,h8");
    check_castling(usual, "KAq", "a1,h1,a8");
    check_castling("4k3/8/8/8/8/8/8/1R2K1R1", "KQ", "a1,h1");
    check_castling("4k3/8/8/8/8/8/8/1R2K1R1", "GB", "960 b1,g1");
    // A letter that cannot be standard decides how the others are read.
    check_castling("4k3/8/8/8/8/8/8/1R2K1R1", "KB", "960 b1,g1");
    check_castling("3k4/8/8/8/8/8/8/R2K3R", "KQ", "a1,h1");
    check_castling("3k4/8/8/8/8/8/8/R2K3R", "HA", "960 a1,h1");
    check_castling("4k3/8/8/8/8/8/8/4K1RR", "KG", "960 g1,h1");
}

#[test]
fn wrong_letters_and_digits_mark_their_squares() {
    let check = |rank: &str, expected: &str| {
        let reading = read(&format!("4k3/{rank}/8/8/8/8/8/4K3 w - -"), false);
        let squares = reading.findings[0].squares;
        let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
        assert_eq!(names.join(","), expected, "{rank}");
    };
    check("ppppxppp", "e7");
    check("xppp3y", "a7");
    check("p??ppppp", "b7,c7");
    // The rank is complete without it.
    check("ppppxpppp", "");
    check("p34", "b7,c7,d7,e7,f7,g7,h7");
}

#[test]
fn the_list_of_faults_ends() {
    let text = "x1x1/".repeat(500);
    assert!(read(&text, false).findings.len() <= MAX_FINDINGS);
    let text = "-".repeat(4000);
    assert!(read(&format!("8/8 w {}", &text[..3000]), false).findings.len() <= MAX_FINDINGS);
}

#[test]
fn an_empty_board_is_read_even_with_odd_castling() {
    let reading = read("8/8/8/8/8/8/8/8 w KbQkq e3 0 1", false);
    assert!(!reading.is_malformed && reading.setup.is_some(), "{reading:?}");
}
