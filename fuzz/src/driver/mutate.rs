//! Inputs made from stored ones by small random changes.

use std::ops::Range;

use castellan_fuzz::Layout;
use castellan_testkit::random::SplitMix64;

use super::fresh;

/// Fragments of FEN, SAN and UCI.
pub(super) const DICTIONARY: [&str; 44] = [
    "K", "Q", "R", "B", "N", "P", "k", "q", "r", "b", "n", "p", "1", "8", "/", " ", "\n", "-", "w",
    "b ", "KQkq", "HAha", "e3", "d6", "e4", "a1", "h8", "g1", "c8", "x", "=", "=Q", "=N", "+", "#",
    "O-O", "O-O-O", "0000", "e7e8q", "e1g1", "e1h1", " 0 1", " 99 120", "65535",
];

/// Fragments of PGN.
pub(super) const PGN_DICTIONARY: [&str; 64] = [
    "[Event \"E\"]\n",
    "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n",
    "[SetUp \"1\"]",
    "[Result \"1-0\"]\n",
    "[White \"a \\\" b \\\\\"]\n",
    "[",
    "]",
    "\"",
    "\\",
    "[A ",
    "\n[A \"",
    "\n\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "{",
    "}",
    "{ a }",
    "{[%clk 1:02:03]}",
    "{[%eval -0.5] x}",
    ";",
    "; a\n",
    "%",
    "\n% a\n",
    "(",
    ")",
    "(",
    ")",
    "<",
    ">",
    "$1",
    "$139",
    "$999",
    "$",
    "!",
    "??",
    "!?",
    "1.",
    "1...",
    "1",
    "...",
    "99999999999.",
    "1-0",
    "0-1",
    "1/2-1/2",
    "*",
    "O-O",
    "0-0-0",
    "o-o",
    "--",
    "Z0",
    "e4",
    "e2-e4",
    "e7e5",
    "Nf3",
    "e8(Q)",
    "e8=Q+",
    "\u{2658}f3",
    "\u{feff}",
    "\u{e9}",
    "e.p.",
    "+-",
    "N",
];

/// Fragments of messages.
pub(super) const MESSAGE_DICTIONARY: [&str; 56] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\",
    "\\u0079",
    "null",
    "true",
    "-1",
    "4294967296",
    "1e9",
    "\"type\":",
    "\"data\":{}",
    "\"data\":null",
    "\"version\":1",
    "\"name\":\"Ana\"",
    "\"username\":\"Bo Li\"",
    "\"opponent\":\"Bo\"",
    "\"game\":\"k3ZfQ81xWpLm\"",
    "\"ply\":0",
    "\"mv\":\"e2e4\"",
    "\"square\":\"e2\"",
    "\"from\":\"E2\"",
    "\"to\":\"e4\"",
    "\"promotion\":\"q\"",
    "\"accepted\":true",
    "\"winner\":null",
    "\"winner\":\"white\"",
    "\"color\":\"black\"",
    "\"what\":\"draw\"",
    "\"announced\":\"g1f3\"",
    "\"text\":\"gg\"",
    "\"is_muted\":false",
    "\"is_rated\":true",
    "\"id\":7",
    "\"at\":1793836800000",
    "\"time_control\":{\"type\":\"unlimited\"}",
    "\"time_control\":{\"type\":\"delay\",\"initial_ms\":60000,\"delay_ms\":0}",
    "\"terms\":{\"time_control\":{\"type\":\"count_up\"}}",
    "\"level\":1500",
    "\"level\":\"full\"",
    "\"invitation\":\"Vb2nM8sQxT0rYk5wLz7c1H\"",
    "\"session\":\"7Q0vXr2mZk4tB9cJ1sWnLd\"",
    "\"features\":[\"premove\"]",
    "\"games\":[]",
    "\"message\":\"no\"",
    "\"code\":\"busy\"",
    "\"of\":\"make move\"",
    "\"event\":{\"type\":\"taken_back\",\"ply\":2}",
    "\"about_s\":30",
    "\u{202e}",
    "\u{200d}",
    "\u{301}",
];

/// Maximum size of an input.
const MAX_BYTES: usize = 400;
const MAX_RANDOM_BYTES: usize = 300;
const MAX_CHANGES: usize = 6;

/// Returns the next input: mostly a changed one, sometimes a new one or random bytes.
pub(super) fn input(rng: &mut SplitMix64, layout: Layout, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut input = match rng.below(10) {
        0 => {
            let mut noise = Vec::new();
            push_random(rng, MAX_RANDOM_BYTES, &mut noise);
            return noise;
        }
        1..=4 => fresh::input(rng, layout),
        _ => rng.pick(corpus).cloned().unwrap_or_default(),
    };
    // A new input is worth trying unchanged, but a stored one has been tried before. Many changes
    // at once leave little that can be parsed.
    let least = usize::from(corpus.contains(&input));
    let more = if rng.chance(60) { 0 } else { rng.below(MAX_CHANGES) };
    for _ in 0..least + more {
        change(rng, layout, &mut input, corpus);
    }
    input.truncate(MAX_BYTES);
    input
}

/// Appends at most `limit` random bytes.
pub(super) fn push_random(rng: &mut SplitMix64, limit: usize, input: &mut Vec<u8>) {
    let count = rng.below(limit + 1);
    input.extend(std::iter::repeat_with(|| byte(rng)).take(count));
}

fn byte(rng: &mut SplitMix64) -> u8 {
    rng.next_u64().to_le_bytes()[0]
}

fn change(rng: &mut SplitMix64, layout: Layout, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    let at = rng.below(input.len() + 1);
    let range = range(rng, input.len());
    match rng.below(10) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
        1 => drop(input.splice(range, [byte(rng)])),
        2 => drop(input.splice(at..at, token(rng, layout))),
        3 => drop(input.splice(range, token(rng, layout))),
        4 => drop(input.drain(range)),
        5 => {
            let copy: Vec<u8> = input[range].to_vec();
            drop(input.splice(at..at, copy));
        }
        6 => input.get_mut(range).into_iter().for_each(<[u8]>::reverse),
        7 if !input.is_empty() => {
            let (one, other) = (rng.below(input.len()), rng.below(input.len()));
            input.swap(one, other);
        }
        8 => {
            input.truncate(at);
            push_random(rng, MAX_RANDOM_BYTES, input);
        }
        _ => splice_other(rng, input, at, corpus),
    }
}

fn token(rng: &mut SplitMix64, layout: Layout) -> impl Iterator<Item = u8> + use<> {
    let dictionary: &[&str] = match layout {
        Layout::Pgn => &PGN_DICTIONARY,
        Layout::Message => &MESSAGE_DICTIONARY,
        Layout::Fen | Layout::Notation | Layout::Game => &DICTIONARY,
    };
    rng.pick(dictionary).copied().unwrap_or_default().bytes()
}

/// Replaces the rest of the input by the rest of another stored one.
fn splice_other(rng: &mut SplitMix64, input: &mut Vec<u8>, at: usize, corpus: &[Vec<u8>]) {
    if let Some(other) = rng.pick(corpus) {
        let from = rng.below(other.len() + 1);
        input.truncate(at);
        input.extend_from_slice(&other[from..]);
    }
}

/// Returns a short range, possibly empty, within `length` bytes.
fn range(rng: &mut SplitMix64, length: usize) -> Range<usize> {
    let from = rng.below(length + 1);
    from..(from + rng.below(8)).min(length)
}

#[cfg(test)]
mod tests {
    use castellan_fuzz::TARGETS;
    use castellan_pgn::{Mode, parse_games};
    use castellan_protocol::simple::{SimpleClientMessage, SimpleServerMessage};
    use castellan_protocol::{ClientMessage, MessageFault, ParseMessageError, ServerMessage};
    use castellan_rules::Position;

    use super::*;
    use crate::driver::corpus;

    fn inputs(layout: Layout, corpus: &[Vec<u8>], count: usize) -> Vec<Vec<u8>> {
        let mut rng = SplitMix64::new(7);
        std::iter::repeat_with(|| input(&mut rng, layout, corpus)).take(count).collect()
    }

    #[test]
    fn a_seed_gives_the_same_inputs_and_none_is_too_long() {
        for target in TARGETS {
            let corpus = corpus::read(target.name).expect("every target has a corpus");
            let one = inputs(target.layout, &corpus, 2_000);
            assert_eq!(one, inputs(target.layout, &corpus, 2_000), "{}", target.name);
            assert!(one.iter().all(|input| input.len() <= MAX_BYTES), "{}", target.name);
        }
    }

    /// Inputs that are refused at the first byte satisfy every property and prove nothing.
    #[test]
    fn many_inputs_reach_a_position() {
        for target in TARGETS {
            let corpus = corpus::read(target.name).expect("every target has a corpus");
            let inputs = inputs(target.layout, &corpus, 2_000);
            let reaching = inputs.iter().filter(|input| reaches_position(target.layout, input));
            let share = reaching.count() * 100 / inputs.len();
            assert!(share >= 20, "{}: {share} in a hundred", target.name);
        }
    }

    /// Returns `true` if a parser at least recognizes the type of the message.
    fn reaches_data(input: &[u8]) -> bool {
        let faults = [
            ClientMessage::parse(input).err(),
            ServerMessage::parse(input).err(),
            SimpleClientMessage::parse(input).err(),
            SimpleServerMessage::parse(input).err(),
        ];
        let is_far = |error: ParseMessageError| matches!(error.fault, MessageFault::Payload { .. });
        faults.into_iter().any(|fault| fault.is_none_or(is_far))
    }

    fn reaches_position(layout: Layout, input: &[u8]) -> bool {
        let text = String::from_utf8_lossy(input);
        let mut lines = text.split('\n');
        let start = match layout {
            Layout::Fen => Some(text.as_ref()),
            Layout::Notation => lines.nth(1),
            Layout::Game => lines.next(),
            Layout::Pgn => {
                let games = parse_games(input, Mode::Lenient);
                return games.iter().any(|game| game.tree().move_count() > 0);
            }
            Layout::Message => return reaches_data(input),
        };
        start.is_some_and(|start| start.parse::<u16>().is_ok() || Position::from_fen(start).is_ok())
    }
}
