//! The stages of a pawn's way: where a pawn that is still on the board can have stood.
//!
//! A track holds every square the pawn may have used, its possible start squares among them, in
//! the order of their ranks. At any time of the game the pawn stood on one of them, and it went
//! from one to the next along the listed steps. So whoever else travels does so in the product of
//! the board and the track, and a way that the product lacks was never gone.
//!
//! Two tracks can be joined to one, whose stages are pairs. A track of one stage without a square
//! says nothing; with it, the product is the board.

use castellan_rules::{Bitboard, Color, Rank, Square, attacks};

/// How many stages a track may have; longer ones hardly ever prove anything.
pub(super) const MAX_STAGES: usize = 12;

/// Where the pawn is for a while.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Stage {
    /// The square as a set; two squares for joined tracks, none if nobody knows.
    pub(super) square: Bitboard,
    /// By colour, the squares where the pawn keeps the enemy's king away.
    pub(super) guarded: [Bitboard; 2],
    /// The stages the pawn may go to next, as a set of indices, all greater.
    pub(super) next: u16,
    /// Those of them that it captures on.
    pub(super) strikes: u16,
    /// Whether the game may have begun so.
    pub(super) is_first: bool,
}

impl Stage {
    /// Nobody knows where a pawn is, from the start on.
    pub(super) const NOTHING: Stage = Stage {
        square: Bitboard::EMPTY,
        guarded: [Bitboard::EMPTY; 2],
        next: 0,
        strikes: 0,
        is_first: true,
    };

    /// The same with the squares of another stage blocked as well.
    pub(super) fn with_wall(mut self, other: &Stage) -> Stage {
        self.square |= other.square;
        for (guarded, more) in self.guarded.iter_mut().zip(other.guarded) {
            *guarded |= more;
        }
        self
    }

    fn of_pawn(color: Color, square: Square, is_first: bool) -> Stage {
        let square = Bitboard::of(square);
        let mut stage = Stage { square, is_first, ..Stage::default() };
        stage.guarded[color.index()] = strike(square, color);
        stage
    }
}

/// The stages, earlier ones first; the last is the present.
#[derive(Clone, Debug)]
pub(super) struct Track {
    stages: [Stage; MAX_STAGES],
    len: usize,
    /// One stage in which the pawn is on all of its squares all the time, which leaves open less
    /// than the track does.
    pub(super) wall: Stage,
}

impl Track {
    /// A track that says nothing.
    pub(super) fn trivial() -> Track {
        Track::constant(Stage::NOTHING)
    }

    /// A track of one stage, which lasts.
    pub(super) fn constant(stage: Stage) -> Track {
        let mut stages = [Stage::default(); MAX_STAGES];
        stages[0] = stage;
        Track { stages, len: 1, wall: stage }
    }

    fn empty() -> Track {
        Track { len: 0, ..Track::trivial() }
    }

    /// The track of a pawn that stands on `to` and used no other squares than these, captures
    /// only where there was prey. None if there are too many squares.
    pub(super) fn of_pawn(
        color: Color,
        used: Bitboard,
        to: Square,
        prey: Bitboard,
    ) -> Option<Track> {
        let mut track = Track::empty();
        for number in Rank::ALL {
            for square in used.with(to) & Bitboard::rank(number.relative_to(color)) {
                track.push(Stage::of_pawn(color, square, number == Rank::Second))?;
            }
        }
        track.connect(color, prey);
        Some(track.finished())
    }

    /// The track of a piece that was promoted on `to` and has not moved since, by a pawn that came
    /// from one of these squares and before that was anywhere.
    pub(super) fn of_promoted(color: Color, from: Bitboard, to: Square) -> Option<Track> {
        let mut track = Track::trivial();
        for square in from {
            track.push(Stage::of_pawn(color, square, false))?;
        }
        track.push(Stage { square: Bitboard::of(to), ..Stage::default() })?;
        let last = track.last();
        for index in 1..last {
            track.stages[0].next |= 1 << index;
            track.stages[index].next |= 1 << last;
        }
        Some(track.finished())
    }

    /// Both tracks at once. None if that makes too many stages.
    pub(super) fn joined(&self, other: &Track) -> Option<Track> {
        let mut track = Track::empty();
        for (here, one) in self.stages().iter().enumerate() {
            for (there, two) in other.stages().iter().enumerate() {
                let index = |here: usize, there: usize| here * other.len + there;
                let mut stage = Stage {
                    square: one.square | two.square,
                    guarded: Color::ALL
                        .map(|color| one.guarded[color.index()] | two.guarded[color.index()]),
                    is_first: one.is_first && two.is_first,
                    ..Stage::default()
                };
                let is_apart = (one.square & two.square).is_empty();
                for to in indices(one.next).filter(|_| is_apart) {
                    let is_clear = (self.crossed(here, to) & two.square).is_empty();
                    stage.next |= u16::from(is_clear).checked_shl(index(to, there) as u32)?;
                }
                for to in indices(two.next).filter(|_| is_apart) {
                    let is_clear = (other.crossed(there, to) & one.square).is_empty();
                    stage.next |= u16::from(is_clear).checked_shl(index(here, to) as u32)?;
                }
                stage.is_first &= is_apart;
                track.push(stage)?;
            }
        }
        Some(track.finished())
    }

    fn push(&mut self, stage: Stage) -> Option<()> {
        *self.stages.get_mut(self.len)? = stage;
        self.len += 1;
        Some(())
    }

    fn connect(&mut self, color: Color, prey: Bitboard) {
        for from in 0..self.len {
            let stage = self.stages[from];
            let ahead = step(stage.square, color);
            let jump = if stage.is_first { step(ahead, color) } else { Bitboard::EMPTY };
            let sides = strike(stage.square, color) & prey;
            for to in from + 1..self.len {
                let target = self.stages[to].square;
                let stage = &mut self.stages[from];
                stage.next |= u16::from((target & (ahead | jump | sides)).any()) << to;
                stage.strikes |= u16::from((target & sides).any()) << to;
            }
        }
    }

    /// The stages, earlier ones first.
    pub(super) fn stages(&self) -> &[Stage] {
        &self.stages[..self.len]
    }

    /// Whether the track says nothing.
    pub(super) fn is_trivial(&self) -> bool {
        self.present().is_empty()
    }

    /// Whether the squares of some stage are in a set.
    pub(super) fn touches(&self, set: Bitboard) -> bool {
        (self.wall.square & set).any()
    }

    /// The squares of those stages in which the game may have begun.
    pub(super) fn at_start(&self, staged: &[Bitboard; MAX_STAGES]) -> Bitboard {
        let firsts = self.stages().iter().zip(staged).filter(|(stage, _)| stage.is_first);
        firsts.fold(Bitboard::EMPTY, |all, (_, &squares)| all | squares)
    }

    /// The index of the present.
    pub(super) fn last(&self) -> usize {
        self.len - 1
    }

    /// The stage the pawn is in now.
    pub(super) fn present(&self) -> Bitboard {
        self.stages[self.last()].square
    }

    /// The squares that nobody else can have been on when the pawn went from one stage to
    /// another: where it left, where it arrived and what it jumped over.
    pub(super) fn crossed(&self, from: usize, to: usize) -> Bitboard {
        let (start, end) = (self.stages[from].square, self.stages[to].square);
        let (left, entered) = (start & !end, end & !start);
        // Two ranks ahead is sixteen squares on; a pawn of joined tracks leaves one square too.
        let jumped = Bitboard(left.0 << 8 & entered.0 >> 8 | left.0 >> 8 & entered.0 << 8);
        start | end | jumped
    }

    /// Whether the track is short enough to be joined with another one.
    pub(super) fn is_short(&self) -> bool {
        self.len * 2 <= MAX_STAGES
    }

    /// All squares of the track and their neighbours.
    pub(super) fn surroundings(&self) -> Bitboard {
        let squares = self.wall.square;
        squares.into_iter().fold(squares, |all, square| all | attacks::king(square))
    }

    /// Notes the wall once all stages are known.
    fn finished(mut self) -> Track {
        let mut wall = Stage::NOTHING;
        for (from, stage) in self.stages().iter().enumerate() {
            wall = wall.with_wall(stage);
            for to in indices(stage.next) {
                wall.square |= self.crossed(from, to);
            }
        }
        self.wall = wall;
        self
    }
}

/// The squares one rank ahead.
pub(super) fn step(set: Bitboard, color: Color) -> Bitboard {
    color.fold(Bitboard(set.0 << 8), Bitboard(set.0 >> 8))
}

/// The squares diagonally ahead.
pub(super) fn strike(set: Bitboard, color: Color) -> Bitboard {
    let left = Bitboard((set.0 & !0x0101_0101_0101_0101) >> 1);
    let right = Bitboard((set.0 & !0x8080_8080_8080_8080) << 1);
    step(left | right, color)
}

/// The members of a set of stage indices.
pub(super) fn indices(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (index < 16).then_some(index)
    })
}
