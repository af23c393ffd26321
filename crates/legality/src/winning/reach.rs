//! What every man can ever do, from above: reach, capture, be captured, promote.
//!
//! A fixpoint from below. At first nobody is said to move and nobody to be captured; then
//! whatever that leaves possible is added, until nothing is new. By induction over the moves
//! of a game no man ever stands where this does not say, so what it denies is impossible.

use castellan_rules::{Bitboard, Color, Position, Rank, Role, Square, attacks};

use super::kings::KingPairs;
use super::men::{Man, Men, castled_squares, promoted_attacks};

/// A queen or rook with more squares than these is at large.
const AT_LARGE: usize = 16;

/// The answer.
#[derive(Clone)]
pub(super) struct Reach {
    /// Every man but the kings.
    pub(super) men: Men,
    /// The kings.
    pub(super) kings: KingPairs,
    /// Men that neither move nor are captured, kings not among them, per colour.
    pub(super) fixed: [Bitboard; 2],
    /// Kings that never move, per colour.
    pub(super) fixed_kings: [Bitboard; 2],
    /// Whether only the time until the next capture is meant.
    is_quiet: bool,
}

impl Reach {
    /// What the men of a position can ever do.
    pub(super) fn of(position: &Position) -> Reach {
        let mut reach = Reach::at_first(position);
        while reach.grow() {}
        reach
    }

    /// The same, given up as soon as a queen or a rook of a colour, or a pawn promoted to one, is
    /// at large: then there is hardly ever a proof.
    pub(super) fn of_shut_in(position: &Position, color: Color) -> Option<Reach> {
        let mut reach = Reach::at_first(position);
        while reach.grow() {
            let is_at_large = |man: &Man| {
                let is_heavy = man.role == Role::Rook || man.role == Role::Queen;
                let squares = if is_heavy { man.squares } else { man.promoted };
                man.color == color && squares.count() > AT_LARGE
            };
            if reach.men.iter().any(is_at_large) {
                return None;
            }
        }
        Some(reach)
    }

    /// From where men may be anywhere in their sets: what they can ever do, or what they can do
    /// until the next capture.
    pub(super) fn from(men: &Men, kings: &KingPairs, is_quiet: bool) -> Reach {
        let none = [Bitboard::EMPTY; 2];
        let mut men = men.clone();
        for man in men.iter_mut() {
            man.arrivals = Bitboard::EMPTY;
            man.is_capturable = false;
        }
        let kings = kings.clone();
        let mut reach = Reach { men, kings, fixed: none, fixed_kings: none, is_quiet };
        while reach.grow() {}
        reach
    }

    fn at_first(position: &Position) -> Reach {
        let men = Men::of(position);
        let kings = KingPairs::of(position.king(Color::White), position.king(Color::Black));
        let none = [Bitboard::EMPTY; 2];
        let mut reach = Reach { men, kings, fixed: none, fixed_kings: none, is_quiet: false };
        for color in Color::ALL {
            if (position.castling_rooks() & position.color(color)).any() {
                reach.kings.add(color, castled_squares(color).0);
            }
        }
        reach
    }

    /// One round; true if anything is new.
    fn grow(&mut self) -> bool {
        self.fixed = self.fixed_squares();
        let mut has_grown = self.grow_kings();
        let kings = Color::ALL.map(|color| self.kings.squares(color));
        self.fixed_kings =
            kings.map(|squares| if squares.is_many() { Bitboard::EMPTY } else { squares });
        let mut wanderers = [Bitboard::EMPTY; 2];
        for man in self.men.iter() {
            wanderers[man.color.index()] |= man.anywhere();
        }
        let mut arrivals =
            kings.map(|squares| if squares.is_many() { squares } else { Bitboard::EMPTY });
        let kings = self.fixed_kings[0] | self.fixed_kings[1];
        let walls = self.fixed[0] | self.fixed[1] | kings;
        let guards = self.guards();
        let is_quiet = self.is_quiet;
        for man in self.men.iter_mut() {
            // Nobody moves to a man of its own or to a king.
            let own = self.fixed[man.color.index()] | kings;
            let closed = if is_quiet { walls } else { own };
            let enemies = wanderers[(!man.color).index()];
            let walls = walls | beyond_guards(man, &guards);
            let room = Room { walls, closed, own, enemies, is_quiet };
            has_grown |= grow_man(man, &room);
            arrivals[man.color.index()] |= man.arrivals;
        }
        for man in self.men.iter_mut() {
            if !is_quiet
                && !man.is_capturable
                && (man.anywhere() & arrivals[(!man.color).index()]).any()
            {
                man.is_capturable = true;
                has_grown = true;
            }
        }
        has_grown
    }

    /// Pawns that stay pawns on their files, uncaptured: no pawn that comes towards them on the
    /// file gets past.
    fn guards(&self) -> [Bitboard; 2] {
        let mut guards = [Bitboard::EMPTY; 2];
        for man in self.men.iter() {
            if man.is_pawn_of_file() && !man.is_capturable && man.promoted.is_empty() {
                guards[man.color.index()] |= man.start.into();
            }
        }
        guards
    }

    fn fixed_squares(&self) -> [Bitboard; 2] {
        let mut fixed = [Bitboard::EMPTY; 2];
        for man in self.men.iter() {
            if let Some(square) = man.fixed_square() {
                fixed[man.color.index()] |= square.into();
            }
        }
        fixed
    }

    fn grow_kings(&mut self) -> bool {
        let allowed = Color::ALL.map(|color| {
            let enemies = self.fixed[(!color).index()];
            let closed = if self.is_quiet { enemies } else { Bitboard::EMPTY };
            self.open_to_king(color) & !closed
        });
        self.kings.grow(allowed)
    }

    /// The squares where a king is neither in the way of a fixed man of its own nor always attacked.
    pub(super) fn open_to_king(&self, color: Color) -> Bitboard {
        !self.fixed[color.index()] & !self.always_attacked(!color)
    }

    /// The squares that fixed men of a colour attack as long as the game lasts, as far as the
    /// other king is concerned, which cannot hide behind itself.
    fn always_attacked(&self, color: Color) -> Bitboard {
        let fixed = self.fixed[color.index()];
        if fixed.is_empty() {
            return Bitboard::EMPTY;
        }
        let blockers =
            self.men.iter().fold(self.kings.squares(color), |all, man| all | man.anywhere());
        let mut attacked = Bitboard::EMPTY;
        for man in self.men.iter().filter(|man| man.color == color) {
            if let Some(square) = man.fixed_square() {
                attacked |= man.attacks(square, blockers);
            }
        }
        attacked
    }
}

/// What limits a man.
struct Room {
    /// Squares that no line passes.
    walls: Bitboard,
    /// Squares where it cannot go and stay.
    closed: Bitboard,
    /// Squares where it cannot even capture.
    own: Bitboard,
    /// Where enemies may stand.
    enemies: Bitboard,
    is_quiet: bool,
}

/// Lets one man move as far as it has room. True if that is anything new.
fn grow_man(man: &mut Man, room: &Room) -> bool {
    let before = (man.squares, man.promoted, man.arrivals);
    if man.role == Role::Pawn {
        let arrivals = grow_pawn(man, room);
        let last = Bitboard::rank(Rank::Eighth.relative_to(man.color));
        man.promoted |= man.squares & last;
        man.squares &= !last;
        let mut promoted = man.promoted;
        let moves = flood(&mut promoted, room, |square| promoted_attacks(square, room.walls));
        man.promoted = promoted;
        man.arrivals |= arrivals | moves;
    } else {
        let role = *man;
        let moves = flood(&mut man.squares, room, |square| role.attacks(square, room.walls));
        man.arrivals |= moves;
    }
    before != (man.squares, man.promoted, man.arrivals)
}

/// The squares that a pawn which keeps to its file cannot reach because of enemy pawns that keep to theirs:
/// where these started and all behind, for they only come nearer.
fn beyond_guards(man: &Man, guards: &[Bitboard; 2]) -> Bitboard {
    if !man.is_pawn_of_file() {
        return Bitboard::EMPTY;
    }
    let file = Bitboard::file(man.start.file());
    let ahead = file & ahead_of(man.color, man.start);
    let facing = guards[(!man.color).index()] & ahead;
    let nearest = match man.color {
        Color::White => facing.first(),
        Color::Black => facing.last(),
    };
    nearest.map_or(Bitboard::EMPTY, |guard| (file & ahead_of(man.color, guard)).with(guard))
}

/// Every square that comes after a square as a colour counts.
fn ahead_of(color: Color, square: Square) -> Bitboard {
    let bit = Bitboard::of(square).0;
    match color {
        Color::White => Bitboard(!(bit | (bit - 1))),
        Color::Black => Bitboard(bit - 1),
    }
}

/// Pushes and captures of a pawn; returns the squares of the captures.
fn grow_pawn(man: &mut Man, room: &Room) -> Bitboard {
    let mut captures = Bitboard::EMPTY;
    let mut todo = man.squares;
    while let Some(square) = todo.first() {
        todo = todo.without(square);
        let push = match man.color {
            Color::White => Bitboard(Bitboard::of(square).0 << 8),
            Color::Black => Bitboard(Bitboard::of(square).0 >> 8),
        };
        let taken = attacks::pawn(man.color, square) & room.enemies;
        captures |= taken;
        let gone = if room.is_quiet { Bitboard::EMPTY } else { taken };
        let new = (push & !room.walls | gone) & !man.squares;
        man.squares |= new;
        todo |= new;
    }
    captures
}

/// Follows moves from squares to squares that are not closed; returns where moves and captures
/// end.
fn flood(squares: &mut Bitboard, room: &Room, attacks: impl Fn(Square) -> Bitboard) -> Bitboard {
    let mut arrivals = Bitboard::EMPTY;
    let mut todo = *squares;
    while let Some(square) = todo.first() {
        todo = todo.without(square);
        let to = attacks(square);
        arrivals |= to & !room.own;
        todo |= to & !room.closed & !*squares;
        *squares |= to & !room.closed;
    }
    arrivals
}
