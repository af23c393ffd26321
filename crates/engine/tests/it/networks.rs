//! A network instead of the hand-written evaluation. The one used here counts material, so that
//! the engine plays sensibly with it.

use std::sync::Arc;

use castellan_engine::{Engine, Handicap, Level, Limits, Options, Score};
use castellan_nnue::Network;
use castellan_rules::Line;
use castellan_testkit::network::{NetworkShape, PlainNetwork};
use castellan_testkit::random::SplitMix64;

use crate::support::{best, line, new_engine, search};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn material() -> Arc<Network> {
    let shape = NetworkShape { hidden: 64, king_buckets: 2 };
    let file = PlainNetwork::material(shape).to_file();
    Arc::new(Network::parse(&file).expect("the testkit writes sound networks"))
}

fn engine_with_network() -> Engine {
    let mut engine = new_engine();
    engine.set_network(Some(material()));
    engine
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

#[test]
fn material_is_won_and_mates_are_found() {
    let fork = "2q2rk1/5ppp/8/3N4/8/8/5PPP/3R2K1 w - - 0 1";
    let answer = search(&mut engine_with_network(), &line(fork, ""), &nodes(20_000));
    assert_eq!(best(&answer), "d5e7");
    let mate = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    let answer = search(&mut engine_with_network(), &line(mate, ""), &nodes(5000));
    assert_eq!(answer.score, Score::Mate(1));
}

#[test]
fn a_player_of_random_moves_is_mated() {
    let mut engine = engine_with_network();
    let mut random = SplitMix64::new(17);
    let mut game = line(START, "");
    for _ in 0..80 {
        let answer = search(&mut engine, &game, &nodes(2000));
        game.play(answer.mv.expect("the game goes on")).expect("engines play legal moves");
        let replies = game.position().legal_moves();
        let Some(&reply) = random.pick(&replies) else { break };
        game.play(reply).expect("the move is legal");
    }
    assert!(game.position().is_checkmate(), "{}", game.position().to_fen());
}

#[test]
fn removing_the_network_restores_the_usual_search() {
    let limits = Limits { depth: Some(8), ..Limits::default() };
    let start = line(START, "");
    let usual = search(&mut new_engine(), &start, &limits);
    let mut engine = engine_with_network();
    assert!(engine.network().is_some());
    let other = search(&mut engine, &start, &limits);
    assert_ne!(other.nodes, usual.nodes);
    engine.set_network(None);
    assert_eq!(search(&mut engine, &start, &limits), usual);
}

#[test]
fn levels_play_the_same_with_and_without_a_network() {
    let level = Level::new(1200).expect("it is a level");
    let handicap = Some(Handicap { level, seed: 5 });
    let limits = Limits { handicap, ..Limits::default() };
    let start: Line = line(START, "e2e4");
    let usual = search(&mut new_engine(), &start, &limits);
    assert_eq!(search(&mut engine_with_network(), &start, &limits), usual);
}

#[test]
fn threads_share_a_network() {
    let mut engine = Engine::new(Options { hash_mb: 4, threads: 3 });
    engine.set_network(Some(material()));
    let fork = "2q2rk1/5ppp/8/3N4/8/8/5PPP/3R2K1 w - - 0 1";
    let limits = Limits { depth: Some(8), ..Limits::default() };
    assert_eq!(best(&search(&mut engine, &line(fork, ""), &limits)), "d5e7");
}
