//! The ways in which a game of a match ends.

use std::fmt;

use castellan_game::{End, EndReason};
use castellan_pgn::GameResult;
use castellan_rules::{Color, Line};

/// Why a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum MatchEnding {
    /// The rules ended the game, or a draw that the rules allow a player to claim.
    Rules(EndReason),
    /// Both engines agree on the result.
    Adjudicated,
    /// The loser made an error.
    Fault(Fault, String),
}

/// An error that loses the game for an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    Crash,
    IllegalMove,
    TimeLoss,
}

impl Fault {
    pub(super) const ALL: [Fault; 3] = [Fault::Crash, Fault::IllegalMove, Fault::TimeLoss];

    /// Returns the name of the fault in PGN and in messages.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Fault::Crash => "crash",
            Fault::IllegalMove => "illegal move",
            Fault::TimeLoss => "time loss",
        }
    }
}

impl fmt::Display for MatchEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchEnding::Rules(reason) => reason.fmt(f),
            MatchEnding::Adjudicated => f.write_str("adjudication"),
            MatchEnding::Fault(fault, _) => f.write_str(fault.as_str()),
        }
    }
}

/// Returns how the rules end a game, as engine matches apply them: any draw that could be claimed
/// counts as claimed.
pub(super) fn by_rules(line: &Line) -> Option<(GameResult, MatchEnding)> {
    let claims = line.claims();
    let claimed = if claims.threefold_repetition {
        Some(EndReason::ThreefoldRepetition)
    } else {
        claims.fifty_moves.then_some(EndReason::FiftyMoves)
    };
    let end = End::by_rules(line).or(claimed.map(End::without_winner))?;
    let result = end.winner.map_or(GameResult::Draw, GameResult::Win);
    Some((result, MatchEnding::Rules(end.reason)))
}

/// Returns the first engine's score of a game, in half points.
pub(super) fn half_points(result: GameResult, color_of_a: Color) -> usize {
    match result {
        GameResult::Win(winner) if winner == color_of_a => 2,
        GameResult::Draw => 1,
        GameResult::Win(_) | GameResult::Open => 0,
    }
}

#[cfg(test)]
mod tests {
    use castellan_rules::{Position, UciMove};

    use super::*;

    #[track_caller]
    fn check(fen: &str, moves: &str, expected: Option<&(GameResult, MatchEnding)>) {
        let mut line = Line::new(Position::from_fen(fen).expect("it is a position"));
        for text in moves.split_whitespace() {
            let mv = UciMove::parse(text).expect("it is a move").resolve(line.position());
            line.play(mv.expect("it is legal")).expect("it is legal");
        }
        assert_eq!(by_rules(&line).as_ref(), expected, "{fen} {moves}");
    }

    #[test]
    fn games_end_by_the_rules() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        check(start, "e2e4", None);
        let mate = (GameResult::Win(Color::Black), MatchEnding::Rules(EndReason::Checkmate));
        check(start, "f2f3 e7e5 g2g4 d8h4", Some(&mate));
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
        check(start, shuffle, None);
        check(
            start,
            &shuffle.repeat(2),
            Some(&(GameResult::Draw, MatchEnding::Rules(EndReason::ThreefoldRepetition))),
        );
        let stalemate = Some(&(GameResult::Draw, MatchEnding::Rules(EndReason::Stalemate)));
        check("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7", stalemate);
        let fifty = Some(&(GameResult::Draw, MatchEnding::Rules(EndReason::FiftyMoves)));
        check("7k/8/8/8/8/8/8/KR6 w - - 99 90", "b1b2", fifty);
        check("7k/8/8/8/8/8/8/KR6 w - - 98 90", "b1b2", None);
        let mate = Some(&(GameResult::Win(Color::White), MatchEnding::Rules(EndReason::Checkmate)));
        check("7k/8/6K1/8/8/8/8/R7 w - - 99 90", "a1a8", mate);
    }

    #[test]
    fn dead_positions_end_a_game() {
        let bare = Some(&(GameResult::Draw, MatchEnding::Rules(EndReason::DeadPosition)));
        for (pieces, expected) in [
            ("k7/8/8/8/8/8/8/7K", bare),
            ("k7/8/8/8/8/8/6N1/7K", bare),
            ("k7/b7/8/8/8/8/4B3/7K", None),
            ("k7/1b6/8/8/8/8/6B1/7K", bare),
            ("k7/8/8/8/8/8/5NN1/7K", None),
            ("k7/1n6/8/8/8/8/6N1/7K", None),
            ("k7/8/8/8/8/8/6P1/7K", None),
            ("k7/8/8/8/8/8/6R1/7K", None),
            ("8/6b1/1p3k2/1Pp1p1p1/2P1PpP1/5P2/5K2/8", bare),
        ] {
            check(&format!("{pieces} w - - 0 1"), "", expected);
        }
    }

    #[test]
    fn points_are_those_of_the_first_engine() {
        let win = GameResult::Win(Color::White);
        assert_eq!(half_points(win, Color::White), 2);
        assert_eq!(half_points(win, Color::Black), 0);
        assert_eq!(half_points(GameResult::Draw, Color::Black), 1);
    }
}
