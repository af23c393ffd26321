//! Both slider implementations equal the square-by-square walk for every square and every
//! relevant occupancy.

use super::{ray, small};
use crate::{Bitboard, Color, Piece, Role, Square};

type Slider = fn(Square, Bitboard) -> Bitboard;

/// Tests every subset of the squares the slider attacks on an empty board, combined with occupied
/// squares that must not matter.
fn check(slider: Slider, directions: &[(i32, i32); 4]) {
    for square in Square::ALL {
        let relevant = ray::rays(square.index(), directions, 0);
        let mut subset = 0_u64;
        loop {
            let expected = ray::rays(square.index(), directions, subset);
            for irrelevant in [0, !relevant, Bitboard::of(square).0] {
                let occupied = Bitboard(subset | irrelevant);
                assert_eq!(slider(square, occupied).0, expected, "{square} {occupied:?}");
            }
            subset = subset.wrapping_sub(relevant) & relevant;
            if subset == 0 {
                break;
            }
        }
    }
}

#[test]
fn the_small_rook_tables_equal_the_walk() {
    check(small::rook, &ray::ROOK);
}

#[test]
fn the_small_bishop_tables_equal_the_walk() {
    check(small::bishop, &ray::BISHOP);
}

#[test]
fn the_rook_tables_of_this_build_equal_the_walk() {
    check(super::rook, &ray::ROOK);
}

#[test]
fn the_bishop_tables_of_this_build_equal_the_walk() {
    check(super::bishop, &ray::BISHOP);
}

#[test]
fn the_build_script_and_the_processor_agree() {
    assert_eq!(cfg!(fast_pext), castellan_arch::HAS_FAST_PEXT);
}

/// Returns the squares between two squares by walking from one toward the other.
fn walked_between(one: Square, other: Square) -> Bitboard {
    let mut directions = ray::ROOK.into_iter().chain(ray::BISHOP);
    let toward = directions
        .find(|&direction| ray::ray(one.index(), direction, 0) & Bitboard::of(other).0 != 0);
    toward.map_or(Bitboard::EMPTY, |direction| {
        Bitboard(ray::ray(one.index(), direction, Bitboard::of(other).0)).without(other)
    })
}

#[test]
fn between_equals_the_walk_in_both_versions() {
    for one in Square::ALL {
        for other in Square::ALL {
            let expected = walked_between(one, other);
            assert_eq!(super::between(one, other), expected, "{one} {other}");
            assert_eq!(small::between(one, other), expected, "{one} {other}");
        }
    }
    assert_eq!(walked_between(Square::A1, Square::H8).count(), 6);
}

#[test]
fn on_an_empty_board_nothing_is_in_the_way() {
    for square in Square::ALL {
        for role in Role::ALL.into_iter().skip(1) {
            let piece = Piece { color: Color::White, role };
            let expected = super::of_piece(piece, square, Bitboard::EMPTY);
            assert_eq!(super::on_empty_board(role, square), expected, "{role:?} {square}");
        }
    }
}
