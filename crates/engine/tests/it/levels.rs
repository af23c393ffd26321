//! Playing levels: their guarantees in games and positions.

use castellan_engine::{Engine, Handicap, Level, Limits};
use castellan_rules::{Color, Line, Move, Position, Role};
use castellan_testkit::random::SplitMix64;

use crate::support::{best, line, new_engine, search};

fn level(points: u16) -> Level {
    Level::new(points).expect("tests use levels that exist")
}

fn at_level(points: u16, seed: u64) -> Limits {
    let handicap = Some(Handicap { level: level(points), seed });
    Limits { handicap, ..Limits::default() }
}

/// A player of test games.
trait Player {
    fn choose(&mut self, line: &Line) -> Move;
}

struct AtLevel {
    engine: Engine,
    limits: Limits,
}

impl AtLevel {
    fn new(points: u16, seed: u64) -> AtLevel {
        AtLevel { engine: new_engine(), limits: at_level(points, seed) }
    }
}

impl Player for AtLevel {
    fn choose(&mut self, line: &Line) -> Move {
        let answer = search(&mut self.engine, line, &self.limits);
        answer.mv.expect("the game is not over")
    }
}

/// A player that counts the material after each of its moves and looks no further.
struct MaterialCounter(SplitMix64);

impl Player for MaterialCounter {
    fn choose(&mut self, line: &Line) -> Move {
        let position = line.position();
        let balance = |mv: Move| balance(&position.play_unchecked(mv), position.turn());
        let moves = position.legal_moves();
        let most = moves.iter().map(|&mv| balance(mv)).max().expect("the game is not over");
        let best: Vec<Move> = moves.iter().copied().filter(|&mv| balance(mv) == most).collect();
        best[self.0.below(best.len())]
    }
}

fn balance(position: &Position, color: Color) -> i32 {
    let worth = [1, 3, 3, 5, 9, 0];
    let count = |role: Role, color| (position.role(role) & position.color(color)).count() as i32;
    Role::ALL
        .map(|role| worth[role.index()] * (count(role, color) - count(role, !color)))
        .iter()
        .sum()
}

/// Plays a game and returns White's points in halves.
fn play(mut line: Line, players: &mut [&mut dyn Player; 2]) -> u32 {
    loop {
        if let Some(outcome) = line.outcome() {
            return match outcome.winner {
                Some(Color::White) => 2,
                None => 1,
                Some(Color::Black) => 0,
            };
        }
        let mv = players[line.turn().index()].choose(&line);
        line.play(mv).expect("players play legal moves");
    }
}

/// Returns the first player's points in halves, over pairs of games from random openings.
fn duel(pairs: u64, mut player: impl FnMut(u64, bool) -> Box<dyn Player>) -> u32 {
    let mut points = 0;
    for seed in 0..pairs {
        let mut opening = Line::default();
        let mut random = SplitMix64::new(seed);
        while opening.moves().len() < 6 {
            let moves = opening.position().legal_moves();
            opening.play(moves[random.below(moves.len())]).expect("it is legal");
        }
        let [mut first, mut second] = [player(seed, true), player(seed, false)];
        points += play(opening.clone(), &mut [&mut *first, &mut *second]);
        points += 2 - play(opening, &mut [&mut *second, &mut *first]);
    }
    points
}

#[test]
fn the_lowest_level_loses_to_a_material_counter() {
    let pairs = 15;
    let points = duel(pairs, |seed, is_level| {
        if is_level {
            Box::new(AtLevel::new(400, seed))
        } else {
            Box::new(MaterialCounter(SplitMix64::new(seed)))
        }
    });
    assert!(points < 2 * pairs as u32, "{points} of {} half points", 4 * pairs);
}

#[test]
fn a_higher_level_wins() {
    for (high, low) in [(800, 400), (1300, 900), (1800, 1400), (1600, 1000), (2200, 1600)] {
        let points = duel(6, |seed, is_high| {
            Box::new(AtLevel::new(if is_high { high } else { low }, 2 * seed + u64::from(is_high)))
        });
        assert!(points >= 16, "{high} against {low}: {points} of 24 half points");
    }
}

#[test]
fn the_same_seed_gives_the_same_move_and_another_seed_other_ones() {
    let start = Line::default();
    let mv = |points, seed| {
        let mut engine = new_engine();
        // Earlier searches must not matter.
        search(&mut engine, &line("8/8/8/8/8/4k3/8/R3K3 w - -", ""), &at_level(points, 3));
        best(&search(&mut engine, &start, &at_level(points, seed)))
    };
    for points in [400, 1000, 1700, 2300] {
        let moves: Vec<String> = (0..20).map(|seed| mv(points, seed)).collect();
        let again: Vec<String> = (0..20).map(|seed| mv(points, seed)).collect();
        assert_eq!(moves, again);
        assert!(moves.iter().any(|mv| *mv != moves[0]), "{points}: always {}", moves[0]);
    }
}

#[test]
fn a_level_looks_at_no_more_positions_than_it_may() {
    for points in [1000, 2000, 2800] {
        let answer = search(&mut new_engine(), &Line::default(), &at_level(points, 1));
        // The first iteration is always finished.
        assert!(answer.nodes <= level(points).nodes() + 100, "{points}: {}", answer.nodes);
    }
}

#[test]
fn low_levels_recapture() {
    // White captures the queen on d8, and the king recaptures.
    let fen = "rnbqkb1r/ppp2ppp/5n2/4p3/4P3/8/PPP2PPP/RNBQKBNR w KQkq - 0 5";
    for points in [400, 700, 1100] {
        for seed in 0..40 {
            let line = line(fen, "d1d8");
            let mv = best(&search(&mut new_engine(), &line, &at_level(points, seed)));
            assert_eq!(mv, "e8d8", "level {points}, seed {seed}");
        }
    }
}

#[test]
fn a_mate_in_one_is_seen_from_a_thousand_up_and_sometimes_not_below() {
    let mate = line("6k1/5ppp/8/8/8/1P4P1/P4P1P/3R2K1 w - - 0 1", "");
    let finds = |points: u16| {
        let finds = |&seed: &u64| {
            best(&search(&mut new_engine(), &mate, &at_level(points, seed))) == "d1d8"
        };
        (0..60).filter(finds).count()
    };
    assert_eq!(finds(1000), 60);
    assert_eq!(finds(1500), 60);
    assert!(finds(400) < 60);
}

#[test]
fn queen_and_rook_mate_a_bare_king_from_nine_hundred_up() {
    let starts =
        ["8/8/3k4/8/8/8/8/K6Q w - -", "8/8/4k3/8/8/8/8/KR6 w - -", "7k/8/8/8/3K4/8/8/5R2 w - -"];
    for (seed, fen) in starts.into_iter().enumerate() {
        for points in [900, 1400] {
            let mut winner = AtLevel::new(points, seed as u64);
            // The bare king resists as well as it can.
            let mut loser = AtLevel::new(2600, 1);
            let points_won = play(line(fen, ""), &mut [&mut winner, &mut loser]);
            assert_eq!(points_won, 2, "{fen} at level {points}");
        }
    }
}

#[test]
fn there_are_levels_from_400_to_2800() {
    assert_eq!(Level::new(399), None);
    assert_eq!(Level::new(400), Some(Level::LOWEST));
    assert_eq!(Level::new(2800), Some(Level::HIGHEST));
    assert_eq!(Level::new(2801), None);
}
