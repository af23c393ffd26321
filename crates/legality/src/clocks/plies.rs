//! A lower bound on the plies a side needs to bring its pieces to their current squares.
//!
//! Every piece takes the shortest path on an empty board from its start square to its current
//! square; pieces of one kind are assigned to their start squares in the cheapest way. The bound
//! ignores obstacles, the moves of captured pieces and waiting moves, so no game is shorter.
//!
//! The bound of `proof_game` is stronger, but its tables of paths around pieces that never moved
//! take a hundred times as long, and it always assumes the standard start position.

use castellan_rules::{Bitboard, Color, File, Piece, Rank, Role, Square, attacks};

use crate::Case;
use crate::case::{king_home, rook_homes};

/// The plies a pawn needs to promote, with a double step first.
const TO_PROMOTE: u32 = 5;

/// More plies than any lower bound can be: eight promoted knights and all other pieces far from
/// home.
pub(super) const MAX_LOWER_BOUND: u32 = 128;

/// The most plies that losing a castling right can cost.
const LOST_RIGHTS: u32 = 4;

/// A value greater than the length of any path, so that a sum containing it is never the minimum.
const UNREACHABLE: u32 = 1000;

/// Returns the plies that each side needs at least to reach the case from the standard start
/// position, White's first. From another start position only pawns, promotions and captures
/// count.
///
/// In no game has White or Black played fewer plies than this. The two numbers may be added,
/// because each ply belongs to one side. The bound includes the moves that lost a castling right
/// whose king and rook stand at home.
#[cfg(test)]
pub(super) fn lower_bound_plies(case: &Case) -> [u32; 2] {
    Color::ALL.map(|color| {
        let piece_plies = piece_plies(case, color, 0);
        let extra = lost_rights(case, color, piece_plies).map_or(0, |(_, extra)| extra);
        captures(case, color).max(piece_plies + extra)
    })
}

/// Bounds on the moves of one side that are quick to read off the board.
#[derive(Clone, Copy)]
pub(super) struct QuickBounds {
    /// The number of captures and pawn moves the side has made at least.
    pub(super) zeroing: u32,
    /// An upper limit on the share of the lower bound that is not due to unpromoted pieces: the
    /// pawns and the promoted pieces.
    others: u32,
}

impl QuickBounds {
    pub(super) fn of(case: &Case, color: Color) -> QuickBounds {
        let (pawn_plies, pawn_steps) = pawn_moves(case, color);
        let promoted = promotions(case, color);
        QuickBounds {
            zeroing: captures(case, color).max(pawn_plies + TO_PROMOTE * promoted),
            // A promoted piece has at most as far to go as any other piece.
            others: pawn_steps + (TO_PROMOTE + 6) * promoted,
        }
    }

    /// Returns whether the lower bound of the side certainly does not exceed `played`.
    pub(super) fn is_enough(&self, case: &Case, color: Color, played: u32) -> bool {
        let pieces_at_most = || self.others + pieces_at_most(case, color);
        played >= 15 && (played >= self.others + FARTHEST_PIECES || played >= pieces_at_most())
    }
}

/// The most plies that unpromoted pieces can need: two knights with five moves each, five other
/// pieces with two each, and a king with seven.
const FARTHEST_PIECES: u32 = 2 * 5 + 5 * 2 + 7;

/// Returns an upper limit on the moves of a side's pieces along their shortest paths.
fn pieces_at_most(case: &Case, color: Color) -> u32 {
    let pieces = &case.setup.pieces;
    let starts = [File::B, File::G].map(|file| Square::new(file, Rank::First.relative_to(color)));
    let others = pieces.role(Role::Pawn) | pieces.role(Role::King) | at_home(case, color);
    let away = pieces.color(color) & !others;
    let knights = away & pieces.role(Role::Knight);
    let far = |knight| starts.map(|start| distance(Role::Knight, start, knight));
    let knight_plies: u32 = knights.into_iter().map(|it| far(it)[0].max(far(it)[1])).sum();
    // Other pieces need at most two moves.
    knight_plies + 2 * count(away & !knights) + king_plies(case, color)
}

/// Returns the moves of the king from the e-file or, if it stands there, the most that a lost
/// castling right can cost.
fn king_plies(case: &Case, color: Color) -> u32 {
    let start = king_home(color);
    let king = case.piece(color, Role::King).first().unwrap_or(start);
    if king == start { LOST_RIGHTS } else { distance(Role::King, start, king) }
}

/// Returns the pieces of a side, except the king, that stand on start squares of their kind.
fn at_home(case: &Case, color: Color) -> Bitboard {
    let on = |role, one: File, other: File| {
        case.setup.pieces.role(role) & (Bitboard::file(one) | Bitboard::file(other))
    };
    let pieces = on(Role::Rook, File::A, File::H)
        | on(Role::Knight, File::B, File::G)
        | on(Role::Bishop, File::C, File::F)
        | on(Role::Queen, File::D, File::D);
    pieces & Bitboard::rank(Rank::First.relative_to(color))
}

fn count(squares: Bitboard) -> u32 {
    squares.count() as u32
}

/// Returns the number of captures a side has made.
pub(super) fn captures(case: &Case, color: Color) -> u32 {
    case.missing(!color) as u32
}

/// Returns the pawn moves of a side: the fewest possible, and an upper limit for shortest paths.
fn pawn_moves(case: &Case, color: Color) -> (u32, u32) {
    let pawns = case.piece(color, Role::Pawn).0;
    // Seen from White's side, with one byte per rank. The pawns of all ranks are counted in
    // parallel.
    let pawns = color.fold(pawns, pawns.swap_bytes());
    let pairs = pawns - (pawns >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let counts = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // A pawn that has advanced two ranks or more may have saved a ply by the double step.
    (weighed(counts, [0, 0, 1, 1, 2, 3, 4, 0]), weighed(counts, [0, 0, 1, 2, 3, 4, 5, 0]))
}

/// Returns the weighted sum of eight bytes, which is below 256 for eight pawns.
fn weighed(bytes: u64, weights: [u8; 8]) -> u32 {
    // The highest byte of the product sums the first byte times the last weight, and so on.
    (bytes.wrapping_mul(u64::from_be_bytes(weights)) >> 56) as u32
}

/// Returns how many pieces must be promoted: those beyond the initial number of their kind.
fn promotions(case: &Case, color: Color) -> u32 {
    let of = |role| case.piece(color, role);
    // Usually there are none, which shows without counting.
    let without_one = |squares: Bitboard| Bitboard(squares.0 & squares.0.wrapping_sub(1));
    let without_two = |squares| without_one(without_one(squares));
    let bishops = of(Role::Bishop);
    let surplus = without_one(of(Role::Queen))
        | without_two(of(Role::Rook))
        | without_two(of(Role::Knight))
        | without_one(bishops & Bitboard::LIGHT)
        | without_one(bishops & Bitboard::DARK);
    if surplus.is_empty() { 0 } else { count(surplus) }
}

/// Returns the plies that the pieces and pawns of a side need at least, captures or not. If
/// `played` is certainly enough, the costly assignment of pawns to files is skipped and the bound
/// is weaker.
pub(super) fn piece_plies(case: &Case, color: Color, played: u32) -> u32 {
    let others = non_pawn_plies(case, color);
    let (straight, steps) = pawn_moves(case, color);
    others + if others + steps + LOST_RIGHTS <= played { straight } else { of_pawns(case, color) }
}

/// Returns the plies that the pieces other than pawns need, promoted ones included.
fn non_pawn_plies(case: &Case, color: Color) -> u32 {
    if !case.is_standard {
        return TO_PROMOTE * promotions(case, color);
    }
    of_pieces(case, color, Role::Knight, [File::B, File::G])
        + of_pieces(case, color, Role::Bishop, [File::C, File::F])
        + of_pieces(case, color, Role::Queen, [File::D, File::D])
        + of_king_and_rooks(case, color)
}

/// Returns the plies of the king and the rooks, which may have made one move together by castling
/// (FIDE 3.8.2).
fn of_king_and_rooks(case: &Case, color: Color) -> u32 {
    let home = Rank::First.relative_to(color);
    let king = case.piece(color, Role::King).first().unwrap_or(Square::E1);
    let from = |file: File, rooks: [File; 2]| {
        distance(Role::King, Square::new(file, home), king)
            + of_pieces(case, color, Role::Rook, rooks)
    };
    let plain = from(File::E, [File::A, File::H]);
    // A king that is on its start square saves nothing by castling.
    if king == Square::new(File::E, home) {
        return plain;
    }
    let short = 1 + from(File::G, [File::A, File::F]);
    let long = 1 + from(File::C, [File::D, File::H]);
    plain.min(short).min(long)
}

/// Returns the plies of the pieces of one kind, each from one of two files of the first rank or
/// promoted. Two equal files stand for a single start square.
fn of_pieces(case: &Case, color: Color, role: Role, files: [File; 2]) -> u32 {
    let rank = Rank::First.relative_to(color);
    let starts = files.map(|file| Square::new(file, rank));
    let usable = if files[0] == files[1] { 0b10 } else { 0b11 };
    // The fewest plies, indexed by the set of start squares that have been used.
    let mut least = [0, UNREACHABLE, UNREACHABLE, UNREACHABLE];
    for square in case.piece(color, role) {
        let ways = starts.map(|start| distance(role, start, square));
        // A piece from its start square never has farther to go than a pawn that has to promote
        // first, so promotions only count once the start squares are used up.
        let promoted = TO_PROMOTE + from_last_rank(role, color, square);
        let before = least;
        for used in 0..4_usize {
            least[used] = before[used] + promoted;
            for (start, way) in ways.into_iter().enumerate() {
                if used & usable & 1 << start != 0 {
                    least[used] = least[used].min(before[used ^ 1 << start] + way);
                }
            }
        }
    }
    least.into_iter().fold(UNREACHABLE, u32::min)
}

/// Returns the number of moves a piece needs on an empty board.
fn distance(role: Role, from: Square, to: Square) -> u32 {
    if from == to {
        return 0;
    }
    let piece = Piece { color: Color::White, role };
    match role {
        Role::Knight => KNIGHT_DISTANCES[from.index()][to.index()].into(),
        Role::King => {
            let files = from.file().index().abs_diff(to.file().index());
            files.max(from.rank().index().abs_diff(to.rank().index())) as u32
        }
        _ if attacks::of_piece(piece, from, Bitboard::EMPTY).contains(to) => 1,
        Role::Bishop if Bitboard::LIGHT.contains(from) != Bitboard::LIGHT.contains(to) => {
            UNREACHABLE
        }
        _ => 2,
    }
}

/// Returns the moves that a promoted piece needs at least from the last rank, on an empty board.
fn from_last_rank(role: Role, color: Color, to: Square) -> u32 {
    let last = Rank::Eighth.relative_to(color);
    if to.rank() == last {
        return 0;
    }
    // A knight move covers at most two ranks; the other pieces reach any rank in a single move.
    let ranks = to.rank().index().abs_diff(last.index()) as u32;
    if role == Role::Knight { ranks.div_ceil(2) } else { 1 }
}

/// The number of knight moves between any two squares.
static KNIGHT_DISTANCES: [[u8; 64]; 64] = {
    let mut table = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        table[from] = knight_distances(from);
        from += 1;
    }
    table
};

/// Returns the number of knight moves from a square to every other square, by breadth-first
/// search.
const fn knight_distances(from: usize) -> [u8; 64] {
    let mut distances = [0; 64];
    let (mut reached, mut plies) = (1_u64 << from, 0);
    while reached != !0 {
        plies += 1;
        let next = reached | knight_moves(reached);
        let mut to = 0;
        while to < 64 {
            if (next & !reached) >> to & 1 == 1 {
                distances[to] = plies;
            }
            to += 1;
        }
        reached = next;
    }
    distances
}

/// Returns the squares attacked by a set of knights.
const fn knight_moves(knights: u64) -> u64 {
    let not_a = !Bitboard::file(File::A).0;
    let not_h = !Bitboard::file(File::H).0;
    let (left, right) = (knights >> 1 & not_h, knights << 1 & not_a);
    let (far_left, far_right) = (left >> 1 & not_h, right << 1 & not_a);
    let (near, far) = (left | right, far_left | far_right);
    near << 16 | near >> 16 | far << 8 | far >> 8
}

/// Returns the plies of the pawns, each coming from a different file of the second rank.
fn of_pawns(case: &Case, color: Color) -> u32 {
    let pawns = case.piece(color, Role::Pawn);
    // A pawn is never slower on its own file than when it comes from another one.
    let (straight, _) = pawn_moves(case, color);
    let has_own_file =
        File::ALL.into_iter().all(|file| !(pawns & Bitboard::file(file)).has_multiple());
    if has_own_file {
        return straight;
    }
    let mut least = [UNREACHABLE; 256];
    least[0] = 0;
    for pawn in pawns {
        let before = std::mem::replace(&mut least, [UNREACHABLE; 256]);
        for (used, plies) in
            before.into_iter().enumerate().filter(|(_, plies)| *plies < UNREACHABLE)
        {
            for file in File::ALL.into_iter().filter(|file| used & 1 << file.index() == 0) {
                let slot = &mut least[used | 1 << file.index()];
                *slot = (*slot).min(plies + of_pawn(color, file, pawn));
            }
        }
    }
    // If no assignment exists, other modules report the impossible pawns.
    least.into_iter().min().filter(|&plies| plies < UNREACHABLE).unwrap_or(straight)
}

/// Returns the plies of one pawn from a file of the second rank.
fn of_pawn(color: Color, file: File, to: Square) -> u32 {
    let rank = color.fold(to.rank().index(), 7 - to.rank().index()) as u32;
    let steps = rank.saturating_sub(1);
    let sideways = file.index().abs_diff(to.file().index()) as u32;
    match steps.checked_sub(sideways) {
        None => UNREACHABLE,
        // Only a pawn that goes straight for two ranks can use the double step.
        Some(straight) => steps - u32::from(straight >= 2),
    }
}

/// Returns the king and those rooks of a side that stand at home without castling rights, and how
/// many plies beyond those of the pieces the loss takes at least. Returns `None` if it takes
/// none.
pub(super) fn lost_rights(case: &Case, color: Color, piece_plies: u32) -> Option<(Bitboard, u32)> {
    let (king, corners) = (king_home(color), rook_homes(color));
    let rooks = case.piece(color, Role::Rook);
    let lost = rooks & corners & !case.setup.castling_rooks;
    if !case.is_standard || lost.is_empty() || !case.piece(color, Role::King).contains(king) {
        return None;
    }
    let extra = if piece_plies == 0 && case.missing(color) == 0 {
        // Nothing has moved, so another piece has to make room and return as well.
        LOST_RIGHTS
    } else if rooks == corners {
        2
    } else if !rooks.has_multiple() {
        // It may be the rook from the other corner.
        1
    } else {
        return None;
    };
    Some((lost.with(king), extra))
}
