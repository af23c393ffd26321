//! The positions that a search has met, each once, compared in full.
//!
//! A proof that there is no mate rests on having seen every position. A table of hashes alone
//! would take two positions with one hash for the same, so here every square counts.

use castellan_rules::{Bitboard, Color, Move, Pieces, Position, Role, Setup, Square};

/// What is not a position's number.
const NONE: u32 = u32::MAX >> 1;

/// The bit of a link that says that Black is to move.
const BLACK: u32 = 1 << 31;

/// Everything about a position that its future depends on, in four words, without the turn.
///
/// Three words say what stands on each square: nothing, one of six roles, or a rook that may
/// castle. The fourth says whose it is, and on an empty square that a pawn can be captured
/// there in passing.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Planes([u64; 4]);

impl Planes {
    #[inline]
    fn of(position: &Position) -> Planes {
        let role = |role| position.role(role).0;
        let castling = position.castling_rooks().0;
        let (pawns, knights, bishops) = (role(Role::Pawn), role(Role::Knight), role(Role::Bishop));
        let (rooks, queens, kings) = (role(Role::Rook), role(Role::Queen), role(Role::King));
        let passed = position.en_passant().map_or(0, |square| Bitboard::of(square).0);
        Planes([
            pawns | bishops | queens | castling,
            knights | bishops | kings | castling,
            rooks | queens | kings,
            position.color(Color::White).0 | passed,
        ])
    }

    fn setup(self, turn: Color) -> Setup {
        let [ones, twos, fours, white] = self.0;
        let occupied = Bitboard(ones | twos | fours);
        let mut pieces = Pieces::EMPTY;
        for square in occupied {
            let bit = |plane: u64| plane >> square.index() & 1;
            let role = match bit(ones) + 2 * bit(twos) + 4 * bit(fours) {
                1 => Role::Pawn,
                2 => Role::Knight,
                3 => Role::Bishop,
                4 | 7 => Role::Rook,
                5 => Role::Queen,
                _ => Role::King,
            };
            let color = if bit(white) == 1 { Color::White } else { Color::Black };
            pieces.put(castellan_rules::Piece { color, role }, square);
        }
        Setup {
            pieces,
            turn,
            castling_rooks: Bitboard(ones & twos & fours),
            en_passant: (Bitboard(white) & !occupied).first(),
            clocks: None,
        }
    }
}

/// A position and how it was met.
struct Node {
    planes: Planes,
    /// The position before, with a bit for the turn.
    link: u32,
    /// The move from there.
    mv: Move,
    /// What the search thinks of the way here.
    cost: u32,
}

/// Positions by number, from 0 in the order they were met.
pub(super) struct Store {
    nodes: Vec<Node>,
    /// Numbers with some bits of the hash, in open addressing; a power of two of slots.
    slots: Vec<(u32, u32)>,
}

impl Store {
    /// A store of one position, number 0.
    pub(super) fn new(root: &Position) -> Store {
        let mut store = Store { nodes: Vec::new(), slots: vec![(0, NONE); 1 << 10] };
        store.add(
            root,
            0,
            Move::new(Square::A1, Square::A1, Role::King, castellan_rules::MoveKind::Normal),
        );
        store
    }

    /// How many there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a position met after a move from another one. None if it was there before, or if there
    /// is no number left for it.
    #[inline]
    pub(super) fn add(&mut self, position: &Position, parent: u32, mv: Move) -> Option<u32> {
        let planes = Planes::of(position);
        let turn = position.turn().fold(0, BLACK);
        let hash = position.hash();
        let tag = (hash >> 32) as u32 ^ hash as u32;
        let mask = self.slots.len() - 1;
        let mut slot = tag as usize & mask;
        while self.slots[slot].1 != NONE {
            let (other, number) = self.slots[slot];
            if other == tag {
                let node = &self.nodes[number as usize];
                if node.planes == planes && node.link & BLACK == turn {
                    return None;
                }
            }
            slot = (slot + 1) & mask;
        }
        let number = u32::try_from(self.nodes.len()).ok().filter(|&number| number < NONE)?;
        self.slots[slot] = (tag, number);
        self.nodes.push(Node { planes, link: parent | turn, mv, cost: 0 });
        if self.nodes.len() * 2 > self.slots.len() {
            self.widen();
        }
        Some(number)
    }

    fn widen(&mut self) {
        let old = std::mem::take(&mut self.slots);
        let mask = old.len() * 4 - 1;
        self.slots = vec![(0, NONE); mask + 1];
        for (tag, number) in old.into_iter().filter(|slot| slot.1 != NONE) {
            let mut slot = tag as usize & mask;
            while self.slots[slot].1 != NONE {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = (tag, number);
        }
    }

    /// What was said of the way to a position; 0 at first.
    #[inline]
    pub(super) fn cost(&self, number: u32) -> u32 {
        self.nodes[number as usize].cost
    }

    /// Remembers something of the way to a position.
    #[inline]
    pub(super) fn set_cost(&mut self, number: u32, cost: u32) {
        self.nodes[number as usize].cost = cost;
    }

    /// A position by its number.
    pub(super) fn position(&self, number: u32) -> Position {
        let node = &self.nodes[number as usize];
        let turn = if node.link & BLACK == 0 { Color::White } else { Color::Black };
        let setup = node.planes.setup(turn);
        setup.position().expect("a position that was played to can be set up")
    }

    /// The moves from position 0 to a position.
    pub(super) fn line(&self, number: u32) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut at = number;
        while at != 0 {
            let node = &self.nodes[at as usize];
            moves.push(node.mv);
            at = node.link & !BLACK;
        }
        moves.reverse();
        moves
    }
}
