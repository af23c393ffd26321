//! The world of a simulation: its time, its network, and everything in it.
//!
//! Time passes from one event to the next. A node runs whenever something reaches it or one of
//! its timers is due, and stands still otherwise. So a simulation of minutes takes milliseconds, and
//! the same seed always gives the same run.

mod bus;
mod database;
mod faults;
mod nodes;
mod sockets;

use core::hash::{Hash, Hasher};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::DefaultHasher;

use axum::extract::ws::Message;
use castellan_protocol::ServerMessage;

use super::dice::Dice;
use super::laws::{Laws, LinkRef, Players};
use super::node::Node;
use super::pipe::Pipe;
use super::player::{Player, Wake};
use super::scenario::{DatabaseFault, Fault, Scenario};
use super::store::{Answer, Request, RequestOutcome, Requests};
use super::tables::Tables;

/// How long after the end of the faults every game has to be over.
const SETTLE_MS: u64 = 150_000;
/// How long after the end of the faults players still look for games.
const LAST_SEEK_MS: u64 = 3_000;
/// In a cluster, an outage that is shorter is not noticed: heartbeats are missing for too short a
/// time. It ends when a node is ready, which takes up to a second after its start.
const SILENCE_MS: u64 = 3_200;
/// An orderly shutdown that takes longer is cut short.
const STOP_MS: u64 = 12_000;

/// An event of the simulation that is due at a moment.
enum ScheduledEvent {
    Apply(Request, RequestOutcome),
    Answer {
        run: usize,
        answer: Answer,
    },
    Bus {
        /// The run that sent the message, and when.
        from: (usize, u64),
        run: usize,
        bytes: Vec<u8>,
    },
    ToServer {
        link: usize,
        message: Message,
    },
    ToClient {
        link: usize,
        message: Box<ServerMessage>,
    },
    /// A client notices that its connection is gone.
    Lost {
        link: usize,
    },
    Player {
        player: usize,
        wake: Wake,
    },
    Fault(Fault),
    Start {
        slot: usize,
    },
    Resume {
        run: usize,
    },
    Stopped {
        run: usize,
    },
    BusBack {
        run: usize,
    },
    LastCall,
}

/// A place for a node, with the run that is there now.
struct Slot {
    node: Option<Node>,
    run: usize,
    ahead_ms: i64,
    /// Messages on the bus from and to this node are lost until then.
    cut_until_ms: u64,
    /// When the last write of this node is carried out; writes keep their order.
    written_ms: u64,
    is_due: bool,
}

/// A connection between a player and a run of a node.
struct Link {
    player: usize,
    end: LinkRef,
    pipe: Pipe,
    up_ms: u64,
    down_ms: u64,
    /// Nothing passes any more, and the server does not know.
    is_cut: bool,
    /// The server's end is gone.
    is_over: bool,
}

/// The result of a simulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    /// Laws that were broken.
    pub(super) broken: Vec<String>,
    /// Hash of everything that happened.
    pub(super) trace: u64,
    pub(super) games: usize,
    /// Number of turns whose charge was compared.
    pub(super) turns: u64,
}

/// Hashes what is written to it.
struct Hashed<'a>(&'a mut DefaultHasher);

impl core::fmt::Write for Hashed<'_> {
    fn write_str(&mut self, message: &str) -> core::fmt::Result {
        self.0.write(message.as_bytes());
        Ok(())
    }
}

/// A simulation.
pub(super) struct World {
    scenario: Scenario,
    dice: Dice,
    now_ms: u64,
    queue: BTreeMap<(u64, u64), ScheduledEvent>,
    last_event: u64,
    requests: Requests,
    tables: Tables,
    slots: Vec<Slot>,
    runs: usize,
    links: Vec<Link>,
    /// The links whose server's end is not gone.
    open: BTreeSet<usize>,
    players: Roster,
    database_faults: Vec<(Option<usize>, DatabaseFault, u64)>,
    laws: Laws,
    trace: DefaultHasher,
    is_verbose: bool,
}

/// The players, and since when each has been away.
struct Roster {
    players: Vec<Player>,
    links: Vec<Option<LinkRef>>,
    away_since_ms: Vec<Option<u64>>,
}

impl Players for Roster {
    fn find(&self, name: &str) -> Option<usize> {
        self.players.iter().position(|player| player.name == name)
    }

    fn link_of(&self, player: usize) -> Option<LinkRef> {
        self.links[player].filter(|_| self.players[player].is_online)
    }

    fn away_since_ms(&self, player: usize) -> Option<u64> {
        self.away_since_ms[player]
    }

    fn seeks_of(&self, player: usize) -> usize {
        self.players[player].seeks_sent
    }
}

impl World {
    pub(super) fn new(scenario: Scenario, is_verbose: bool) -> World {
        crate::random::simulated::seed_secrets(Some(scenario.seed));
        let dice = Dice::new(scenario.seed ^ 0x5eed);
        let slots = scenario.nodes.iter().map(|ahead_ms| Slot {
            node: None,
            run: 0,
            ahead_ms: *ahead_ms,
            cut_until_ms: 0,
            written_ms: 0,
            is_due: false,
        });
        let players: Vec<Player> = (0..)
            .zip(&scenario.players)
            .map(|(number, (style, wants))| Player::new(number, *style, *wants, dice.number()))
            .collect();
        let (links, away_since_ms) = (vec![None; players.len()], vec![Some(0); players.len()]);
        let mut world = World {
            slots: slots.collect(),
            players: Roster { players, links, away_since_ms },
            dice,
            now_ms: 0,
            queue: BTreeMap::new(),
            last_event: 0,
            requests: Requests::default(),
            tables: Tables::default(),
            runs: 0,
            links: Vec::new(),
            open: BTreeSet::new(),
            database_faults: Vec::new(),
            laws: Laws::default(),
            trace: DefaultHasher::new(),
            is_verbose,
            scenario,
        };
        world.prepare();
        world
    }

    fn prepare(&mut self) {
        self.laws.down.push((0, u64::MAX));
        if self.slots.len() > 1 {
            self.laws.shortest_outage_ms = SILENCE_MS;
        }
        for slot in 0..self.slots.len() {
            let after_ms = self.dice.below(300);
            self.after(after_ms, ScheduledEvent::Start { slot });
        }
        for player in 0..self.players.players.len() {
            let after_ms = self.dice.between(500, 6_000);
            self.after(after_ms, ScheduledEvent::Player { player, wake: Wake::Connect });
            self.after(after_ms, ScheduledEvent::Player { player, wake: Wake::Check });
        }
        for (at_ms, fault) in self.scenario.faults.clone() {
            self.after(at_ms, ScheduledEvent::Fault(fault));
        }
        self.after(self.scenario.calm_ms + LAST_SEEK_MS, ScheduledEvent::LastCall);
    }

    fn after(&mut self, after_ms: u64, event: ScheduledEvent) {
        self.last_event += 1;
        self.queue.insert((self.now_ms + after_ms, self.last_event), event);
    }

    /// Adds to the trace, and prints it if that was asked for.
    fn note(&mut self, message: core::fmt::Arguments<'_>) {
        self.now_ms.hash(&mut self.trace);
        // A hasher does not fail.
        let _ = core::fmt::write(&mut Hashed(&mut self.trace), message);
        if self.is_verbose {
            println!("{:>7} {message}", self.now_ms);
        }
    }

    /// Runs the simulation until every game is over.
    pub(super) fn run(mut self) -> Outcome {
        let limit_ms = self.scenario.calm_ms + SETTLE_MS;
        while let Some(next_ms) = self.next_ms() {
            if next_ms > limit_ms || self.is_over() || self.laws.broken.len() > 10 {
                break;
            }
            self.now_ms = next_ms.max(self.now_ms);
            self.requests.set_now(self.now_ms);
            self.step();
        }
        self.check_final();
        crate::random::simulated::seed_secrets(None);
        Outcome {
            broken: self.laws.broken,
            trace: self.trace.finish(),
            games: self.tables.order.len(),
            turns: self.laws.turns,
        }
    }

    fn next_ms(&self) -> Option<u64> {
        let timers = self.slots.iter().filter_map(|slot| {
            let node = slot.node.as_ref().filter(|node| node.paused_until_ms.is_none())?;
            node.next_wake_ms()
        });
        let queued = self.queue.first_key_value().map(|((at_ms, _), _)| *at_ms);
        timers.chain(queued).min()
    }

    fn is_over(&self) -> bool {
        self.now_ms > self.scenario.calm_ms + LAST_SEEK_MS
            && self.tables.unfinished().is_empty()
            && self.players.players.iter().all(|player| player.is_online && !player.is_playing())
    }

    /// Handles everything that happens now.
    fn step(&mut self) {
        for slot in &mut self.slots {
            let now_ms = self.now_ms;
            let node = slot.node.as_ref().filter(|node| node.paused_until_ms.is_none());
            let wake_ms = node.and_then(Node::next_wake_ms);
            slot.is_due |= wake_ms.is_some_and(|wake_ms| wake_ms <= now_ms);
        }
        while let Some(entry) = self.queue.first_entry() {
            if entry.key().0 > self.now_ms {
                break;
            }
            let event = entry.remove();
            self.handle(event);
        }
        for slot in 0..self.slots.len() {
            if core::mem::take(&mut self.slots[slot].is_due) {
                self.run_node(slot);
            }
        }
    }

    fn handle(&mut self, event: ScheduledEvent) {
        match event {
            ScheduledEvent::Apply(request, outcome) => self.apply(request, outcome),
            ScheduledEvent::Answer { run, answer } => {
                answer();
                let slot = self.slot_of(run);
                slot.into_iter().for_each(|slot| self.slots[slot].is_due = true);
            }
            ScheduledEvent::Bus { from, run, bytes } => self.bring(from, run, &bytes),
            ScheduledEvent::ToServer { link, message } => self.deliver(link, message),
            ScheduledEvent::ToClient { link, message } => {
                let player = self.links[link].player;
                if self.players.players[player].link == Some(link) {
                    let actions = self.players.players[player].receive(*message, self.now_ms);
                    self.do_all(player, actions);
                }
            }
            ScheduledEvent::Lost { link } => {
                let player = self.links[link].player;
                if self.players.players[player].link == Some(link) {
                    self.hang_up(player, false);
                }
            }
            ScheduledEvent::Player { player, wake: Wake::Connect } => self.connect(player),
            ScheduledEvent::Player { player, wake } => {
                let actions = self.players.players[player].wake(wake, self.now_ms);
                self.do_all(player, actions);
            }
            ScheduledEvent::Fault(fault) => self.fault(fault),
            ScheduledEvent::Start { slot } => self.start(slot),
            ScheduledEvent::Resume { run } => self.resume(run),
            ScheduledEvent::Stopped { run } => self.stopped(run),
            ScheduledEvent::BusBack { run } => self.bus_back(run),
            ScheduledEvent::LastCall => {
                self.players.players.iter_mut().for_each(|player| player.wants = 0);
            }
        }
    }

    fn slot_of(&self, run: usize) -> Option<usize> {
        self.slots.iter().position(|slot| slot.run == run && slot.node.is_some())
    }

    fn check_final(&mut self) {
        if !self.laws.broken.is_empty() {
            return;
        }
        for game in self.tables.unfinished() {
            let message = format!("{} ms: {game} is not over", self.now_ms);
            self.laws.broken.push(message);
        }
        for player in &self.players.players {
            if !player.is_online {
                self.laws.broken.push(format!("{} cannot connect", player.name));
            }
            for (id, view) in &player.views {
                let stored = self.tables.games.get(id).map_or(0, |row| row.events.len());
                if view.game.version() as usize != stored {
                    let message = format!(
                        "{} has seen {} of {stored} events of {id}",
                        player.name,
                        view.game.version()
                    );
                    self.laws.broken.push(message);
                }
            }
        }
    }
}
