//! The connections between players and nodes.

use axum::extract::ws::Message;
use castellan_protocol::{ClientMessage, ServerMessage};

use super::super::laws::LinkRef;
use super::super::pipe::Pipe;
use super::super::player::{ClientAction, Wake};
use super::{Link, ScheduledEvent, World};

impl World {
    pub(super) fn connect(&mut self, player: usize) {
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
            return self.after(after_ms, ScheduledEvent::Player { player, wake: Wake::Connect });
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

    pub(super) fn send(&mut self, link: usize, message: &ClientMessage) {
        let message = Message::text(message.to_json());
        self.after(self.links[link].up_ms, ScheduledEvent::ToServer { link, message });
    }

    pub(super) fn deliver(&mut self, link: usize, message: Message) {
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
    pub(super) fn carry_links(&mut self, slot: usize) {
        let run = self.slots[slot].run;
        for link in self.open.clone() {
            if self.links[link].end.run != run {
                continue;
            }
            for message in self.links[link].pipe.take() {
                self.collect(link, message);
            }
            if self.links[link].pipe.is_dropped() {
                let down_ms = self.links[link].down_ms;
                self.close_link(link);
                self.after(down_ms, ScheduledEvent::Lost { link });
            }
        }
    }

    pub(super) fn collect(&mut self, link: usize, message: Message) {
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
                    self.after(down_ms, ScheduledEvent::ToClient { link, message });
                }
            }
            Message::Ping(payload) if !is_cut => {
                let message = Message::Pong(payload);
                self.after(up_ms + down_ms, ScheduledEvent::ToServer { link, message });
            }
            Message::Close(_) => {
                // A client that hears it closes as well.
                self.links[link].pipe.end();
                let slot = self.slot_of(end.run);
                slot.into_iter().for_each(|slot| self.slots[slot].is_due = true);
                self.after(0, ScheduledEvent::Lost { link });
            }
            _ => {}
        }
    }

    pub(super) fn close_link(&mut self, link: usize) {
        self.links[link].is_over = true;
        self.open.remove(&link);
        let player = self.links[link].player;
        if self.players.links[player].is_some_and(|end| end.link == link) {
            self.players.links[player] = None;
            self.players.away_since_ms[player].get_or_insert(self.now_ms);
        }
    }

    /// Ends a connection from the client's side.
    pub(super) fn hang_up(&mut self, player: usize, is_silent: bool) {
        let Some(link) = self.players.players[player].link else { return };
        self.note(format_args!("player {player} loses link {link}"));
        if is_silent {
            self.links[link].is_cut = true;
            self.laws.lost.insert(link);
        } else {
            self.links[link].pipe.end();
        }
        self.players.links[player] = None;
        self.players.away_since_ms[player].get_or_insert(self.now_ms);
        let slot = self.slot_of(self.links[link].end.run);
        slot.into_iter().for_each(|slot| self.slots[slot].is_due = true);
        let action = self.players.players[player].disconnected();
        self.do_all(player, vec![action]);
    }

    pub(super) fn do_all(&mut self, player: usize, actions: Vec<ClientAction>) {
        for action in actions {
            match action {
                ClientAction::Send(message) => {
                    let link = self.players.players[player].link;
                    link.into_iter().for_each(|link| self.send(link, &message));
                }
                ClientAction::Later(after_ms, wake) => {
                    self.after(after_ms, ScheduledEvent::Player { player, wake });
                }
                ClientAction::HangUp => self.hang_up(player, false),
                ClientAction::Complain(message) => {
                    let message = format!("{} ms: player {player}: {message}", self.now_ms);
                    self.laws.broken.push(message);
                }
            }
        }
    }
}
