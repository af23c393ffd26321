//! What a player may type.

/// A line that was understood as far as it can be without a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    /// Nothing.
    Empty,
    /// Perhaps a move.
    Move(String),
    /// Show the board again.
    Board,
    /// Claim a draw as the position stands.
    Claim,
    /// Claim a draw by announcing a move.
    ClaimWith(String),
    /// Offer a draw.
    Draw,
    /// Show the FEN.
    Fen,
    /// Turn the board round.
    Flip,
    /// Say what can be typed.
    Help,
    /// List the legal moves.
    Moves,
    /// Start again.
    New,
    /// Decline the draw.
    No,
    /// Leave.
    Quit,
    /// Resign.
    Resign,
    /// Take the last move back.
    Undo,
    /// Accept the draw.
    Yes,
}

/// What can be typed, for the player who asks.
pub(super) const HELP: &str = "\
Moves:   e4, Nf3, exd5, O-O, e8=Q, or from square to square: e2e4, e7e8q
moves    list the legal moves          undo     take the last move back
board    show the board again          flip     turn the board round
draw     offer a draw                  resign   give the game up
claim    claim a draw by threefold repetition or the fifty-move rule
claim MOVE   claim it because of the move that you are about to play
fen      show the position as FEN      new      start again
quit     leave
";

impl Command {
    /// Reads a line. The words for commands may be in upper or lower case; what is none of them
    /// is taken for a move.
    pub(super) fn parse(text: &str) -> Command {
        let text = text.trim();
        let lower = text.to_lowercase();
        match lower.as_str() {
            "" => Command::Empty,
            "board" => Command::Board,
            "claim" => Command::Claim,
            "draw" => Command::Draw,
            "fen" => Command::Fen,
            "flip" => Command::Flip,
            "help" | "?" => Command::Help,
            "moves" => Command::Moves,
            "new" => Command::New,
            "n" | "no" | "decline" => Command::No,
            "quit" | "exit" => Command::Quit,
            "resign" => Command::Resign,
            "undo" => Command::Undo,
            "y" | "yes" | "accept" => Command::Yes,
            _ => match text.split_once(char::is_whitespace) {
                Some((word, mv)) if word.eq_ignore_ascii_case("claim") => {
                    Command::ClaimWith(mv.trim().into())
                }
                _ => Command::Move(text.into()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_commands_and_the_rest_are_moves() {
        let check = |text: &str, expected: Command| assert_eq!(Command::parse(text), expected);
        check("  \t", Command::Empty);
        check(" Undo ", Command::Undo);
        check("?", Command::Help);
        check("claim", Command::Claim);
        check("claim  Nf3 ", Command::ClaimWith("Nf3".into()));
        check("Nf3", Command::Move("Nf3".into()));
        check("undo twice", Command::Move("undo twice".into()));
    }

    #[test]
    fn the_help_names_every_command() {
        let words = ["moves", "undo", "board", "flip", "draw", "resign", "claim", "fen", "new"];
        for word in words.into_iter().chain(["quit"]) {
            assert!(!matches!(Command::parse(word), Command::Move(_)), "{word} is no command");
            assert!(HELP.contains(&format!("{word} ")), "{word} is not explained");
        }
    }
}
