//! A proof that follows only kings, pawns and stones, and lets every other piece be anywhere.
//!
//! If many bishops can move around, there are too many positions to enumerate. Yet often the only
//! question is whether kings and pawns get past each other, and whose turn it is. So an abstract
//! game is explored exhaustively. Kings and pawns move in turn; pieces that never move are stones;
//! all others are ghosts. A ghost is everywhere it can ever be: it attacks, captures, is captured
//! or stays out of the way, whatever helps the mate. As long as a side has ghosts, it can pass.
//! Every real line of play is also a line of this game, so if no mate is possible here, there is
//! none. Real checks are not obeyed, which only adds lines.
//!
//! If a pawn can promote, the attempt ends without an answer.

use std::collections::HashSet;

use castellan_rules::{Bitboard, Color, Piece, Position, Rank, Role, Square, attacks};

use crate::Budget;
use crate::kings::KingPairs;
use crate::mating_net;
use crate::pieces::TrackedPiece;
use crate::reach::Reach;

/// The squares of the pieces that are followed, and the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    kings: [Square; 2],
    pawns: [Bitboard; 2],
    /// Pieces that currently cannot move, on their original squares.
    stones: [Bitboard; 2],
    /// Stones that have become ghosts.
    released: Bitboard,
    turn: Color,
}

impl State {
    /// Returns the pieces of a color that are followed, without the king.
    fn followed(&self, color: Color) -> Bitboard {
        self.pawns[color.index()] | self.stones[color.index()]
    }

    fn occupied(&self) -> Bitboard {
        let [white, black] = Color::ALL.map(|color| self.followed(color));
        (white | black).with(self.kings[0]).with(self.kings[1])
    }

    /// Returns the state without the pieces on some squares, except kings.
    fn without(mut self, squares: Bitboard) -> State {
        for set in self.pawns.iter_mut().chain(&mut self.stones) {
            *set &= !squares;
        }
        self
    }
}

/// The last move, as far as it shows which pieces can be giving check.
#[derive(Clone, Copy)]
enum LastMove {
    /// A ghost moved: any piece may be giving check.
    Ghost,
    /// A king or pawn left the squares of the set and is now on the other square.
    Piece(Bitboard, Square),
}

/// The abstract game.
struct AbstractGame<'a> {
    reach: &'a Reach,
    position: &'a Position,
    winner: Color,
    /// The stones of the initial state.
    first_stones: Bitboard,
    /// For each color, the squares where the initial ghosts may stand and where they may capture.
    ghost_squares: [Bitboard; 2],
    ghost_captures: [Bitboard; 2],
    states: HashSet<State>,
    todo: Vec<State>,
}

/// The game was abandoned without an answer: a mate may be possible, a pawn promotes, or the
/// budget is spent.
struct Undecided;

/// Returns whether `winner` is proven unable to mate; `false` means only that there is no proof.
pub(crate) fn is_unwinnable(
    position: &Position,
    reach: &Reach,
    winner: Color,
    budget: &mut Budget<'_>,
) -> bool {
    if position.castling_rooks().any() || position.en_passant().is_some() {
        return false;
    }
    let mut game = AbstractGame::new(position, reach, winner);
    game.explore(budget).is_ok()
}

/// Returns whether a piece is a stone for now: it never moves, or its own side blocks all its
/// moves.
fn is_stone(piece: &TrackedPiece, occupied: Bitboard, own: Bitboard) -> bool {
    !piece.squares.has_multiple() || (piece.attacks(piece.start, occupied) & !own).is_empty()
}

impl<'a> AbstractGame<'a> {
    fn new(position: &'a Position, reach: &'a Reach, winner: Color) -> AbstractGame<'a> {
        let none = [Bitboard::EMPTY; 2];
        let mut start = State {
            kings: Color::ALL.map(|color| position.king(color)),
            pawns: Color::ALL.map(|color| position.color(color) & position.role(Role::Pawn)),
            stones: none,
            released: Bitboard::EMPTY,
            turn: position.turn(),
        };
        let (mut ghost_squares, mut ghost_captures) = (none, none);
        let non_pawns = || reach.pieces.iter().filter(|piece| piece.role != Role::Pawn);
        let all = position.color(Color::White) | position.color(Color::Black);
        for piece in non_pawns().filter(|piece| is_stone(piece, all, position.color(piece.color))) {
            start.stones[piece.color.index()] |= piece.start.into();
        }
        for piece in non_pawns() {
            let color = piece.color.index();
            if !start.stones[color].contains(piece.start) {
                ghost_squares[color] |= piece.squares;
                ghost_captures[color] |= piece.arrivals;
            }
        }
        let states = HashSet::new();
        let mut game = AbstractGame {
            reach,
            position,
            winner,
            first_stones: start.stones[0] | start.stones[1],
            ghost_squares,
            ghost_captures,
            states,
            todo: Vec::new(),
        };
        // A piece that blocks a stone at the start may be a ghost.
        game.release(&mut start);
        game.states.insert(start);
        game.todo.push(start);
        game
    }

    fn explore(&mut self, budget: &mut Budget<'_>) -> Result<(), Undecided> {
        while let Some(state) = self.todo.pop() {
            if !budget.spend() {
                return Err(Undecided);
            }
            self.play_ghosts(&state)?;
            self.play_king(&state)?;
            self.play_pawns(&state)?;
        }
        Ok(())
    }

    /// Continues from the state that a move leads to.
    fn add(&mut self, next: State, last: LastMove) -> Result<(), Undecided> {
        let mut next = State { turn: !next.turn, ..next };
        self.release(&mut next);
        if next.turn != self.winner && self.may_be_mate(&next, last) {
            return Err(Undecided);
        }
        if self.states.insert(next) {
            self.todo.push(next);
        }
        Ok(())
    }

    /// Turns stones that can move into ghosts.
    fn release(&self, state: &mut State) {
        while let Some(piece) = self.reach.pieces.iter().find(|piece| self.is_free(state, piece)) {
            state.stones[piece.color.index()] &= !Bitboard::of(piece.start);
            state.released |= piece.start.into();
        }
    }

    fn is_free(&self, state: &State, piece: &TrackedPiece) -> bool {
        let color = piece.color.index();
        let own = state.followed(piece.color).with(state.kings[color]);
        state.stones[color].contains(piece.start) && !is_stone(piece, state.occupied(), own)
    }

    /// Returns the pieces that are ghosts by now because something released them.
    fn released(&self, state: &State, color: Color) -> impl Iterator<Item = &TrackedPiece> {
        let released = state.released;
        let is_released =
            move |piece: &&TrackedPiece| piece.color == color && released.contains(piece.start);
        self.reach.pieces.iter().filter(move |piece| piece.role != Role::Pawn).filter(is_released)
    }

    /// Returns where ghosts of a color may stand.
    fn ghost_squares(&self, state: &State, color: Color) -> Bitboard {
        let first = self.ghost_squares[color.index()];
        if state.released.is_empty() {
            return first;
        }
        self.released(state, color).fold(first, |all, piece| all | piece.squares)
    }

    /// Returns where ghosts of a color may capture.
    fn ghost_captures(&self, state: &State, color: Color) -> Bitboard {
        let first = self.ghost_captures[color.index()];
        self.released(state, color).fold(first, |all, piece| all | piece.arrivals)
    }

    fn play_ghosts(&mut self, state: &State) -> Result<(), Undecided> {
        let color = state.turn;
        if self.ghost_squares(state, color).is_empty() {
            return Ok(());
        }
        self.add(*state, LastMove::Ghost)?;
        for victim in state.followed(!color) & self.ghost_captures(state, color) {
            self.add(state.without(victim.into()), LastMove::Ghost)?;
        }
        Ok(())
    }

    fn play_king(&mut self, state: &State) -> Result<(), Undecided> {
        let color = state.turn;
        let from = state.kings[color.index()];
        let enemy_king = state.kings[(!color).index()];
        let to = attacks::king(from) & !state.followed(color) & !attacks::king(enemy_king);
        for to in to.without(enemy_king) {
            let mut next = state.without(to.into());
            next.kings[color.index()] = to;
            if !self.is_surely_attacked(&next, to, !color) {
                self.add(next, LastMove::Piece(from.into(), to))?;
            }
        }
        Ok(())
    }

    /// Returns whether pieces that are followed attack a square such that no ghost can stand in
    /// between.
    fn is_surely_attacked(&self, state: &State, square: Square, by: Color) -> bool {
        if (attacks::pawn(!by, square) & state.pawns[by.index()]).any() {
            return true;
        }
        let [white, black] = Color::ALL.map(|color| self.ghost_squares(state, color));
        let blockers = state.occupied() | white | black;
        state.stones[by.index()].into_iter().any(|stone| {
            let role = self.position.pieces().role_at(stone).unwrap_or(Role::Pawn);
            attacks::of_piece(Piece { color: by, role }, stone, blockers).contains(square)
        })
    }

    fn play_pawns(&mut self, state: &State) -> Result<(), Undecided> {
        let color = state.turn;
        let targets = state.followed(!color) | self.ghost_squares(state, !color);
        let targets = targets.without(state.kings[(!color).index()]);
        for from in state.pawns[color.index()] {
            let own = state.followed(color).with(state.kings[color.index()]);
            for to in attacks::pawn(color, from) & targets & !own {
                self.move_pawn(state, from, to)?;
            }
            let Some(to) = from.offset(0, color.fold(1, -1)) else { continue };
            if state.occupied().contains(to) {
                continue;
            }
            self.move_pawn(state, from, to)?;
            if from.rank() == Rank::Second.relative_to(color)
                && let Some(far) = to.offset(0, color.fold(1, -1))
                && !state.occupied().contains(far)
            {
                self.move_pawn(state, from, far)?;
                self.play_en_passant(state, from, to, far)?;
            }
        }
        Ok(())
    }

    fn move_pawn(&mut self, state: &State, from: Square, to: Square) -> Result<(), Undecided> {
        let color = state.turn;
        if to.rank() == Rank::Eighth.relative_to(color) {
            return Err(Undecided);
        }
        let mut next = state.without(Bitboard::of(from).with(to));
        next.pawns[color.index()] |= to.into();
        self.add(next, LastMove::Piece(from.into(), to))
    }

    /// Plays a double step and the en passant capture that answers it, as a single move.
    fn play_en_passant(
        &mut self,
        state: &State,
        from: Square,
        passed: Square,
        far: Square,
    ) -> Result<(), Undecided> {
        let color = state.turn;
        for captor in attacks::pawn(color, passed) & state.pawns[(!color).index()] {
            let mut next = state.without(Bitboard::of(from).with(captor));
            next.pawns[(!color).index()] |= passed.into();
            next.turn = !color;
            self.add(next, LastMove::Piece(Bitboard::of(captor).with(far), passed))?;
        }
        Ok(())
    }

    /// Returns whether the loser, to move, may be checkmated with the ghosts wherever they help.
    fn may_be_mate(&self, state: &State, last: LastMove) -> bool {
        let king = state.kings[(!self.winner).index()];
        if !self.may_be_check(state, king, last) {
            return false;
        }
        let mut reach = self.reach.clone();
        reach.kings = KingPairs::of(state.kings[0], state.kings[1]);
        reach.fixed = Color::ALL.map(|color| state.followed(color));
        reach.fixed_kings = state.kings.map(Bitboard::from);
        reach.pieces.retain(|piece| piece.role != Role::Pawn && self.may_be_on_board(state, piece));
        for piece in reach.pieces.iter_mut() {
            if state.stones[piece.color.index()].contains(piece.start) {
                piece.squares = piece.start.into();
            }
        }
        for color in Color::ALL {
            for square in state.pawns[color.index()] {
                reach.pieces.push(TrackedPiece::new(color, Role::Pawn, square));
            }
        }
        mating_net::may_mate(&reach, self.winner)
    }

    /// Returns whether a piece is a ghost, or a stone that was not captured.
    fn may_be_on_board(&self, state: &State, piece: &TrackedPiece) -> bool {
        let was_stone = self.first_stones.contains(piece.start);
        let is_here = state.stones[piece.color.index()] | state.released;
        !was_stone || is_here.contains(piece.start)
    }

    /// Returns whether the last move can have given check, by the piece that moved or by one
    /// behind it.
    fn may_be_check(&self, state: &State, king: Square, last: LastMove) -> bool {
        let LastMove::Piece(left, to) = last else { return true };
        let is_pawn = state.pawns[self.winner.index()].contains(to);
        if is_pawn && attacks::pawn(self.winner, to).contains(king) {
            return true;
        }
        let occupied = state.occupied();
        left.into_iter().any(|square| {
            let is_open = attacks::queen(king, occupied).contains(square);
            is_open && self.is_lined_up_behind(state, king, square)
        })
    }

    /// Returns whether a piece of the winner may give check on the line from a king through a
    /// square.
    fn is_lined_up_behind(&self, state: &State, king: Square, square: Square) -> bool {
        let occupied = state.occupied();
        let lines = attacks::queen(king, occupied);
        let may_check = |piece: &TrackedPiece| {
            let is_stone = state.stones[piece.color.index()].contains(piece.start);
            let squares = if is_stone { piece.start.into() } else { piece.squares };
            (squares & lines).into_iter().any(|from| {
                attacks::between(king, from).contains(square)
                    && piece.attacks(from, occupied).contains(king)
            })
        };
        let winners = self.reach.pieces.iter().filter(|piece| piece.color == self.winner);
        let mut non_pawns = winners.filter(|piece| piece.role != Role::Pawn);
        non_pawns.any(|piece| self.may_be_on_board(state, piece) && may_check(piece))
    }
}
