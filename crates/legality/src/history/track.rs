//! Tracks: the squares on which a pawn that is still on the board can have stood.
//!
//! A track holds every square the pawn may have used, including its possible start squares, in
//! the order of their ranks. At any time of the game the pawn stood on one of these stages, and
//! it moved from one to the next along the listed steps. Any other piece therefore moves in the
//! product of the board and the track, and a path that does not exist in the product was never
//! taken.
//!
//! Two tracks can be joined into one whose stages are pairs. A trivial track has a single stage
//! without a square; its product is simply the board.
//!
//! For example, no black bishop can be on g8 if black pawns stand on f7, g7 and g6. The pawn on
//! g6 came from h7. While it was there, it closed the way to g8; now it is on g6 and closes the
//! way to h7.

use castellan_rules::{Bitboard, Color, Rank, Square, attacks};

/// The most stages a track may have; longer tracks hardly ever prove anything.
pub(super) const MAX_STAGES: usize = 12;

/// A square on which the pawn stands for a while.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct TrackStage {
    /// The square as a set: two squares for joined tracks, none if the pawn's square is unknown.
    pub(super) square: Bitboard,
    /// By color of the pawn, the squares where it keeps the enemy king away.
    pub(super) guarded: [Bitboard; 2],
    /// The stages the pawn may go to next, as a set of indices, all of them greater.
    pub(super) next: u16,
    /// Those of the next stages that it enters by a capture.
    pub(super) attacks_to: u16,
    /// Whether the game may have begun in this stage.
    pub(super) is_first: bool,
}

impl TrackStage {
    /// The stage of a pawn whose square is unknown from the start on.
    pub(super) const NOTHING: TrackStage = TrackStage {
        square: Bitboard::EMPTY,
        guarded: [Bitboard::EMPTY; 2],
        next: 0,
        attacks_to: 0,
        is_first: true,
    };

    /// Returns the stage with the squares of another stage blocked as well.
    pub(super) fn with_wall(mut self, other: &TrackStage) -> TrackStage {
        self.square |= other.square;
        for (guarded, more) in self.guarded.iter_mut().zip(other.guarded) {
            *guarded |= more;
        }
        self
    }

    fn of_pawn(color: Color, square: Square, is_first: bool) -> TrackStage {
        let square = Bitboard::of(square);
        let mut stage = TrackStage { square, is_first, ..TrackStage::default() };
        stage.guarded[color.index()] = attack(square, color);
        stage
    }
}

/// The stages of a pawn, earlier ones first; the last one is the present.
#[derive(Clone, Debug)]
pub(super) struct Track {
    stages: [TrackStage; MAX_STAGES],
    len: usize,
    /// A single stage that blocks all squares of the track all the time. It is stricter than the
    /// track, so a piece that it does not hinder is not hindered by the track.
    pub(super) wall: TrackStage,
}

impl Track {
    /// Returns a track that says nothing.
    pub(super) fn trivial() -> Track {
        Track::constant(TrackStage::NOTHING)
    }

    /// Returns a track with a single, permanent stage.
    pub(super) fn constant(stage: TrackStage) -> Track {
        let mut stages = [TrackStage::default(); MAX_STAGES];
        stages[0] = stage;
        Track { stages, len: 1, wall: stage }
    }

    fn empty() -> Track {
        Track { len: 0, ..Track::trivial() }
    }

    /// Returns the track of a pawn that stands on `to`, used only the given squares, and captured
    /// only on the target squares. Returns `None` if there are too many squares.
    pub(super) fn of_pawn(
        color: Color,
        used: Bitboard,
        to: Square,
        capture_targets: Bitboard,
    ) -> Option<Track> {
        let mut track = Track::empty();
        for number in Rank::ALL {
            for square in used.with(to) & Bitboard::rank(number.relative_to(color)) {
                track.push(TrackStage::of_pawn(color, square, number == Rank::Second))?;
            }
        }
        track.connect(color, capture_targets);
        Some(track.finished())
    }

    /// Returns the track of a piece that was promoted on `to` and has not moved since. The pawn
    /// came from one of the given squares; where it was before is unknown.
    pub(super) fn of_promoted(color: Color, from: Bitboard, to: Square) -> Option<Track> {
        let mut track = Track::trivial();
        for square in from {
            track.push(TrackStage::of_pawn(color, square, false))?;
        }
        track.push(TrackStage { square: Bitboard::of(to), ..TrackStage::default() })?;
        let last = track.last();
        for index in 1..last {
            track.stages[0].next |= 1 << index;
            track.stages[index].next |= 1 << last;
        }
        Some(track.finished())
    }

    /// Returns the product of both tracks, or `None` if it has too many stages.
    pub(super) fn joined(&self, other: &Track) -> Option<Track> {
        let mut track = Track::empty();
        for (here, one) in self.stages().iter().enumerate() {
            for (there, two) in other.stages().iter().enumerate() {
                let index = |here: usize, there: usize| here * other.len + there;
                let mut stage = TrackStage {
                    square: one.square | two.square,
                    guarded: Color::ALL
                        .map(|color| one.guarded[color.index()] | two.guarded[color.index()]),
                    is_first: one.is_first && two.is_first,
                    ..TrackStage::default()
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

    fn push(&mut self, stage: TrackStage) -> Option<()> {
        *self.stages.get_mut(self.len)? = stage;
        self.len += 1;
        Some(())
    }

    fn connect(&mut self, color: Color, capture_targets: Bitboard) {
        for from in 0..self.len {
            let stage = self.stages[from];
            let ahead = step(stage.square, color);
            let jump = if stage.is_first { step(ahead, color) } else { Bitboard::EMPTY };
            let sides = attack(stage.square, color) & capture_targets;
            for to in from + 1..self.len {
                let target = self.stages[to].square;
                let stage = &mut self.stages[from];
                stage.next |= u16::from((target & (ahead | jump | sides)).any()) << to;
                stage.attacks_to |= u16::from((target & sides).any()) << to;
            }
        }
    }

    /// Returns the stages, earlier ones first.
    pub(super) fn stages(&self) -> &[TrackStage] {
        &self.stages[..self.len]
    }

    /// Returns whether the track says nothing.
    pub(super) fn is_trivial(&self) -> bool {
        self.present().is_empty()
    }

    /// Returns whether the track uses a square of the set.
    pub(super) fn touches(&self, set: Bitboard) -> bool {
        (self.wall.square & set).any()
    }

    /// Returns the squares given for those stages in which the game may have begun.
    pub(super) fn at_start(&self, staged: &[Bitboard; MAX_STAGES]) -> Bitboard {
        let firsts = self.stages().iter().zip(staged).filter(|(stage, _)| stage.is_first);
        firsts.fold(Bitboard::EMPTY, |all, (_, &squares)| all | squares)
    }

    /// Returns the index of the present stage.
    pub(super) fn last(&self) -> usize {
        self.len - 1
    }

    /// Returns the square the pawn stands on now, as a set.
    pub(super) fn present(&self) -> Bitboard {
        self.stages[self.last()].square
    }

    /// Returns the squares on which no other piece can have stood when the pawn went from one
    /// stage to another: the square it left, the one it entered, and the one it jumped over.
    pub(super) fn crossed(&self, from: usize, to: usize) -> Bitboard {
        let (start, end) = (self.stages[from].square, self.stages[to].square);
        let (left, entered) = (start & !end, end & !start);
        // The squares of a double step are sixteen apart. In joined tracks only one pawn moves at a time,
        // so only one square is left here too.
        let jumped = Bitboard(left.0 << 8 & entered.0 >> 8 | left.0 >> 8 & entered.0 << 8);
        start | end | jumped
    }

    /// Returns whether the track is short enough to be joined with another one.
    pub(super) fn is_short(&self) -> bool {
        self.len * 2 <= MAX_STAGES
    }

    /// Returns all squares of the track and their neighbors.
    pub(super) fn surroundings(&self) -> Bitboard {
        let squares = self.wall.square;
        squares.into_iter().fold(squares, |all, square| all | attacks::king(square))
    }

    /// Computes the wall once all stages are known.
    fn finished(mut self) -> Track {
        let mut wall = TrackStage::NOTHING;
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

/// Returns the squares one rank ahead.
pub(super) fn step(set: Bitboard, color: Color) -> Bitboard {
    color.fold(Bitboard(set.0 << 8), Bitboard(set.0 >> 8))
}

/// Returns the squares diagonally ahead.
pub(super) fn attack(set: Bitboard, color: Color) -> Bitboard {
    let left = Bitboard((set.0 & !0x0101_0101_0101_0101) >> 1);
    let right = Bitboard((set.0 & !0x8080_8080_8080_8080) << 1);
    step(left | right, color)
}

/// Iterates over the members of a set of stage indices.
pub(super) fn indices(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (index < 16).then_some(index)
    })
}
