//! Bad input gets an error that says where and why.

use castellan_protocol::simple::{SimpleClientMessage, SimpleMove};
use castellan_protocol::{ChatText, ClientMessage, MAX_MESSAGE_BYTES, Name};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(
        ClientMessage::parse(text).expect_err("it is refused").to_string(),
        expected,
        "{text}"
    );
}

#[track_caller]
fn check_name(text: &str, expected: &str) {
    assert_eq!(text.parse::<Name>().expect_err("it is refused").to_string(), expected, "{text:?}");
}

#[track_caller]
fn check_chat(text: &str, expected: &str) {
    assert_eq!(
        text.parse::<ChatText>().expect_err("it is refused").to_string(),
        expected,
        "{text:?}"
    );
}

#[test]
fn an_invalid_envelope_is_refused_with_the_offset() {
    check("", "at byte 0: EOF while parsing a value");
    check("[]", "at byte 0: a list is not expected here");
    check("[\"ping\",{\"id\":1}]", "at byte 0: a list is not expected here");
    check("{\"type\":\"ping\",\"data\":[1]}", "at byte 22: a list is not expected here");
    check("{\"type\":\"ping\"", "at byte 13: EOF while parsing an object");
    check("{\"data\":{}}", "at byte 10: missing field `type`");
    check("{\"type\":7}", "at byte 8: invalid type: integer `7`, expected a string");
    check("{\"type\":\"ping\",\"data\":{\"id\":1}} x", "at byte 32: trailing characters");
    check("\n\n{\"type\":\"ping\",,}", "at byte 17: key must be a string");
}

#[test]
fn unknown_and_repeated_names_are_refused() {
    check("{\"type\":\"fly\",\"data\":{}}", "at byte 1: unknown message type \"fly\"");
    check("{\"data\":{},\"type\":\"welcome\"}", "at byte 11: unknown message type \"welcome\"");
    check(
        "{\"type\":\"ping\",\"data\":{\"id\":1},\"id\":7}",
        "at byte 34: unknown field `id`, expected `type` or `data`",
    );
    check("{\"type\":\"ping\",\"type\":\"ping\"}", "at byte 20: duplicate field `type`");
    check(
        "{\"type\":\"ping\",\"data\":{\"id\":1,\"no\":2}}",
        "at byte 33: in \"ping\": unknown field `no`, expected `id`",
    );
    check(
        "{\"type\":\"ping\",\"data\":{\"id\":1,\"id\":2}}",
        "at byte 33: in \"ping\": duplicate field `id`",
    );
}

#[test]
fn every_field_of_the_data_is_checked() {
    check("{\"type\":\"ping\"}", "at byte 15: in \"ping\": missing field `id`");
    check(
        "{\"type\":\"ping\",\"data\":{\"id\":-1}}",
        "at byte 29: in \"ping\": invalid value: integer `-1`, expected u32",
    );
    let game = "\"game\":\"0123456789ab\"";
    check(
        &format!("{{\"type\":\"make move\",\"data\":{{{game},\"ply\":0,\"mv\":\"e2e9\"}}}}"),
        "at byte 68: in \"make move\": at byte 2: expected a square such as e2",
    );
    check(
        "{\"type\":\"watch\",\"data\":{\"game\":\"../../etc\"}}",
        "at byte 41: in \"watch\": expected a game ID of 12 characters, found 9 bytes",
    );
    check(
        "{\"type\":\"cancel seek\",\"data\":{\"why\":1}}",
        "at byte 34: in \"cancel seek\": unknown field `why`, there are no fields",
    );
}

#[test]
fn values_outside_their_limits_are_refused() {
    let seek = |time: &str| format!("{{\"type\":\"seek\",\"data\":{{\"time_control\":{time}}}}}");
    let error = |text: String| ClientMessage::parse(text).unwrap_err().to_string();
    let blitz = |initial: u64, step: u64| {
        seek(&format!(
            "{{\"type\":\"increment\",\"initial_ms\":{initial},\"increment_ms\":{step}}}"
        ))
    };
    assert!(ClientMessage::parse(blitz(180_000, 2_000)).is_ok());
    assert!(error(blitz(0, 0)).contains("0 ms is too short"));
    assert!(error(blitz(86_400_001, 0)).contains("the maximum is one day"));
    assert!(error(blitz(1_000, 600_001)).contains("the maximum is ten minutes"));
    assert!(error(blitz(1 << 40, 0)).contains("expected u32"));
    assert!(error(seek("{\"type\":\"unlimited\",\"initial_ms\":1}")).contains("unknown field"));
    let level = |level: &str| {
        let terms = "{\"time_control\":{\"type\":\"unlimited\"}}";
        format!("{{\"type\":\"play engine\",\"data\":{{\"level\":{level},\"terms\":{terms}}}}}")
    };
    for valid in ["400", "2800", "\"full\""] {
        assert!(ClientMessage::parse(level(valid)).is_ok());
    }
    for bad in ["399", "2801", "2900", "3000", "1e3", "\"400\"", "null", "-400", "65936"] {
        assert!(ClientMessage::parse(level(bad)).is_err(), "{bad}");
    }
}

#[test]
fn size_depth_and_encoding_are_bounded() {
    let long = format!("{{\"type\":\"ping\",\"data\":{{\"id\":1}}{}}}", " ".repeat(9_000));
    check(&long, "at byte 8192: a message can have at most 8192 bytes, this one has 9031");
    assert!(ClientMessage::parse(&long.as_bytes()[..MAX_MESSAGE_BYTES]).is_err());
    let deep = format!("{{\"type\":\"ping\",\"data\":{}", "{\"x\":".repeat(1_000));
    check(&deep, "at byte 57: nested more than 8 levels deep");
    let brackets = "[".repeat(20);
    let text = format!("{{\"type\":\"mute\",\"data\":{{\"name\":\"{brackets}\"}}}}");
    assert!(ClientMessage::parse(text).unwrap_err().to_string().contains("not allowed in a name"));
    let error = ClientMessage::parse(b"{\"type\":\"\xFF\"}").unwrap_err();
    assert_eq!(error.to_string(), "at byte 9: expected UTF-8");
}

#[test]
fn error_messages_quote_only_the_beginning() {
    let text = format!("{{\"type\":\"{}\"}}", "x".repeat(8_000));
    assert!(ClientMessage::parse(text).unwrap_err().to_string().len() < 300);
}

#[test]
fn names_of_people_are_accepted() {
    for name in [
        "Jo",
        "Ana María",
        "O'Brien",
        "J. Roux",
        "x_99",
        "Łukasz",
        "Иван",
        "Ελένη",
        "小林",
        "יוסי",
        "हिन्दी",
        "ก้อง",
        "Nguyễn",
        "12345678901234567890",
    ] {
        assert!(name.parse::<Name>().is_ok(), "{name}");
    }
    let (composed, decomposed) = ("José".parse::<Name>(), "Jose\u{301}".parse::<Name>());
    assert_eq!(composed, decomposed);
}

#[test]
fn deceptive_names_are_refused() {
    check_name("", "a name needs at least 2 characters, this one has 0");
    check_name("J", "a name needs at least 2 characters, this one has 1");
    check_name("123456789012345678901", "a name can have at most 20 characters");
    check_name(&"x".repeat(1 << 20), "a name can have at most 20 characters");
    check_name("a\u{202E}b", "character 2 (U+202E) is not allowed in a name");
    check_name("a\u{200B}b", "character 2 (U+200B) is not allowed in a name");
    check_name("a\u{200D}b", "character 2 (U+200D) is not allowed in a name");
    check_name("ab\u{3164}", "character 3 (U+3164) is not allowed in a name");
    check_name("ab\u{FE0F}", "character 3 (U+FE0F) is not allowed in a name");
    check_name("a\0b", "character 2 (U+0000) is not allowed in a name");
    check_name("a\nb", "character 2 (U+000A) is not allowed in a name");
    check_name("<b>", "character 1 (U+003C) is not allowed in a name");
    check_name("a\u{A0}b", "character 2 (U+00A0) is not allowed in a name");
    check_name("🎉🎉", "character 1 (U+1F389) is not allowed in a name");
    check_name(" ab", "character 1 (' ') must be between letters or digits");
    check_name("ab-", "character 3 ('-') must be between letters or digits");
    check_name("a  b", "character 3 (' ') must be between letters or digits");
    check_name("a.-b", "character 3 ('-') must be between letters or digits");
    check_name("\u{301}ab", "character 1 (U+0301) is one combining mark too many");
    check_name("q\u{301}\u{302}\u{303}", "character 4 (U+0303) is one combining mark too many");
    check_name("Аnna", "character 2 ('n') is from a different alphabet than the letters before it");
    check_name("Annа", "character 4 ('а') is from a different alphabet than the letters before it");
}

#[test]
fn chat_may_use_any_script_but_no_invisible_characters() {
    for text in
        ["gg", "¡hola! <b>\"quotes\"</b>", "سلام", "👩\u{200D}👧 ❤\u{FE0F}", "می\u{200C}خواهم"]
    {
        assert_eq!(text.parse::<ChatText>().unwrap().as_str(), text);
    }
    check_chat("", "the message is empty");
    check_chat("   ", "the message is empty");
    check_chat(&"x".repeat(201), "the message is longer than 200 characters");
    check_chat(&"x".repeat(1 << 20), "the message is longer than 200 characters");
    check_chat("a\u{202E}b", "character 2 (U+202E) is not allowed");
    check_chat("a\tb", "character 2 (U+0009) is not allowed");
    check_chat("a\u{2028}b", "character 2 (U+2028) is not allowed");
    check_chat("a\u{200D}", "character 2 (U+200D) is not allowed");
    check_chat("a\u{200D}\u{200D}b", "character 3 (U+200D) is not allowed");
    check_chat(
        &format!("a{}", "\u{327}".repeat(9)),
        "character 6 (U+0327) is one combining mark too many",
    );
}

#[track_caller]
fn simple_move(data: &str) -> Result<SimpleMove, String> {
    let text = format!("{{\"type\":\"make move\",\"data\":{data}}}");
    match SimpleClientMessage::parse(text) {
        Ok(SimpleClientMessage::MakeMove(mv)) => Ok(mv),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn simple_moves_are_parsed_in_every_spelling() {
    let quiet = simple_move("{\"from\":\"e2\",\"to\":\"e4\"}").unwrap();
    for data in [
        "{\"from\":\"E2\",\"to\":\"E4\"}",
        "{\"from\":\"e2\",\"to\":\"e4\",\"promotion\":null}",
        "{\"from\":\"e2\",\"to\":\"e4\",\"promotion\":\"\"}",
    ] {
        assert_eq!(simple_move(data), Ok(quiet), "{data}");
    }
    let promotes = |to: &str| {
        simple_move(&format!("{{\"from\":\"a7\",\"to\":\"a8\",\"promotion\":\"{to}\"}}"))
            .map(|mv| mv.to_uci().to_string())
    };
    for spelling in ["queen", "q", "Q", "Queen", "QUEEN"] {
        assert_eq!(promotes(spelling), Ok("a7a8q".to_owned()));
    }
    assert_eq!(promotes("n"), Ok("a7a8n".to_owned()));
    assert_eq!(
        promotes("king"),
        Err("at byte 68: in \"make move\": invalid value: string \"king\", expected queen, rook, \
             bishop or knight"
            .to_owned())
    );
    assert!(simple_move("{\"from\":\"e2\"}").unwrap_err().contains("missing field `to`"));
    assert!(
        simple_move("{\"from\":\"e2\",\"to\":\"e9\"}").unwrap_err().contains("a square such as")
    );
    assert!(simple_move("{\"from\":\"e2\",\"to\":\"e4\",\"ply\":1}").is_err());
}

#[test]
fn empty_data_may_be_left_out() {
    for text in [
        "{\"type\":\"surrender\"}",
        "{\"type\":\"surrender\",\"data\":null}",
        "{\"type\":\"surrender\",\"data\":{}}",
    ] {
        assert!(SimpleClientMessage::parse(text).is_ok(), "{text}");
    }
    assert!(SimpleClientMessage::parse("{\"type\":\"surrender\",\"data\":[]}").is_err());
    assert!(SimpleClientMessage::parse("{\"type\":\"surrender\",\"data\":{\"x\":1}}").is_err());
}
