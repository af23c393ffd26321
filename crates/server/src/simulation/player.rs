//! A simulated player: a client of the full protocol that behaves as our page does.
//!
//! A player connects to any node, looks for games, moves, and resigns after some moves. After a
//! failure it tries again, and after a loss of its connection it reconnects to any node. It checks
//! the order of the events it receives; everything else is checked by the laws.

use std::collections::BTreeMap;

use castellan_game::{Game, GameId, TimeControl};
use castellan_protocol::{
    ClientMessage, Features, GameEvent, GameRef, Hello, MakeMove, Ping, Refused, Resync, Seat,
    Seek, ServerMessage, SessionToken, Snapshot, Welcome,
};
use castellan_rules::{Color, UciMove};

use super::dice::Dice;

/// Interval at which a player checks its connection.
const CHECK_MS: u64 = 4_000;
/// A connection on which nothing arrived for this long is given up.
const SILENCE_MS: u64 = 9_000;
/// How long a player waits for a game after the end of a seek.
const GAME_MS: u64 = 60_000;
/// An unanswered request is repeated after this time.
const REPEAT_AFTER_MS: u64 = 5_000;

/// How a player plays.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayStyle {
    pub(super) time_control: TimeControl,
    /// Least and most thinking time.
    pub(super) think_ms: (u64, u64),
    /// The player resigns instead of moving from this ply on.
    pub(super) resigns_at: u32,
    /// The player does nothing from this ply on, if any.
    pub(super) sleeps_at: Option<u32>,
}

/// Something that a player wants to do later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wake {
    Connect,
    Check,
    Seek,
    Act { game: GameId, ply: u32 },
    Join { game: GameId },
}

/// What a player does.
#[derive(Debug)]
pub(super) enum ClientAction {
    Send(ClientMessage),
    Later(u64, Wake),
    /// Gives up the connection.
    HangUp,
    /// The server has broken the protocol.
    Complain(String),
}

/// A game as a player sees it.
#[derive(Debug)]
pub(super) struct View {
    pub(super) game: Game,
    color: Color,
    /// The ply for which a decision is planned or was sent.
    planned: Option<u32>,
    choice: Option<(u32, UciMove)>,
    sent_ms: u64,
    is_joined: bool,
}

/// A simulated player.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) name: String,
    pub(super) style: PlayStyle,
    pub(super) link: Option<usize>,
    pub(super) is_online: bool,
    pub(super) is_seeking: bool,
    pub(super) seeks_sent: usize,
    /// Number of games that the player still wants to begin.
    pub(super) wants: u32,
    pub(super) views: BTreeMap<GameId, View>,
    session: Option<SessionToken>,
    heard_ms: u64,
    greeted_ms: u64,
    /// The player does not look for a game before this moment.
    patient_until_ms: u64,
    dice: Dice,
}

impl Player {
    pub(super) fn new(number: usize, style: PlayStyle, wants: u32, seed: u64) -> Player {
        Player {
            name: format!("Player {number}"),
            style,
            link: None,
            is_online: false,
            is_seeking: false,
            seeks_sent: 0,
            wants,
            views: BTreeMap::new(),
            session: None,
            heard_ms: 0,
            greeted_ms: 0,
            patient_until_ms: 0,
            dice: Dice::new(seed),
        }
    }

    /// Returns `true` if the player has a game that is not over.
    pub(super) fn is_playing(&self) -> bool {
        self.views.values().any(|view| view.game.end().is_none())
    }

    /// Returns the first message of a new connection.
    pub(super) fn connected(&mut self, link: usize, now_ms: u64) -> ClientMessage {
        (self.link, self.heard_ms, self.greeted_ms) = (Some(link), now_ms, now_ms);
        let name = self.session.is_none().then(|| self.name.parse().expect("a good name"));
        let session = self.session.clone();
        ClientMessage::Hello(Hello { version: 1, name, session, features: Features::default() })
    }

    /// Handles the loss of the connection.
    pub(super) fn disconnected(&mut self) -> ClientAction {
        self.patient_until_ms = 0;
        (self.link, self.is_online, self.is_seeking) = (None, false, false);
        self.views.values_mut().for_each(|view| view.is_joined = false);
        ClientAction::Later(self.pause_ms(), Wake::Connect)
    }

    /// Returns a pause before another attempt.
    pub(super) fn pause_ms(&self) -> u64 {
        self.dice.between(100, 1_500)
    }

    /// Handles a message of the server.
    pub(super) fn receive(&mut self, message: ServerMessage, now_ms: u64) -> Vec<ClientAction> {
        self.heard_ms = now_ms;
        match message {
            ServerMessage::Welcome(welcome) => self.welcomed(welcome),
            ServerMessage::Game(snapshot) => self.see(*snapshot, now_ms),
            ServerMessage::Event(event) => self.follow(event, now_ms),
            ServerMessage::Refused(refused) => self.refused(&refused),
            ServerMessage::SeekEnded(_) => {
                // A game is about to come.
                self.is_seeking = false;
                self.patient_until_ms = now_ms + GAME_MS;
                vec![ClientAction::Later(GAME_MS, Wake::Seek)]
            }
            ServerMessage::Error(error) => match error.code.as_str() {
                "busy" | "store_unavailable" | "uncertain" | "disk_full" | "shutting_down"
                | "not_stored" | "internal" => vec![ClientAction::HangUp],
                code => vec![ClientAction::Complain(format!("error {code}"))],
            },
            _ => Vec::new(),
        }
    }

    fn welcomed(&mut self, welcome: Welcome) -> Vec<ClientAction> {
        self.is_online = true;
        self.session = welcome.session.or(self.session.take());
        let unfinished = self.views.iter().filter(|(_, view)| view.game.end().is_none());
        let known: Vec<GameId> = unfinished.map(|(game, _)| *game).collect();
        let new = welcome.games.into_iter().filter(|game| !self.views.contains_key(game));
        let games: Vec<GameId> = new.chain(known).collect();
        let mut actions: Vec<ClientAction> =
            games.iter().map(|game| ClientAction::Send(self.join(*game))).collect();
        if games.is_empty() {
            actions.push(ClientAction::Later(0, Wake::Seek));
        }
        actions
    }

    fn join(&self, game: GameId) -> ClientMessage {
        match self.views.get(&game) {
            Some(view) => ClientMessage::Resync(Resync { game, version: view.game.version() }),
            None => ClientMessage::Watch(GameRef { game }),
        }
    }

    fn see(&mut self, snapshot: Snapshot, now_ms: u64) -> Vec<ClientAction> {
        let id = snapshot.game;
        let color = match snapshot.you {
            Some(Seat::White) => Color::White,
            Some(Seat::Black) => Color::Black,
            you => return vec![ClientAction::Complain(format!("seat {you:?} in {id}"))],
        };
        let is_known = self.views.contains_key(&id);
        if !is_known {
            (self.is_seeking, self.wants) = (false, self.wants.saturating_sub(1));
            self.patient_until_ms = now_ms;
        }
        let is_old = |view: &View| view.game.version() > snapshot.version;
        let view = match self.views.remove(&id) {
            // Another node is behind; it will catch up.
            Some(view) if is_old(&view) => view,
            former => {
                let game = match Game::restore(snapshot.checkpoint()) {
                    Ok(game) => game,
                    Err(error) => {
                        return vec![ClientAction::Complain(format!("snapshot: {error}"))];
                    }
                };
                let (planned, choice) = former.map_or((None, None), |it| (it.planned, it.choice));
                View { game, color, planned, choice, sent_ms: now_ms, is_joined: true }
            }
        };
        self.views.insert(id, View { is_joined: true, ..view });
        self.go_on(id, now_ms)
    }

    fn follow(&mut self, event: GameEvent, now_ms: u64) -> Vec<ClientAction> {
        let id = event.game;
        let Some(view) = self.views.get_mut(&id) else {
            return vec![ClientAction::Send(self.join(id))];
        };
        view.is_joined = true;
        if event.version > view.game.version() + 1 {
            return vec![ClientAction::Send(self.join(id))];
        }
        if event.version == view.game.version() + 1 {
            let clocks = event.clocks.map(|clocks| (clocks.clocks(), clocks.at));
            if let Err(error) = view.game.follow(&event.recorded(), clocks) {
                return vec![ClientAction::Complain(format!("event: {error}"))];
            }
        }
        self.go_on(id, now_ms)
    }

    /// Continues a game after a message about it.
    fn go_on(&mut self, id: GameId, now_ms: u64) -> Vec<ClientAction> {
        let PlayStyle { think_ms: (least, most), .. } = self.style;
        let Some(view) = self.views.get_mut(&id) else { return Vec::new() };
        if view.game.end().is_some() {
            return vec![ClientAction::Later(self.dice.between(200, 2_000), Wake::Seek)];
        }
        let ply = view.game.ply();
        if view.game.line().turn() != view.color {
            return Vec::new();
        }
        if view.planned == Some(ply) {
            // The decision was made before the connection was lost.
            return self.repeat(id, now_ms);
        }
        view.planned = Some(ply);
        vec![ClientAction::Later(self.dice.between(least, most), Wake::Act { game: id, ply })]
    }

    /// Sends a decision again if it was sent on another connection.
    fn repeat(&mut self, id: GameId, now_ms: u64) -> Vec<ClientAction> {
        let Some(view) = self.views.get_mut(&id) else { return Vec::new() };
        let (game, ply) = (id, view.game.ply());
        match view.choice {
            Some((chosen, mv)) if chosen == ply && view.sent_ms < self.greeted_ms => {
                view.sent_ms = now_ms;
                vec![ClientAction::Send(ClientMessage::MakeMove(MakeMove { game, ply, mv }))]
            }
            _ => Vec::new(),
        }
    }

    fn refused(&mut self, refused: &Refused) -> Vec<ClientAction> {
        let pause_ms = self.dice.between(100, 800);
        let code = refused.code.as_str();
        let is_temporary = matches!(code, "busy" | "not_stored" | "shutting_down" | "too_many");
        match (refused.of.as_str(), refused.game) {
            ("seek", _) => {
                self.is_seeking = false;
                if code == "rate_limited" {
                    // The player has left too many games.
                    self.wants = 0;
                }
                vec![ClientAction::Later(pause_ms, Wake::Seek)]
            }
            ("make move" | "resign", Some(game)) if is_temporary => {
                let ply = self.views.get(&game).map_or(0, |view| view.game.ply());
                vec![ClientAction::Later(pause_ms, Wake::Act { game, ply })]
            }
            ("watch" | "resync", Some(game)) if is_temporary => {
                vec![ClientAction::Later(pause_ms, Wake::Join { game })]
            }
            ("make move" | "resign", Some(game))
                if matches!(code, "over" | "stale" | "not_your_turn" | "ahead") =>
            {
                vec![ClientAction::Send(self.join(game))]
            }
            (of, game) => vec![ClientAction::Complain(format!("{of} refused in {game:?}: {code}"))],
        }
    }

    /// Does what the player wanted to do now.
    pub(super) fn wake(&mut self, wake: Wake, now_ms: u64) -> Vec<ClientAction> {
        match wake {
            Wake::Check => self.check(now_ms),
            Wake::Seek if now_ms >= self.patient_until_ms => self.seek(),
            Wake::Join { game } if self.is_online => vec![ClientAction::Send(self.join(game))],
            Wake::Act { game, ply } => self.act(game, ply, now_ms),
            Wake::Connect | Wake::Seek | Wake::Join { .. } => Vec::new(),
        }
    }

    fn seek(&mut self) -> Vec<ClientAction> {
        if !self.is_online || self.is_seeking || self.wants == 0 || self.is_playing() {
            return Vec::new();
        }
        (self.is_seeking, self.seeks_sent) = (true, self.seeks_sent + 1);
        let time_control = self.style.time_control;
        vec![ClientAction::Send(ClientMessage::Seek(Seek { time_control, is_rated: false }))]
    }

    fn act(&mut self, game: GameId, ply: u32, now_ms: u64) -> Vec<ClientAction> {
        let PlayStyle { resigns_at, sleeps_at, .. } = self.style;
        let Some(view) = self.views.get_mut(&game) else { return Vec::new() };
        let is_my_turn = view.game.line().turn() == view.color && view.game.ply() == ply;
        if !is_my_turn || view.game.end().is_some() {
            return Vec::new();
        }
        if !view.is_joined {
            // The player decides again once it is back.
            view.planned = None;
            return Vec::new();
        }
        if sleeps_at.is_some_and(|from| ply >= from) {
            return Vec::new();
        }
        view.sent_ms = now_ms;
        if ply >= resigns_at {
            return vec![ClientAction::Send(ClientMessage::Resign(GameRef { game }))];
        }
        let chosen = view.choice.filter(|(chosen, _)| *chosen == ply);
        let (_, mv) = chosen.unwrap_or_else(|| {
            let moves = view.game.allowed_moves();
            let castling = view.game.settings().castling();
            (ply, UciMove::from_move(self.dice.pick(&moves), castling))
        });
        view.choice = Some((ply, mv));
        vec![ClientAction::Send(ClientMessage::MakeMove(MakeMove { game, ply, mv }))]
    }

    /// Checks the connection, and repeats what had no effect.
    fn check(&mut self, now_ms: u64) -> Vec<ClientAction> {
        let mut actions = vec![ClientAction::Later(CHECK_MS, Wake::Check)];
        if self.link.is_none() {
            return actions;
        }
        if now_ms - self.heard_ms > SILENCE_MS {
            actions.push(ClientAction::HangUp);
            return actions;
        }
        if !self.is_online {
            return actions;
        }
        actions.push(ClientAction::Send(ClientMessage::Ping(Ping { id: 1 })));
        let open = self.views.iter().filter(|(_, view)| view.game.end().is_none());
        let stale: Vec<(GameId, u32, bool)> = open
            .filter(|(_, view)| now_ms - view.sent_ms > REPEAT_AFTER_MS)
            .map(|(id, view)| (*id, view.game.ply(), view.is_joined))
            .collect();
        for (game, ply, is_joined) in stale {
            actions.push(ClientAction::Send(self.join(game)));
            if is_joined {
                actions.push(ClientAction::Later(500, Wake::Act { game, ply }));
            }
        }
        actions.push(ClientAction::Later(0, Wake::Seek));
        actions
    }
}
