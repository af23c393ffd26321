//! Both slider versions equal the plain walk for every square and every occupation that matters.

use super::{ray, small};
use crate::{Bitboard, Square};

type Slider = fn(Square, Bitboard) -> Bitboard;

/// Every subset of the squares the slider sees on an empty board, plus what must not matter.
fn check(slider: Slider, directions: &[(i32, i32); 4]) {
    for square in Square::ALL {
        let seen = ray::rays(square.index(), directions, 0);
        let mut subset = 0_u64;
        loop {
            let expected = ray::rays(square.index(), directions, subset);
            for unseen in [0, !seen, Bitboard::of(square).0] {
                let occupied = Bitboard(subset | unseen);
                assert_eq!(
                    slider(square, occupied).0,
                    expected,
                    "{square} {occupied:?}"
                );
            }
            subset = subset.wrapping_sub(seen) & seen;
            if subset == 0 {
                break;
            }
        }
    }
}

#[test]
fn small_rook_is_the_walk() {
    check(small::rook, &ray::ROOK);
}

#[test]
fn small_bishop_is_the_walk() {
    check(small::bishop, &ray::BISHOP);
}

#[test]
fn rook_of_this_build_is_the_walk() {
    check(super::rook, &ray::ROOK);
}

#[test]
fn bishop_of_this_build_is_the_walk() {
    check(super::bishop, &ray::BISHOP);
}

#[test]
fn the_build_script_and_the_processor_agree() {
    assert_eq!(cfg!(fast_pext), castellan_arch::HAS_FAST_PEXT);
}

#[test]
fn between_is_symmetric_and_strict() {
    for one in Square::ALL {
        for other in Square::ALL {
            let between = super::between(one, other);
            assert_eq!(between, super::between(other, one));
            assert!(!between.contains(one) && !between.contains(other));
        }
    }
    assert_eq!(super::between(Square::A1, Square::H8).count(), 6);
    assert_eq!(super::between(Square::A1, Square::B3).count(), 0);
}
