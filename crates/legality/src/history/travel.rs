//! Finds the paths that were open to officers and pawns.
//!
//! Everything here errs on the side of too many paths. Only the unmoved pieces and the pawn of a
//! single track count as obstacles; any other piece may have been elsewhere, or captured.
//! Castling needs no step of its own: where it is possible, the king and rook could have walked.
//!
//! Officers are traced backward from where they stand, since a walk can be reversed. Pawns are
//! traced in both directions, by the number of captures they need.

use castellan_rules::{Bitboard, Color, Piece, Rank, Role, Square, attacks};

use super::obstacles::Obstacles;
use super::track::{MAX_STAGES, Track, TrackStage, attack, indices, step};

/// The most captures a pawn can make: it has six ranks to go.
pub(super) const MAX_CAPTURES: usize = 6;

/// For each number of captures, the squares for which that many are enough.
pub(super) type Levels = [Bitboard; MAX_CAPTURES + 1];

/// For each stage of a track, a set of squares.
pub(super) type Staged = [Bitboard; MAX_STAGES];

/// Returns the squares a piece can reach from the seeds if it may only stop on `stops`.
///
/// `blocked` squares end its lines and are never stops.
pub(super) fn flood(role: Role, seeds: Bitboard, blocked: Bitboard, stops: Bitboard) -> Bitboard {
    let mut seen = seeds;
    loop {
        let larger = seen | neighbors(role, seen) & stops;
        if larger != seen {
            seen = larger;
            continue;
        }
        let is_slider = matches!(role, Role::Bishop | Role::Rook | Role::Queen);
        if !is_slider || stops == !blocked || (stops & !seen).is_empty() {
            return seen;
        }
        // Sliders may pass over squares where they must not stop.
        let piece = Piece { color: Color::White, role };
        for square in seen {
            seen |= attacks::of_piece(piece, square, blocked) & stops;
        }
        if larger == seen {
            return seen;
        }
    }
}

/// Returns the squares one step away from a set.
fn neighbors(role: Role, set: Bitboard) -> Bitboard {
    let sides = |set: Bitboard| {
        let left = (set.0 & !0x0101_0101_0101_0101) >> 1;
        let right = (set.0 & !0x8080_8080_8080_8080) << 1;
        Bitboard(left | right)
    };
    let across = |set: Bitboard| Bitboard(set.0 << 8 | set.0 >> 8);
    match role {
        Role::Rook => sides(set) | across(set),
        Role::Bishop => across(sides(set)),
        Role::Queen | Role::King => {
            let beside = sides(set);
            beside | across(set | beside)
        }
        Role::Knight => {
            let one = sides(set);
            let left = (set.0 & !0x0303_0303_0303_0303) >> 2;
            let right = (set.0 & !0xc0c0_c0c0_c0c0_c0c0) << 2;
            Bitboard(one.0 << 16 | one.0 >> 16) | across(Bitboard(left | right))
        }
        Role::Pawn => Bitboard::EMPTY,
    }
}

/// Returns, for each stage of the track, where the officer on `to` can have been at that time.
pub(super) fn officer_backwards(
    obstacles: &Obstacles,
    track: &Track,
    piece: Piece,
    to: Square,
) -> Staged {
    let mut staged = [Bitboard::EMPTY; MAX_STAGES];
    for (index, stage) in track.stages().iter().enumerate().rev() {
        let blocked = obstacles.unmoved | stage.square;
        let guarded = guarded_from(stage, piece);
        let stops = !blocked & !obstacles.no_stop(piece.color, piece.role) & !guarded;
        let mut seeds = Bitboard::EMPTY;
        for next in indices(stage.next) {
            let checked = checked_on_arrival(obstacles, &track.stages()[next], piece, staged[next]);
            seeds |= (staged[next] | checked) & stops & !track.crossed(index, next);
        }
        let mut stops_now = stops;
        if index == track.last() {
            seeds = Bitboard::of(to);
            // A king on a guarded square is in check from the pawn, which has just arrived.
            stops_now = if guarded.contains(to) { Bitboard::EMPTY } else { stops };
        }
        staged[index] = flood(piece.role, seeds, blocked, stops_now);
    }
    staged
}

/// Returns the squares where the track's pawn keeps a king away.
fn guarded_from(stage: &TrackStage, piece: Piece) -> Bitboard {
    let is_king = piece.role == Role::King;
    if is_king { stage.guarded[(!piece.color).index()] } else { Bitboard::EMPTY }
}

/// Returns where a king may have stood when the pawn arrived at a stage and gave check, if it
/// could then go to one of the squares `later`.
fn checked_on_arrival(
    obstacles: &Obstacles,
    stage: &TrackStage,
    piece: Piece,
    later: Bitboard,
) -> Bitboard {
    let mut checked = guarded_from(stage, piece);
    checked &= !obstacles.unmoved & !obstacles.no_stop(piece.color, piece.role);
    checked.into_iter().filter(|&square| (attacks::king(square) & later).any()).collect()
}

/// Returns, for each stage, the squares from which a pawn gets to a goal of that stage or a later
/// one, by the number of captures it makes.
pub(super) fn pawn_backwards(
    obstacles: &Obstacles,
    track: &Track,
    color: Color,
    goals: &Staged,
) -> [Levels; MAX_STAGES] {
    let mut staged = [[Bitboard::EMPTY; MAX_CAPTURES + 1]; MAX_STAGES];
    let forbidden_stops =
        obstacles.no_stop(color, Role::Pawn) | Bitboard::rank(Rank::First.relative_to(color));
    for (index, stage) in track.stages().iter().enumerate().rev() {
        let mut seeds = [goals[index]; MAX_CAPTURES + 1];
        let free = !(obstacles.unmoved | stage.square);
        for next in indices(stage.next) {
            let stayed = free & !track.crossed(index, next);
            seeds =
                std::array::from_fn(|captures| seeds[captures] | staged[next][captures] & stayed);
        }
        staged[index] = levels(obstacles, color, seeds, |set, below| {
            let captured_on =
                attack(below & obstacles.capture_targets[color.index()] & free, !color);
            walked_back(set | captured_on & free & !forbidden_stops, free, !forbidden_stops, color)
        });
    }
    staged
}

/// Returns, for each number of captures, the squares reached from the seeds. `walk` takes the
/// squares for this number and those for one capture less, and returns all that follow.
fn levels(
    obstacles: &Obstacles,
    color: Color,
    mut seeds: Levels,
    walk: impl Fn(Bitboard, Bitboard) -> Bitboard,
) -> Levels {
    let most = obstacles.captures[color.index()];
    let mut below = Bitboard::EMPTY;
    for (captures, set) in seeds.iter_mut().enumerate() {
        if captures <= most {
            below = walk(*set | below, below);
        }
        *set = below;
    }
    seeds
}

/// Returns the squares from which a pawn gets to the set without a capture.
fn walked_back(mut set: Bitboard, free: Bitboard, stops: Bitboard, color: Color) -> Bitboard {
    let fourth = Bitboard::rank(Rank::Fourth.relative_to(color));
    loop {
        let jumped = step(step(set & fourth, !color) & free, !color);
        let larger = set | (step(set, !color) | jumped) & free & stops;
        if larger == set {
            return set;
        }
        set = larger;
    }
}

/// Returns, for each stage, where a pawn from `home` can have been, by the number of captures it
/// made.
///
/// `stops` are the only squares it may be on.
pub(super) fn pawn_forwards(
    obstacles: &Obstacles,
    track: &Track,
    color: Color,
    home: Square,
    stops: Bitboard,
) -> [Levels; MAX_STAGES] {
    let mut staged = [[Bitboard::EMPTY; MAX_CAPTURES + 1]; MAX_STAGES];
    for (index, stage) in track.stages().iter().enumerate() {
        let start =
            if stage.is_first { Bitboard::of(home) & !stage.square } else { Bitboard::EMPTY };
        let mut seeds = [start; MAX_CAPTURES + 1];
        for (earlier, from) in track.stages()[..index].iter().enumerate() {
            if from.next >> index & 1 == 1 {
                let stayed = !track.crossed(earlier, index);
                seeds = std::array::from_fn(|captures| {
                    seeds[captures] | staged[earlier][captures] & stayed
                });
            }
        }
        let free = !(obstacles.unmoved | stage.square);
        staged[index] = levels(obstacles, color, seeds, |set, below| {
            let captured_on =
                attack(below, color) & obstacles.capture_targets[color.index()] & free & stops;
            walked_on(set | captured_on, home, free, stops, color)
        });
    }
    staged
}

/// Returns the squares a pawn reaches from the set without a capture.
fn walked_on(
    mut set: Bitboard,
    home: Square,
    free: Bitboard,
    stops: Bitboard,
    color: Color,
) -> Bitboard {
    if set.contains(home) {
        set |= step(step(Bitboard::of(home), color) & free, color) & free & stops;
    }
    loop {
        let larger = set | step(set, color) & free & stops;
        if larger == set {
            return set;
        }
        set = larger;
    }
}
