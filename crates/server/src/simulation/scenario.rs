//! What happens in a simulation: how many nodes and players there are, and what goes wrong when.

use core::time::Duration;

use castellan_game::TimeControl;

use super::dice::Dice;
use super::player::PlayStyle;

/// What can go wrong in the database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DatabaseFault {
    /// Every request takes seconds.
    Slow,
    /// Every request fails.
    Away,
    /// Some writes are answered with an error that does not say whether they were carried out.
    Uncertain,
    /// No write is carried out.
    Full,
}

/// Something that goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// A node dies and starts again. Its clients notice at once, or only by its silence.
    Kill { slot: usize, down_ms: u64, is_silent: bool },
    /// All nodes die at the same time.
    KillAll { down_ms: u64 },
    /// An operator restarts a node.
    Restart { slot: usize, down_ms: u64 },
    /// A process does not run for a while.
    Pause { slot: usize, ms: u64 },
    /// A node loses its connection to the bus, and knows it or not.
    CutBus { slot: usize, ms: u64, is_noticed: bool },
    /// The database fails, for one node or for all.
    Store { slot: Option<usize>, kind: DatabaseFault, ms: u64 },
    /// A player loses the connection. The server notices at once, or only by its silence.
    Disconnect { player: usize, is_silent: bool },
}

/// What the bus does to messages, in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct BusQuality {
    pub(super) lost: u64,
    pub(super) twice: u64,
    pub(super) late: u64,
}

/// Everything about a simulation that is decided before it begins.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub(super) seed: u64,
    /// The clocks of the nodes: how far each is ahead.
    pub(super) nodes: Vec<i64>,
    pub(super) beat: Duration,
    pub(super) players: Vec<(PlayStyle, u32)>,
    pub(super) bus: BusQuality,
    pub(super) faults: Vec<(u64, Fault)>,
    /// When faults end.
    pub(super) calm_ms: u64,
}

/// Size of a simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub(super) players: usize,
    /// Most faults.
    pub(super) faults: u64,
}

impl Scenario {
    /// Returns the scenario of a seed.
    pub(super) fn new(seed: u64, size: Size) -> Scenario {
        let dice = Dice::new(seed);
        let count = dice.pick(&[1, 2, 2, 3, 3]);
        let has_wrong_clocks = dice.chance(250);
        let ahead = |_| match has_wrong_clocks {
            true => dice.pick(&[0, 0, 300, -300, 5_000, -5_000, 60_000]),
            false => 0,
        };
        let nodes: Vec<i64> = (0..count).map(ahead).collect();
        let bus = match dice.below(3) {
            0 => BusQuality::default(),
            1 => BusQuality { lost: 50, twice: 50, late: 50 },
            _ => BusQuality { lost: 300, twice: 200, late: 300 },
        };
        let time_control = time_control(&dice);
        let players = (0..size.players).map(|_| (style(&dice, time_control), 2)).collect();
        let calm_ms = dice.between(15_000, 30_000);
        let faults = (0..dice.below(size.faults + 1))
            .map(|_| (dice.between(1_000, calm_ms), fault(&dice, count, size.players)))
            .collect();
        let beat = Duration::from_millis(dice.pick(&[1_000, 5_000, 5_000]));
        Scenario { seed, nodes, beat, players, bus, faults, calm_ms }
    }
}

fn time_control(dice: &Dice) -> TimeControl {
    match dice.below(5) {
        0 => TimeControl::Increment { initial_ms: 10_000, increment_ms: 0 },
        1 => TimeControl::Increment { initial_ms: 30_000, increment_ms: 1_000 },
        2 => TimeControl::Delay { initial_ms: 20_000, delay_ms: 2_000 },
        3 => TimeControl::CountUp {},
        _ => TimeControl::Increment { initial_ms: 60_000, increment_ms: 0 },
    }
}

fn style(dice: &Dice, time_control: TimeControl) -> PlayStyle {
    let is_timed = time_control.initial_ms().is_some();
    PlayStyle {
        time_control,
        think_ms: dice.pick(&[(20, 400), (200, 1_500), (500, 4_000)]),
        resigns_at: u32::try_from(dice.between(3, 16)).expect("a small number"),
        sleeps_at: (is_timed && dice.chance(100)).then_some(4),
    }
}

fn fault(dice: &Dice, nodes: usize, players: usize) -> Fault {
    let slot = usize::try_from(dice.number() % nodes as u64).expect("a small number");
    let player = usize::try_from(dice.number() % players as u64).expect("a small number");
    match dice.below(12) {
        0 | 1 => {
            Fault::Kill { slot, down_ms: dice.between(300, 12_000), is_silent: dice.chance(300) }
        }
        2 => Fault::KillAll { down_ms: dice.between(500, 40_000) },
        3 => Fault::Restart { slot, down_ms: dice.between(300, 5_000) },
        4 | 5 => Fault::Pause { slot, ms: dice.between(300, 8_000) },
        6 => Fault::CutBus { slot, ms: dice.between(1_000, 12_000), is_noticed: dice.chance(500) },
        7..=9 => {
            let slot = dice.chance(500).then_some(slot);
            let kind = dice.pick(&[
                DatabaseFault::Slow,
                DatabaseFault::Away,
                DatabaseFault::Uncertain,
                DatabaseFault::Full,
            ]);
            Fault::Store { slot, kind, ms: dice.between(500, 10_000) }
        }
        _ => Fault::Disconnect { player, is_silent: dice.chance(400) },
    }
}
