//! What a FEN says, in words.

use castellan_rules::{
    Bitboard, Clocks, Color, File, Line, Piece, Position, Rank, Role, Setup, Square,
};

/// Several lines, each with a line end. The position is there if one can play from the setup.
pub(super) fn describe(setup: &Setup, position: Option<&Position>) -> String {
    let mut lines = vec![turn(setup.turn, position), castling(setup), en_passant(setup, position)];
    lines.push(clocks(setup.clocks, position));
    if let Some(count) = position.map(Position::count_legal_moves).filter(|&count| count > 0) {
        lines.push(format!("Moves: {count} {} legal.", if count == 1 { "is" } else { "are" }));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn turn(turn: Color, position: Option<&Position>) -> String {
    let state = match position {
        Some(position) if position.is_checkmate() => {
            format!(" and checkmated: {} has won", !turn)
        }
        Some(position) if position.is_stalemate() => " and stalemated: a draw".into(),
        Some(position) if position.is_check() => {
            format!(", in check from {}", listed(position.checkers()))
        }
        _ => String::new(),
    };
    format!("{turn} to move{state}.")
}

/// `e4`, `e4 and f6`: there are never more than a few.
fn listed(squares: Bitboard) -> String {
    let names: Vec<String> = squares.into_iter().map(|square| square.to_string()).collect();
    names.join(" and ")
}

fn castling(setup: &Setup) -> String {
    let [white, black] = Color::ALL.map(|color| {
        let home = Bitboard::rank(Rank::First.relative_to(color));
        let mut rooks: Vec<Square> = (setup.castling_rooks & home).into_iter().collect();
        rooks.reverse();
        let ways: Vec<String> =
            rooks.into_iter().map(|rook| castling_way(setup, color, rook)).collect();
        if ways.is_empty() { "none".into() } else { ways.join(" and ") }
    });
    if setup.castling_rooks.is_empty() {
        return "Castling left: none.".into();
    }
    format!("Castling left: White {white}; Black {black}.")
}

/// `kingside` where everything stands as in ordinary chess, else the rook is named.
fn castling_way(setup: &Setup, color: Color, rook: Square) -> String {
    let kings = setup.pieces.piece(Piece { color, role: Role::King });
    let is_home = kings.contains(Square::new(File::E, rook.rank()));
    match rook.file() {
        File::H if is_home => "kingside".into(),
        File::A if is_home => "queenside".into(),
        _ => format!("with the rook on {rook}"),
    }
}

fn en_passant(setup: &Setup, position: Option<&Position>) -> String {
    match (setup.en_passant, position) {
        (None, _) => "En passant: none.".into(),
        (Some(square), None) => format!("En passant: {square}."),
        (Some(square), Some(position)) if position.en_passant() == Some(square) => {
            format!("En passant: {square}, and a capture there is legal.")
        }
        (Some(square), Some(_)) => {
            format!("En passant: {square}, but no capture there is legal.")
        }
    }
}

fn clocks(clocks: Option<Clocks>, position: Option<&Position>) -> String {
    let Some(Clocks { halfmove_clock, fullmove_number }) = clocks else {
        return "Clocks: not given.".into();
    };
    let plural = if halfmove_clock == 1 { "" } else { "s" };
    let draw = match position.map(|position| Line::new(*position)) {
        Some(line) if line.position().has_legal_move() && line.outcome().is_some() => {
            "; a draw by the seventy-five-move rule"
        }
        Some(line) if line.position().has_legal_move() && line.claims().fifty_moves => {
            "; a draw can be claimed by the fifty-move rule"
        }
        _ => "",
    };
    format!(
        "Clocks: {halfmove_clock} half-move{plural} since the last capture or pawn move, \
         move {fullmove_number}{draw}."
    )
}

#[cfg(test)]
mod tests {
    use castellan_rules::fen;

    use super::*;

    #[track_caller]
    fn check(fen: &str, expected: &[&str]) {
        let setup = fen::parse(fen).unwrap();
        let text = describe(&setup, setup.position().ok().as_ref());
        for line in expected {
            assert!(text.lines().any(|found| found == *line), "{line:?} is not in\n{text}");
        }
    }

    #[test]
    fn the_start_position_in_words() {
        check(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            &[
                "White to move.",
                "Castling left: White kingside and queenside; Black kingside and queenside.",
                "En passant: none.",
                "Clocks: 0 half-moves since the last capture or pawn move, move 1.",
                "Moves: 20 are legal.",
            ],
        );
    }

    #[test]
    fn check_mate_and_stalemate() {
        check("4k3/8/8/8/7b/8/8/4K3 w - -", &["White to move, in check from h4."]);
        check("4k3/8/8/8/7b/8/8/r3K3 w - -", &["White to move, in check from a1 and h4."]);
        let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        check(mate, &["White to move and checkmated: Black has won."]);
        check("7k/5Q2/6K1/8/8/8/8/8 b - -", &["Black to move and stalemated: a draw."]);
        check(
            "7k/5Q2/6K1/8/8/8/8/8 b - - 150 200",
            &["Clocks: 150 half-moves since the last capture or pawn move, move 200."],
        );
    }

    #[test]
    fn castling_names_the_rooks_of_chess960() {
        check(
            "r3k2r/8/8/8/8/8/8/R3K2R w Kq -",
            &["Castling left: White kingside; Black queenside."],
        );
        check(
            "1r1k1r2/8/8/8/8/8/8/1R1K1R2 w FBf -",
            &["Castling left: White with the rook on f1 and with the rook on b1; \
             Black with the rook on f8."],
        );
        check(
            "4k3/8/8/8/8/8/8/4KR1R w F -",
            &["Castling left: White with the rook on f1; Black none."],
        );
        check("4k3/8/8/8/8/8/8/4K3 w - -", &["Castling left: none."]);
    }

    #[test]
    fn en_passant_says_whether_it_can_be_used() {
        check("4k3/8/8/4pP2/8/8/8/4K3 w - e6", &["En passant: e6, and a capture there is legal."]);
        check("4k3/8/8/4p3/8/8/8/4K3 w - e6", &["En passant: e6, but no capture there is legal."]);
        check("4k3/8/8/8/8/8/8/4K3 w - e6", &["En passant: e6."]);
    }

    #[test]
    fn clocks_say_when_a_draw_is_near() {
        check("4k3/8/8/8/8/8/8/R3K3 w - -", &["Clocks: not given."]);
        check(
            "4k3/8/8/8/8/8/8/R3K3 w - - 1 90",
            &["Clocks: 1 half-move since the last capture or pawn move, move 90."],
        );
        check(
            "4k3/8/8/8/8/8/8/R3K3 w - - 100 90",
            &["Clocks: 100 half-moves since the last capture or pawn move, move 90; \
             a draw can be claimed by the fifty-move rule."],
        );
        check(
            "4k3/8/8/8/8/8/8/R3K3 w - - 150 90",
            &["Clocks: 150 half-moves since the last capture or pawn move, move 90; \
             a draw by the seventy-five-move rule."],
        );
    }

    #[test]
    fn one_legal_move_is_one() {
        check("7k/8/8/8/8/8/5q2/7K w - -", &["White to move and stalemated: a draw."]);
        check("7k/8/8/8/8/8/6q1/7K w - -", &["Moves: 1 is legal."]);
    }
}
