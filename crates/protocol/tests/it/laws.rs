//! Every message that is written parses back to the same message.

use castellan_game::{GameId, Moment};
use castellan_protocol::simple::{SimpleClientMessage, SimpleMove, SimpleServerMessage};
use castellan_protocol::{
    ChatText, ClientMessage, MAX_MESSAGE_BYTES, MAX_SERVER_MESSAGE_BYTES, Name, ServerMessage,
    Snapshot, Terms,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use crate::strategies::{
    chat_text, client_message, name, server_message, simple_client_message, simple_move,
    simple_server_message, terms,
};

proptest! {
    #[test]
    fn messages_of_clients_come_back(message in client_message()) {
        let json = message.to_json();
        prop_assert!(json.len() <= MAX_MESSAGE_BYTES);
        prop_assert_eq!(ClientMessage::parse(&json), Ok(message));
    }

    #[test]
    fn messages_of_the_server_come_back(message in server_message()) {
        let json = message.to_json();
        prop_assert!(json.len() <= MAX_SERVER_MESSAGE_BYTES);
        prop_assert_eq!(ServerMessage::parse(&json), Ok(message));
    }

    #[test]
    fn plain_messages_of_clients_come_back(message in simple_client_message()) {
        prop_assert_eq!(SimpleClientMessage::parse(message.to_json()), Ok(message));
    }

    #[test]
    fn plain_messages_of_the_server_come_back(message in simple_server_message()) {
        prop_assert_eq!(SimpleServerMessage::parse(message.to_json()), Ok(message));
    }

    #[test]
    fn the_order_of_type_and_data_does_not_matter(message in client_message()) {
        let value: serde_json::Value = serde_json::from_str(&message.to_json()).unwrap();
        let turned = format!(r#"{{"data": {}, "type": {}}}"#, value["data"], value["type"]);
        prop_assert_eq!(ClientMessage::parse(turned), Ok(message));
    }

    #[test]
    fn another_field_anywhere_is_refused(message in client_message(), at in any::<prop::sample::Index>()) {
        let json = message.to_json();
        let objects: Vec<usize> = json.match_indices('{').map(|(at, _)| at + 1)
            .filter(|&at| is_outside_texts(&json, at)).collect();
        let at = objects[at.index(objects.len())];
        let (before, after) = json.split_at(at);
        let comma = if after.starts_with('}') { "" } else { "," };
        let text = format!("{before}\"surplus\":1{comma}{after}");
        prop_assert!(ClientMessage::parse(&text).is_err(), "{}", text);
    }

    #[test]
    fn a_message_cut_short_or_prolonged_is_refused(message in client_message(), cut in 1_usize..40) {
        let json = message.to_json();
        for tail in ["{}", ",", "x", "}"] {
            prop_assert!(ClientMessage::parse(json.clone() + tail).is_err());
        }
        let short = &json.as_bytes()[..json.len().saturating_sub(cut)];
        prop_assert!(ClientMessage::parse(short).is_err());
    }

    #[test]
    fn anything_is_read_or_refused_within_its_length(bytes in any::<Vec<u8>>()) {
        if let Err(error) = ClientMessage::parse(&bytes) {
            prop_assert!(error.at <= bytes.len(), "{}", error);
        }
    }

    #[test]
    fn names_and_chat_are_fixed_points(name in name(), text in chat_text()) {
        prop_assert_eq!(name.as_str().parse::<Name>(), Ok(name.clone()));
        prop_assert_eq!(text.as_str().parse::<ChatText>(), Ok(text.clone()));
    }

    #[test]
    fn any_text_is_a_name_or_not_and_stays_so(text in any::<String>()) {
        if let Ok(name) = text.parse::<Name>() {
            prop_assert_eq!(name.as_str().parse::<Name>(), Ok(name.clone()));
            prop_assert!((2..=20).contains(&name.as_str().chars().count()));
        }
        if let Ok(line) = text.parse::<ChatText>() {
            prop_assert_eq!(line.as_str().parse::<ChatText>(), Ok(line.clone()));
            prop_assert!((1..=200).contains(&line.as_str().chars().count()));
        }
    }

    #[test]
    fn settings_come_back_from_terms(terms in terms()) {
        let settings = Terms { is_rated: false, ..terms }.settings().unwrap();
        prop_assert_eq!(Terms::from(&settings).settings().unwrap(), settings);
    }

    #[test]
    fn plain_moves_are_moves_of_uci(mv in simple_move()) {
        prop_assert_eq!(SimpleMove::from_uci(mv.to_uci()), Some(mv));
    }
}

/// Whether a byte of JSON is outside its strings.
fn is_outside_texts(json: &str, at: usize) -> bool {
    let (mut is_string, mut is_escaped) = (false, false);
    for byte in json.bytes().take(at) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ => {}
        }
    }
    !is_string
}

#[test]
fn every_type_of_message_has_a_strategy() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut client = ClientMessage::KINDS.to_vec();
    let mut server = ServerMessage::KINDS.to_vec();
    for _ in 0..5_000 {
        let message = client_message().new_tree(&mut runner).unwrap().current();
        client.retain(|&kind| kind != message.kind());
        let message = server_message().new_tree(&mut runner).unwrap().current();
        server.retain(|&kind| kind != message.kind());
    }
    assert!(client.is_empty() && server.is_empty(), "{client:?} {server:?}");
}

#[test]
fn the_longest_game_fits_into_a_message() {
    // No game has more plies than the rules remember.
    let settings = Terms::new(castellan_game::TimeControl::Unlimited {}).settings().unwrap();
    let game = castellan_game::Game::new(settings, Moment::from_millis(0));
    let id = GameId::from_random([1; 16]);
    let mut snapshot = Snapshot::of(id, &game, None, Moment::from_millis(u64::MAX));
    snapshot.moves.0 = vec!["e7e8q".parse().unwrap(); castellan_rules::MAX_PLIES];
    let message = ServerMessage::Game(Box::new(snapshot));
    let json = message.to_json();
    assert!(json.len() <= MAX_SERVER_MESSAGE_BYTES, "{}", json.len());
    assert_eq!(ServerMessage::parse(json), Ok(message));
}
