use castellan_testkit::oracle::{Oracle, START_FEN};

fn position(fen: &str) -> Oracle {
    Oracle::from_fen(fen).expect("the tests write proper FEN")
}

/// Playing the moves leads to the expected position.
#[track_caller]
fn check(fen: &str, moves: &str, expected: &str) {
    let mut oracle = position(fen);
    for mv in moves.split(' ') {
        oracle = oracle.play_uci(mv).unwrap_or_else(|| panic!("{mv} in {}", oracle.to_fen()));
    }
    assert_eq!(oracle.to_fen(), expected, "{fen} {moves}");
}

#[track_caller]
fn refuse(fen: &str, mv: &str) {
    assert!(position(fen).play_uci(mv).is_none(), "{mv} in {fen}");
}

#[test]
fn twenty_first_moves() {
    let moves = Oracle::start().legal_uci();
    assert_eq!(moves.len(), 20);
    assert!(moves.is_sorted());
    assert_eq!(moves[..3], ["a2a3", "a2a4", "b1a3"]);
}

#[test]
fn counters_follow_captures_and_pawns() {
    check(START_FEN, "g1f3", "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1");
    check(
        START_FEN,
        "g1f3 b8c6 f3e5 c6e5",
        "r1bqkbnr/pppppppp/8/4n3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3",
    );
    check(
        START_FEN,
        "g1f3 b8c6 e2e4",
        "r1bqkbnr/pppppppp/2n5/8/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 2",
    );
}

#[test]
fn castling_is_spelled_king_takes_rook() {
    let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    check(both, "e1h1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1");
    check(both, "e1a1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 1 1");
    refuse(both, "e1g1");
    refuse(both, "e1c1");
}

#[test]
fn castling_in_chess960_may_trade_squares_or_move_one_piece() {
    check("4k3/8/8/8/8/8/8/5KR1 w K - 0 1", "f1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    check("4k3/8/8/8/8/8/8/6KR w K - 0 1", "g1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    check("1k6/8/8/8/8/8/8/4KR2 w K - 0 1", "e1f1", "1k6/8/8/8/8/8/8/5RK1 b - - 1 1");
    check("4k3/8/8/8/8/8/8/1R4K1 w Q - 0 1", "g1b1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
}

#[test]
fn a_rook_that_castles_away_may_not_uncover_the_king() {
    refuse("4k3/8/8/8/8/8/8/qRK5 w Q - 0 1", "c1b1");
    refuse("4k3/8/8/8/8/8/8/5KRq w K - 0 1", "f1g1");
    refuse("4k3/8/8/8/8/8/8/rR1K4 w Q - 0 1", "d1b1");
}

#[test]
fn rights_go_with_the_king_the_rook_or_its_capture() {
    let both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    check(both, "e1e2", "r3k2r/8/8/8/8/8/4K3/R6R b kq - 1 1");
    check(both, "a1b1", "r3k2r/8/8/8/8/8/8/1R2K2R b Kkq - 1 1");
    check(both, "h1h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1");
}

#[test]
fn only_the_king_minds_attacked_squares() {
    refuse("4k3/8/b7/8/8/8/8/4K2R w K - 0 1", "e1h1");
    refuse("4k3/8/8/8/8/8/6p1/4K2R w K - 0 1", "e1h1");
    refuse("4k3/8/8/8/4r3/8/8/4K2R w K - 0 1", "e1h1");
    check("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1a1", "1r2k3/8/8/8/8/8/8/2KR4 b - - 1 1");
}

#[test]
fn en_passant_takes_the_pawn_beside_the_start() {
    check("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2");
    check(START_FEN, "e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    refuse("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2", "e5d6");
    refuse("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1", "e5d6");
}

#[test]
fn promotion_names_one_of_four_pieces() {
    check("8/P7/8/8/8/8/8/k1K5 w - - 7 1", "a7a8n", "N7/8/8/8/8/8/8/k1K5 b - - 0 1");
    for mv in ["a7a8", "a7a8k", "a7a8p", "a7a8Q"] {
        refuse("8/P7/8/8/8/8/8/k1K5 w - - 7 1", mv);
    }
}

#[test]
fn only_exactly_the_text_of_a_move_plays_it() {
    for text in ["", "e2", "e2e4 ", "e2e4q", "E2E4", "e2e5", "0000"] {
        refuse(START_FEN, text);
    }
}

#[test]
fn play_refuses_what_is_not_legal() {
    let pinned = position("4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1");
    let free = position("6k1/8/8/8/8/8/4B3/4K3 w - - 0 1");
    for mv in free.legal_moves() {
        let is_legal = pinned.legal_moves().contains(&mv);
        assert_eq!(pinned.play(mv).is_some(), is_legal, "{mv}");
        assert!(free.play(mv).is_some(), "{mv}");
    }
}

#[test]
fn mate_and_stalemate_are_told_apart() {
    let mate = position("6k1/8/8/8/8/3b4/4q3/4K2R w - - 0 1");
    assert!(mate.is_check() && mate.is_checkmate() && !mate.is_stalemate());
    let stalemate = position("kb5R/8/1K6/8/8/8/8/8 b - - 0 1");
    assert!(!stalemate.is_check() && !stalemate.is_checkmate() && stalemate.is_stalemate());
    let open = Oracle::start();
    assert!(!open.is_check() && !open.is_checkmate() && !open.is_stalemate());
}

#[test]
fn the_repetition_key_ignores_counters_and_nothing_else() {
    let key = |fen| position(fen).repetition_key();
    let same = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    assert_eq!(key(same), key("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 40 60"));
    assert_ne!(key(same), key("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"));
    assert_ne!(key(same), key("r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1"));
    assert_ne!(key(same), key("r3k2r/8/8/8/8/8/7P/R3K2R w KQkq - 0 1"));
    let offered = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    assert_ne!(key(offered), key("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"));
    let pinned = "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1";
    assert_eq!(key(pinned), key("8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1"));
}
