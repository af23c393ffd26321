//! A slow reference implementation: all pawn moves on a few files, one at a time, with nothing
//! left out.
//!
//! Pawns outside these files stay where they began. Other pieces are not tracked: any empty
//! square may hold one to be captured, and any pawn may be captured by one.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use castellan_rules::Color;
use castellan_testkit::random::SplitMix64;

use super::super::decide;
use super::super::file_search::Answer;
use super::super::goal::CaptureGoal;
use super::super::pawn_order::PawnOrder;
use super::super::pawn_ranks::PawnRanks;
use crate::Budget;

/// The pawns that never move, outside the files walked on.
const HOME: PawnRanks = PawnRanks { white: 1 << 1, black: 1 << 6 };

/// The captures and promotions made so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct CaptureCounts {
    /// Captures by each side.
    captures: [u32; 2],
    /// Pawns captured, by the side that lost them.
    pawns: [u32; 2],
    /// Promotions by side, on dark and light squares.
    promotions: [[u32; 2]; 2],
    /// Pieces captured by pawns, by the side that lost them, on dark and light squares.
    pieces: [[u32; 2]; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    files: [PawnRanks; 8],
    counts: CaptureCounts,
}

/// The files onto which and from which a side may promote, and those where a promoted bishop
/// counts.
#[derive(Clone, Copy)]
struct AllowedPromotions {
    entering: [u8; 2],
    leaving: [u8; 2],
    useful: [u8; 2],
}

impl AllowedPromotions {
    const ALL: AllowedPromotions =
        AllowedPromotions { entering: [!0; 2], leaving: [!0; 2], useful: [!0; 2] };
}

/// Everything that can be reached on some files with so many captures.
struct ExhaustiveWalk {
    files: Range<usize>,
    captures: u32,
    promotions: AllowedPromotions,
    seen: HashSet<State>,
    todo: Vec<State>,
}

impl ExhaustiveWalk {
    fn all(
        files: Range<usize>,
        captures: u32,
        promotions: AllowedPromotions,
    ) -> HashMap<[PawnRanks; 8], Vec<CaptureCounts>> {
        let (seen, todo) = (HashSet::new(), Vec::new());
        let mut walk = ExhaustiveWalk { files, captures, promotions, seen, todo };
        walk.visit(State { files: [HOME; 8], counts: CaptureCounts::default() });
        while let Some(state) = walk.todo.pop() {
            for file in 0..8 {
                for rank in 1..7 {
                    for color in Color::ALL {
                        walk.step(&state, color, file, rank);
                    }
                }
            }
        }
        let mut bills: HashMap<[PawnRanks; 8], Vec<CaptureCounts>> = HashMap::new();
        for state in walk.seen {
            bills.entry(state.files).or_default().push(state.counts);
        }
        bills
    }

    fn visit(&mut self, state: State) {
        let captures: u32 = state.counts.captures.iter().sum();
        if captures <= self.captures && self.seen.insert(state) {
            self.todo.push(state);
        }
    }

    fn is_fixed(&self, file: usize, rank: usize, color: Color) -> bool {
        !self.files.contains(&file) && rank == color.fold(1, 6)
    }

    /// Explores what the pawn on a square, if there is one, can do and how it can be captured.
    fn step(&mut self, state: &State, color: Color, file: usize, rank: usize) {
        if !has(state, color, file, rank) || self.is_fixed(file, rank, color) {
            return;
        }
        let mut gone = *state;
        *pawns(&mut gone, color, file) ^= 1 << rank;
        let mut captured = gone;
        captured.counts.captures[(!color).index()] += 1;
        captured.counts.pawns[color.index()] += 1;
        self.visit(captured);
        let ahead = color.fold(rank + 1, rank - 1);
        if !has(state, Color::White, file, ahead) && !has(state, Color::Black, file, ahead) {
            self.arrive(gone, color, (file, file), ahead);
        }
        for to in [file.wrapping_sub(1), file + 1] {
            if to < 8 {
                self.capture(state, gone, color, (file, to), ahead);
            }
        }
    }

    /// Explores the captures on a square by a pawn that has already been removed from the board.
    fn capture(
        &mut self,
        state: &State,
        gone: State,
        color: Color,
        files: (usize, usize),
        rank: usize,
    ) {
        let (other, file) = ((!color).index(), files.1);
        let mut taken = gone;
        taken.counts.captures[color.index()] += 1;
        let mut without_pawn = taken;
        without_pawn.counts.pawns[other] += 1;
        let (home, beside) = color.fold((6, 4), (1, 3));
        let is_clear = |rank| Color::ALL.into_iter().all(|color| !has(state, color, file, rank));
        if has(state, !color, file, rank) && !self.is_fixed(file, rank, !color) {
            *pawns(&mut without_pawn, !color, file) ^= 1 << rank;
            self.arrive(without_pawn, color, files, rank);
        } else if is_clear(rank) {
            taken.counts.pieces[other][usize::from((file + rank) % 2 == 1)] += 1;
            self.arrive(taken, color, files, rank);
            let is_passing = rank == color.fold(5, 2) && has(state, !color, file, home);
            if is_passing && is_clear(beside) && !self.is_fixed(file, home, !color) {
                *pawns(&mut without_pawn, !color, file) ^= 1 << home;
                self.arrive(without_pawn, color, files, rank);
            }
        }
    }

    /// Puts a pawn on a square of another or the same file, or promotes it there.
    fn arrive(
        &mut self,
        mut state: State,
        color: Color,
        (from, file): (usize, usize),
        rank: usize,
    ) {
        if rank != color.fold(7, 0) {
            *pawns(&mut state, color, file) |= 1 << rank;
            return self.visit(state);
        }
        let is_in = |files: [u8; 2], file: usize| files[color.index()] >> file & 1 != 0;
        if is_in(self.promotions.leaving, from) && is_in(self.promotions.entering, file) {
            let promotions = &mut state.counts.promotions[color.index()];
            let is_useful = is_in(self.promotions.useful, file);
            promotions[usize::from((file + rank) % 2 == 1)] += u32::from(is_useful);
            self.visit(state);
        }
    }
}

fn pawns(state: &mut State, color: Color, file: usize) -> &mut u8 {
    let pawn_ranks = &mut state.files[file];
    color.fold(&mut pawn_ranks.white, &mut pawn_ranks.black)
}

fn has(state: &State, color: Color, file: usize, rank: usize) -> bool {
    let pawn_ranks = state.files[file];
    color.fold(pawn_ranks.white, pawn_ranks.black) >> rank & 1 != 0
}

/// Returns whether captures and promotions stay within what a goal allows and meet what it
/// requires.
fn is_met(goal: &CaptureGoal, counts: &CaptureCounts) -> bool {
    Color::ALL.into_iter().all(|color| {
        let (own, other) = (color.index(), (!color).index());
        let fits_squares = (0..2).all(|shade| {
            let elsewhere = goal.taken_bishops[other][1 - shade];
            counts.pieces[other][shade] + counts.pawns[other] + elsewhere <= goal.captures[own]
        });
        let has_bishops = (0..2).all(|s| counts.promotions[own][s] >= goal.bishops[own][s]);
        counts.captures[own] <= goal.captures[own]
            && counts.pawns[own] <= goal.spare_pawns[own]
            && fits_squares
            && has_bishops
    })
}

fn random_goal(
    rng: &mut SplitMix64,
    files: &[PawnRanks; 8],
    captures: u32,
    promotions: AllowedPromotions,
) -> CaptureGoal {
    let white = rng.below(captures as usize + 1) as u32;
    let mut number = |limit: usize| rng.below(limit) as u32;
    let captures = [white, captures - white];
    // A bishop that is gone was captured.
    let mut taken =
        |side: usize| [number(4) / 3, number(4) / 3].map(|one| one * captures[1 - side].min(1));
    let taken_bishops = [taken(0), taken(1)];
    CaptureGoal {
        pawn_orders: files.map(pawn_order),
        unmoved_pawns: [0, 1].map(|side| unmoved(files, side)),
        captures,
        spare_pawns: [1 + number(2), number(3)],
        bishops: [[0; 2]; 2].map(|side| side.map(|_: u32| u32::from(number(8) == 0))),
        taken_bishops,
        straight: [0, 1].map(|side| promotions.leaving[side] & promotions.entering[side]),
        leaving: promotions.leaving,
        entering: promotions.entering,
        useful: promotions.useful,
    }
}

fn pawn_order(pawn_ranks: PawnRanks) -> PawnOrder {
    let ranks = (1..7).filter(|rank| (pawn_ranks.white | pawn_ranks.black) >> rank & 1 != 0);
    ranks.fold(PawnOrder::EMPTY, |pawn_order, rank| {
        pawn_order.then(if pawn_ranks.white >> rank & 1 != 0 { Color::White } else { Color::Black })
    })
}

fn unmoved(files: &[PawnRanks; 8], side: usize) -> u8 {
    let is_home = |pawn_ranks: &PawnRanks| [pawn_ranks.white & 1 << 1, pawn_ranks.black & 1 << 6];
    let bits = files.iter().enumerate();
    bits.map(|(file, pawn_ranks)| u8::from(is_home(pawn_ranks)[side] != 0) << file).sum()
}

/// Compares the search with the walk for random goals: pawns that can be reached, and such pawns
/// with one of them moved elsewhere.
#[track_caller]
fn check_against_walk(files: Range<usize>, captures: u32, promotions: AllowedPromotions) {
    let goals = 2_000;
    let reached = ExhaustiveWalk::all(files.clone(), captures, promotions);
    let mut pawn_ranks: Vec<[PawnRanks; 8]> = reached.keys().copied().collect();
    pawn_ranks.sort_unstable();
    let mut rng = SplitMix64::new(u64::from(captures));
    let mut counts = [0; 2];
    for _ in 0..goals {
        let mut wanted = *rng.pick(&pawn_ranks).expect("the start is reached");
        if rng.chance(30) {
            let file = files.start + rng.below(files.len());
            wanted[file].white = wanted[file].white.rotate_left(1) & 0x7e & !wanted[file].black;
        }
        let goal = random_goal(&mut rng, &wanted, captures, promotions);
        let bills = reached.get(&wanted).map_or(&[][..], Vec::as_slice);
        let is_reached = bills.iter().any(|counts| is_met(&goal, counts));
        counts[usize::from(is_reached)] += 1;
        let expected = if is_reached { Answer::Possible } else { Answer::Impossible };
        let found = decide(&goal, &wanted, &mut Budget::of_nodes(10_000_000));
        assert_eq!(found, expected, "{wanted:?} {:?}", goal.captures);
    }
    assert!(counts.iter().all(|&count| count > goals / 20), "{counts:?}");
}

#[test]
fn the_search_agrees_with_an_exhaustive_walk() {
    check_against_walk(0..2, 2, AllowedPromotions::ALL);
    check_against_walk(3..5, 2, AllowedPromotions::ALL);
    check_against_walk(0..3, 1, AllowedPromotions::ALL);
}

#[test]
fn the_search_agrees_with_an_exhaustive_walk_where_promotions_are_blocked() {
    let entering = [!0b01, !0b10];
    check_against_walk(0..2, 2, AllowedPromotions { entering, ..AllowedPromotions::ALL });
    let leaving = [!0b1000, !0];
    check_against_walk(3..5, 2, AllowedPromotions { leaving, ..AllowedPromotions::ALL });
    let useful = [!0b010, !0b101];
    check_against_walk(0..3, 1, AllowedPromotions { entering, leaving, useful });
}
