//! The openings of a match.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use castellan_pgn::{Flow, Mode, for_each_game};
use castellan_rules::{Line, Position};

/// Maximum size of an openings file, in bytes.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// Number of Chess960 starting positions.
const CHESS960_STARTS: u16 = 960;

/// Reads openings from a file: the positions of an EPD or FEN file, or the main lines of a PGN
/// file, cut to `plies` if given.
pub(super) fn read(path: &Path, plies: Option<usize>) -> anyhow::Result<Vec<Line>> {
    let name = path.display();
    let size = fs::metadata(path).with_context(|| format!("cannot read {name}"))?.len();
    ensure!(size <= MAX_FILE_BYTES, "{name} is larger than {MAX_FILE_BYTES} bytes");
    let bytes = fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let is_pgn = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pgn"))
        || bytes.trim_ascii_start().starts_with(b"[");
    let openings =
        if is_pgn { from_pgn(&bytes, plies) } else { from_epd(&String::from_utf8_lossy(&bytes)) };
    let openings = openings.with_context(|| format!("in {name}"))?;
    ensure!(!openings.is_empty(), "{name} contains no openings");
    Ok(openings)
}

/// Returns the openings without a file: the standard starting position, or all of Chess960.
pub(super) fn without_file(is_chess960: bool) -> Vec<Line> {
    if is_chess960 {
        (0..CHESS960_STARTS).filter_map(Position::chess960).map(Line::new).collect()
    } else {
        vec![Line::default()]
    }
}

/// Shuffles the openings in an order determined by the seed.
pub(super) fn shuffle(openings: &mut [Line], seed: u64) {
    let mut state = seed;
    for last in (1..openings.len()).rev() {
        let random = next_random(&mut state);
        // The high half of the product is a number from 0 to `last`, with a bias of at most one
        // part in 2^64.
        let product = u128::from(random) * (last as u128 + 1);
        openings.swap(last, (product >> 64) as usize);
    }
}

/// The SplitMix64 generator, which is in the public domain and works well with any seed.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn from_epd(text: &str) -> anyhow::Result<Vec<Line>> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let position = epd_position(line).with_context(|| format!("line {}", index + 1))?;
        openings.push(Line::new(position));
    }
    Ok(openings)
}

/// Parses the position of a line: a FEN, or four fields followed by EPD operations.
fn epd_position(line: &str) -> anyhow::Result<Position> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let has_clocks = words.len() >= 6 && words[4..6].iter().all(is_number);
    let fields = words.len().min(if has_clocks { 6 } else { 4 });
    let position = Position::from_fen(&words[..fields].join(" "))?;
    ensure!(position.has_legal_move(), "the game is over in this position");
    Ok(position)
}

fn from_pgn(bytes: &[u8], plies: Option<usize>) -> anyhow::Result<Vec<Line>> {
    let mut openings = Vec::new();
    let mut failure = None;
    for_each_game(bytes, Mode::Lenient, |game| {
        let number = openings.len() + 1;
        let mut line = game.to_line();
        while plies.is_some_and(|plies| line.moves().len() > plies) {
            line.undo();
        }
        let problem = game.problems.first();
        let problem = problem.map(|problem| format!("{}: {}", problem.token, problem.kind));
        let is_over = (!line.position().has_legal_move()).then(|| "the game is over".to_owned());
        failure = problem.or(is_over).map(|what| format!("game {number}: {what}"));
        openings.push(line);
        if failure.is_some() { Flow::Stop } else { Flow::Continue }
    });
    failure.map_or(Ok(openings), |failure| bail!(failure))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_come_with_clocks_or_operations_or_neither() {
        let text = "# a comment\n\n\
            4k3/8/8/8/8/8/8/4K2R w K - 3 9\n\
            4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"one\";\n\
            4k3/8/8/8/8/8/8/4K2R b K -\r\n";
        let openings = from_epd(text).expect("they are positions");
        let fens: Vec<String> = openings.iter().map(|line| line.start().to_fen()).collect();
        assert_eq!(
            fens,
            [
                "4k3/8/8/8/8/8/8/4K2R w K - 3 9",
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
                "4k3/8/8/8/8/8/8/4K2R b K - 0 1"
            ]
        );
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = from_epd("4k3/8/8/8/8/8/8/4K2R w K -\n8/8 w\n").expect_err("it is none");
        assert!(format!("{error:#}").starts_with("line 2: "), "{error:#}");
        let error = from_epd("7k/5Q2/6K1/8/8/8/8/8 b - -").expect_err("it is over");
        assert_eq!(format!("{error:#}"), "line 1: the game is over in this position");
    }

    #[test]
    fn games_are_played_as_far_as_they_should() {
        let pgn = b"[Event \"a\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"b\"]\n\n1. d4 *\n";
        let lengths = |plies| -> Vec<usize> {
            let openings = from_pgn(pgn, plies).expect("they are games");
            openings.iter().map(|line| line.moves().len()).collect()
        };
        assert_eq!(lengths(None), [3, 1]);
        assert_eq!(lengths(Some(2)), [2, 1]);
        let error = from_pgn(b"1. e4 e5 2. Ke3 *", None).expect_err("it is not legal");
        assert!(error.to_string().starts_with("game 1: "), "{error}");
        assert!(from_pgn(b"1. f3 e5 2. g4 Qh4# 0-1", None).is_err());
    }

    #[test]
    fn the_seed_decides_the_order() {
        let order = |seed| {
            let mut openings = without_file(true);
            shuffle(&mut openings, seed);
            openings.iter().map(|line| line.start().to_fen()).collect::<Vec<_>>()
        };
        let one = order(1);
        assert_eq!(one, order(1));
        assert_ne!(one, order(2));
        let mut sorted = one.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), 960, "none is lost and none comes twice");
    }
}
