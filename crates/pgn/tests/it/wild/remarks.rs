//! Comments, escapes, glyphs and commands.

use super::{Expected, check, check_clean, check_forgiven, sample};

#[test]
fn a_semicolon_begins_a_comment_to_the_end_of_the_line() {
    check_clean(
        sample!("semicolon"),
        &["e4 {the king's pawn {no brace (and no bracket} e5 {and again} \
                      Nf3 {; no line ends here} Nc6 *"],
    );
}

#[test]
fn comments_within_comments_are_one() {
    check_forgiven(
        sample!("nested_comment"),
        &["e4 {outer {inner} outer} e5 Nf3 *"],
        &["4:7 '{outer {inner} outer}' a comment inside a comment"],
    );
}

#[test]
fn a_comment_that_is_not_closed_ends_with_the_game() {
    check(
        sample!("unclosed_comment"),
        &Expected {
            games: &["e4 e5 {the rest is lost in thought 2. Nf3 Nc6 3. Bb5} *"],
            broken: &["4:10 '{the rest is lost in thought' the comment is not closed"],
            forgiven: &["5:18 '' the result is missing"],
        },
    );
}

#[test]
fn lines_with_a_percent_sign_are_skipped() {
    check_clean(sample!("escape"), &["e4 e5 Nf3 {100 % sure} *"]);
}

#[test]
fn glyphs_are_read_as_numbers_and_as_marks() {
    check_clean(
        sample!("nags"),
        &["e4 $1 e5 $2 Nf3 $3 Nc6 $4 Bb5 $5 a6 $6 Ba4 $1 $13 Nf6 $139 O-O $1 $2 *"],
    );
}

#[test]
fn commands_stay_in_comments() {
    check_clean(
        sample!("commands"),
        &["e4 {[%clk 1:30:43]} e5 {[%clk 0:00:09.5] [%eval 0.17]} \
                      Nf3 {[%eval #-3] quick} Nc6 {[%emt 0:00:07]} \
                      Bb5 {[%csl Ga4,Rb5][%cal Ge2e4,Yd1h5] look} *"],
    );
}
