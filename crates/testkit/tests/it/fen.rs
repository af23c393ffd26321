use castellan_testkit::oracle::{Oracle, ParseOracleFenError, START_FEN};

/// Reading and writing again gives the expected text.
#[track_caller]
fn check(fen: &str, expected: &str) {
    let written = Oracle::from_fen(fen).map(|oracle| oracle.to_fen());
    assert_eq!(written.as_deref(), Ok(expected), "{fen}");
}

#[track_caller]
fn refuse(fen: &str, expected: ParseOracleFenError) {
    assert_eq!(Oracle::from_fen(fen).map(|oracle| oracle.to_fen()), Err(expected), "{fen}");
}

#[test]
fn the_start_position_is_written_as_it_is_read() {
    check(START_FEN, START_FEN);
}

#[test]
fn both_styles_of_castling_letters_are_read() {
    let written = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9";
    check(written, written);
    check("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 3 9", written);
    check("r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 3 9", written);
}

#[test]
fn only_an_inner_rook_needs_its_file() {
    let inner = "4k3/8/8/8/8/8/8/1RK2R1R w FQ - 0 1";
    check(inner, inner);
    check("4k3/8/8/8/8/8/8/1RK2R1R w BF - 0 1", inner);
    check("4k3/8/8/8/8/8/8/1RK2R1R w HB - 0 1", "4k3/8/8/8/8/8/8/1RK2R1R w KQ - 0 1");
}

#[test]
fn en_passant_is_written_only_where_a_capture_is_legal() {
    let legal = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    check(legal, legal);
    check("4k3/8/8/3p1P2/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p1P2/8/8/8/4K3 w - - 0 1");
    check("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1");
}

#[test]
fn malformed_fields_are_refused() {
    use ParseOracleFenError::*;
    refuse("", FieldCount);
    refuse("4k3/8/8/8/8/8/8/4K3 w - - 0", FieldCount);
    refuse("4k3/8/8/8/8/8/8/4K3 w - - 0 1 ", FieldCount);
    refuse("4k3/8/8/8/8/8/4K3 w - - 0 1", Placement);
    refuse("4k3/8/8/8/8/8/8/4K4 w - - 0 1", Placement);
    refuse("4k3/8/8/8/8/8/7/4K3 w - - 0 1", Placement);
    refuse("4k3/8/8/8/8/8/8/4X3 w - - 0 1", Placement);
    refuse("4k3/8/8/8/8/8/8/4K3 W - - 0 1", Turn);
    refuse("4k3/8/8/8/8/8/8/4K3 w - - +1 1", HalfmoveClock);
    refuse("4k3/8/8/8/8/8/8/4K3 w - - 0 one", FullmoveNumber);
}

#[test]
fn boards_without_chess_on_them_are_refused() {
    use ParseOracleFenError::*;
    refuse("8/8/8/8/8/8/8/4K3 w - - 0 1", Kings);
    refuse("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", Kings);
    refuse("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", PawnOnBackRank);
    refuse("4k3/8/8/8/8/8/8/4K2p w - - 0 1", PawnOnBackRank);
    refuse("4k3/8/8/8/8/8/8/4K2r b - - 0 1", OpponentInCheck);
}

#[test]
fn castling_needs_its_king_and_rook() {
    use ParseOracleFenError::*;
    refuse("4k3/8/8/8/8/8/8/4K3 w K - 0 1", Castling);
    refuse("4k3/8/8/8/8/8/4K3/7R w K - 0 1", Castling);
    refuse("4k3/8/8/8/8/8/8/4K2R w KH - 0 1", Castling);
    refuse("4k3/8/8/8/8/8/8/4K1RR w HG - 0 1", Castling);
    refuse("4k3/8/8/8/8/8/8/4K2R w E - 0 1", Castling);
    refuse("4k3/8/8/8/8/8/8/4K2R w K- - 0 1", Castling);
}

#[test]
fn en_passant_needs_a_pawn_that_can_have_jumped() {
    use ParseOracleFenError::*;
    refuse("4k3/8/8/8/8/8/8/4K3 w - d6 0 1", EnPassant);
    refuse("4k3/8/8/3p4/8/8/8/4K3 w - d7 0 1", EnPassant);
    refuse("4k3/8/8/3p4/8/8/8/4K3 b - d6 0 1", EnPassant);
    refuse("4k3/3r4/8/3pP3/8/8/8/4K3 w - d6 0 1", EnPassant);
    refuse("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", EnPassant);
    refuse("4k3/8/8/3pP3/8/8/8/4K3 w - d9 0 1", EnPassant);
}
