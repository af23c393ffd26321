//! Two clients that play a game against each other.

use std::net::SocketAddr;

use castellan_game::{Event, GameId, MAX_GAME_PLIES, TimeControl};
use castellan_protocol::{
    ClientMessage, CreateInvitation, GameEvent, GameRef, InvitationRef, Name, ServerMessage,
    SessionToken, Terms, Welcome,
};
use castellan_rules::{CastlingSpelling, Color, Line, Move, Role, UciMove};

use super::client::{Client, ClientError, unexpected};
use crate::random::SplitMix64;

/// A clock that runs but never runs out during a test.
const LONG_TIME_CONTROL: TimeControl =
    TimeControl::Increment { initial_ms: 86_400_000, increment_ms: 1_000 };

/// A game with both its players.
pub struct OnlineGame {
    /// The identifier of the game.
    pub game: GameId,
    /// The moves that the server has announced to both players.
    pub line: Line,
    /// The clients, White first.
    pub players: [Client; 2],
    /// The sessions with which the clients can reconnect.
    pub sessions: [Option<SessionToken>; 2],
}

impl OnlineGame {
    /// Connects two guests, and starts a game by an invitation.
    pub async fn start(address: SocketAddr, number: usize) -> Result<OnlineGame, ClientError> {
        OnlineGame::start_at([address; 2], number).await
    }

    /// Like [`start`](OnlineGame::start), but connects each guest to a node of their own, White's
    /// first.
    pub async fn start_at(
        [here, there]: [SocketAddr; 2],
        number: usize,
    ) -> Result<OnlineGame, ClientError> {
        let (white, host) = Client::guest(here, &name("White", number)).await?;
        let (black, guest) = Client::guest(there, &name("Black", number)).await?;
        let mut players = [white, black];
        let game = begin(&mut players).await?;
        let session = |welcome: Welcome| welcome.session;
        let sessions = [session(host), session(guest)];
        Ok(OnlineGame { game, line: Line::default(), players, sessions })
    }

    /// Resigns the current game and starts another one.
    pub async fn start_another(&mut self) -> Result<(), ClientError> {
        let game = self.game;
        self.mover().send(&ClientMessage::Resign(GameRef { game })).await?;
        for client in &mut self.players {
            receive_end(client, game).await?;
        }
        self.game = begin(&mut self.players).await?;
        self.line = Line::default();
        Ok(())
    }

    /// Returns the number of moves made.
    pub fn ply(&self) -> u32 {
        u32::try_from(self.line.moves().len()).expect("a line is short")
    }

    /// Returns the client of the player to move.
    pub fn mover(&mut self) -> &mut Client {
        let turn = self.line.turn();
        &mut self.players[turn.index()]
    }

    /// Sends a move of the player to move.
    pub async fn send_move(&mut self, mv: Move) -> Result<(), ClientError> {
        let (game, ply) = (self.game, self.ply());
        let mv = UciMove::from_move(mv, CastlingSpelling::KingTwoSquares);
        self.mover().make_move(game, ply, mv).await
    }

    /// Waits until the opponent receives the move that was just sent.
    pub async fn wait_for_opponent(&mut self) -> Result<GameEvent, ClientError> {
        let (ply, opponent) = (self.ply(), !self.line.turn());
        receive_move(&mut self.players[opponent.index()], ply).await
    }

    /// Waits until the mover receives their own move, and plays it on the line.
    pub async fn wait_for_mover(&mut self, mv: Move) -> Result<GameEvent, ClientError> {
        let ply = self.ply();
        let event = receive_move(self.mover(), ply).await?;
        self.line.play(mv).expect("the server has accepted the move");
        Ok(event)
    }
}

/// Starts a game: White invites Black.
async fn begin([white, black]: &mut [Client; 2]) -> Result<GameId, ClientError> {
    let invite =
        CreateInvitation { terms: Terms::new(LONG_TIME_CONTROL), color: Some(Color::White) };
    white.send(&ClientMessage::CreateInvitation(invite)).await?;
    let invitation = loop {
        match white.receive().await? {
            ServerMessage::Invitation(invitation) => break invitation.invitation,
            other @ (ServerMessage::Refused(_) | ServerMessage::Error(_)) => {
                return Err(unexpected("an invitation", &other));
            }
            _ => {}
        }
    };
    black.send(&ClientMessage::AcceptInvitation(InvitationRef { invitation })).await?;
    let game = white.receive_game().await?.game;
    black.receive_game().await?;
    Ok(game)
}

/// Waits for the end of a game.
async fn receive_end(client: &mut Client, game: GameId) -> Result<(), ClientError> {
    loop {
        match client.receive().await? {
            ServerMessage::Event(event) if event.game == game => {
                if matches!(event.event, Event::Ended(_)) {
                    return Ok(());
                }
            }
            other @ (ServerMessage::Refused(_) | ServerMessage::Error(_)) => {
                return Err(unexpected("the end of a game", &other));
            }
            _ => {}
        }
    }
}

/// Waits for the event of the move at a ply.
async fn receive_move(client: &mut Client, ply: u32) -> Result<GameEvent, ClientError> {
    loop {
        match client.receive().await? {
            ServerMessage::Event(event) => match &event.event {
                Event::Moved { ply: moved, .. } if *moved == ply => return Ok(event),
                Event::Ended(_) => return Err(unexpected("a move", &ServerMessage::Event(event))),
                _ => {}
            },
            other @ (ServerMessage::Refused(_) | ServerMessage::Error(_)) => {
                return Err(unexpected("a move", &other));
            }
            _ => {}
        }
    }
}

fn name(side: &str, number: usize) -> Name {
    format!("{side} {number}").parse().expect("two words are a name")
}

/// Number of plies without a pawn move or a capture after which a pawn move is made; the game
/// would be drawn after 150 (FIDE 9.6.2).
const QUIET_PLIES: u32 = 120;

/// Returns a random legal move after which the game continues. Returns `None` if there is none,
/// which is rare before [`MAX_GAME_PLIES`].
///
/// Pieces move about at random. A pawn moves, or otherwise a piece is captured, only when the
/// game would soon be drawn.
pub fn lasting_move(line: &mut Line, rng: &mut SplitMix64) -> Option<Move> {
    let position = *line.position();
    if line.moves().len() + 1 >= MAX_GAME_PLIES as usize {
        return None;
    }
    let mut moves = position.legal_moves().to_vec();
    let first = rng.below(moves.len().max(1));
    moves.rotate_left(first);
    let is_pawn_move_due = u32::from(position.halfmove_clock()) > QUIET_PLIES;
    moves.sort_by_key(|mv| match (position.piece_at(mv.to()), mv.role()) {
        (None, Role::Pawn) => u8::from(!is_pawn_move_due),
        (None, _) => u8::from(is_pawn_move_due),
        (Some(_), _) => 2,
    });
    // A repetition is better than the end of the game.
    let fresh = moves.iter().copied().find(|&mv| continues_after(line, mv, 3));
    fresh.or_else(|| moves.into_iter().find(|&mv| continues_after(line, mv, usize::MAX)))
}

/// Returns `true` if the game continues after a move and the position has occurred fewer than
/// `repetitions` times.
fn continues_after(line: &mut Line, mv: Move, repetitions: usize) -> bool {
    if line.play(mv).is_err() {
        return false;
    }
    let is_open = line.outcome().is_none() && line.repetitions() < repetitions;
    line.undo();
    is_open
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_last_long_enough_to_measure() {
        for seed in 0..5 {
            let (mut line, mut rng) = (Line::default(), SplitMix64::new(seed));
            for ply in 0..MAX_GAME_PLIES - 1 {
                let mv = lasting_move(&mut line, &mut rng);
                let mv = mv.unwrap_or_else(|| panic!("seed {seed} ends at {ply}"));
                line.play(mv).unwrap();
            }
            assert!(line.outcome().is_none());
        }
    }
}
