//! Odd and even: whether the side to move can be the side to move.
//!
//! White moves first, so when White is to move both sides have made equally many moves, otherwise
//! White has made one more. A side's moves are those of its men, the captured ones too, and the
//! argument needs the parity of every single man's: none for a steady man, by the colours of the
//! squares for knights, by counting for pawns whose way is known, and by walking for officers
//! that are locked up so narrowly that each square is only ever reached by an odd number of moves
//! or by an even one. If one man is free to lose a move, nothing is said.
//!
//! Castling is one move of two men, so nothing is said either if a king may have castled. Which
//! of the two knights is which does not matter, since the sum over both is the same.

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Square, attacks};

use super::History;
use super::assignment::{MEN, NEVER};
use super::ground::Ground;
use super::side::{FIRST_PAWN, Side, start_role, start_square};
use super::track::{MAX_STAGES, Track, step, strike};
use super::travel::MAX_CAPTURES;
use crate::{Code, Finding, Value};

/// A set of parities: bit 0 for even, bit 1 for odd.
type Parities = u8;

/// A pawn has six ranks to go.
const MAX_MOVES: usize = 6;

const EVEN: Parities = 1;
const ODD: Parities = 2;

/// Says that it is the wrong side's turn, if it is. The turn that is told of may be later than the
/// one that is counted, by one double step.
pub(super) fn contradiction(history: &History, told: Color, turn: Color) -> Option<Finding> {
    let [white, black] = [Color::White, Color::Black].map(|color| odd_moves(history, color));
    let (mut white, mut black) = (white?, black?);
    let is_wrong = (white != black) != (turn == Color::Black);
    if told != turn {
        let mover = turn.fold(&mut white, &mut black);
        *mover = !*mover;
    }
    let [white, black, knights] = [white, black, only_knights_moved(history)];
    let numbers = [white, black, knights].map(|is_so| Value::Number(is_so.into()));
    let finding = Finding::new(Code::Parity, Bitboard::EMPTY).with(Value::Color(told));
    is_wrong.then(|| numbers.into_iter().fold(finding, Finding::with))
}

/// Whether every man but the knights certainly stands where it started.
fn only_knights_moved(history: &History) -> bool {
    history.sides.iter().all(|side| {
        let mut others = side.on_board().filter(|&(_, _, role)| role != Role::Knight);
        side.len == MEN && others.all(|(_, square, _)| history.ground.steady.contains(square))
    })
}

/// Whether a side has made an odd number of moves, if that is certain.
fn odd_moves(history: &History, color: Color) -> Option<bool> {
    let (ground, side) = (&history.ground, &history.sides[color.index()]);
    if may_have_castled(ground, color) {
        return None;
    }
    let mut is_odd = odd_knight_moves(side)?;
    for man in (0..MEN).filter(|&man| start_role(man) != Role::Knight) {
        let home = start_square(color, man);
        if ground.steady.contains(home) {
            continue;
        }
        let end = End::of(side, man)?;
        is_odd ^= if man >= FIRST_PAWN {
            single(pawn_parities(ground, color, home, &end))?
        } else {
            let piece = Piece { color, role: start_role(man) };
            history.is_officer_odd(piece, home, &end)?
        };
    }
    Some(is_odd)
}

impl History {
    /// Whether an officer has made an odd number of moves, if the board or one of the other
    /// pawns' ways makes that certain.
    fn is_officer_odd(&self, piece: Piece, home: Square, end: &End) -> Option<bool> {
        let is_odd =
            |track: &Track| single(officer_parities(&self.ground, track, piece, home, end));
        is_odd(&Track::trivial()).or_else(|| self.tracks().find_map(|track| is_odd(&track)))
    }
}

/// Whether the only parity is odd, if there is only one.
fn single(parities: Parities) -> Option<bool> {
    match parities {
        EVEN => Some(false),
        ODD => Some(true),
        _ => None,
    }
}

/// Whether a side may have castled: its king may have moved and a wing may have been empty.
fn may_have_castled(ground: &Ground, color: Color) -> bool {
    let at = |file| Square::new(file, Rank::First.relative_to(color));
    let king = at(File::E);
    let is_open = |rook| (attacks::between(king, rook).with(rook) & ground.steady).is_empty();
    !ground.steady.contains(king) && (is_open(at(File::A)) || is_open(at(File::H)))
}

/// What became of a man of the start that was neither promoted nor is a knight.
struct End {
    /// Where it stands, or may have been captured.
    squares: Bitboard,
    is_captured: bool,
    /// The captures it may have made as a pawn.
    most: u8,
}

impl End {
    /// The end of a man, if it is certain what became of it.
    fn of(side: &Side, man: usize) -> Option<End> {
        let mut places = (0..side.len).filter(|&place| side.costs[place][man] < NEVER);
        let is_captured = side.may_be_captured(man);
        match (places.next(), places.next()) {
            (None, _) if is_captured => {
                Some(End { squares: side.graves[man], is_captured, most: side.most[MEN - 1][man] })
            }
            (Some(place), None) if !is_captured && side.men[place].1 == start_role(man) => {
                let squares = Bitboard::of(side.men[place].0);
                Some(End { squares, is_captured, most: side.most[place][man] })
            }
            _ => None,
        }
    }
}

/// Whether the two knights have made an odd number of moves together.
fn odd_knight_moves(side: &Side) -> Option<bool> {
    let knights = (0..FIRST_PAWN).filter(|&man| start_role(man) == Role::Knight);
    let mut captured = 2_usize;
    // They start on squares of different colours, so one light square is in the sum already.
    let mut is_odd = true;
    for (place, square, role) in side.on_board() {
        let is_possible = |man: &usize| side.costs[place][*man] < NEVER;
        if role == Role::Knight {
            if side.may_be_pawn(place) {
                return None;
            }
            captured = captured.checked_sub(1)?;
            is_odd ^= square.is_light();
        } else if knights.clone().any(|man| is_possible(&man)) {
            return None;
        }
    }
    let may_die = knights.filter(|&man| side.may_be_captured(man));
    let graves = may_die.fold(Bitboard::EMPTY, |set, man| set | side.graves[man]);
    match captured {
        0 => Some(is_odd),
        _ if (graves & Bitboard::LIGHT).is_empty() => Some(is_odd),
        _ if (graves & Bitboard::DARK).is_empty() => Some(is_odd ^ (captured == 1)),
        _ => None,
    }
}

/// The parities with which an officer gets from home to its end in the product with a track.
fn officer_parities(
    ground: &Ground,
    track: &Track,
    piece: Piece,
    home: Square,
    end: &End,
) -> Parities {
    let mut staged = [[Bitboard::EMPTY; 2]; MAX_STAGES];
    let mut parities = 0;
    for (index, stage) in track.stages().iter().enumerate() {
        let blocked = ground.steady | stage.square;
        let mut seeds = [Bitboard::EMPTY; 2];
        if stage.is_first {
            seeds[0] = Bitboard::of(home) & !stage.square;
        }
        for (earlier, from) in track.stages()[..index].iter().enumerate() {
            if from.next >> index & 1 == 1 {
                let crossed = track.crossed(earlier, index);
                seeds = std::array::from_fn(|odd| seeds[odd] | staged[earlier][odd] & !crossed);
            }
        }
        let stops = !blocked & !ground.no_stop(piece.color, piece.role);
        let goals =
            if end.is_captured || index == track.last() { end.squares } else { Bitboard::EMPTY };
        staged[index] = seeds;
        parities |= walk(piece, &mut staged[index], blocked, stops, goals);
    }
    parities
}

/// Walks on from squares, known by parity, to all others, and gives the parities of the goals.
fn walk(
    piece: Piece,
    seen: &mut [Bitboard; 2],
    blocked: Bitboard,
    stops: Bitboard,
    goals: Bitboard,
) -> Parities {
    let mut waiting = *seen;
    let mut reached = seen.map(|set| set & goals);
    while let Some(odd) = waiting.iter().position(|set| set.any()) {
        let Some(square) = waiting[odd].first() else { break };
        waiting[odd] = waiting[odd].without(square);
        let steps = attacks::of_piece(piece, square, blocked) & !blocked;
        let new = steps & stops & !seen[1 - odd];
        reached[1 - odd] |= steps & goals;
        seen[1 - odd] |= new;
        waiting[1 - odd] |= new;
    }
    let [even, odd] = reached.map(|set| u8::from(set.any()));
    (EVEN * even) | (ODD * odd)
}

/// The parities with which a pawn gets to its end. Both if it may have been promoted before.
fn pawn_parities(ground: &Ground, color: Color, home: Square, end: &End) -> Parities {
    let most = usize::from(end.most).min(MAX_CAPTURES);
    let prey = ground.prey[color.index()];
    let free = !ground.steady;
    let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
    // By captures, where the pawn can be after so many moves.
    let mut squares = [Bitboard::EMPTY; MAX_CAPTURES + 1];
    squares[0] = Bitboard::of(home);
    let mut parities = if end.squares.contains(home) { EVEN } else { 0 };
    for moves in 1..=MAX_MOVES {
        let mut next = [Bitboard::EMPTY; MAX_CAPTURES + 1];
        for captures in 0..=most {
            let ahead = step(squares[captures], color) & free;
            let jump = if moves == 1 { step(ahead, color) & free } else { Bitboard::EMPTY };
            next[captures] |= ahead | jump;
            if captures < most {
                next[captures + 1] |= strike(squares[captures], color) & prey & free;
            }
        }
        squares = next;
        let been = squares.iter().fold(Bitboard::EMPTY, |all, &set| all | set);
        if end.is_captured && (been & last_rank).any() {
            return EVEN | ODD;
        }
        if (been & end.squares).any() {
            parities |= if moves % 2 == 0 { EVEN } else { ODD };
        }
    }
    parities
}
