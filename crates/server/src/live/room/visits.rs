//! Connections that join and leave a game, and what each receives first.

use castellan_game::Moment;
use castellan_protocol::{Level, Presence, ServerCode, ServerMessage, Snapshot};

use super::super::link::{Dialect, LinkId, NoEntry};
use super::super::reply::{Asked, encode, encode_simple};
use super::audience::{Visitor, game_start};
use super::{PRESENCE_PAUSE_MS, Room};

/// Change in the audience.
#[derive(Clone, Copy)]
enum News {
    /// No change.
    None,
    /// A player became present or absent.
    Player,
    /// A spectator, or one of several connections of a player, came or went.
    Watcher,
}

impl Room {
    /// Lets a client follow the game. Sends the events that it missed if they are available, and
    /// the whole game otherwise.
    pub(super) fn join(&mut self, visitor: &Visitor, asked: Asked, since: Option<u32>) {
        let Some(news) = self.let_in(visitor, asked) else { return };
        match visitor.link.dialect() {
            Dialect::Simple => {
                let color = self.game.seats().only_seat(visitor.player());
                let start = color.and_then(|color| game_start(&self.game, color));
                if let Some(start) = start {
                    visitor.link.say(encode_simple(&start));
                }
            }
            Dialect::Full => {
                if !since.is_some_and(|version| self.tell_missed(visitor, version)) {
                    self.tell_all(visitor);
                }
                self.tell_talk(visitor);
            }
        }
        self.tell_attendance(news);
    }

    /// Adds a connection to the audience and returns the change. `None` if a limit was reached or
    /// the connection is closed.
    fn let_in(&mut self, visitor: &Visitor, asked: Asked) -> Option<News> {
        if self.audience.has(visitor.link.id()) {
            return Some(News::None);
        }
        let most = self.shared.services.config.live.max_watchers_per_game;
        let is_player = self.game.seats().is_seated(visitor.player());
        if !is_player && self.audience.watchers(&self.game) >= most {
            asked.refuse(&visitor.link, ServerCode::TooMany);
            return None;
        }
        match visitor.link.enter(self.id) {
            Ok(()) => {}
            Err(NoEntry::Closed) => return None,
            Err(NoEntry::TooManyGames) => {
                asked.refuse(&visitor.link, ServerCode::TooMany);
                return None;
            }
        }
        self.audience.add(visitor);
        Some(self.take_attendance())
    }

    /// Adds a player who acts to the audience, so that they receive the result.
    pub(super) fn let_player_in(&mut self, visitor: &Visitor, asked: Asked) {
        let is_player = self.game.seats().is_seated(visitor.player());
        if is_player && !self.audience.has(visitor.link.id()) {
            self.join(visitor, asked, None);
        }
    }

    /// Removes a connection from the audience.
    pub(super) fn leave(&mut self, link: LinkId) {
        let left = self.audience.visitors().iter().find(|it| it.link.id() == link);
        if let Some(visitor) = left {
            visitor.link.exit(self.id);
        }
        if self.audience.remove(link) {
            let news = self.take_attendance();
            self.tell_attendance(news);
        }
    }

    /// Refreshes which users follow the game at other nodes, and sends presence if that changed.
    pub(super) fn look_around(&mut self) {
        let elsewhere = self.shared.nodes.elsewhere(self.id);
        if self.audience.set_elsewhere(elsewhere) {
            let news = self.take_attendance();
            self.tell_attendance(news);
        }
    }

    fn take_attendance(&mut self) -> News {
        let now = self.arrival();
        match self.audience.take_attendance(&self.game, now.at) {
            true => {
                self.stalled_ms = now.stalled_ms;
                News::Player
            }
            false => News::Watcher,
        }
    }

    /// Sends presence at once when a player connects or disconnects, and after a delay when only
    /// the number of spectators changed.
    fn tell_attendance(&mut self, news: News) {
        match news {
            News::None => {}
            News::Player => self.tell_presence(),
            News::Watcher => {
                let soon = self.now().plus_ms(PRESENCE_PAUSE_MS);
                self.presence_at.get_or_insert(soon);
            }
        }
    }

    pub(super) fn tell_presence(&mut self) {
        self.presence_at = None;
        let presence = self.audience.presence(&self.game, self.abandoned_at());
        let message = ServerMessage::Presence(Presence { game: self.id, presence });
        self.audience.say(&encode(&message));
    }

    fn abandoned_at(&self) -> Option<Moment> {
        self.patience().map(|(at, _)| at)
    }

    fn tell_all(&self, visitor: &Visitor) {
        let mut snapshot = Snapshot::of(self.id, &self.game, Some(visitor.player()), self.now());
        snapshot.clocks = self.clocks(self.arrival());
        snapshot.presence = self.audience.presence(&self.game, self.abandoned_at());
        snapshot.level = self.engine_color().and_then(|color| {
            self.game.seats().get(color).and_then(|player| Level::of_player(player.id))
        });
        snapshot.rematch_of = self.rematch_of;
        snapshot.rematch = self.rematch;
        visitor.link.say(encode(&ServerMessage::Game(Box::new(snapshot))));
    }

    /// Sends the whole game again to spectators when it has a rematch, because a rematch's ID is
    /// not part of an event.
    pub(super) fn tell_watchers(&self) {
        let is_watcher = |it: &&Visitor| !self.game.seats().is_seated(it.player());
        self.audience.visitors().iter().filter(is_watcher).for_each(|it| self.tell_all(it));
    }

    /// Sends the events after a version, if all of them are available. A client that has every
    /// event receives the last one again, which confirms that it is up to date.
    fn tell_missed(&self, visitor: &Visitor, version: u32) -> bool {
        let first = version.min(self.game.version().saturating_sub(1)) + 1;
        let is_at_hand = self.recent.front().is_some_and(|(oldest, _)| *oldest <= first);
        if version > self.game.version() || !is_at_hand {
            return false;
        }
        for (_, message) in self.recent.iter().filter(|(version, _)| *version >= first) {
            visitor.link.say(message.clone());
        }
        true
    }

    /// Sends the last event to a client whose repeated command had no effect, if it is available.
    pub(super) fn tell_last(&self, visitor: &Visitor) {
        if let Some((_, message)) = self.recent.back() {
            visitor.link.say(message.clone());
        }
    }
}
