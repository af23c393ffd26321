//! An observer that keeps its own board always has the same board as the position.

use castellan_rules::{Observer, Piece, Position, Square};
use castellan_testkit::play::GameShape;

use crate::support::{CHESS960, fen, games, uci};

/// A board built only from observer callbacks.
struct Table([Option<Piece>; 64]);

impl Table {
    fn of(position: &Position) -> Table {
        Table(Square::ALL.map(|square| position.piece_at(square)))
    }

    #[track_caller]
    fn assert_is(&self, position: &Position) {
        for square in Square::ALL {
            let seen = self.0[square.index()];
            assert_eq!(seen, position.piece_at(square), "{position:?} on {square}");
        }
    }
}

impl Observer for Table {
    fn removed(&mut self, piece: Piece, square: Square) {
        let gone = self.0[square.index()].take();
        assert_eq!(gone, Some(piece), "what leaves {square} stood there");
    }

    fn placed(&mut self, piece: Piece, square: Square) {
        let before = self.0[square.index()].replace(piece);
        assert_eq!(before, None, "{square} is empty before a piece enters");
    }
}

fn follow(seed: u64, shape: GameShape) {
    for game in games(seed, 200, shape) {
        let mut table = Table::of(&game.start);
        for (position, mv) in game.steps() {
            let next = position.play_observed(mv, &mut table);
            table.assert_is(&next);
            assert_eq!(next, position.play_unchecked(mv), "{position:?} {mv:?}");
        }
    }
}

#[test]
fn in_games() {
    follow(11, GameShape::default());
}

#[test]
fn in_chess960_games() {
    follow(12, CHESS960);
}

/// Records all callbacks in order.
#[derive(Default)]
struct Record(Vec<String>);

impl Observer for Record {
    fn removed(&mut self, piece: Piece, square: Square) {
        self.0.push(format!("-{}{square}", piece.letter()));
    }

    fn placed(&mut self, piece: Piece, square: Square) {
        self.0.push(format!("+{}{square}", piece.letter()));
    }
}

/// Compares sorted changes, because the order in which different squares are reported does not
/// matter.
#[track_caller]
fn check(start: &str, text: &str, expected: &[&str]) {
    let position = fen(start);
    let mut record = Record::default();
    position.play_observed(uci(&position, text), &mut record);
    record.0.sort_unstable();
    assert_eq!(record.0, expected, "{start} {text}");
}

#[test]
fn each_kind_of_move_reports_its_changes() {
    let all = "r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";
    check(all, "e1f1", &["+Kf1", "-Ke1"]);
    check(all, "a1a8", &["+Ra8", "-Ra1", "-ra8"]);
    check(all, "e5d6", &["+Pd6", "-Pe5", "-pd5"]);
    check(all, "b7b8n", &["+Nb8", "-Pb7"]);
    check(all, "b7a8q", &["+Qa8", "-Pb7", "-ra8"]);
    check(all, "e1h1", &["+Kg1", "+Rf1", "-Ke1", "-Rh1"]);
    check(all, "e1a1", &["+Kc1", "+Rd1", "-Ke1", "-Ra1"]);
}

#[test]
fn king_and_rook_may_trade_squares() {
    check("5kr1/6p1/8/8/8/8/6P1/5KR1 w Kk - 0 1", "f1g1", &["+Kg1", "+Rf1", "-Kf1", "-Rg1"]);
    check("6kr/7p/8/8/8/8/7P/6KR w Kk - 0 1", "g1h1", &["+Kg1", "+Rf1", "-Kg1", "-Rh1"]);
}
