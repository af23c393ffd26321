//! A game between two players at one board.
//!
//! This module manages the moves, offers and end of the game. It knows nothing of the terminal:
//! it takes a line of text and returns a reply.

use castellan_legality::picture::Highlights;
use castellan_rules::{
    Bitboard, CastlingSpelling, Color, EndReason, Line, Move, Outcome, Position, UciMove,
};
use castellan_winnable::is_dead;

use super::command::{Command, HELP};
use super::ending::{Ending, claim_name};
use super::move_text::find_move;
use super::score_sheet::{legal_moves, numbered, score_sheet};
use crate::board::Drawing;
use crate::terminal::Style;

/// The starting position of a game.
#[derive(Clone, Copy)]
pub(super) enum Start {
    /// The standard starting position.
    Normal,
    /// The Chess960 position with this number, below 960.
    Chess960(u16),
    /// A Chess960 position whose number, below 960, is drawn anew for every game.
    AnyChess960(fn() -> u16),
    /// This position.
    Position(Position),
}

/// The reply to a line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Something happened, or information was requested; the text includes its line breaks.
    Told(String),
    /// Nothing happened, for this reason.
    Refused(String),
    /// The player quits.
    Left,
}

impl Answer {
    /// Creates a refusal with this reason.
    pub(super) fn refused(why: impl Into<String>) -> Answer {
        Answer::Refused(why.into())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It is the turn of the player to move.
    Playing,
    /// The player to move has offered a draw, and the opponent has not answered.
    DrawOffered,
    Over(Ending),
}

/// A game in progress, with its starting position and how it is displayed.
pub(super) struct Table {
    start: Start,
    title: String,
    line: Line,
    phase: Phase,
    bottom: Color,
    style: Style,
}

impl Table {
    /// Creates a table with a new game.
    pub(super) fn new(start: Start, style: Style) -> Table {
        let (title, position) = set_up(start);
        let line = Line::new(position);
        let phase = phase_of(&line);
        Table { start, title, line, phase, bottom: Color::White, style }
    }

    /// Returns the text to show before the first move.
    pub(super) fn opening(&self) -> String {
        format!("{}. Type a move or help.\n{}{}", self.title, self.board(), self.news())
    }

    /// Returns the prompt: whose input is expected, and for what.
    pub(super) fn prompt(&self) -> String {
        let turn = self.line.turn();
        match self.phase {
            Phase::Playing => format!("{turn} to move"),
            Phase::DrawOffered => format!("{}, do you accept the draw? (y/n)", !turn),
            Phase::Over(_) => "Game over (new, undo, quit)".into(),
        }
    }

    /// Returns the text to show when the player quits, unless the game is over or has not
    /// started.
    pub(super) fn farewell(&self) -> String {
        let is_over = matches!(self.phase, Phase::Over(_));
        if is_over || self.line.moves().is_empty() {
            return String::new();
        }
        self.result(Ending::Unfinished)
    }

    /// Executes a line of input.
    pub(super) fn answer(&mut self, text: &str) -> Answer {
        let command = Command::parse(text);
        match (command, self.phase) {
            (Command::Empty, _) => Answer::Told(String::new()),
            (Command::Board, _) => Answer::Told(self.board()),
            (Command::Fen, _) => Answer::Told(format!("{}\n", self.line.position().to_fen())),
            (Command::Flip, _) => self.flip(),
            (Command::Help, _) => Answer::Told(HELP.into()),
            (Command::Moves, _) => self.moves(),
            (Command::New, _) => self.start_again(),
            (Command::Quit, _) => Answer::Left,
            (Command::Yes, Phase::DrawOffered) => self.end(Ending::Agreement),
            (Command::No, Phase::DrawOffered) => self.decline(),
            (_, Phase::DrawOffered) => Answer::refused("answer the draw offer first: y or n"),
            (Command::Yes | Command::No, _) => Answer::refused("there is no draw offer to answer"),
            (Command::Undo, _) => self.undo(),
            (_, Phase::Over(_)) => Answer::refused("the game is over; type new, undo or quit"),
            (Command::Claim, _) => self.claim(),
            (Command::ClaimWith(text), _) => self.claim_with(&text),
            (Command::Draw, _) => self.offer(),
            (Command::Resign, _) => self.end(Ending::Resignation(self.line.turn())),
            (Command::Move(text), _) => self.play_text(&text),
        }
    }

    fn play_text(&mut self, text: &str) -> Answer {
        match find_move(self.line.position(), text) {
            Ok(mv) => self.play(mv),
            Err(error) => Answer::refused(error.to_string()),
        }
    }

    fn play(&mut self, mv: Move) -> Answer {
        let played = numbered(self.line.position(), mv);
        match self.line.play(mv) {
            Ok(()) => {
                self.phase = phase_of(&self.line);
                Answer::Told(format!("{played}\n{}{}", self.board(), self.news()))
            }
            Err(error) => Answer::refused(error.to_string()),
        }
    }

    fn undo(&mut self) -> Answer {
        // A resignation or an agreed draw is the last event, so it is undone instead of the last
        // move.
        let was_decided = matches!(self.phase, Phase::Over(ending) if !is_by_board(ending));
        if !was_decided && self.line.undo().is_none() {
            return Answer::refused("there is no move to take back");
        }
        self.phase = phase_of(&self.line);
        let what = if was_decided { "The game continues." } else { "Move taken back." };
        Answer::Told(format!("{what}\n{}", self.board()))
    }

    fn flip(&mut self) -> Answer {
        self.bottom = !self.bottom;
        Answer::Told(self.board())
    }

    fn moves(&self) -> Answer {
        let moves = legal_moves(self.line.position());
        Answer::Told(if moves.is_empty() {
            "no legal moves\n".into()
        } else {
            format!("{moves}\n")
        })
    }

    /// Starts a new game. The old game is printed first, so that nothing is lost by mistake.
    fn start_again(&mut self) -> Answer {
        let farewell = self.farewell();
        let bottom = self.bottom;
        *self = Table { bottom, ..Table::new(self.start, self.style) };
        Answer::Told(format!("{farewell}\n{}", self.opening()))
    }

    fn offer(&mut self) -> Answer {
        self.phase = Phase::DrawOffered;
        Answer::Told(format!("{} offers a draw.\n", self.line.turn()))
    }

    fn decline(&mut self) -> Answer {
        self.phase = Phase::Playing;
        let turn = self.line.turn();
        Answer::Told(format!("{} declines the draw. {turn} to move.\n", !turn))
    }

    /// Claims a draw in the current position (FIDE 9.2.1.2 and 9.3.2).
    fn claim(&mut self) -> Answer {
        let claims = self.line.claims();
        if claims.any() {
            return self.end(Ending::Claim(self.line.turn(), claims));
        }
        Answer::refused(format!(
            "no draw to claim: the position has occurred {}, and there was a capture or pawn \
             move in the last fifty moves",
            times(self.line.repetitions())
        ))
    }

    /// Claims a draw by announcing a move (FIDE 9.2.1.1 and 9.3.1). After an incorrect claim the
    /// move must be played (9.5.2).
    fn claim_with(&mut self, text: &str) -> Answer {
        let mv = match find_move(self.line.position(), text) {
            Ok(mv) => mv,
            Err(error) => return Answer::refused(error.to_string()),
        };
        let claims = self.line.claims_after(mv);
        if claims.any() {
            return self.end(Ending::Claim(self.line.turn(), claims));
        }
        match self.play(mv) {
            Answer::Told(text) => Answer::Told(format!(
                "The claim is incorrect; the announced move is played.\n{text}"
            )),
            other => other,
        }
    }

    fn end(&mut self, ending: Ending) -> Answer {
        self.phase = Phase::Over(ending);
        Answer::Told(self.news())
    }

    /// Returns what a player should know before the next move: the result, a check, a possible
    /// claim.
    fn news(&self) -> String {
        if let Phase::Over(ending) = self.phase {
            return self.result(ending);
        }
        let mut news = String::new();
        if self.line.position().is_check() {
            news.push_str("Check!\n");
        }
        let claims = self.line.claims();
        if claims.any() {
            let turn = self.line.turn();
            news += &format!("{turn} may claim a draw by {}: type claim\n", claim_name(claims));
        }
        news
    }

    /// Formats the result, the reason for it, and all moves.
    fn result(&self, ending: Ending) -> String {
        let start = self.line.start();
        let from = if *start == Position::start() && start.fullmove_number() == 1 {
            String::new()
        } else {
            format!("From {}\n", start.to_fen())
        };
        let sheet = score_sheet(&self.line, ending.score());
        format!("Result: {}, {ending}\n{from}{sheet}\n", ending.score())
    }

    fn board(&self) -> String {
        let position = self.line.position();
        let checked = position.is_check().then(|| position.king(position.turn()));
        let last_move = self.line.moves().last().map_or(Bitboard::EMPTY, |&mv| shown_squares(mv));
        let marks = Highlights {
            checked: checked.map_or(Bitboard::EMPTY, Bitboard::of),
            wrong: Bitboard::EMPTY,
            last_move,
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

fn phase_of(line: &Line) -> Phase {
    // A mate takes precedence, and `outcome` detects it; a dead position comes next.
    let dead = || {
        let is_dead = is_dead(line.position()) == Some(true);
        is_dead.then_some(Outcome::draw(EndReason::DeadPosition))
    };
    let outcome = line.outcome().or_else(dead);
    outcome.map_or(Phase::Playing, |outcome| Phase::Over(Ending::Board(outcome)))
}

fn is_by_board(ending: Ending) -> bool {
    matches!(ending, Ending::Board(_))
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
