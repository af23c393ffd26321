//! Parity of the number of moves: whether it can be this side's turn.
//!
//! White moves first. When White is to move, both sides have made equally many moves; otherwise
//! White has made one more. The moves of a side are the moves of its pieces, captured ones
//! included, so the argument needs the parity of the moves of every single piece. It is even (zero)
//! for an unmoved piece. For knights it follows from the colors of the squares, for pawns with a
//! known path from counting, and for officers in narrow cages from tracing their moves: there each
//! square may be reachable only by an odd or only by an even number of moves. If a single piece was
//! free to lose a move, the argument fails.
//!
//! Castling is one move of two pieces, so the argument also fails if a king may have castled.
//! Which of the two knights is which does not matter, since the sum over both is the same.
//!
//! For example, in the start position with all castling rights only the knights can have moved,
//! and both sides have made an even number of moves. So Black cannot be to move.

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Square, attacks};

use super::History;
use super::assignment::{IMPOSSIBLE, PIECES_PER_SIDE};
use super::obstacles::Obstacles;
use super::side::{FIRST_PAWN, Side, start_role, start_square};
use super::track::{MAX_STAGES, Track, attack, step};
use super::travel::MAX_CAPTURES;
use crate::{Code, Finding, Value};

/// A set of parities: bit 0 for even, bit 1 for odd.
type Parities = u8;

/// The most moves a pawn can make: it has six ranks to go.
const MAX_MOVES: usize = 6;

const EVEN: Parities = 1;
const ODD: Parities = 2;

/// Returns a finding if the wrong side is to move. `given` is the side to move in the position,
/// `turn` the one before a double step that may have been the last move.
pub(super) fn contradiction(history: &History, given: Color, turn: Color) -> Option<Finding> {
    let [white, black] = [Color::White, Color::Black].map(|color| odd_moves(history, color));
    let (mut white, mut black) = (white?, black?);
    let is_wrong = (white != black) != (turn == Color::Black);
    if given != turn {
        let mover = turn.fold(&mut white, &mut black);
        *mover = !*mover;
    }
    let [white, black, knights] = [white, black, only_knights_moved(history)];
    let numbers = [white, black, knights].map(|is_so| Value::Number(is_so.into()));
    let finding = Finding::new(Code::Parity, Bitboard::EMPTY).with_value(Value::Color(given));
    is_wrong.then(|| numbers.into_iter().fold(finding, Finding::with_value))
}

/// Returns whether every piece other than the knights certainly stands where it started.
fn only_knights_moved(history: &History) -> bool {
    history.sides.iter().all(|side| {
        let mut others = side.on_board().filter(|&(_, _, role)| role != Role::Knight);
        side.len == PIECES_PER_SIDE
            && others.all(|(_, square, _)| history.obstacles.unmoved.contains(square))
    })
}

/// Returns whether a side has made an odd number of moves, or `None` if that is not certain.
fn odd_moves(history: &History, color: Color) -> Option<bool> {
    let (obstacles, side) = (&history.obstacles, &history.sides[color.index()]);
    if may_have_castled(obstacles, color) {
        return None;
    }
    let mut is_odd = odd_knight_moves(side)?;
    for original in (0..PIECES_PER_SIDE).filter(|&original| start_role(original) != Role::Knight) {
        let home = start_square(color, original);
        if obstacles.unmoved.contains(home) {
            continue;
        }
        let end = End::of(side, original)?;
        is_odd ^= if original >= FIRST_PAWN {
            single(pawn_parities(obstacles, color, home, &end))?
        } else {
            let piece = Piece { color, role: start_role(original) };
            history.is_officer_odd(piece, home, &end)?
        };
    }
    Some(is_odd)
}

impl History {
    /// Returns whether an officer has made an odd number of moves, if the board or the track of
    /// another pawn makes that certain.
    fn is_officer_odd(&self, piece: Piece, home: Square, end: &End) -> Option<bool> {
        let is_odd =
            |track: &Track| single(officer_parities(&self.obstacles, track, piece, home, end));
        is_odd(&Track::trivial()).or_else(|| self.tracks().find_map(|track| is_odd(&track)))
    }
}

/// Returns whether the parity is odd, or `None` unless there is exactly one.
fn single(parities: Parities) -> Option<bool> {
    match parities {
        EVEN => Some(false),
        ODD => Some(true),
        _ => None,
    }
}

/// Returns whether a color may have castled: its king may have moved, and the squares from the king
/// to one of its rooks may have been empty.
fn may_have_castled(obstacles: &Obstacles, color: Color) -> bool {
    let at = |file| Square::new(file, Rank::First.relative_to(color));
    let king = at(File::E);
    let is_open = |rook| (attacks::between(king, rook).with(rook) & obstacles.unmoved).is_empty();
    !obstacles.unmoved.contains(king) && (is_open(at(File::A)) || is_open(at(File::H)))
}

/// What became of an original piece that was not promoted and is not a knight.
struct End {
    /// The square where it stands, or the squares where it can have been captured.
    squares: Bitboard,
    is_captured: bool,
    /// The most captures it may have made as a pawn.
    most: u8,
}

impl End {
    /// Returns what became of a piece, or `None` if that is not certain.
    fn of(side: &Side, original: usize) -> Option<End> {
        let mut places = (0..side.len).filter(|&place| side.costs[place][original] < IMPOSSIBLE);
        let is_captured = side.may_be_captured(original);
        match (places.next(), places.next()) {
            (None, _) if is_captured => Some(End {
                squares: side.capture_squares[original],
                is_captured,
                most: side.max_captures[PIECES_PER_SIDE - 1][original],
            }),
            (Some(place), None) if !is_captured && side.pieces[place].1 == start_role(original) => {
                let squares = Bitboard::of(side.pieces[place].0);
                Some(End { squares, is_captured, most: side.max_captures[place][original] })
            }
            _ => None,
        }
    }
}

/// Returns whether the two knights together have made an odd number of moves, if that is certain.
fn odd_knight_moves(side: &Side) -> Option<bool> {
    let knights = (0..FIRST_PAWN).filter(|&original| start_role(original) == Role::Knight);
    let mut captured = 2_usize;
    // A knight changes color with every move. The knights start on squares of different colors,
    // so one light square is already in the sum.
    let mut is_odd = true;
    for (place, square, role) in side.on_board() {
        let is_possible = |original: &usize| side.costs[place][*original] < IMPOSSIBLE;
        if role == Role::Knight {
            if side.may_be_pawn(place) {
                return None;
            }
            captured = captured.checked_sub(1)?;
            is_odd ^= square.is_light();
        } else if knights.clone().any(|original| is_possible(&original)) {
            return None;
        }
    }
    let may_die = knights.filter(|&original| side.may_be_captured(original));
    let capture_squares =
        may_die.fold(Bitboard::EMPTY, |set, original| set | side.capture_squares[original]);
    match captured {
        0 => Some(is_odd),
        _ if (capture_squares & Bitboard::LIGHT).is_empty() => Some(is_odd),
        _ if (capture_squares & Bitboard::DARK).is_empty() => Some(is_odd ^ (captured == 1)),
        _ => None,
    }
}

/// Returns the parities with which an officer gets from home to its end, given the track of a
/// pawn.
fn officer_parities(
    obstacles: &Obstacles,
    track: &Track,
    piece: Piece,
    home: Square,
    end: &End,
) -> Parities {
    let mut staged = [[Bitboard::EMPTY; 2]; MAX_STAGES];
    let mut parities = 0;
    for (index, stage) in track.stages().iter().enumerate() {
        let blocked = obstacles.unmoved | stage.square;
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
        let stops = !blocked & !obstacles.no_stop(piece.color, piece.role);
        let goals =
            if end.is_captured || index == track.last() { end.squares } else { Bitboard::EMPTY };
        staged[index] = seeds;
        parities |= walk(piece, &mut staged[index], blocked, stops, goals);
    }
    parities
}

/// Walks on from squares of known parity to all others, and returns the parities of the goals.
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

/// Returns the parities with which a pawn gets to its end, or both if it may have been promoted
/// before it was captured.
fn pawn_parities(obstacles: &Obstacles, color: Color, home: Square, end: &End) -> Parities {
    let most = usize::from(end.most).min(MAX_CAPTURES);
    let capture_targets = obstacles.capture_targets[color.index()];
    let free = !obstacles.unmoved;
    let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
    // By number of captures, where the pawn can be after so many moves.
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
                next[captures + 1] |= attack(squares[captures], color) & capture_targets & free;
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
