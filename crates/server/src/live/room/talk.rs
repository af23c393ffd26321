//! Chat in a game.
//!
//! This module is responsible for the most recent chat lines and for who may read them.
//! Spectators cannot talk to the players during the game: advice is not allowed (FIDE 11.3.1),
//! and the server cannot tell advice from other talk. Invariant: a line is sent only after it is
//! stored.

use core::hash::{Hash, Hasher};
use std::collections::VecDeque;
use std::hash::DefaultHasher;
use std::sync::Arc;

use castellan_game::{Game, PlayerId};
use castellan_protocol::{ChatHistory, ChatLine, ChatText, ServerCode, ServerMessage};
use castellan_store::ChatLine as StoredLine;

use super::super::link::Dialect;
use super::super::lock;
use super::super::reply::{Asked, encode};
use super::audience::Visitor;
use super::{Call, Room};
use crate::bus::News;

/// Number of chat lines that are sent to a client when it joins.
pub(crate) const REMEMBERED: u32 = 30;

/// The most recent chat lines of a game.
pub(super) struct Talk {
    lines: VecDeque<Spoken>,
}

/// A chat line and its author.
struct Spoken {
    speaker: PlayerId,
    /// Author's name in the normalized form that mutes use.
    folded: String,
    line: ChatLine,
}

impl Spoken {
    fn new(speaker: PlayerId, line: ChatLine) -> Spoken {
        Spoken { speaker, folded: castellan_store::fold(&line.name), line }
    }

    /// Returns a hash that is the same for the same line at every node.
    fn mark(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.speaker, self.line.at.as_millis(), &self.line.text).hash(&mut hasher);
        hasher.finish()
    }
}

impl Talk {
    /// Creates the chat from stored lines.
    pub(super) fn recall(game: &Game, stored: Vec<StoredLine>) -> Talk {
        let lines = stored.into_iter().map(|stored| {
            let StoredLine { game: id, at, player, name, text } = stored;
            let color = game.seats().only_seat(player);
            Spoken::new(player, ChatLine { game: id, name, color, text, at })
        });
        Talk { lines: lines.collect() }
    }

    /// Returns the hash of the last line, which identifies it to other nodes.
    pub(super) fn last_mark(&self) -> Option<u64> {
        self.lines.back().map(Spoken::mark)
    }

    /// Returns `true` if a line with this hash is known. Timestamps could not identify a line,
    /// because node clocks differ and two lines can have the same timestamp.
    pub(super) fn knows(&self, mark: u64) -> bool {
        self.lines.iter().any(|spoken| spoken.mark() == mark)
    }

    fn has(&self, stored: &StoredLine) -> bool {
        self.lines.iter().any(|spoken| {
            let is_theirs = spoken.speaker == stored.player;
            is_theirs && spoken.line.at == stored.at && spoken.line.text == stored.text
        })
    }

    fn remember(&mut self, spoken: Spoken) {
        if self.lines.len() >= REMEMBERED as usize {
            self.lines.pop_front();
        }
        self.lines.push_back(spoken);
    }
}

impl Room {
    /// Sends the chat history to a client that has just joined, without the lines it may not
    /// read.
    pub(super) fn tell_talk(&self, listener: &Visitor) {
        let lines: Vec<ChatLine> = self
            .talk
            .lines
            .iter()
            .filter(|spoken| self.may_hear(listener, spoken))
            .map(|spoken| spoken.line.clone())
            .collect();
        if !lines.is_empty() {
            let history = ChatHistory { game: self.id, lines };
            listener.link.say(encode(&ServerMessage::ChatHistory(history)));
        }
    }

    fn may_hear(&self, listener: &Visitor, spoken: &Spoken) -> bool {
        let is_from_player = spoken.line.color.is_some();
        let is_player = self.game.seats().is_seated(listener.player());
        let is_allowed = is_from_player || !is_player || self.game.end().is_some();
        let is_own = listener.player() == spoken.speaker;
        let mutes = lock(&self.shared.mutes);
        is_allowed && (is_own || !mutes.is_muted(listener.player(), &spoken.folded))
    }

    /// Stores a chat line in a separate task, so that the game does not wait for it.
    pub(super) fn chat(&self, visitor: Visitor, asked: Asked, text: ChatText) {
        let is_player = self.game.seats().is_seated(visitor.player());
        if !is_player && !self.audience.has(visitor.link.id()) {
            asked.refuse_in_words(
                &visitor.link,
                ServerCode::UnknownGame,
                "join the game before you chat in it".to_owned(),
            );
            return;
        }
        let line = ChatLine {
            game: self.id,
            name: visitor.who.name.clone(),
            color: self.game.seats().only_seat(visitor.player()),
            text: text.into(),
            at: self.now(),
        };
        let (services, door) = (Arc::clone(&self.shared.services), self.door.clone());
        let Some(tag) = self.shared.tasks.tag() else { return };
        tokio::spawn(async move {
            let stored = StoredLine {
                game: line.game,
                at: line.at,
                player: visitor.player(),
                name: line.name.clone(),
                text: line.text.clone(),
            };
            match services.store.add_chat(stored).await {
                Ok(()) => {
                    services.bus.tell(News::Said { game: line.game });
                    drop(door.send(Call::Said { speaker: visitor.player(), line }).await);
                }
                Err(error) => {
                    tracing::warn!("a chat message could not be saved: {error}");
                    asked.refuse(&visitor.link, ServerCode::NotStored);
                }
            }
            drop(tag);
        });
    }

    /// Sends the lines that were said at other nodes to this node's audience.
    pub(super) fn recall(&mut self, stored: Vec<StoredLine>) {
        for line in stored {
            if !self.talk.has(&line) {
                let StoredLine { game, at, player, name, text } = line;
                let color = self.game.seats().only_seat(player);
                self.said(player, ChatLine { game, name, color, text, at });
            }
        }
    }

    /// Sends a stored chat line to the audience.
    pub(super) fn said(&mut self, speaker: PlayerId, line: ChatLine) {
        let message = encode(&ServerMessage::ChatLine(line.clone()));
        let spoken = Spoken::new(speaker, line);
        for listener in self.audience.visitors() {
            if listener.link.dialect() == Dialect::Full && self.may_hear(listener, &spoken) {
                listener.link.say(message.clone());
            }
        }
        self.talk.remember(spoken);
    }
}
