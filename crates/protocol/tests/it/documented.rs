//! Every example in `docs/PROTOCOL.md` is a valid message, and every message has an example.

use std::fs;
use std::path::Path;

use castellan_protocol::simple::{SimpleClientMessage, SimpleServerMessage};
use castellan_protocol::{
    ChatText, ClientMessage, CloseCode, MAX_CHAT_CHARACTERS, MAX_DEPTH, MAX_MESSAGE_BYTES,
    MAX_SERVER_MESSAGE_BYTES, PROTOCOL_VERSION, ServerCode, ServerMessage,
};

/// A fenced block: what stands behind the fence, and the lines within.
struct Block {
    kind: String,
    text: String,
    line: usize,
}

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/PROTOCOL.md");
    fs::read_to_string(path).expect("the document is there")
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (line, text) in (1..).zip(document.lines()) {
        if let Some(kind) = text.strip_prefix("```") {
            is_open = !is_open;
            if is_open {
                blocks.push(Block { kind: kind.to_owned(), text: String::new(), line });
            }
        } else if let (true, Some(block)) = (is_open, blocks.last_mut()) {
            block.text += text;
            block.text.push('\n');
        }
    }
    assert!(!is_open, "a block is not closed");
    blocks
}

#[test]
fn every_example_is_read_and_every_message_has_one() {
    let mut shown: Vec<(String, String)> = Vec::new();
    for block in blocks(&document()) {
        let text = block.text.as_str();
        let kind = match block.kind.as_str() {
            "json client" => ClientMessage::parse(text).map(|message| message.kind()),
            "json server" => ServerMessage::parse(text).map(|message| message.kind()),
            "json simple client" => SimpleClientMessage::parse(text).map(|message| message.kind()),
            "json simple server" => SimpleServerMessage::parse(text).map(|message| message.kind()),
            "text" => continue,
            other => panic!("line {}: {other:?} is not a kind of block", block.line),
        };
        match kind {
            Ok(kind) => shown.push((block.kind, kind.to_owned())),
            Err(error) => panic!("line {}: {error}\n{text}", block.line),
        }
    }
    for (block, kinds) in [
        ("json client", ClientMessage::KINDS),
        ("json server", ServerMessage::KINDS),
        ("json simple client", SimpleClientMessage::KINDS),
        ("json simple server", SimpleServerMessage::KINDS),
    ] {
        for kind in kinds {
            let example = (block.to_owned(), (*kind).to_owned());
            assert!(shown.contains(&example), "there is no example of {kind:?} in a {block} block");
        }
    }
}

#[test]
fn codes_and_limits_are_documented_as_they_are() {
    let document = document();
    for code in ServerCode::ALL {
        assert!(document.contains(&format!("| `{}` |", code.code())), "{}", code.code());
    }
    for code in CloseCode::ALL {
        assert!(document.contains(&format!("| {} |", code.number())), "{}", code.number());
    }
    for sentence in [
        format!("version {PROTOCOL_VERSION}"),
        format!("{MAX_MESSAGE_BYTES} bytes"),
        format!("{MAX_SERVER_MESSAGE_BYTES} bytes"),
        format!("{MAX_DEPTH} deep"),
        format!("1 to {MAX_CHAT_CHARACTERS} characters"),
    ] {
        assert!(document.contains(&sentence), "{sentence}");
    }
    assert!("x".repeat(MAX_CHAT_CHARACTERS).parse::<ChatText>().is_ok());
}
