//! A deterministic simulation of a cluster: several nodes, a database, a bus and many players in one
//! thread, with time that passes only when the simulation says so.
//!
//! Each node runs the production server from the sockets inward. The simulation replaces everything
//! outside of it: the store, the bus, the clocks and the sockets. A seed decides what the players
//! do and what goes wrong, and the same seed always gives the same run. The laws in `laws` hold in
//! every run; docs/ARCHITECTURE.md describes them.
//!
//! A failing seed is printed with the command that repeats it.

mod dice;
mod laws;
mod node;
mod orphans;
mod pipe;
mod player;
mod scenario;
mod store;
mod tables;
mod world;

use core::num::NonZero;
use core::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use scenario::{Scenario, Size};
use world::{Outcome, World};

/// Size of the simulations in the test suite.
const SMALL: Size = Size { players: 6, faults: 6 };
/// Number of seeds in the test suite.
const SEEDS: u64 = 200;

fn simulate(seed: u64, size: Size, is_verbose: bool) -> Outcome {
    World::new(Scenario::new(seed, size), is_verbose).run()
}

/// Runs seeds on all processors and panics with the ones that broke a law.
fn check(seeds: Range<u64>, size: Size) {
    let next = AtomicU64::new(seeds.start);
    let totals = Mutex::new(Totals::default());
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let outcome = simulate(seed, size, false);
                    totals.lock().expect("no panic").add(seed, &outcome);
                }
            });
        }
    });
    let Totals { mut failed, games, turns } = totals.into_inner().expect("no panic");
    failed.sort_unstable();
    eprintln!("seeds {seeds:?}: {games} games, {turns} turns compared");
    let Some(first) = failed.first() else { return };
    panic!(
        "these seeds break a law: {failed:?}; to repeat one and read what happens: \
         CASTELLAN_SIMULATION_SEED={first} CASTELLAN_SIMULATION_PLAYERS={} \
         cargo nextest run -p castellan-server --no-capture one_seed",
        size.players,
    );
}

#[derive(Default)]
struct Totals {
    failed: Vec<u64>,
    games: usize,
    turns: u64,
}

impl Totals {
    fn add(&mut self, seed: u64, outcome: &Outcome) {
        self.games += outcome.games;
        self.turns += outcome.turns;
        if !outcome.broken.is_empty() {
            eprintln!("seed {seed}: {}", outcome.broken.join("\n    "));
            self.failed.push(seed);
        }
    }
}

/// Returns the size of a simulation, which the environment can change.
fn size() -> Size {
    let players = number("CASTELLAN_SIMULATION_PLAYERS").and_then(|it| usize::try_from(it).ok());
    Size { players: players.unwrap_or(SMALL.players), ..SMALL }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn the_laws_hold_whatever_goes_wrong() {
    let first = number("CASTELLAN_SIMULATION_FIRST").unwrap_or(0);
    let count = number("CASTELLAN_SIMULATION_SEEDS").unwrap_or(SEEDS);
    check(first..first + count, size());
}

/// Seeds outside of the suite that found a defect when they were first run. Within the suite, these
/// found one: 6 (a game begun although the players were told otherwise), 38 (a move that was lost with
/// the message about it), 41 (a credit stored before its player was told of the game), 66 (a move
/// charged until a credit was stored), 95 (a game aborted before its player was told of it), 100 (a
/// late announcement charged to the second player), 110 (clocks of nodes that differ), 136 (an
/// outage forgotten by a failed start).
#[test]
fn a_seek_of_a_node_that_died_does_not_seat_a_player_unseen() {
    check(1115..1116, SMALL);
}

#[test]
fn the_end_of_a_game_is_noticed_although_every_message_is_lost() {
    check(2356..2357, SMALL);
}

#[test]
fn a_game_that_a_dead_server_still_stored_is_taken_up() {
    check(342..343, SMALL);
}

#[test]
fn a_credit_that_cannot_be_stored_goes_with_its_player() {
    for seed in [764, 1023, 1787, 2545, 3919, 4781, 4943, 9985] {
        check(seed..seed + 1, SMALL);
    }
}

#[test]
fn a_player_whose_connection_was_lost_hears_of_the_game_that_it_sought() {
    for seed in [2644, 2808, 3158] {
        check(seed..seed + 1, SMALL);
    }
}

#[test]
fn a_node_without_the_player_credits_nothing() {
    check(1538..1539, SMALL);
}

#[test]
fn a_stall_before_the_room_opens_is_not_charged() {
    for seed in [1683, 1835, 2365] {
        check(seed..seed + 1, SMALL);
    }
}

#[test]
fn an_orderly_restart_with_a_slow_database_is_not_charged() {
    check(1804..1805, SMALL);
}

#[test]
fn a_timer_that_another_node_overtook_is_not_run_again() {
    check(9993..9994, SMALL);
}

#[test]
fn a_late_report_does_not_make_a_player_absent() {
    for seed in [2829, 6192] {
        check(seed..seed + 1, SMALL);
    }
}

#[test]
fn the_first_of_two_outages_is_credited_as_well() {
    check(2290..2291, SMALL);
}

#[test]
fn a_player_whose_node_is_behind_does_not_lose_on_time() {
    check(7848..7849, SMALL);
}

#[test]
fn a_turn_that_the_former_node_did_not_know_of_is_not_charged() {
    check(8819..8820, SMALL);
}

#[test]
fn after_an_outage_of_the_store_the_players_node_decides_first() {
    check(2692..2693, SMALL);
}

/// The node stalls while it stores a move, so that no other node can know when the move was stored.
#[test]
fn a_node_that_stalls_is_dead_to_the_others() {
    check(4367..4368, SMALL);
}

#[test]
fn a_player_whose_game_is_running_is_not_paired() {
    for seed in [4740, 8935] {
        check(seed..seed + 1, SMALL);
    }
}

#[test]
fn a_connection_that_is_lost_tells_its_player_nothing() {
    for seed in [238, 460, 611, 1416, 4467, 7810, 8766] {
        check(seed..seed + 1, SMALL);
    }
}

#[test]
fn the_way_from_a_dead_node_is_not_charged() {
    for seed in [308, 376, 387, 491, 1338, 1569, 2942, 8051] {
        check(seed..seed + 1, SMALL);
    }
}

#[test]
fn a_player_who_was_here_before_comes_from_a_dead_node() {
    for seed in [1885, 3291] {
        check(seed..seed + 1, SMALL);
    }
}

#[test]
fn a_player_on_the_way_from_a_dead_node_does_not_lose_on_time() {
    for seed in [231, 340, 7908] {
        check(seed..seed + 1, SMALL);
    }
}

/// Repeats one seed and prints everything that happens, if the environment names it.
#[test]
fn one_seed() {
    let seed = number("CASTELLAN_SIMULATION_SEED");
    let outcome = simulate(seed.unwrap_or(1), size(), seed.is_some());
    assert_eq!(outcome.broken, Vec::<String>::new());
}

#[test]
fn a_seed_repeats_exactly() {
    for seed in [3, 4, 5] {
        let once = simulate(seed, SMALL, false);
        assert_eq!(once, simulate(seed, SMALL, false), "seed {seed}");
        assert_ne!(once.trace, simulate(seed + 1_000_000, SMALL, false).trace);
    }
}
