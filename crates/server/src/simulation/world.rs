//! The world of a simulation: its time, its network, and everything in it.
//!
//! Time passes from one happening to the next. A node runs whenever something reaches it or one of
//! its timers is due, and stands still otherwise. So a simulation of minutes takes milliseconds, and
//! the same seed always gives the same run.

use core::hash::{Hash, Hasher};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::DefaultHasher;

use axum::extract::ws::Message;
use castellan_protocol::{ClientMessage, ServerMessage};
use castellan_store::StoreError;

use super::dice::Dice;
use super::laws::{Laws, LinkRef, Players};
use super::node::{Node, NodeSetup};
use super::pipe::Pipe;
use super::player::{Deed, Player, Wake};
use super::scenario::{Fault, Scenario, StoreTrouble};
use super::store::{Answer, Fate, Request, Requests, uncertain};
use super::tables::Tables;

/// How long after the end of the faults every game has to be over.
const PATIENCE_MS: u64 = 150_000;
/// How long after the end of the faults players still look for games.
const LAST_SEEK_MS: u64 = 3_000;
/// In a cluster, an outage that is shorter is not noticed.
const SILENCE_MS: u64 = 2_000;
/// An orderly shutdown that takes longer is cut short.
const STOP_MS: u64 = 12_000;

/// Something that happens at a moment.
enum Happening {
    Apply(Request, Fate),
    Answer {
        run: usize,
        answer: Answer,
    },
    Bus {
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
    fn write_str(&mut self, words: &str) -> core::fmt::Result {
        self.0.write(words.as_bytes());
        Ok(())
    }
}

/// A simulation.
pub(super) struct World {
    scenario: Scenario,
    dice: Dice,
    now_ms: u64,
    queue: BTreeMap<(u64, u64), Happening>,
    last_happening: u64,
    requests: Requests,
    tables: Tables,
    slots: Vec<Slot>,
    runs: usize,
    links: Vec<Link>,
    /// The links whose server's end is not gone.
    open: BTreeSet<usize>,
    players: Roster,
    trouble: Vec<(Option<usize>, StoreTrouble, u64)>,
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

    fn lost_seeks_of(&self, player: usize) -> usize {
        self.players[player].seeks_lost
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
            .map(|(number, (temper, wants))| Player::new(number, *temper, *wants, dice.number()))
            .collect();
        let (links, away_since_ms) = (vec![None; players.len()], vec![Some(0); players.len()]);
        let mut world = World {
            slots: slots.collect(),
            players: Roster { players, links, away_since_ms },
            dice,
            now_ms: 0,
            queue: BTreeMap::new(),
            last_happening: 0,
            requests: Requests::default(),
            tables: Tables::default(),
            runs: 0,
            links: Vec::new(),
            open: BTreeSet::new(),
            trouble: Vec::new(),
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
            self.after(after_ms, Happening::Start { slot });
        }
        for player in 0..self.players.players.len() {
            let after_ms = self.dice.between(500, 6_000);
            self.after(after_ms, Happening::Player { player, wake: Wake::Connect });
            self.after(after_ms, Happening::Player { player, wake: Wake::Check });
        }
        for (at_ms, fault) in self.scenario.faults.clone() {
            self.after(at_ms, Happening::Fault(fault));
        }
        self.after(self.scenario.calm_ms + LAST_SEEK_MS, Happening::LastCall);
    }

    fn after(&mut self, after_ms: u64, happening: Happening) {
        self.last_happening += 1;
        self.queue.insert((self.now_ms + after_ms, self.last_happening), happening);
    }

    /// Adds to the trace, and prints it if somebody wants to read it.
    fn note(&mut self, words: core::fmt::Arguments<'_>) {
        self.now_ms.hash(&mut self.trace);
        // A hasher does not fail.
        let _ = core::fmt::write(&mut Hashed(&mut self.trace), words);
        if self.is_verbose {
            println!("{:>7} {words}", self.now_ms);
        }
    }

    /// Runs the simulation until every game is over.
    pub(super) fn run(mut self) -> Outcome {
        let limit_ms = self.scenario.calm_ms + PATIENCE_MS;
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
            let happening = entry.remove();
            self.handle(happening);
        }
        for slot in 0..self.slots.len() {
            if core::mem::take(&mut self.slots[slot].is_due) {
                self.run_node(slot);
            }
        }
    }

    fn handle(&mut self, happening: Happening) {
        match happening {
            Happening::Apply(request, fate) => self.apply(request, fate),
            Happening::Answer { run, answer } => {
                answer();
                let slot = self.slot_of(run);
                slot.into_iter().for_each(|slot| self.slots[slot].is_due = true);
            }
            Happening::Bus { run, bytes } => self.bring(run, &bytes),
            Happening::ToServer { link, message } => self.to_server(link, message),
            Happening::ToClient { link, message } => {
                let player = self.links[link].player;
                if self.players.players[player].link == Some(link) {
                    let deeds = self.players.players[player].hear(*message, self.now_ms);
                    self.do_all(player, deeds);
                }
            }
            Happening::Lost { link } => {
                let player = self.links[link].player;
                if self.players.players[player].link == Some(link) {
                    self.hang_up(player, false);
                }
            }
            Happening::Player { player, wake: Wake::Connect } => self.connect(player),
            Happening::Player { player, wake } => {
                let deeds = self.players.players[player].wake(wake, self.now_ms);
                self.do_all(player, deeds);
            }
            Happening::Fault(fault) => self.fault(fault),
            Happening::Start { slot } => self.start(slot),
            Happening::Resume { run } => self.resume(run),
            Happening::Stopped { run } => self.stopped(run),
            Happening::BusBack { run } => self.bus_back(run),
            Happening::LastCall => {
                self.players.players.iter_mut().for_each(|player| player.wants = 0);
            }
        }
    }

    fn slot_of(&self, run: usize) -> Option<usize> {
        self.slots.iter().position(|slot| slot.run == run && slot.node.is_some())
    }

    // Nodes.

    fn start(&mut self, slot: usize) {
        if self.slots[slot].node.is_some() {
            return;
        }
        self.runs += 1;
        let (run, ahead_ms) = (self.runs, self.slots[slot].ahead_ms);
        let beat = (self.scenario.nodes.len() > 1).then_some(self.scenario.beat);
        let setup = NodeSetup { beat, ahead_ms, seed: self.dice.number() };
        let node = Node::start(setup, &self.requests, run, self.now_ms);
        let at = &mut self.slots[slot];
        (at.node, at.run, at.written_ms, at.is_due) = (Some(node), run, self.now_ms, true);
        self.note(format_args!("node {slot} starts as run {run}"));
    }

    /// Ends a run as `kill -9` does. `is_silent` if its machine has lost power, so that its clients
    /// do not notice.
    fn kill(&mut self, slot: usize, is_silent: bool) {
        if self.slots[slot].node.take().is_none() {
            return;
        }
        let run = self.slots[slot].run;
        self.note(format_args!("run {run} is gone"));
        self.laws.deaths.insert(run, self.now_ms);
        for link in self.open.clone() {
            if self.links[link].end.run == run {
                self.close_link(link);
                if !is_silent {
                    let after_ms = self.dice.between(5, 100);
                    self.after(after_ms, Happening::Lost { link });
                }
            }
        }
        self.note_down();
    }

    /// Records whether any node accepts connections.
    fn note_down(&mut self) {
        let is_up = self.slots.iter().any(|slot| slot.node.as_ref().is_some_and(Node::is_ready));
        let is_down = self.laws.down.last().is_some_and(|(_, to)| *to == u64::MAX);
        match (is_up, is_down) {
            (true, true) => {
                let now_ms = self.now_ms;
                self.laws.down.last_mut().into_iter().for_each(|period| period.1 = now_ms);
            }
            (false, false) => self.laws.down.push((self.now_ms, u64::MAX)),
            _ => {}
        }
    }

    /// Runs a node until it waits, and takes what it has sent.
    fn run_node(&mut self, slot: usize) {
        let now_ms = self.now_ms;
        let Some(node) = &mut self.slots[slot].node else { return };
        if node.paused_until_ms.is_some() {
            return;
        }
        let was_ready = node.is_ready();
        node.sync(now_ms);
        node.run();
        let (is_ready, failure) = (node.is_ready(), node.failure());
        let has_stopped = node.is_stopping && node.has_stopped();
        self.carry_bus(slot);
        self.carry_links(slot);
        self.take_requests();
        if let Some(error) = failure {
            self.note(format_args!("node {slot} did not start: {error}"));
            self.kill(slot, false);
            self.after(1_000, Happening::Start { slot });
        }
        if has_stopped {
            self.kill(slot, false);
        }
        if is_ready != was_ready {
            self.note_down();
        }
    }

    fn resume(&mut self, run: usize) {
        let Some(slot) = self.slot_of(run) else { return };
        let now_ms = self.now_ms;
        if let Some(node) = &mut self.slots[slot].node {
            node.resume(now_ms);
            self.slots[slot].is_due = true;
        }
        self.note(format_args!("run {run} continues"));
    }

    fn stopped(&mut self, run: usize) {
        if let Some(slot) = self.slot_of(run) {
            self.kill(slot, false);
        }
    }

    // The bus.

    fn carry_bus(&mut self, slot: usize) {
        let mut sent = Vec::new();
        if let Some(exchange) = self.slots[slot].node.as_mut().and_then(|it| it.exchange.as_mut()) {
            while let Ok(bytes) = exchange.outgoing.try_recv() {
                sent.push(bytes);
            }
        }
        for bytes in sent {
            if self.now_ms < self.slots[slot].cut_until_ms {
                continue;
            }
            for other in (0..self.slots.len()).filter(|other| *other != slot) {
                self.publish(other, &bytes);
            }
        }
    }

    fn publish(&mut self, to: usize, bytes: &[u8]) {
        let quality = self.scenario.bus;
        let is_calm = self.now_ms >= self.scenario.calm_ms;
        let copies = 1 + u64::from(self.dice.chance(quality.twice));
        for _ in 0..copies {
            if self.dice.chance(quality.lost) && !is_calm {
                continue;
            }
            let is_late = self.dice.chance(quality.late) && !is_calm;
            let after_ms = self.dice.between(1, if is_late { 4_000 } else { 4 });
            let (run, bytes) = (self.slots[to].run, bytes.to_vec());
            self.after(after_ms, Happening::Bus { run, bytes });
        }
    }

    fn bring(&mut self, run: usize, bytes: &[u8]) {
        let Some(slot) = self.slot_of(run) else { return };
        if self.now_ms < self.slots[slot].cut_until_ms {
            return;
        }
        self.note(format_args!("run {run} hears {}", String::from_utf8_lossy(bytes)));
        if let Some(exchange) = self.slots[slot].node.as_ref().and_then(|it| it.exchange.as_ref()) {
            exchange.inbox_sender.arrived(bytes);
        }
        self.slots[slot].is_due = true;
    }

    fn bus_back(&mut self, run: usize) {
        let Some(slot) = self.slot_of(run) else { return };
        let now_ms = self.now_ms;
        let Some(node) = &mut self.slots[slot].node else { return };
        if node.paused_until_ms.is_none() {
            node.sync(now_ms);
        }
        let now = node.clock_now();
        if let Some(exchange) = &node.exchange {
            exchange.connected_since.send_if_modified(|since| {
                let is_back = since.is_none();
                *since = since.or(Some(now));
                is_back
            });
        }
    }

    // The database.

    fn take_requests(&mut self) {
        for request in self.requests.take() {
            let slot = self.slots.iter().position(|slot| slot.run == request.run);
            let trouble = self.trouble_of(slot);
            let (mut takes_ms, fate) = self.fate(&request, trouble);
            if let Some(slot) = slot
                && request.is_write
            {
                let at = &mut self.slots[slot];
                at.written_ms = at.written_ms.max(self.now_ms + takes_ms);
                takes_ms = at.written_ms - self.now_ms;
            }
            self.after(takes_ms, Happening::Apply(request, fate));
        }
    }

    fn trouble_of(&self, slot: Option<usize>) -> Option<StoreTrouble> {
        let concerns = |of: Option<usize>| of.is_none() || of == slot;
        let mut now = self.trouble.iter().filter(|(_, _, until_ms)| self.now_ms < *until_ms);
        now.find(|(of, ..)| concerns(*of)).map(|(_, trouble, _)| *trouble)
    }

    /// Decides how long a request takes until it is carried out, and what becomes of it.
    fn fate(&self, request: &Request, trouble: Option<StoreTrouble>) -> (u64, Fate) {
        let quick_ms = self.dice.between(1, 12);
        let unavailable = || StoreError::Unavailable { why: "simulated".to_owned() };
        match trouble {
            None => (quick_ms, Fate::Done),
            Some(StoreTrouble::Slow) => (self.dice.between(200, 5_000), Fate::Done),
            Some(StoreTrouble::Away) => (self.dice.between(1, 5_000), Fate::Failed(unavailable())),
            Some(StoreTrouble::Uncertain) if request.is_write => match self.dice.below(3) {
                0 => (self.dice.between(1, 2_000), Fate::DoneButUncertain),
                1 => (self.dice.between(1, 2_000), Fate::Failed(uncertain())),
                _ => (quick_ms, Fate::Done),
            },
            Some(StoreTrouble::Full) if request.is_write => {
                (quick_ms, Fate::Failed(StoreError::DiskFull))
            }
            Some(StoreTrouble::Uncertain | StoreTrouble::Full) => (quick_ms, Fate::Done),
        }
    }

    fn apply(&mut self, request: Request, fate: Fate) {
        let (run, is_write) = (request.run, request.is_write);
        let answer = request.apply(&mut self.tables, fate, self.now_ms);
        if is_write {
            self.note(format_args!("run {run} has written"));
            self.laws.stored(&self.tables, &self.players, self.now_ms);
        }
        let after_ms = self.dice.between(0, 3);
        self.after(after_ms, Happening::Answer { run, answer });
    }

    // The sockets.

    fn connect(&mut self, player: usize) {
        if self.players.players[player].link.is_some() {
            return;
        }
        let slot = usize::try_from(self.dice.below(self.slots.len() as u64)).unwrap_or(0);
        let pipe = Pipe::default();
        let is_open = match &mut self.slots[slot].node {
            Some(node) if node.paused_until_ms.is_none() => {
                node.sync(self.now_ms);
                node.connect(&pipe)
            }
            _ => false,
        };
        if !is_open {
            let after_ms = self.players.players[player].pause_ms();
            return self.after(after_ms, Happening::Player { player, wake: Wake::Connect });
        }
        let (link, run) = (self.links.len(), self.slots[slot].run);
        let (up_ms, down_ms) = (self.dice.between(1, 150), self.dice.between(1, 150));
        let end = LinkRef { link, run, since_ms: self.now_ms };
        self.links.push(Link { player, end, pipe, up_ms, down_ms, is_cut: false, is_over: false });
        self.open.insert(link);
        self.slots[slot].is_due = true;
        self.players.links[player] = Some(end);
        self.players.away_since_ms[player] = None;
        self.note(format_args!("player {player} connects to run {run} as link {link}"));
        let hello = self.players.players[player].connected(link, self.now_ms);
        self.send(link, &hello);
    }

    fn send(&mut self, link: usize, message: &ClientMessage) {
        let message = Message::text(message.to_json());
        self.after(self.links[link].up_ms, Happening::ToServer { link, message });
    }

    fn to_server(&mut self, link: usize, message: Message) {
        let Link { end, ref pipe, is_cut, is_over, .. } = self.links[link];
        let Some(slot) = self.slot_of(end.run).filter(|_| !is_cut && !is_over) else { return };
        pipe.deliver(message.clone());
        self.slots[slot].is_due = true;
        if let Message::Text(text) = message {
            self.note(format_args!("link {link} says {text}"));
            if let Ok(ClientMessage::MakeMove(it)) = ClientMessage::parse(text.as_str()) {
                self.laws.received(it.game, it.ply, end, self.now_ms);
            }
        }
    }

    /// Takes what a node has sent to its clients.
    fn carry_links(&mut self, slot: usize) {
        let run = self.slots[slot].run;
        for link in self.open.clone() {
            if self.links[link].end.run != run {
                continue;
            }
            for message in self.links[link].pipe.take() {
                self.from_server(link, message);
            }
            if self.links[link].pipe.is_dropped() {
                let down_ms = self.links[link].down_ms;
                self.close_link(link);
                self.after(down_ms, Happening::Lost { link });
            }
        }
    }

    fn from_server(&mut self, link: usize, message: Message) {
        let Link { player, end, up_ms, down_ms, is_cut, .. } = self.links[link];
        match message {
            Message::Text(text) => {
                self.note(format_args!("link {link} is told {text}"));
                let message = match ServerMessage::parse(text.as_str()) {
                    Ok(message) => Box::new(message),
                    Err(error) => return self.laws.broken.push(format!("{error}: {text}")),
                };
                self.laws.sent(player, end, &message, &self.tables, self.now_ms);
                if !is_cut {
                    self.after(down_ms, Happening::ToClient { link, message });
                }
            }
            Message::Ping(payload) if !is_cut => {
                let message = Message::Pong(payload);
                self.after(up_ms + down_ms, Happening::ToServer { link, message });
            }
            Message::Close(_) => {
                // A client that hears it closes as well.
                self.links[link].pipe.end();
                let slot = self.slot_of(end.run);
                slot.into_iter().for_each(|slot| self.slots[slot].is_due = true);
                self.after(0, Happening::Lost { link });
            }
            _ => {}
        }
    }

    fn close_link(&mut self, link: usize) {
        self.links[link].is_over = true;
        self.open.remove(&link);
        let player = self.links[link].player;
        if self.players.links[player].is_some_and(|end| end.link == link) {
            self.players.links[player] = None;
            self.players.away_since_ms[player].get_or_insert(self.now_ms);
        }
    }

    /// Ends a connection from the client's side.
    fn hang_up(&mut self, player: usize, is_silent: bool) {
        let Some(link) = self.players.players[player].link else { return };
        self.note(format_args!("player {player} loses link {link}"));
        if is_silent {
            self.links[link].is_cut = true;
        } else {
            self.links[link].pipe.end();
        }
        self.players.links[player] = None;
        self.players.away_since_ms[player].get_or_insert(self.now_ms);
        let slot = self.slot_of(self.links[link].end.run);
        slot.into_iter().for_each(|slot| self.slots[slot].is_due = true);
        let deed = self.players.players[player].disconnected();
        self.do_all(player, vec![deed]);
    }

    fn do_all(&mut self, player: usize, deeds: Vec<Deed>) {
        for deed in deeds {
            match deed {
                Deed::Send(message) => {
                    let link = self.players.players[player].link;
                    link.into_iter().for_each(|link| self.send(link, &message));
                }
                Deed::Later(after_ms, wake) => {
                    self.after(after_ms, Happening::Player { player, wake });
                }
                Deed::HangUp => self.hang_up(player, false),
                Deed::Complain(words) => {
                    let words = format!("{} ms: player {player}: {words}", self.now_ms);
                    self.laws.broken.push(words);
                }
            }
        }
    }

    // Faults.

    fn fault(&mut self, fault: Fault) {
        self.note(format_args!("{fault:?}"));
        let now_ms = self.now_ms;
        let until_ms = now_ms + duration_ms(fault);
        if !matches!(fault, Fault::Disconnect { .. }) {
            self.laws.faults.push((now_ms, until_ms));
        }
        match fault {
            Fault::Kill { slot, down_ms, is_silent } => {
                self.kill(slot, is_silent);
                self.after(down_ms, Happening::Start { slot });
            }
            Fault::KillAll { down_ms } => {
                for slot in 0..self.slots.len() {
                    self.kill(slot, false);
                    let after_ms = down_ms + self.dice.below(400);
                    self.after(after_ms, Happening::Start { slot });
                }
            }
            Fault::Restart { slot, down_ms } => {
                let run = self.slots[slot].run;
                if let Some(node) = self.slots[slot].node.as_mut().filter(|node| node.is_ready()) {
                    node.stop();
                    self.slots[slot].is_due = true;
                    self.after(STOP_MS, Happening::Stopped { run });
                    self.after(STOP_MS + down_ms, Happening::Start { slot });
                }
            }
            Fault::Pause { slot, ms } => self.pause(slot, ms),
            Fault::CutBus { slot, ms, is_noticed } => {
                self.slots[slot].cut_until_ms = until_ms;
                let run = self.slots[slot].run;
                if let Some(exchange) =
                    self.slots[slot].node.as_ref().and_then(|node| node.exchange.as_ref())
                    && is_noticed
                {
                    exchange.connected_since.send_replace(None);
                }
                self.after(ms, Happening::BusBack { run });
            }
            Fault::Store { slot, trouble, .. } => self.trouble.push((slot, trouble, until_ms)),
            Fault::Disconnect { player, is_silent } => self.hang_up(player, is_silent),
        }
    }

    fn pause(&mut self, slot: usize, ms: u64) {
        let (now_ms, run) = (self.now_ms, self.slots[slot].run);
        let Some(node) = &mut self.slots[slot].node else { return };
        if node.paused_until_ms.is_some() {
            return;
        }
        node.sync(now_ms);
        node.paused_until_ms = Some(now_ms + ms);
        let pauses = if ms >= 1_000 { &mut self.laws.stalls } else { &mut self.laws.hiccups };
        pauses.push((run, (now_ms, now_ms + ms)));
        self.after(ms, Happening::Resume { run });
    }

    // The end.

    fn check_final(&mut self) {
        if !self.laws.broken.is_empty() {
            return;
        }
        for game in self.tables.unfinished() {
            let words = format!("{} ms: {game} is not over", self.now_ms);
            self.laws.broken.push(words);
        }
        for player in &self.players.players {
            if !player.is_online {
                self.laws.broken.push(format!("{} cannot connect", player.name));
            }
            for (id, view) in &player.views {
                let stored = self.tables.games.get(id).map_or(0, |row| row.events.len());
                if view.game.version() as usize != stored {
                    let words = format!(
                        "{} has seen {} of {stored} events of {id}",
                        player.name,
                        view.game.version()
                    );
                    self.laws.broken.push(words);
                }
            }
        }
    }
}

fn duration_ms(fault: Fault) -> u64 {
    match fault {
        Fault::Kill { down_ms, .. } | Fault::KillAll { down_ms } => down_ms + 21_000,
        Fault::Restart { down_ms, .. } => down_ms + STOP_MS + 21_000,
        Fault::Pause { ms, .. } | Fault::CutBus { ms, .. } | Fault::Store { ms, .. } => ms + 5_000,
        Fault::Disconnect { .. } => 0,
    }
}
