//! Moves in every spelling.

use super::{Expected, check, check_forgiven, sample};

#[test]
fn castling_with_zeros_and_small_letters() {
    check_forgiven(
        sample!("castling"),
        &[
            "e4 e5 Nf3 Nf6 Bc4 Bc5 O-O O-O *",
            "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O *",
            "d4 d5 Nc3 Nc6 Bf4 Bf5 Qd2 Qd7 O-O-O O-O-O *",
        ],
        &[
            "4:35 '0-0' castling is written O-O or O-O-O",
            "4:39 '0-0' castling is written O-O or O-O-O",
            "9:46 'o-o-o' castling is written O-O or O-O-O",
            "9:52 'o-o-o' castling is written O-O or O-O-O",
            "14:46 '0-0-0' castling is written O-O or O-O-O",
        ],
    );
}

#[test]
fn move_numbers_missing_wrong_and_with_any_dots() {
    check_forgiven(
        sample!("move_numbers"),
        &["e4 e5 Nf3 Nc6 *", "e4 e5 Nf3 Nc6 *", "e4 e5 Nf3 Nc6 Bb5 *"],
        &[
            "9:1 '7' the move number is wrong",
            "9:10 '9' the move number is wrong",
            "9:17 '3' the move number is wrong",
        ],
    );
}

#[test]
fn long_algebraic_with_and_without_dashes() {
    check_forgiven(
        sample!("long_algebraic"),
        &["e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 *", "e4 d5 exd5 Qxd5 Nc3 *"],
        &[
            "4:4 'e2-e4' the move names both squares",
            "4:10 'e7-e5' the move names both squares",
            "4:19 'Ng1-f3' the move names both squares",
            "4:26 'Nb8-c6' the move names both squares",
            "4:36 'Bf1-b5' the move names both squares",
            "4:43 'a7-a6' the move names both squares",
            "4:52 'Bb5xc6' the move gives its origin more precisely than needed",
            "4:59 'd7xc6' the move names both squares",
            "9:4 'e2e4' the move names both squares",
            "9:9 'd7d5' the move names both squares",
            "9:17 'e4d5' the move names both squares",
            "9:22 'd8d5' the move names both squares",
            "9:30 'b1c3' the move names both squares",
        ],
    );
}

#[test]
fn more_is_said_about_the_origin_than_needed() {
    check_forgiven(
        sample!("over_specified"),
        &["e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 *"],
        &[
            "4:13 'Ngf3' the move gives its origin more precisely than needed",
            "4:18 'N8c6' the move gives its origin more precisely than needed",
            "4:26 'Bfb5' the move gives its origin more precisely than needed",
            "4:37 'Bbxc6' the move gives its origin more precisely than needed",
        ],
    );
}

/// One knight of two is pinned, so its name alone is enough.
#[test]
fn less_is_said_but_only_one_move_fits() {
    check_forgiven(
        sample!("under_specified"),
        &["e4 d5 exd5 Qxd5 Nc3 Bg4 f3 Bf5 *", "Ne2 *"],
        &[
            "4:13 'ed5' the capture mark is wrong or missing",
            "4:17 'Qd5' the capture mark is wrong or missing",
        ],
    );
}

#[test]
fn promotions_without_an_equals_sign() {
    check(
        sample!("promotion"),
        &Expected {
            games: &["e8=Q *", "e8=N *", "e8=R *", "exd8=Q *", "*"],
            broken: &[
                "34:4 'e8' illegal move: the pawn must promote to a queen, rook, bishop or knight",
            ],
            forgiven: &[
                "6:4 'e8Q' a promotion is written with an equals sign",
                "13:4 'e8(N)' a promotion is written with an equals sign",
                "20:4 'e8/R' a promotion is written with an equals sign",
                "27:4 'exd8=q' a promotion is written with an equals sign",
            ],
        },
    );
}

#[test]
fn figurines_of_both_sides() {
    check_forgiven(
        sample!("figurines"),
        &["e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 Ke2 Qh4 *"],
        &[
            "4:13 '♘f3' a figurine is used instead of a piece letter",
            "4:17 '♞c6' a figurine is used instead of a piece letter",
            "4:24 '♗b5' a figurine is used instead of a piece letter",
            "4:34 '♗xc6' a figurine is used instead of a piece letter",
            "4:47 '♔e2' a figurine is used instead of a piece letter",
            "4:51 '♛h4' a figurine is used instead of a piece letter",
        ],
    );
}

#[test]
fn null_moves_in_both_spellings() {
    check_forgiven(
        sample!("null_moves"),
        &["e4 -- d4 ( -- e5 ) d5 *"],
        &["4:7 '--' a null move", "4:20 'Z0' a null move"],
    );
}

#[test]
fn capture_marks_where_they_do_not_belong() {
    check_forgiven(
        sample!("capture_marks"),
        &["e4 d5 exd5 Qxd5 Nc3 Qe5+ *"],
        &[
            "4:13 'ed5' the capture mark is wrong or missing",
            "4:25 'Nxc3' the capture mark is wrong or missing",
        ],
    );
}

#[test]
fn check_marks_missing_and_wrong() {
    check_forgiven(
        sample!("check_marks"),
        &["e4 e5 Qh5 Nc6 Qxf7+ *"],
        &[
            "4:4 'e4+' the check mark is wrong or missing",
            "4:18 'Nc6#' the check mark is wrong or missing",
            "4:26 'Qxf7' the check mark is wrong or missing",
        ],
    );
}
