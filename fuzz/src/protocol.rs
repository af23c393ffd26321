//! The property of messages: they are parsed completely or refused, and read back as written.

use std::fmt::Debug;

use castellan_protocol::simple::{SimpleClientMessage, SimpleServerMessage};
use castellan_protocol::{
    ChatText, ClientMessage, MAX_MESSAGE_BYTES, Name, ParseMessageError, ServerMessage,
};

/// Checks message parsing on any bytes. Each of the four parsers accepts them completely or
/// refuses them at a byte, and what is written parses back to the same message. The JSON of a
/// client message is at most twice as long as a message may be. A valid name or chat line parses
/// back to itself.
pub fn protocol(data: &[u8]) {
    assert_read(data, ClientMessage::parse(data), |message| {
        let json = message.to_json();
        assert!(json.len() <= 2 * MAX_MESSAGE_BYTES, "{json}");
        (ClientMessage::parse(&json), json)
    });
    assert_read(data, ServerMessage::parse(data), |message| {
        let json = message.to_json();
        (ServerMessage::parse(&json), json)
    });
    assert_read(data, SimpleClientMessage::parse(data), |message| {
        let json = message.to_json();
        (SimpleClientMessage::parse(&json), json)
    });
    assert_read(data, SimpleServerMessage::parse(data), |message| {
        let json = message.to_json();
        (SimpleServerMessage::parse(&json), json)
    });
    assert_texts(&String::from_utf8_lossy(data));
}

fn assert_read<M: PartialEq + Debug>(
    data: &[u8],
    read: Result<M, ParseMessageError>,
    write_and_parse: impl Fn(&M) -> (Result<M, ParseMessageError>, String),
) {
    match read {
        Ok(message) => {
            let (copy, json) = write_and_parse(&message);
            assert_eq!(copy.as_ref(), Ok(&message), "{json}");
        }
        Err(error) => assert!(error.at <= data.len(), "{error}"),
    }
}

/// Checks the whole input and the parts between quotation marks as names and chat lines.
fn assert_texts(text: &str) {
    for part in std::iter::once(text).chain(text.split('"')) {
        if let Ok(name) = part.parse::<Name>() {
            assert_eq!(name.as_str().parse(), Ok(name.clone()));
            assert!(!name.as_str().chars().any(char::is_control));
        }
        if let Ok(line) = part.parse::<ChatText>() {
            assert_eq!(line.as_str().parse(), Ok(line.clone()));
            assert!(!line.as_str().chars().any(char::is_control));
        }
    }
}
