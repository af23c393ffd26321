//! What a side still has to do: a lower bound on its moves, and which pieces are to be captured.
//!
//! The pieces of each kind are matched with the squares wanted for that kind, so that the total
//! number of moves, measured by [`Distances`](super::distances::Distances), is as small as
//! possible. The kinds are added up, because a move moves one piece; castling, which moves two, is
//! tried as a case of its own. A piece that no square needs is captured at no cost. Only pawns turn
//! into other pieces, and each only once. So no game needs fewer moves.

use std::rc::Rc;

use castellan_rules::{Bitboard, Color, Piece, Position, Rank, Role, Square, castled_squares};

use super::cache::Cache;
use super::distances::{NEVER, Terrain};
use super::goal::Goal;
use super::pawn_matcher::PawnDemand;
use super::pawns::{self, PawnPlan};
use super::prices::{IMPOSSIBLE, MAX_SIZE, cheapest};

/// What the pieces of one kind have to do.
#[derive(Clone, Copy, Default)]
pub(super) struct KindNeed {
    /// The least number of moves, or `None` if the goal is out of reach.
    pub(super) moves: Option<u16>,
    /// The pieces without a destination, which must be captured.
    pub(super) spare: Bitboard,
}

/// What both sides have to do according to a plan.
pub(super) struct Plan {
    /// The moves of both sides together.
    pub(super) moves: u32,
    /// The pieces of each side without a destination.
    pub(super) spare: [Bitboard; 2],
    pub(super) pawns: Rc<PawnPlan>,
}

/// The kinds of pieces except pawns and kings; bishops never change the color of their square.
const KINDS: [(Role, Bitboard); 5] = [
    (Role::Knight, Bitboard::FULL),
    (Role::Bishop, Bitboard::LIGHT),
    (Role::Bishop, Bitboard::DARK),
    (Role::Queen, Bitboard::FULL),
    (Role::Rook, Bitboard::FULL),
];

/// How promoted pawns may stand in for pieces of a kind.
#[derive(Clone, Copy)]
struct Promotions {
    /// How many pieces of the kind must be promoted. Their pawn moves are counted with the pawns.
    needed: u8,
    /// How many more pawns can be spared for promotion.
    possible: u8,
    /// The fewest moves with which one of these pawns promotes.
    moves: u8,
}

/// What a side has to do, in numbers of pieces.
#[derive(Clone, Copy)]
pub(super) struct Demand {
    /// How many pieces of each kind must come from pawns.
    needed: [u8; 5],
    /// How many pawns have no destination and need not promote either.
    possible: u8,
    /// How many enemy pieces are to be captured.
    victims: u8,
}

impl Demand {
    /// Returns what a side has to do from a position, or `None` if it lacks pieces.
    fn of(goal: &Goal, position: &Position, color: Color) -> Option<Demand> {
        let count = |position: &Position| position.color(!color).count();
        let victims = count(position).checked_sub(count(&goal.position))? as u8;
        let have = |role| position.pieces().piece(Piece { color, role });
        let mut needed = [0; 5];
        for (slot, (role, squares)) in needed.iter_mut().zip(KINDS) {
            let wanted = goal.piece(Piece { color, role }) & squares;
            *slot = wanted.count().saturating_sub((have(role) & squares).count()) as u8;
        }
        let wanted_pawns = goal.piece(Piece { color, role: Role::Pawn }).count();
        let sum: u8 = needed.iter().sum();
        let pawns = have(Role::Pawn).count();
        let possible = pawns.checked_sub(wanted_pawns + usize::from(sum))? as u8;
        Some(Demand { needed, possible, victims })
    }

    fn of_pawns(self, position: &Position, color: Color) -> PawnDemand {
        let [knights, light, dark, queens, rooks] = self.needed;
        PawnDemand {
            pawns: position.pieces().piece(Piece { color, role: Role::Pawn }),
            promotions: [knights + queens + rooks, light, dark],
            victims: self.victims,
        }
    }
}

/// Pawns that have arrived, and the distances around them.
struct Settled {
    pawns: Bitboard,
    terrain: Rc<Terrain>,
}

impl Settled {
    fn nothing(open: &Rc<Terrain>) -> Settled {
        Settled { pawns: Bitboard::EMPTY, terrain: Rc::clone(open) }
    }
}

/// The extra cost of a path that is blocked by pawns that have arrived.
const SHUT_PRICE: i32 = 10;

/// A calculator of what each side needs, with caches.
pub(super) struct NeedCalculator<'g> {
    goal: &'g Goal,
    parts: [[Cache<[u64; 3], KindNeed>; 5]; 2],
    terrains: Cache<[u64; 1], Option<Rc<Terrain>>>,
    open: Rc<Terrain>,
    pawns: [Cache<[u64; 2], KindNeed>; 2],
    plans: Cache<[u64; 3], Option<Rc<PawnPlan>>>,
}

impl<'g> NeedCalculator<'g> {
    pub(super) fn new(goal: &'g Goal, places: usize) -> NeedCalculator<'g> {
        NeedCalculator {
            goal,
            parts: std::array::from_fn(|_| std::array::from_fn(|_| Cache::new(places))),
            terrains: Cache::new(places.min(512)),
            open: Rc::new(Terrain::around(goal.unmoved, goal.position.pieces())),
            pawns: [Cache::new(places), Cache::new(places)],
            plans: Cache::new(places),
        }
    }

    /// Returns the least number of moves of a side from a position to the goal, or `None` if
    /// there is no way.
    pub(super) fn bound(&mut self, position: &Position, color: Color) -> Option<u32> {
        let goal = self.goal;
        let demand = Demand::of(goal, position, color)?;
        let of_pawns = demand.of_pawns(position, color);
        let question = [of_pawns.pawns.0, of_pawns.key()];
        let pawns = self.pawns[color.index()]
            .get(question, || pawns::bound(goal, color, of_pawns).unwrap_or_default());
        let settled = Settled::nothing(&self.open);
        let (moves, _) = self.with_pawns(position, color, demand, pawns, &settled)?;
        Some(moves.max(u32::from(demand.victims)))
    }

    /// Returns what each side has to do according to a plan for all pawns, or `None` if there
    /// seems to be no way.
    pub(super) fn plan(&mut self, position: &Position) -> Option<Plan> {
        let goal = self.goal;
        let white = Demand::of(goal, position, Color::White)?;
        let black = Demand::of(goal, position, Color::Black)?;
        let demands =
            [white.of_pawns(position, Color::White), black.of_pawns(position, Color::Black)];
        let keys = demands[0].key() << 20 | demands[1].key();
        let question = [demands[0].pawns.0, demands[1].pawns.0, keys];
        let pawns = self.plans.get(question, || pawns::plan(goal, demands).map(Rc::new))?;
        let [white_pawns, black_pawns] = pawns.parts;
        let settled = self.settled(pawns.settled);
        let white = self.with_pawns(position, Color::White, white, white_pawns, &settled)?;
        let black = self.with_pawns(position, Color::Black, black, black_pawns, &settled)?;
        Some(Plan { moves: white.0 + black.0, spare: [white.1, black.1], pawns })
    }

    /// Returns the distances around pawns that have arrived.
    fn settled(&mut self, pawns: Bitboard) -> Settled {
        let goal = self.goal;
        let around =
            || Some(Rc::new(Terrain::around(goal.unmoved | pawns, goal.position.pieces())));
        let terrain = if pawns.is_empty() { None } else { self.terrains.get([pawns.0], around) };
        Settled { pawns, terrain: terrain.unwrap_or_else(|| Rc::clone(&self.open)) }
    }

    /// Returns the moves of a side and its spare pieces, including what its pawns have to do.
    fn with_pawns(
        &mut self,
        position: &Position,
        color: Color,
        demand: Demand,
        pawns: KindNeed,
        settled: &Settled,
    ) -> Option<(u32, Bitboard)> {
        let have = |role| position.pieces().piece(Piece { color, role });
        let (mut sum, mut spare) = (u32::from(pawns.moves?), pawns.spare);
        let moves = promotion_moves(color, have(Role::Pawn));
        for (kind, (role, squares)) in KINDS.into_iter().enumerate() {
            let (needed, possible) = (demand.needed[kind], demand.possible);
            let promotions = Promotions { needed, possible, moves };
            let part = self.part(position, color, kind, have(role) & squares, promotions, settled);
            sum += u32::from(part.moves?);
            spare |= part.spare;
        }
        Some((sum, spare))
    }

    fn part(
        &mut self,
        position: &Position,
        color: Color,
        kind: usize,
        have: Bitboard,
        promotions: Promotions,
        settled: &Settled,
    ) -> KindNeed {
        let goal = self.goal;
        let (role, squares) = KINDS[kind];
        let wanted = goal.piece(Piece { color, role }) & squares;
        let asked = u64::from(promotions.needed) << 16
            | u64::from(promotions.possible) << 8
            | u64::from(promotions.moves);
        let cache = &mut self.parts[color.index()][kind];
        let open = &self.open;
        let pieces =
            PieceMatcher { goal, color, wanted, promotions, open, terrain: &settled.terrain };
        if role == Role::Rook {
            let home = Bitboard::rank(Rank::First.relative_to(color));
            let rights = position.castling_rooks() & home;
            let king = position.king(color);
            let rights_bits =
                u64::from(u8::try_from(rights.0 >> (8 * home_rank(color))).unwrap_or(0));
            let asked = asked | rights_bits << 32 | (king.index() as u64) << 40;
            return cache
                .get([have.0, asked, settled.pawns.0], || pieces.with_king(have, king, rights));
        }
        if have == wanted && promotions.needed == 0 {
            return KindNeed { moves: Some(0), spare: Bitboard::EMPTY };
        }
        cache.get([have.0, asked, settled.pawns.0], || pieces.part(have, |piece| piece, |_, _| 0))
    }
}

fn home_rank(color: Color) -> u32 {
    color.fold(0, 7)
}

/// Returns the fewest moves with which a pawn of a set gets to the last rank.
fn promotion_moves(color: Color, pawns: Bitboard) -> u8 {
    let front = color.fold(pawns.last(), pawns.first());
    let ranks =
        front.map_or(0, |square| color.fold(7 - square.rank().index(), square.rank().index()));
    // The double step saves a move.
    (ranks as u8).min(5)
}

/// The pieces of one kind other than pawns.
struct PieceMatcher<'g> {
    goal: &'g Goal,
    color: Color,
    wanted: Bitboard,
    promotions: Promotions,
    open: &'g Terrain,
    terrain: &'g Terrain,
}

impl PieceMatcher<'_> {
    /// Matches pieces with destinations, treating each as if it stood on `stand` and needed
    /// `extra` moves.
    fn part(
        &self,
        have: Bitboard,
        stand: impl Fn(Square) -> Square,
        extra: impl Fn(Square, Square) -> i32,
    ) -> KindNeed {
        let Promotions { needed, possible, moves } = self.promotions;
        let places = list(self.wanted);
        let pieces = list(have);
        let rows = self.wanted.count();
        let own = have.count();
        let promoted = own + usize::from(needed);
        let columns = (promoted + usize::from(possible).min(rows)).min(MAX_SIZE);
        let price = |row: usize, column: usize| {
            let place = places[row];
            if column < own {
                let piece = pieces[column];
                self.price(|terrain| terrain.moves(stand(piece), place)) + extra(piece, place)
            } else {
                let pawn = if column < promoted { 0 } else { i32::from(moves) };
                self.price(|terrain| terrain.after_promotion(self.color, place)) + pawn
            }
        };
        let Some(matching) = cheapest(rows, columns, price) else { return KindNeed::default() };
        let mut spare = have;
        for &column in matching.column_of.iter().take(rows).filter(|&&column| column < own) {
            spare = spare.without(pieces[column]);
        }
        KindNeed { moves: Some(matching.price as u16), spare }
    }

    /// Returns the moves of a path. A path that is blocked by pawns that have arrived is not
    /// ruled out, because the plan for the pawns may change.
    fn price(&self, moves: impl Fn(&Terrain) -> u8) -> i32 {
        match (moves(self.terrain), moves(self.open)) {
            (_, NEVER) => IMPOSSIBLE,
            (NEVER, open) => i32::from(open) + SHUT_PRICE,
            (around, _) => i32::from(around),
        }
    }

    /// Returns the moves of the rooks and the king of a side together, given its castling rights.
    fn with_king(&self, rooks: Bitboard, king: Square, rights: Bitboard) -> KindNeed {
        let color = self.color;
        let home = Bitboard::rank(Rank::First.relative_to(color));
        let kept = self.goal.position.castling_rooks() & home;
        if (kept & !rights).any() {
            return KindNeed::default();
        }
        let wanted = self.goal.position.king(color);
        let king_moves = |from| self.price(|terrain| terrain.moves(from, wanted));
        let lost = rights & !kept;
        let stays = |from, to| if from == to && lost.contains(from) { 2 } else { 0 };
        let mut best = KindNeed::default();
        let mut consider = |king_moves: i32, part: KindNeed| {
            let sum = part
                .moves
                .map(|moves| moves + king_moves as u16)
                .filter(|_| king_moves < IMPOSSIBLE);
            if sum.is_some_and(|sum| best.moves.is_none_or(|known| sum < known)) {
                best = KindNeed { moves: sum, ..part };
            }
        };
        if king == wanted {
            // The king stays, so each right must be lost by its rook.
            consider(0, self.part(rooks, |piece| piece, stays));
        }
        if kept.is_empty() {
            let there_and_back = if king == wanted { 2 } else { king_moves(king) };
            if rights.any() || king != wanted {
                consider(there_and_back, self.part(rooks, |piece| piece, |_, _| 0));
            }
            for rook in rights {
                let (king, castled) = castled_squares(king, rook);
                let moves = king_moves(king) + 1;
                let stand = |piece| if piece == rook { castled } else { piece };
                consider(moves, self.part(rooks, stand, |_, _| 0));
            }
        }
        best
    }
}

/// Returns the squares of a set as an array, padded with a1.
pub(super) fn list(set: Bitboard) -> [Square; 64] {
    let mut squares = [Square::A1; 64];
    for (slot, square) in squares.iter_mut().zip(set) {
        *slot = square;
    }
    squares
}
