use castellan_engine::Options;
use castellan_rules::{Position, San, san};

use super::*;

const EFFORT: Effort = Effort { scan_nodes: 2_000, check_nodes: 8_000 };

fn engine() -> Engine {
    Engine::new(Options { hash_mb: 1, threads: 1 })
}

fn game(moves: &str) -> Line {
    let mut line = Line::default();
    for text in moves.split(' ') {
        let mv = San::parse(text).unwrap().resolve(line.position()).unwrap();
        line.play(mv).unwrap();
    }
    line
}

fn find(engine: &mut Engine, game: &Line) -> Vec<Puzzle> {
    find_puzzles(engine, game, EFFORT, &Signals::default(), &mut |_| {}).unwrap()
}

/// Returns the ply, the solution in SAN and the names of the themes.
fn describe(puzzle: &Puzzle) -> String {
    let mut position = puzzle.start();
    let mut parts = vec![puzzle.ply.to_string()];
    for &mv in &puzzle.moves {
        parts.push(san::write(&position, mv));
        position = position.play(mv).expect("the moves of a solution are legal");
    }
    parts.extend(puzzle.themes.iter().map(|theme| theme.name().to_owned()));
    parts.join(" ")
}

const LEGAL_MATE: &str = "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5 Bxd1 Bxf7+ Ke7 Nd5#";
const SCHOLAR: &str = "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#";
const QUIET: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O";
/// White leaves the queen to a fork.
const FORK: &str = "d4 d5 Nc3 Nf6 Bf4 Nc6 Nb5 e5 Bxe5 a6 Nxc7+ Kd7 Nxa8";

#[test]
fn mistakes_become_puzzles() {
    let mut engine = engine();
    let found: Vec<_> = find(&mut engine, &game(LEGAL_MATE)).iter().map(describe).collect();
    assert!(found.contains(&"10 Bxf7+ Ke7 Nd5# mate_in_2".to_owned()), "{found:?}");
    let found: Vec<_> = find(&mut engine, &game(SCHOLAR)).iter().map(describe).collect();
    assert!(found.contains(&"6 Qxf7# mate_in_1".to_owned()), "{found:?}");
    assert_eq!(find(&mut engine, &game(QUIET)), []);
}

#[test]
fn the_result_depends_on_the_game_alone() {
    let mut used = engine();
    for moves in [SCHOLAR, LEGAL_MATE, FORK, QUIET] {
        let game = game(moves);
        assert_eq!(find(&mut used, &game), find(&mut engine(), &game), "{moves}");
    }
}

#[test]
fn puzzles_follow_the_game_and_end_with_the_solver() {
    let mut engine = engine();
    for moves in [SCHOLAR, LEGAL_MATE, FORK] {
        let game = game(moves);
        let puzzles = find(&mut engine, &game);
        assert!(!puzzles.is_empty(), "{moves}");
        assert!(puzzles.is_sorted_by_key(|puzzle| puzzle.ply));
        for puzzle in puzzles {
            assert_eq!(puzzle.start(), game.positions()[puzzle.ply]);
            assert_eq!(puzzle.moves.len() % 2, 1, "{}", describe(&puzzle));
            assert!(puzzle.start().count_legal_moves() > 1);
            assert!((500..=2600).contains(&puzzle.rating));
        }
    }
}

#[test]
fn progress_counts_the_plies_and_a_signal_stops() {
    let (mut engine, game, signals) = (engine(), game(SCHOLAR), Signals::default());
    let mut seen = Vec::new();
    find_puzzles(&mut engine, &game, EFFORT, &signals, &mut |plies| seen.push(plies)).unwrap();
    assert_eq!(seen, (1..=7).collect::<Vec<_>>());
    let mut stop = |plies| signals.stop.store(plies >= 3, Ordering::Relaxed);
    let stopped = find_puzzles(&mut engine, &game, EFFORT, &signals, &mut stop);
    assert_eq!(stopped, Err(Stopped));
}

#[track_caller]
fn check_obvious(fen: &str, moves: &str, expected: bool) {
    let before = Position::from_fen(fen).unwrap();
    let mut played = Vec::new();
    let mut position = before;
    for text in moves.split(' ') {
        let mv = San::parse(text).unwrap().resolve(&position).unwrap();
        position = position.play(mv).unwrap();
        played.push(mv);
    }
    let mistake = played.remove(0);
    let start = before.play(mistake).unwrap();
    let solution = Solution { before, mistake, start, moves: played };
    assert_eq!(is_obvious(&solution, &themes(&solution)), expected, "{moves}");
}

#[test]
fn obvious_moves_are_no_puzzles() {
    let exchange = "3qk3/2p5/8/3p4/4P3/8/8/3QK3 w - - 0 1";
    check_obvious(exchange, "exd5 Qxd5", true);
    check_obvious(exchange, "exd5 Qxd5 Qxd5 c6", false);
    // An offered exchange is taken; a piece that can be had for nothing is at least a warning.
    check_obvious("3rk3/2p5/8/8/8/8/8/3RK3 b - - 0 1", "Rd4 Rxd4", false);
    check_obvious("3rk3/8/8/2p5/8/8/8/3RK3 b - - 0 1", "Rd4 Rxd4", true);
    // A move of the king asks for more if no check forces it.
    check_obvious("4k3/8/8/8/8/8/3r4/4K2B b - - 0 1", "Rh2 Kf1", false);
    check_obvious("4k3/3r4/8/8/8/8/8/2K4B b - - 0 1", "Rc7+ Kb2", true);
}
