//! Meaningful inputs generated from random numbers alone.

use castellan_fuzz::Layout;
use castellan_protocol::simple::{SimpleClientMessage, SimpleServerMessage};
use castellan_protocol::{ClientMessage, ServerMessage};
use castellan_rules::{Position, san};
use castellan_testkit::random::SplitMix64;
use castellan_testkit::scatter::scattered_position;

use super::mutate::{self, DICTIONARY, MESSAGE_DICTIONARY, PGN_DICTIONARY};

/// Maximum number of bytes that choose moves.
const MAX_CHOICES: usize = 200;
/// Maximum number of words in a file of games.
const MAX_WORDS: usize = 80;
/// Maximum number of fields in a message.
const MAX_FIELDS: usize = 6;

/// Generates an input that a target of this layout can use.
pub(super) fn input(rng: &mut SplitMix64, layout: Layout) -> Vec<u8> {
    match layout {
        Layout::Fen => scattered_position(rng).to_fen().into_bytes(),
        Layout::Notation => notation(rng),
        Layout::Game => {
            let mut input = start(rng);
            input.push(b'\n');
            mutate::push_random(rng, MAX_CHOICES, &mut input);
            input
        }
        Layout::Pgn => pgn(rng).into_bytes(),
        Layout::Message => message(rng).into_bytes(),
    }
}

/// Generates a Chess960 number, or the FEN of a position with pieces dropped anywhere.
fn start(rng: &mut SplitMix64) -> Vec<u8> {
    if rng.chance(50) {
        rng.below(960).to_string().into_bytes()
    } else {
        scattered_position(rng).to_fen().into_bytes()
    }
}

/// Generates a legal UCI move or some fragments of notation, and a position.
fn notation(rng: &mut SplitMix64) -> Vec<u8> {
    let position = scattered_position(rng);
    let legal = position.legal_uci();
    let text = match rng.pick(&legal) {
        Some(text) if rng.chance(50) => text.clone(),
        _ => (0..=rng.below(4)).filter_map(|_| rng.pick(&DICTIONARY).copied()).collect(),
    };
    format!("{text}\n{}", position.to_fen()).into_bytes()
}

/// Generates legal moves with fragments of PGN mixed in. The moves continue across the fragments,
/// so that some variations contain legal moves too and some games break off.
fn pgn(rng: &mut SplitMix64) -> String {
    let mut text = String::new();
    let (mut before, mut position) = (Position::start(), Position::start());
    let strewn_percent = *rng.pick(&[5, 20, 50]).expect("there are three");
    for _ in 0..rng.below(MAX_WORDS) {
        if rng.chance(strewn_percent) {
            let word = rng.pick(&PGN_DICTIONARY).copied().unwrap_or_default();
            text.push_str(word);
            match word {
                "(" => position = before,
                "1-0" | "*" | "[Event \"E\"]\n" => position = Position::start(),
                _ => {}
            }
        } else if let Some(&mv) = rng.pick(position.legal_moves().as_ref()) {
            text.push_str(&san::write(&position, mv));
            before = position;
            position = position.play_unchecked(mv);
        }
        text.push(if rng.chance(90) { ' ' } else { '\n' });
    }
    text
}

/// Generates a message of an existing type, with fields that exist in some message.
fn message(rng: &mut SplitMix64) -> String {
    let directions = [
        ClientMessage::KINDS,
        ServerMessage::KINDS,
        SimpleClientMessage::KINDS,
        SimpleServerMessage::KINDS,
    ];
    let kinds = *rng.pick(&directions).expect("there are four");
    let kind = rng.pick(kinds).copied().unwrap_or_default();
    let fields: Vec<&str> = (0..rng.below(MAX_FIELDS))
        .filter_map(|_| rng.pick(&MESSAGE_DICTIONARY).copied())
        .filter(|word| word.contains("\":"))
        .collect();
    format!("{{\"type\":\"{kind}\",\"data\":{{{}}}}}", fields.join(","))
}
