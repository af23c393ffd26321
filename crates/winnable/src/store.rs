//! The positions that a search has met, each once, compared in full.
//!
//! A proof that there is no mate depends on having seen every position. A table of hashes alone
//! would confuse two positions with the same hash, so every square is compared.

use castellan_rules::{Bitboard, Color, Move, Pieces, Position, Role, Setup, Square};

/// The marker of an empty slot; never the number of a position.
const NONE: u32 = u32::MAX >> 1;

/// The bit of a link that means that Black is to move.
const BLACK: u32 = 1 << 31;

/// Everything about a position that its future depends on, except the side to move, in four
/// words.
///
/// Three words say what stands on each square: nothing, one of six roles, or a rook that may
/// castle. The fourth says whether the piece is white and, on an empty square, that a pawn can be
/// captured en passant there.
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

/// A position and how it was reached.
struct Node {
    planes: Planes,
    /// The number of the previous position, with a bit for the side to move.
    link: u32,
    /// The move from the previous position.
    mv: Move,
    /// The search's cost of the path to this position.
    cost: u32,
}

/// The positions by number, counted from 0 in the order they were met.
pub(crate) struct Store {
    nodes: Vec<Node>,
    /// Numbers with some bits of the hash, in open addressing. The number of slots is a power of
    /// two.
    slots: Vec<(u32, u32)>,
}

impl Store {
    /// Creates a store with one position, number 0.
    pub(crate) fn new(root: &Position) -> Store {
        let mut store = Store { nodes: Vec::new(), slots: vec![(0, NONE); 1 << 10] };
        // The root has no previous position and no move; nothing reads these.
        store.add(
            root,
            0,
            Move::new(Square::A1, Square::A1, Role::King, castellan_rules::MoveKind::Normal),
        );
        store
    }

    /// Returns the number of positions.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a position reached by a move from another one, and returns its number. Returns `None`
    /// if it is known already, or if no number is left.
    #[inline]
    pub(crate) fn add(&mut self, position: &Position, parent: u32, mv: Move) -> Option<u32> {
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
            self.grow();
        }
        Some(number)
    }

    fn grow(&mut self) {
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

    /// Returns the cost of the path to a position; 0 until it is set.
    #[inline]
    pub(crate) fn cost(&self, number: u32) -> u32 {
        self.nodes[number as usize].cost
    }

    /// Sets the cost of the path to a position.
    #[inline]
    pub(crate) fn set_cost(&mut self, number: u32, cost: u32) {
        self.nodes[number as usize].cost = cost;
    }

    /// Returns a position by its number.
    pub(crate) fn position(&self, number: u32) -> Position {
        let node = &self.nodes[number as usize];
        let turn = if node.link & BLACK == 0 { Color::White } else { Color::Black };
        let setup = node.planes.setup(turn);
        setup.position().expect("a position that was played to can be set up")
    }

    /// Returns the moves from position 0 to a position.
    pub(crate) fn line(&self, number: u32) -> Vec<Move> {
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
