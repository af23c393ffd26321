//! Decides whether the computer accepts a draw offer.
//!
//! The answer depends on the phase of the game, on the score of the position for the computer,
//! and on its level. Both the page and the server use this module. A weaker level sees less and
//! hopes for mistakes by its opponent, so it has to be worse off before it accepts. The answer is
//! the same on every machine, because the search is limited by nodes and not by time.

use castellan_rules::{Color, Line, Role};

use crate::engine::{Clock, Engine, Signals};
use crate::level::Level;
use crate::limits::Limits;
use crate::score::Score;

/// The smallest and the largest number of nodes to search for an answer.
const NODES: [u64; 2] = [5_000, 200_000];
/// An endgame has at most this many pieces other than kings and pawns.
const ENDGAME_PIECES: usize = 6;
/// The number of pieces other than kings and pawns, out of 14, from which the opening lasts
/// longer.
const OPENING_PIECES: usize = 11;
/// The move numbers before which a game is in the opening: the first once pieces have been
/// traded, the second while at least [`OPENING_PIECES`] are on the board.
const OPENING_MOVES: [u32; 2] = [16, 31];
/// The score in centipawns from which the computer plays for a win.
const BETTER: i32 = 40;
/// Plies without a capture or a pawn move after which the computer accepts a draw in an equal
/// endgame.
const IDLE_PLIES: u32 = 20;

/// The phase of the game, as far as a draw offer depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Opening,
    Middlegame,
    Endgame,
}

impl Phase {
    fn of(line: &Line) -> Phase {
        let position = line.position();
        let pieces: usize = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .into_iter()
            .map(|role| position.role(role).count())
            .sum();
        let number = position.fullmove_number();
        let last = OPENING_MOVES[usize::from(pieces >= OPENING_PIECES)];
        match pieces {
            ..=ENDGAME_PIECES => Phase::Endgame,
            _ if number < last => Phase::Opening,
            _ => Phase::Middlegame,
        }
    }
}

/// Returns `true` if the computer accepts a draw in the last position of a line.
///
/// `score` is from the computer's point of view. `level` is `None` for full strength.
fn accepts(line: &Line, score: Score, level: Option<Level>) -> bool {
    let worth = match score {
        Score::Centipawns(worth) => worth,
        Score::Mate(moves) if moves > 0 => return false,
        Score::Mate(_) => return true,
    };
    // How much worse than equal the computer has to be: half a pawn, and more for weak levels.
    let points = level.unwrap_or(Level::HIGHEST).points();
    let margin = 50 + i32::from(Level::HIGHEST.points() - points) / 24;
    match Phase::of(line) {
        Phase::Opening => false,
        Phase::Middlegame => worth <= -margin,
        Phase::Endgame => {
            let is_idle = u32::from(line.position().halfmove_clock()) >= IDLE_PLIES;
            worth <= -margin / 2 || is_idle && worth < BETTER
        }
    }
}

/// Returns the same score from the opponent's point of view.
fn reversed(score: Score) -> Score {
    match score {
        Score::Centipawns(worth) => Score::Centipawns(-worth),
        Score::Mate(moves) => Score::Mate(-moves),
    }
}

impl Engine {
    /// Returns `true` if the computer, playing `color` at `level` (`None` for full strength),
    /// accepts a draw in the last position of a line. It never accepts in the opening.
    pub fn accepts_draw(
        &mut self,
        line: &Line,
        color: Color,
        level: Option<Level>,
        clock: &Clock<'_>,
        signals: &Signals,
    ) -> bool {
        if Phase::of(line) == Phase::Opening || !line.position().has_legal_move() {
            return false;
        }
        let nodes = level.map_or(NODES[1], Level::nodes).clamp(NODES[0], NODES[1]);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let answer = self.go(line, &limits, clock, signals, &mut |_| {});
        let score = if line.turn() == color { answer.score } else { reversed(answer.score) };
        accepts(line, score, level)
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use castellan_rules::{Position, San};

    use super::*;
    use crate::engine::Options;

    /// Levels to test, the strongest last.
    fn levels() -> [Option<Level>; 4] {
        [Level::new(400), Level::new(1200), Level::new(2000), None]
    }

    fn line(fen: &str) -> Line {
        Line::new(Position::from_fen(fen).expect("the FEN is right"))
    }

    fn ask(line: &Line, color: Color, level: Option<Level>) -> bool {
        let mut engine = Engine::new(Options { hash_mb: 1, threads: 1 });
        engine.accepts_draw(line, color, level, &|| Duration::ZERO, &Signals::default())
    }

    #[test]
    fn no_level_agrees_in_the_opening() {
        // The computer is a queen down after a blunder, but plays on.
        let mut line = Line::default();
        for text in ["e4", "e5", "Qh5", "Nf6", "Qxf7+", "Kxf7"] {
            let mv = San::parse(text).unwrap().resolve(line.position()).unwrap();
            line.play(mv).unwrap();
            for level in levels() {
                assert!(!ask(&line, Color::White, level), "{text} {level:?}");
                assert!(!ask(&line, Color::Black, level), "{text} {level:?}");
            }
        }
    }

    #[test]
    fn the_side_that_is_winning_plays_on_and_the_other_one_agrees() {
        // White is a bishop up, and the opening is long over.
        let line = line("r2q1rk1/1pp2ppp/p1n2n2/8/8/2N1BN2/PPPQ1PPP/R4RK1 w - - 2 35");
        for level in levels() {
            assert!(!ask(&line, Color::White, level), "{level:?}");
            assert!(ask(&line, Color::Black, level), "{level:?}");
        }
    }

    #[test]
    fn a_level_endgame_is_drawn_once_nothing_happens_any_more() {
        let fen = |clock: u32| format!("8/5pk1/6p1/4r3/8/6P1/3R1PK1/8 w - - {clock} 60");
        for level in levels() {
            for color in Color::ALL {
                assert!(!ask(&line(&fen(0)), color, level), "{level:?}");
                assert!(ask(&line(&fen(30)), color, level), "{level:?}");
            }
        }
    }

    #[test]
    fn a_weak_level_hopes_for_longer() {
        let line = line("r2q1rk1/1pp2ppp/p1n2n2/8/8/2N1BN2/PPPQ1PPP/R4RK1 w - - 2 35");
        let least = |level| (0..400).find(|&loss| accepts(&line, Score::Centipawns(-loss), level));
        let losses = levels().map(|level| least(level).expect("a lost game is given up"));
        assert!(losses.is_sorted_by(|weaker, stronger| weaker >= stronger), "{losses:?}");
        assert!(losses[0] > losses[3], "{losses:?}");
    }

    #[test]
    fn mates_decide() {
        for fen in ["8/8/8/8/8/5k2/8/4K2r w - - 0 60", "r2q1rk1/8/8/8/8/2N1BN2/8/R4RK1 w - - 2 35"]
        {
            let line = line(fen);
            assert!(accepts(&line, Score::Mate(-3), None));
            assert!(!accepts(&line, Score::Mate(3), None));
        }
    }
}
