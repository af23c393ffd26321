//! Chat in a game.
//!
//! This module is responsible for the most recent chat lines and for which clients may read them.
//! Spectators cannot talk to the players during the game: advice is not allowed (FIDE 11.3.1), and
//! the server cannot tell advice from other talk. Invariant: a line is sent only after it is
//! stored.

use core::hash::{Hash, Hasher};
use std::collections::VecDeque;
use std::hash::DefaultHasher;
use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use castellan_game::{Game, PlayerId};
use castellan_protocol::{ChatHistory, ChatLine, ChatText, ServerCode, ServerMessage};
use castellan_store::ChatLine as StoredChatLine;

use super::super::connection::Protocol;
use super::super::lock;
use super::super::reply::{RequestRef, encode};
use super::audience::Subscriber;
use super::{Call, Room};
use crate::bus::BusMessage;

/// Number of chat lines that are sent to a client when it joins.
pub(crate) const CHAT_HISTORY: u32 = 30;

/// The most recent chat lines of a game.
pub(super) struct Chat {
    lines: VecDeque<ChatEntry>,
}

/// A chat line and its author.
struct ChatEntry {
    author: PlayerId,
    /// Author's name in the normalized form that mutes use.
    folded: String,
    line: ChatLine,
}

impl ChatEntry {
    fn new(author: PlayerId, line: ChatLine) -> ChatEntry {
        ChatEntry { author, folded: castellan_store::fold(&line.name), line }
    }

    /// Returns a hash that is the same for the same line at every node.
    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.author, self.line.at.as_millis(), &self.line.text).hash(&mut hasher);
        hasher.finish()
    }
}

impl Chat {
    /// Creates the chat from stored lines.
    pub(super) fn new(game: &Game, stored: Vec<StoredChatLine>) -> Chat {
        let lines = stored.into_iter().map(|stored| {
            let StoredChatLine { game: id, at, player, name, text } = stored;
            let color = game.seats().only_seat(player);
            ChatEntry::new(player, ChatLine { game: id, name, color, text, at })
        });
        Chat { lines: lines.collect() }
    }

    /// Returns the hash of the last line, which identifies it to other nodes.
    pub(super) fn last_hash(&self) -> Option<u64> {
        self.lines.back().map(ChatEntry::hash)
    }

    /// Returns `true` if a line with this hash is known. Timestamps could not identify a line,
    /// because node clocks differ and two lines can have the same timestamp.
    pub(super) fn knows(&self, hash: u64) -> bool {
        self.lines.iter().any(|entry| entry.hash() == hash)
    }

    fn has(&self, stored: &StoredChatLine) -> bool {
        self.lines.iter().any(|entry| {
            let is_theirs = entry.author == stored.player;
            is_theirs && entry.line.at == stored.at && entry.line.text == stored.text
        })
    }

    fn remember(&mut self, entry: ChatEntry) {
        if self.lines.len() >= CHAT_HISTORY as usize {
            self.lines.pop_front();
        }
        self.lines.push_back(entry);
    }
}

impl Room {
    /// Sends the chat history to a client that has just joined, without the lines it may not
    /// read.
    pub(super) fn send_chat_history(&self, reader: &Subscriber) {
        if self.chat.lines.iter().any(|entry| self.may_read(reader, entry)) {
            reader.connection.send(self.chat_history(reader));
        }
    }

    /// Returns the chat history that a client may read, as a message.
    fn chat_history(&self, reader: &Subscriber) -> Utf8Bytes {
        let readable = self.chat.lines.iter().filter(|entry| self.may_read(reader, entry));
        let lines = readable.map(|entry| entry.line.clone()).collect();
        encode(&ServerMessage::ChatHistory(ChatHistory { game: self.id, lines }))
    }

    fn may_read(&self, reader: &Subscriber, entry: &ChatEntry) -> bool {
        let is_from_player = entry.line.color.is_some();
        let is_player = self.game.seats().is_seated(reader.player());
        let is_allowed = is_from_player || !is_player || self.game.end().is_some();
        let is_own = reader.player() == entry.author;
        let mutes = lock(&self.shared.mutes);
        is_allowed && (is_own || !mutes.is_muted(reader.player(), &entry.folded))
    }

    /// Stores a chat line in a separate task, so that the game does not wait for it.
    pub(super) fn store_chat(&self, subscriber: Subscriber, request: RequestRef, text: ChatText) {
        let is_player = self.game.seats().is_seated(subscriber.player());
        if !is_player && !self.audience.has(subscriber.connection.id()) {
            request.refuse_with_message(
                &subscriber.connection,
                ServerCode::UnknownGame,
                "join the game before you chat in it".to_owned(),
            );
            return;
        }
        let line = ChatLine {
            game: self.id,
            name: subscriber.who.name.clone(),
            color: self.game.seats().only_seat(subscriber.player()),
            text: text.into(),
            at: self.now(),
        };
        let (services, sender) = (Arc::clone(&self.shared.services), self.sender.clone());
        self.shared.tasks.spawn(async move {
            let stored = StoredChatLine {
                game: line.game,
                at: line.at,
                player: subscriber.player(),
                name: line.name.clone(),
                text: line.text.clone(),
            };
            match services.store.add_chat(stored).await {
                Ok(()) => {
                    services.bus.publish(BusMessage::NewChat { game: line.game });
                    drop(sender.send(Call::ChatStored { author: subscriber.player(), line }).await);
                }
                Err(error) => {
                    tracing::warn!("a chat message could not be saved: {error}");
                    request.refuse(&subscriber.connection, ServerCode::NotStored);
                }
            }
        });
    }

    /// Reads the most recent chat lines in a separate task, so that the game does not wait for
    /// them.
    pub(super) fn fetch_chat(&self) {
        let (services, sender) = (Arc::clone(&self.shared.services), self.sender.clone());
        let id = self.id;
        self.shared.tasks.spawn(async move {
            match services.store.chat(id, CHAT_HISTORY).await {
                // A room that has closed in the meantime needs no chat.
                Ok(lines) => drop(sender.send(Call::ChatLoaded(lines)).await),
                Err(error) => tracing::warn!(game = %id, "the chat could not be loaded: {error}"),
            }
        });
    }

    /// Sends the lines that were said at other nodes to this node's audience.
    pub(super) fn add_stored_chat(&mut self, stored: Vec<StoredChatLine>) {
        for line in stored {
            if !self.chat.has(&line) {
                let StoredChatLine { game, at, player, name, text } = line;
                let color = self.game.seats().only_seat(player);
                self.broadcast_chat(player, ChatLine { game, name, color, text, at });
            }
        }
    }

    /// Replaces the chat, because lines were deleted, and sends what is left to the audience.
    pub(super) fn replace_chat(&mut self, stored: Vec<StoredChatLine>) {
        self.chat = Chat::new(&self.game, stored);
        for reader in self.audience.subscribers() {
            if reader.connection.protocol() == Protocol::Full {
                reader.connection.send(self.chat_history(reader));
            }
        }
    }

    /// Sends a stored chat line to the audience.
    pub(super) fn broadcast_chat(&mut self, author: PlayerId, line: ChatLine) {
        let message = encode(&ServerMessage::ChatLine(line.clone()));
        let entry = ChatEntry::new(author, line);
        for reader in self.audience.subscribers() {
            if reader.connection.protocol() == Protocol::Full && self.may_read(reader, &entry) {
                reader.connection.send(message.clone());
            }
        }
        self.chat.remember(entry);
    }
}
