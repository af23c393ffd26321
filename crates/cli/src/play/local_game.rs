//! A game between two players at one terminal.
//!
//! [`Game`] knows the rules, the offers and the end. This module turns lines of text into commands
//! and the state of the game into replies; it does not read or print. Invariant: `game` is the
//! replay of `record`.

use core::time::Duration;

use castellan_game::{
    Actor, ClockStart, Command, EndReason, Event, Game, Moment, Player, PlayerId, Proposal,
    Recorded, Refusal, Settings, TimeControl,
};
use castellan_legality::picture::Highlights;
use castellan_rules::{Bitboard, CastlingSpelling, Color, Move, Position, UciMove};

use super::command::{HELP, PlayerCommand};
use super::move_text::find_move;
use super::score_sheet::{legal_moves, numbered, score_sheet};
use crate::board::Drawing;
use crate::terminal::Style;

/// The two people at the terminal. To the game they are one player in both seats, because the
/// terminal cannot tell who is typing.
const BOTH: PlayerId = PlayerId(0);

/// The time of every event: the game has no clocks.
const NOW: Moment = Moment::from_millis(0);

/// The starting position of a game.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// The standard starting position.
    Normal,
    /// The Chess960 position with this number, below 960.
    Chess960(u16),
    /// A random Chess960 position for every game; the function returns its number, below 960.
    AnyChess960(fn() -> u16),
    /// The given position.
    Position(Position),
}

/// The reply to a line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    /// Something happened, or information was requested; the text includes its line breaks.
    Text(String),
    /// Nothing happened, for this reason.
    Refused(String),
    /// The player quits.
    Quit,
}

impl Reply {
    /// Creates a refusal with this reason.
    pub(super) fn refused(why: &(impl ToString + ?Sized)) -> Reply {
        Reply::Refused(why.to_string())
    }
}

/// A game in progress, with its starting position and how it is displayed.
pub(super) struct LocalGame {
    start: Start,
    title: String,
    game: Game,
    record: Vec<Recorded>,
    bottom: Color,
    style: Style,
}

impl LocalGame {
    /// Starts a new game.
    pub(super) fn new(start: Start, style: Style) -> LocalGame {
        let (title, position) = set_up(start);
        let settings = Settings {
            start: position,
            // Castling is then unambiguous in every position; the players do not see it.
            is_chess960: true,
            time_control: TimeControl::Unlimited {},
            clock_start: ClockStart::FirstMove,
            is_rated: false,
            is_touch_move: false,
            allows_takeback: true,
        };
        let game = Game::new(settings, NOW);
        let mut game =
            LocalGame { start, title, game, record: Vec::new(), bottom: Color::White, style };
        for color in Color::ALL {
            let player = Player { id: BOTH, name: color.to_string(), rating: None };
            game.execute(&Command::Seat { color, player }).expect("the seats are free");
        }
        game
    }

    /// Returns the text to show before the first move.
    pub(super) fn opening_text(&self) -> String {
        format!("{}. Type a move or help.\n{}{}", self.title, self.board(), self.status_text())
    }

    /// Returns the prompt: whose input is expected, and for what.
    pub(super) fn prompt(&self) -> String {
        match (self.game.end(), self.game.offer(Proposal::Draw)) {
            (Some(_), _) => "Game over (new, undo, quit)".into(),
            (None, Some(color)) => format!("{}, do you accept the draw? (y/n)", !color),
            (None, None) => format!("{} to move", self.turn()),
        }
    }

    /// Returns the text to show when the player quits, unless the game is over or has not
    /// started.
    pub(super) fn closing_text(&self) -> String {
        let is_told = self.game.end().is_some() || self.game.line().moves().is_empty();
        if is_told { String::new() } else { self.result() }
    }

    /// Executes a line of input.
    pub(super) fn reply(&mut self, text: &str) -> Reply {
        let is_over = self.game.end().is_some();
        let is_draw_offered = self.game.offer(Proposal::Draw).is_some();
        match PlayerCommand::parse(text) {
            PlayerCommand::Empty => Reply::Text(String::new()),
            PlayerCommand::Board => Reply::Text(self.board()),
            PlayerCommand::Fen => Reply::Text(format!("{}\n", self.position().to_fen())),
            PlayerCommand::Flip => self.flip(),
            PlayerCommand::Help => Reply::Text(HELP.into()),
            PlayerCommand::Moves => self.moves(),
            PlayerCommand::New => self.start_again(),
            PlayerCommand::Quit => Reply::Quit,
            PlayerCommand::Yes if is_draw_offered => self.end_by(&Command::Accept(Proposal::Draw)),
            PlayerCommand::No if is_draw_offered => self.decline(),
            _ if is_draw_offered => Reply::refused("answer the draw offer first: y or n"),
            PlayerCommand::Yes | PlayerCommand::No => {
                Reply::refused("there is no draw offer to answer")
            }
            PlayerCommand::Undo => self.undo(),
            _ if is_over => Reply::refused("the game is over; type new, undo or quit"),
            PlayerCommand::Claim => self.claim(),
            PlayerCommand::ClaimWith(text) => self.claim_with(&text),
            PlayerCommand::Draw => self.offer(),
            PlayerCommand::Resign => self.end_by(&Command::Resign),
            PlayerCommand::Move(text) => self.play_text(&text),
        }
    }

    /// Passes a command to the game and keeps the events that follow from it.
    fn execute(&mut self, command: &Command) -> Result<(), Refusal> {
        let events = self.game.decide(Actor::Player(BOTH), command, NOW)?;
        for recorded in self.game.record(events, NOW) {
            self.game.evolve(&recorded).expect("the game itself decided on this event");
            self.record.push(recorded);
        }
        Ok(())
    }

    /// Goes back to the time when the record had this many events.
    fn go_back(&mut self, events: usize) {
        self.record.truncate(events);
        let settings = self.game.settings().clone();
        self.game = Game::replay(settings, NOW, &self.record)
            .expect("the first events of a record are a record");
    }

    fn play_text(&mut self, text: &str) -> Reply {
        match find_move(self.position(), text) {
            Ok(mv) => {
                let (ply, lag) = (self.game.ply(), Duration::ZERO);
                self.play(mv, &Command::Move { ply, mv: spell(mv), lag })
            }
            Err(error) => Reply::refused(&error),
        }
    }

    /// Executes a command that plays a move, and shows the new position.
    fn play(&mut self, mv: Move, command: &Command) -> Reply {
        let played = numbered(self.position(), mv);
        match self.execute(command) {
            Ok(()) => Reply::Text(format!("{played}\n{}{}", self.board(), self.status_text())),
            Err(refusal) => Reply::refused(&refusal),
        }
    }

    /// Takes back the last move. A resignation, an agreed draw or a claim is taken back instead, if
    /// it came last. There is no limit and no need to agree, unlike in a game over the network.
    fn undo(&mut self) -> Reply {
        let last = |is_it: fn(&Event) -> bool| {
            self.record.iter().rposition(|recorded| is_it(&recorded.event))
        };
        let is_decided = self.game.end().is_some_and(|end| !is_by_rules(end.reason));
        let (kept, what) = if is_decided {
            // The offer that was accepted goes, too.
            let turn = last(|event| matches!(event, Event::Moved { .. } | Event::Started {}));
            (turn.map(|at| at + 1), "The game continues.")
        } else {
            (last(|event| matches!(event, Event::Moved { .. })), "Move taken back.")
        };
        let Some(kept) = kept else {
            return Reply::refused("there is no move to take back");
        };
        self.go_back(kept);
        Reply::Text(format!("{what}\n{}", self.board()))
    }

    fn flip(&mut self) -> Reply {
        self.bottom = !self.bottom;
        Reply::Text(self.board())
    }

    fn moves(&self) -> Reply {
        let moves = legal_moves(self.position());
        Reply::Text(if moves.is_empty() { "no legal moves\n".into() } else { format!("{moves}\n") })
    }

    /// Starts a new game. The old game is printed first, so that nothing is lost by mistake.
    fn start_again(&mut self) -> Reply {
        let closing_text = self.closing_text();
        let bottom = self.bottom;
        *self = LocalGame { bottom, ..LocalGame::new(self.start, self.style) };
        Reply::Text(format!("{closing_text}\n{}", self.opening_text()))
    }

    fn offer(&mut self) -> Reply {
        match self.execute(&Command::Offer(Proposal::Draw)) {
            Ok(()) => Reply::Text(format!("{} offers a draw.\n", self.turn())),
            Err(refusal) => Reply::refused(&refusal),
        }
    }

    /// Declines the draw as if it had not been offered, because the limit on offers is there for
    /// opponents who cannot talk to each other.
    fn decline(&mut self) -> Reply {
        self.go_back(self.record.len() - 1);
        let turn = self.turn();
        Reply::Text(format!("{} declines the draw. {turn} to move.\n", !turn))
    }

    /// Claims a draw in the current position (FIDE 9.2.1.2 and 9.3.2).
    fn claim(&mut self) -> Reply {
        if self.game.claims().any() {
            return self.end_by(&self.claim_command(None));
        }
        Reply::refused(&format!(
            "no draw to claim: the position has occurred {}, and there was a capture or pawn \
             move in the last fifty moves",
            times(self.game.line().repetitions())
        ))
    }

    /// Claims a draw by announcing a move (FIDE 9.2.1.1 and 9.3.1). After an incorrect claim the
    /// move must be played (9.5.2).
    fn claim_with(&mut self, text: &str) -> Reply {
        let mv = match find_move(self.position(), text) {
            Ok(mv) => mv,
            Err(error) => return Reply::refused(&error),
        };
        let command = self.claim_command(Some(spell(mv)));
        if self.game.claims().any() {
            return self.end_by(&command);
        }
        match (self.play(mv, &command), self.game.end()) {
            (Reply::Text(text), None) => Reply::Text(format!(
                "The claim is incorrect; the announced move is played.\n{text}"
            )),
            (reply, _) => reply,
        }
    }

    fn claim_command(&self, announced: Option<UciMove>) -> Command {
        Command::Claim { ply: self.game.ply(), announced, lag: Duration::ZERO }
    }

    /// Executes a command that ends the game, and shows the result.
    fn end_by(&mut self, command: &Command) -> Reply {
        match self.execute(command) {
            Ok(()) => Reply::Text(self.result()),
            Err(refusal) => Reply::refused(&refusal),
        }
    }

    /// Returns what a player should know before the next move: the result, a check, a possible
    /// claim.
    fn status_text(&self) -> String {
        if self.game.end().is_some() {
            return self.result();
        }
        let mut text = String::new();
        if self.position().is_check() {
            text.push_str("Check!\n");
        }
        let claims = self.game.claims();
        if claims.any() {
            let reason = if claims.threefold_repetition {
                EndReason::ThreefoldRepetition
            } else {
                EndReason::FiftyMoves
            };
            text += &format!("{} may claim a draw by {reason}: type claim\n", self.turn());
        }
        text
    }

    /// Formats the result, the reason for it, and all moves.
    fn result(&self) -> String {
        let (score, reason) = match self.game.end() {
            Some(end) => (end.score(), end.to_string()),
            None => ("*", "the game is not finished".into()),
        };
        let start = self.game.line().start();
        let from = if *start == Position::start() && start.fullmove_number() == 1 {
            String::new()
        } else {
            format!("From {}\n", start.to_fen())
        };
        let sheet = score_sheet(self.game.line(), score);
        format!("Result: {score}, {reason}\n{from}{sheet}\n")
    }

    fn position(&self) -> &Position {
        self.game.line().position()
    }

    fn turn(&self) -> Color {
        self.game.line().turn()
    }

    fn board(&self) -> String {
        let position = self.position();
        let checked = position.is_check().then(|| position.king(position.turn()));
        let last_move = self.game.line().moves().last();
        let marks = Highlights {
            checked: checked.map_or(Bitboard::EMPTY, Bitboard::of),
            wrong: Bitboard::EMPTY,
            last_move: last_move.map_or(Bitboard::EMPTY, |&mv| shown_squares(mv)),
        };
        let pieces = position.pieces();
        let drawing = Drawing { pieces, bottom: self.bottom, style: self.style, marks };
        format!("\n{drawing}\n")
    }
}

/// Returns the title and the starting position of a new game.
fn set_up(start: Start) -> (String, Position) {
    let chess960 = |number: u16| {
        let position = Position::chess960(number).expect("the number is below 960");
        (format!("Two-player Chess960 game, position {number}"), position)
    };
    match start {
        Start::Normal => ("Two-player game".into(), Position::start()),
        Start::Chess960(number) => chess960(number),
        Start::AnyChess960(draw) => chess960(draw()),
        Start::Position(position) => ("Two-player game from a given position".into(), position),
    }
}

/// Returns whether the board ends the game, so that its last move has to be taken back.
fn is_by_rules(reason: EndReason) -> bool {
    match reason {
        EndReason::Checkmate
        | EndReason::Stalemate
        | EndReason::DeadPosition
        | EndReason::FivefoldRepetition
        | EndReason::SeventyFiveMoves
        | EndReason::PlyLimit => true,
        EndReason::ThreefoldRepetition
        | EndReason::FiftyMoves
        | EndReason::Resignation
        | EndReason::Agreement
        | EndReason::Timeout
        | EndReason::TimeoutAgainstNoMate
        | EndReason::Abandoned
        | EndReason::Aborted
        | EndReason::Unstated => false,
    }
}

/// Writes a move as the settings of the game require.
fn spell(mv: Move) -> UciMove {
    UciMove::from_move(mv, CastlingSpelling::for_game(true))
}

/// Returns the squares to highlight after a move; for castling, those of the king.
fn shown_squares(mv: Move) -> Bitboard {
    match UciMove::from_move(mv, CastlingSpelling::KingTwoSquares) {
        UciMove::Normal { from, to, .. } => Bitboard::of(from).with(to),
        UciMove::Null => Bitboard::EMPTY,
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        count => format!("{count} times"),
    }
}

#[cfg(test)]
mod tests;
