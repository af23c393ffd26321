//! The commands that a player can type.

/// A line of input, parsed as far as possible without a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PlayerCommand {
    /// An empty line.
    Empty,
    /// Any other text, which may be a move.
    Move(String),
    /// Show the board again.
    Board,
    /// Claim a draw in the current position.
    Claim,
    /// Claim a draw by announcing a move.
    ClaimWith(String),
    /// Offer a draw.
    Draw,
    /// Show the position as FEN.
    Fen,
    /// Flip the board.
    Flip,
    /// List the commands.
    Help,
    /// List the legal moves.
    Moves,
    /// Start a new game.
    New,
    /// Decline the draw offer.
    No,
    /// Quit the program.
    Quit,
    /// Resign.
    Resign,
    /// Take the last move back.
    Undo,
    /// Accept the draw offer.
    Yes,
}

/// The help text.
pub(super) const HELP: &str = "\
Moves:   e4, Nf3, exd5, O-O, e8=Q, or from square to square: e2e4, e7e8q
moves    list the legal moves          undo     take back the last move
board    show the board again          flip     flip the board
draw     offer a draw                  resign   resign the game
claim    claim a draw by threefold repetition or the fifty-move rule
claim MOVE   claim it with the move that you are about to play
fen      show the position as FEN      new      start a new game
quit     quit the program
";

impl PlayerCommand {
    /// Parses a line. Commands may be in upper or lower case; any other text is treated as a
    /// move.
    pub(super) fn parse(text: &str) -> PlayerCommand {
        let text = text.trim();
        let lower = text.to_lowercase();
        match lower.as_str() {
            "" => PlayerCommand::Empty,
            "board" => PlayerCommand::Board,
            "claim" => PlayerCommand::Claim,
            "draw" => PlayerCommand::Draw,
            "fen" => PlayerCommand::Fen,
            "flip" => PlayerCommand::Flip,
            "help" | "?" => PlayerCommand::Help,
            "moves" => PlayerCommand::Moves,
            "new" => PlayerCommand::New,
            "n" | "no" | "decline" => PlayerCommand::No,
            "quit" | "exit" => PlayerCommand::Quit,
            "resign" => PlayerCommand::Resign,
            "undo" => PlayerCommand::Undo,
            "y" | "yes" | "accept" => PlayerCommand::Yes,
            _ => match text.split_once(char::is_whitespace) {
                Some((word, mv)) if word.eq_ignore_ascii_case("claim") => {
                    PlayerCommand::ClaimWith(mv.trim().into())
                }
                _ => PlayerCommand::Move(text.into()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_commands_and_the_rest_are_moves() {
        let check =
            |text: &str, expected: PlayerCommand| assert_eq!(PlayerCommand::parse(text), expected);
        check("  \t", PlayerCommand::Empty);
        check(" Undo ", PlayerCommand::Undo);
        check("?", PlayerCommand::Help);
        check("claim", PlayerCommand::Claim);
        check("claim  Nf3 ", PlayerCommand::ClaimWith("Nf3".into()));
        check("Nf3", PlayerCommand::Move("Nf3".into()));
        check("undo twice", PlayerCommand::Move("undo twice".into()));
    }

    #[test]
    fn the_help_names_every_command() {
        let words = ["moves", "undo", "board", "flip", "draw", "resign", "claim", "fen", "new"];
        for word in words.into_iter().chain(["quit"]) {
            assert!(
                !matches!(PlayerCommand::parse(word), PlayerCommand::Move(_)),
                "{word} is no command"
            );
            assert!(HELP.contains(&format!("{word} ")), "{word} is not explained");
        }
    }
}
