//! The property of FEN parsing.

use castellan_rules::{
    CastlingLetters, Clocks, EnPassantField, FenStyle, Position, Setup, SetupProblem, fen,
};
use castellan_testkit::oracle::Oracle;

use crate::positions;

const LETTERS: [CastlingLetters; 2] = [CastlingLetters::XFen, CastlingLetters::Shredder];
const FIELDS: [EnPassantField; 2] = [EnPassantField::Legal, EnPassantField::Always];

/// Checks FEN parsing on any bytes, read as text. A FEN is parsed completely or refused at a
/// byte; a parsed FEN is written so that it parses back to the same setup; and the oracle finds a
/// position unplayable exactly when the rules do.
pub fn fen(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match fen::parse(&text) {
        Err(error) => assert!(text.is_char_boundary(error.at), "{error}"),
        Ok(setup) => {
            for letters in LETTERS {
                let written = fen::write(&setup, letters);
                assert_eq!(fen::parse(&written), Ok(setup), "{written}");
            }
            assert_refused_alike(setup);
            match setup.position() {
                Ok(position) => assert_round_trip(&position),
                Err(problems) => assert_eq!(problems, setup.problems()),
            }
        }
    }
}

/// Checks that a setup is unplayable for the rules exactly if it is for the oracle, which does
/// not count pieces.
fn assert_refused_alike(mut setup: Setup) {
    let problems = setup.problems();
    assert_eq!(setup.position().is_err(), problems.is_unplayable(), "{problems:?}");
    setup.clocks = Some(Clocks { halfmove_clock: 0, fullmove_number: 1 });
    let written = fen::write(&setup, CastlingLetters::Shredder);
    let is_crowded = problems.contains(SetupProblem::TooManyWhitePieces)
        || problems.contains(SetupProblem::TooManyBlackPieces);
    let is_playable = Oracle::from_fen(&written).is_ok() && !is_crowded;
    assert_eq!(setup.position().is_ok(), is_playable, "{written}: {problems}");
}

fn assert_round_trip(position: &Position) {
    for castling in LETTERS {
        for en_passant in FIELDS {
            let style = FenStyle { castling, en_passant };
            let written = position.to_fen_in(style);
            let again = Position::from_fen(&written)
                .unwrap_or_else(|error| panic!("{written} is refused: {error}"));
            assert_eq!(again, *position, "{written}");
            assert_eq!(again.hash(), position.hash(), "{written}");
            assert_eq!(again.to_fen_in(style), written);
        }
    }
    assert_eq!(position.hash(), position.recomputed_hash(), "{position:?}");
    positions::assert_agreement(position, &positions::oracle(position));
}
