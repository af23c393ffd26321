//! The piece shapes, drawn for this project.
//!
//! Each shape fills a square of 100 units, stands on a plinth at the lower edge, and inherits its
//! colors: fill and stroke come from the parent element, and details drawn on top of the fill use
//! the current color.

use castellan_rules::Role;

macro_rules! plinth {
    () => {
        "<path d=\"M25 89c-2 0-3-1-3-3v-2c0-4 3-7 7-7h42c4 0 7 3 7 7v2c0 2-1 3-3 3z\"/>"
    };
}

/// The foot of the king and queen, between the plinth and the crown.
macro_rules! foot {
    () => {
        "<path d=\"M36 62c1 6-2 11-6 15h40c-4-4-7-9-6-15z\"/>"
    };
}

macro_rules! collar {
    () => {
        "<rect x=\"31\" y=\"60\" width=\"38\" height=\"7\" rx=\"3.5\"/>"
    };
}

/// Returns the SVG elements of a piece, from back to front.
pub(super) const fn shape(role: Role) -> &'static str {
    match role {
        Role::Pawn => PAWN,
        Role::Knight => KNIGHT,
        Role::Bishop => BISHOP,
        Role::Rook => ROOK,
        Role::Queen => QUEEN,
        Role::King => KING,
    }
}

const PAWN: &str = concat!(
    "<path d=\"M39 46c-1 13-5 23-12 31h46c-7-8-11-18-12-31z\"/>",
    "<path d=\"M27 89c-2 0-3-1-3-3v-2c0-4 3-7 7-7h38c4 0 7 3 7 7v2c0 2-1 3-3 3z\"/>",
    "<circle cx=\"50\" cy=\"32\" r=\"14\"/>",
    "<rect x=\"32\" y=\"43\" width=\"36\" height=\"7.5\" rx=\"3.7\"/>",
);

const KNIGHT: &str = concat!(
    "<path d=\"M30 77c0-13 5-19 13-27-6 3-11 7-15 10-3 2-7 1-9-3-2-3-2-6 0-9 4-6 7-12 10-19 ",
    "1-4 3-6 6-8l1-10 10 8c16 1 29 13 30 34 0 9-2 17-4 24z\"/>",
    plinth!(),
    "<path d=\"M48 27c12 3 20 14 20 28 0 7-1 15-2 22\" fill=\"none\" stroke=\"currentColor\" ",
    "stroke-opacity=\".75\"/>",
    "<circle cx=\"39.5\" cy=\"32\" r=\"2.8\" fill=\"currentColor\" stroke=\"none\"/>",
    "<path d=\"M25.5 52l2-2.5\" fill=\"none\" stroke=\"currentColor\"/>",
);

const BISHOP: &str = concat!(
    "<path d=\"M41 63c0 6-4 10-11 14h40c-7-4-11-8-11-14z\"/>",
    plinth!(),
    "<path d=\"M50 20c11 8 19 18 19 29 0 6-3 11-7 14H38c-4-3-7-8-7-14 0-11 8-21 19-29z\"/>",
    "<path d=\"M55 34l-9 14\" fill=\"none\" stroke=\"currentColor\"/>",
    "<circle cx=\"50\" cy=\"15\" r=\"5.5\"/>",
    "<rect x=\"33\" y=\"60\" width=\"34\" height=\"7\" rx=\"3.5\"/>",
);

const ROOK: &str = concat!(
    "<path d=\"M34 43l-3 34h38l-3-34z\"/>",
    plinth!(),
    "<path d=\"M25 16h11v9h8.5v-9h11v9h8.5v-9h11v20l-7 8H32l-7-8z\"/>",
    "<path d=\"M29 36h42\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".75\"/>",
);

const QUEEN: &str = concat!(
    foot!(),
    plinth!(),
    "<path d=\"M32 63L17 29l17 11 4-22 12 19 12-19 4 22 17-11-15 34z\"/>",
    "<circle cx=\"16\" cy=\"26\" r=\"5\"/><circle cx=\"37\" cy=\"15\" r=\"5\"/>",
    "<circle cx=\"63\" cy=\"15\" r=\"5\"/><circle cx=\"84\" cy=\"26\" r=\"5\"/>",
    collar!(),
    "<path d=\"M33 54h34\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".75\"/>",
);

const KING: &str = concat!(
    foot!(),
    plinth!(),
    "<path d=\"M47 8h6v6h6v6h-6v8h-6v-8h-6v-6h6z\" stroke-width=\"2.6\"/>",
    "<path d=\"M34 63c-8-5-17-14-17-23 0-8 6-13 13-13 8 0 16 5 20 13 4-8 12-13 20-13 7 0 13 5 13 ",
    "13 0 9-9 18-17 23z\"/>",
    "<path d=\"M50 25c5 4 6 10 0 17-6-7-5-13 0-17z\"/>",
    collar!(),
    "<path d=\"M36 53c-5-3-9-8-9-12 0-3 2-5 5-5 4 0 8 3 11 9M64 53c5-3 9-8 9-12 0-3-2-5-5-5-4 ",
    "0-8 3-11 9\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".75\"/>",
);
