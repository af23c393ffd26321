//! Explains why a piece cannot have come to its square: what shut it in, or shut it out.

use castellan_rules::{Bitboard, Color, Piece, Rank, Role, Square, attacks};

use super::History;
use super::side::{FIRST_PAWN, Side, start_role, start_square};
use super::track::{Track, TrackStage};
use super::travel::flood;
use crate::{Code, Finding, Value};

/// A set of squares enclosed by pieces that never moved.
struct Cage {
    inside: Bitboard,
    walls: Bitboard,
}

impl Cage {
    /// Returns the squares a piece can reach from any of the starts, and the unmoved pieces that
    /// limit them.
    fn around(unmoved: Bitboard, piece: Piece, starts: Bitboard) -> Cage {
        let inside = flood(piece.role, starts, unmoved, !unmoved);
        let touched = inside
            .into_iter()
            .fold(Bitboard::EMPTY, |all, square| all | attacks::of_piece(piece, square, unmoved));
        Cage { inside, walls: touched & unmoved }
    }
}

/// Creates the finding for a piece that cannot be any original piece.
pub(super) fn finding(history: &History, side: &Side, role: Role, square: Square) -> Finding {
    let obstacles = &history.obstacles;
    let piece = Piece { color: side.color, role };
    let may_be_origin = |&original: &usize| {
        let start = start_square(side.color, original);
        let is_same_shade = start.is_light() == square.is_light();
        start_role(original) == role && (role != Role::Bishop || is_same_shade)
    };
    let starts =
        (0..FIRST_PAWN).filter(may_be_origin).map(|original| start_square(side.color, original));
    let starts: Bitboard = starts.collect();
    let (still_home, homes) = (starts & obstacles.unmoved, starts & !obstacles.unmoved);
    let way_in = Cage::around(obstacles.unmoved, piece, Bitboard::of(square));
    let way_out = Cage::around(obstacles.unmoved, piece, homes);
    let is_shut_in = homes.any() && !way_out.inside.contains(square);
    let may_promote = pawns(side) < 8;
    if obstacles.is_cut_off(side.color, role, square) {
        let promotes = may_promote && role != Role::King;
        let ranks = Bitboard::rank(Rank::First) | Bitboard::rank(Rank::Eighth);
        let is_shut_out = (way_in.inside.without(square) & (homes | ranks)).is_empty();
        // If the piece is shut in and its square is shut off, the smaller cage explains it better.
        if is_shut_in && !(is_shut_out && way_in.inside.count() < way_out.inside.count()) {
            return caged(piece, square, homes, way_out.walls, promotes);
        }
        if is_shut_out && way_in.walls.any() {
            return caged(piece, square, Bitboard::EMPTY, way_in.walls, false);
        }
    }
    if let Some(bars) = bars(history, piece, square, homes) {
        return Finding::new(Code::Barred, bars.with(square))
            .with_value(Value::Piece(role, square))
            .with_value(Value::Squares(bars));
    }
    // A cage that covers a large part of the board explains nothing.
    let is_narrow = is_shut_in && way_out.inside.count() <= MAX_CAGE_SQUARES;
    let (homes, walls) = if is_narrow { (homes, way_out.walls) } else { Default::default() };
    let still_home = if starts == still_home { still_home } else { Bitboard::EMPTY };
    Finding::new(Code::NoPromotion, (homes | walls | still_home).with(square))
        .with_value(Value::Piece(role, square))
        .with_value(Value::Squares(homes))
        .with_value(Value::Squares(walls))
        .with_value(Value::Squares(still_home))
}

/// The most squares a cage may have to be mentioned.
const MAX_CAGE_SQUARES: usize = 8;

/// Returns the pieces that always barred the way to a square: those that never moved, and pawns
/// that keep it closed wherever they stand on their tracks. Returns `None` if there is a way past
/// all of them, because then only the order of events closed it.
fn bars(history: &History, piece: Piece, square: Square, homes: Bitboard) -> Option<Bitboard> {
    let unmoved = history.obstacles.unmoved;
    let is_other = |track: &Track| !track.present().contains(square);
    let tracks: Vec<Track> = history.tracks().filter(is_other).collect();
    let wall = tracks.iter().fold(TrackStage::NOTHING, |wall, track| wall.with_wall(&track.wall));
    let enemy = (!piece.color).index();
    let guarded = |wall: &TrackStage| {
        if piece.role == Role::King { wall.guarded[enemy] } else { Bitboard::EMPTY }
    };
    let blocked = (unmoved | wall.square).without(square);
    let forbidden_stops = history.obstacles.no_stop(piece.color, piece.role);
    let stops = !blocked & !forbidden_stops & !guarded(&wall);
    let inside = flood(piece.role, square.into(), blocked, stops);
    let exits = inside
        .into_iter()
        .fold(Bitboard::EMPTY, |all, square| all | attacks::of_piece(piece, square, blocked));
    let last_rank = Bitboard::rank(Rank::Eighth.relative_to(piece.color));
    let goals = if piece.role == Role::King { homes } else { homes | last_rank };
    if (inside.without(square) & goals).any() || inside.count() > MAX_CAGE_SQUARES {
        return None;
    }
    let is_bar = |track: &&Track| ((track.wall.square | guarded(&track.wall)) & exits).any();
    let moved = tracks.iter().filter(is_bar).fold(Bitboard::EMPTY, |all, it| all | it.present());
    // A king also avoids squares attacked by pieces that never moved.
    let is_guard = |&guard: &Square| {
        piece.role == Role::King && (attacks::king(guard) & exits & forbidden_stops).any()
    };
    let enemies = history.sides[enemy].on_board().map(|(_, square, _)| square);
    let guards: Bitboard = enemies.filter(|it| unmoved.contains(*it)).filter(is_guard).collect();
    Some(moved | guards | unmoved & exits)
}

/// Creates the finding for a piece that was shut in at home or, if `homes` is empty, for a square
/// that is shut off from everywhere.
pub(crate) fn caged(
    piece: Piece,
    square: Square,
    homes: Bitboard,
    walls: Bitboard,
    may_promote: bool,
) -> Finding {
    Finding::new(Code::Caged, (homes | walls).with(square))
        .with_value(Value::Piece(piece.role, square))
        .with_value(Value::Squares(homes))
        .with_value(Value::Squares(walls))
        .with_value(Value::Number(may_promote.into()))
}

fn pawns(side: &Side) -> usize {
    side.on_board().filter(|&(_, _, role)| role == Role::Pawn).count()
}

/// Creates the finding for a bishop that cannot have left its home behind two pawns that never
/// moved.
pub(crate) fn boxed_bishop(
    color: Color,
    bishop: Square,
    home: Square,
    may_promote: bool,
) -> Finding {
    let walls = attacks::pawn(color, home);
    caged(Piece { color, role: Role::Bishop }, bishop, Bitboard::of(home), walls, may_promote)
}
