//! Properties that hold for any text and any move.

use std::fmt::{Debug, Display};

use castellan_rules::{
    CastlingLetters, IllegalMove, MAX_MOVES, Move, MoveKind, MoveList, ParseSquareError, Piece,
    Position, Promotion, Role, San, Square, UciMove, fen,
};
use castellan_testkit::play::GameShape;
use castellan_testkit::scatter::scattered_positions;
use proptest::prelude::*;

use crate::support::{self, CHESS960, games};

/// Arbitrary text, or text that is almost valid.
fn text(close: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![1 => any::<String>(), 1 => "[ -~]{0,12}", 4 => close]
}

/// A FEN in which one byte has been inserted, removed or changed.
fn spoiled_fen() -> impl Strategy<Value = String> {
    let fens = prop::sample::select(vec![
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w HAkq d6 0 12",
        "1rk2r1r/8/8/8/8/8/8/1RK2R1R b FQfq - 99 120",
        "4k3/8/8/8/8/8/4P3/4K3 w - -",
    ]);
    let letter =
        prop::sample::select("pnbrqkPNBRQK123456789/ wbKQkqaAhH-0x".chars().collect::<Vec<_>>());
    (fens, any::<prop::sample::Index>(), letter, 0..3).prop_map(|(fen, at, letter, what)| {
        let mut letters: Vec<char> = fen.chars().collect();
        let at = at.index(letters.len());
        match what {
            0 => letters.insert(at, letter),
            1 => letters[at] = letter,
            _ => drop(letters.remove(at)),
        }
        letters.into_iter().collect()
    })
}

/// Checks that a parsed value prints as text that parses to the same value.
fn shown_is_read<T: Copy + PartialEq + Debug + Display, E: Debug + PartialEq>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<(), TestCaseError> {
    if let Ok(value) = parse(text) {
        let shown = value.to_string();
        prop_assert_eq!(parse(&shown), Ok(value), "{:?} is shown as {:?}", text, shown);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_text_is_read_as_a_san_or_refused(text in text("[KQRBNO]?[a-h]?[1-8]?x?[a-h]?[1-8]?(=[QRBNK])?[+#]?(-O){0,3}")) {
        shown_is_read(&text, San::parse)?;
        if let Err(error) = San::parse(&text) {
            prop_assert!(error.at <= text.len());
        }
    }

    #[test]
    fn any_text_is_read_as_a_uci_move_or_refused(text in text("[a-i]?[0-9]?[a-h]?[1-8]?[qrbnkQ]{0,2}|0000?")) {
        shown_is_read(&text, UciMove::parse)?;
        // Each UCI move has exactly one spelling.
        if let Ok(spelled) = UciMove::parse(&text) {
            prop_assert_eq!(spelled.to_string(), text);
        }
    }

    #[test]
    fn any_text_is_read_as_a_square_or_refused(text in text("[a-i][0-9]?[ 1-8]?")) {
        let parse = |text: &str| text.parse::<Square>();
        shown_is_read(&text, parse)?;
        let is_name = Square::ALL.iter().any(|square| square.to_string() == text);
        prop_assert_eq!(parse(&text).is_ok(), is_name);
        if !is_name {
            prop_assert_eq!(parse(&text), Err(ParseSquareError));
        }
    }

    #[test]
    fn any_text_is_read_as_a_fen_or_refused(
        text in prop_oneof![text("[pnbrqkPNBRQK1-8/]{0,71} [wb] [KQkqA-Ha-h-]{1,4} [a-h-][36]?( [0-9]{1,3} [0-9]{1,3})?"), spoiled_fen()]
    ) {
        match fen::parse(&text) {
            Err(error) => prop_assert!(error.at <= text.len()),
            Ok(setup) => for letters in [CastlingLetters::XFen, CastlingLetters::Shredder] {
                let shown = fen::write(&setup, letters);
                prop_assert_eq!(fen::parse(&shown), Ok(setup), "{:?} is shown as {:?}", &text, &shown);
            },
        }
        if let Ok(position) = Position::from_fen(&text) {
            prop_assert_eq!(Position::from_fen(&position.to_fen()), Ok(position));
        }
    }
}

/// Returns the moves that differ from a legal move in at most one part.
fn neighbors(mv: Move) -> impl Iterator<Item = Move> {
    let (from, to, role, kind) = (mv.from(), mv.to(), mv.role(), mv.kind());
    let kinds = KINDS.into_iter().map(move |kind| Move::new(from, to, role, kind));
    let roles = Role::ALL.into_iter().map(move |role| Move::new(from, to, role, kind));
    let targets = Square::ALL.into_iter().map(move |to| Move::new(from, to, role, kind));
    let origins = Square::ALL.into_iter().map(move |from| Move::new(from, to, role, kind));
    kinds.chain(roles).chain(targets).chain(origins)
}

const KINDS: [MoveKind; 8] = [
    MoveKind::Normal,
    MoveKind::DoubleStep,
    MoveKind::EnPassant,
    MoveKind::Castle,
    MoveKind::Promotion(Promotion::Knight),
    MoveKind::Promotion(Promotion::Bishop),
    MoveKind::Promotion(Promotion::Rook),
    MoveKind::Promotion(Promotion::Queen),
];

/// Checks that a move is legal if and only if it is in the list, and that only legal moves are
/// played.
fn legal_is_listed(position: &Position, mv: Move, listed: &std::collections::HashSet<Move>) {
    let is_legal = listed.contains(&mv);
    assert_eq!(position.is_legal(mv), is_legal, "{position:?} {mv:?}");
    match position.play(mv) {
        Ok(next) => {
            assert!(is_legal, "{position:?} {mv:?}");
            assert_eq!(next.turn(), !position.turn(), "{position:?} {mv:?}");
        }
        Err(IllegalMove) => assert!(!is_legal, "{position:?} {mv:?}"),
    }
}

fn legal_are_listed(position: &Position, moves: impl Iterator<Item = Move>) {
    let list = position.legal_moves();
    let listed: std::collections::HashSet<Move> = list.iter().copied().collect();
    assert_eq!(listed.len(), list.len(), "{position:?} lists a move twice");
    for mv in moves {
        legal_is_listed(position, mv, &listed);
    }
}

#[test]
fn legal_moves_are_those_in_the_list_near_legal_ones() {
    for shape in [GameShape::default(), CHESS960] {
        for game in games(61, 20, shape) {
            for position in game.positions().step_by(9) {
                let legal = position.legal_moves();
                legal_are_listed(&position, legal.iter().copied().flat_map(neighbors));
            }
        }
    }
}

#[test]
fn legal_moves_are_those_in_the_list_near_legal_ones_of_scattered_positions() {
    for oracle in scattered_positions(62).take(500) {
        let position = support::fen(&oracle.to_fen());
        let legal = position.legal_moves();
        legal_are_listed(&position, legal.iter().copied().flat_map(neighbors));
    }
}

/// Returns every possible move value: 64 times 64 squares, six roles, eight kinds.
fn every_move() -> impl Iterator<Item = Move> {
    let squares = || Square::ALL.into_iter();
    let pairs = squares().flat_map(move |from| squares().map(move |to| (from, to)));
    pairs.flat_map(|(from, to)| {
        Role::ALL.into_iter().flat_map(move |role| {
            KINDS.into_iter().map(move |kind| Move::new(from, to, role, kind))
        })
    })
}

#[test]
fn legal_moves_are_those_in_the_list_out_of_all_moves() {
    let fens = [
        "r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R w KQkq d6 0 1",
        "r3k2r/1P6/8/8/3pP3/8/6p1/R3K2R b KQkq e3 0 1",
        "1rk2r1r/8/8/8/8/8/8/1RK2R1R b FQfq - 99 120",
        "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
        "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",
    ];
    for text in fens {
        legal_are_listed(&support::fen(text), every_move());
    }
}

/// No position reachable in a game has more moves than this one, and no position at all has more
/// than 415.
#[test]
fn the_list_holds_the_most_moves() {
    let most = support::fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    assert_eq!(most.legal_moves().len(), 218);
    assert_eq!(most.count_legal_moves(), 218);
    const { assert!(MAX_MOVES >= 415) };
}

#[test]
fn a_list_may_be_used_again() {
    let mut list = MoveList::new();
    for game in games(63, 10, GameShape::default()) {
        for position in game.positions() {
            position.legal_moves_into(&mut list);
            assert_eq!(*list, *position.legal_moves(), "{position:?}");
        }
    }
}

/// Checks that captures and promotions are in one list and all other moves in the other, none
/// twice or missing.
fn noisy_and_quiet_are_all(position: &Position) {
    let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
    position.noisy_moves_into(&mut noisy);
    position.quiet_moves_into(&mut quiet);
    let is_noisy = |mv: &Move| mv.promotion().is_some() || position.is_capture(*mv);
    assert!(noisy.iter().all(is_noisy), "{position:?} {noisy:?}");
    assert!(!quiet.iter().any(is_noisy), "{position:?} {quiet:?}");
    let sorted = |moves: &[Move]| {
        let mut texts: Vec<String> = moves.iter().map(|&mv| support::spell(mv)).collect();
        texts.sort_unstable();
        texts
    };
    let both: Vec<Move> = noisy.iter().chain(&*quiet).copied().collect();
    assert_eq!(sorted(&both), sorted(&position.legal_moves()), "{position:?}");
}

/// Checks that a piece is gone after each capture, and after no other move.
fn captures_are_what_disappears(position: &Position) {
    let theirs = |position: &Position, color| -> Vec<(Square, Piece)> {
        position.pieces().iter().filter(|(_, piece)| piece.color == color).collect()
    };
    let before = theirs(position, !position.turn());
    for &mv in &position.legal_moves() {
        let after = theirs(&position.play_unchecked(mv), !position.turn());
        let gone: Vec<_> = before.iter().filter(|piece| !after.contains(piece)).collect();
        let captured = position.captured(mv).map(|(piece, square)| (square, piece));
        assert!(gone.into_iter().eq(&captured), "{position:?} {mv:?} {captured:?}");
        assert_eq!(position.is_capture(mv), captured.is_some(), "{position:?} {mv:?}");
    }
}

#[test]
fn every_move_is_noisy_or_quiet() {
    for shape in [GameShape::default(), CHESS960] {
        for game in games(63, 100, shape) {
            let mut position = game.start;
            for mv in game.moves {
                noisy_and_quiet_are_all(&position);
                captures_are_what_disappears(&position);
                position = position.play_unchecked(mv);
            }
        }
    }
    for oracle in scattered_positions(64).take(2_000) {
        let position = support::fen(&oracle.to_fen());
        noisy_and_quiet_are_all(&position);
        captures_are_what_disappears(&position);
    }
}
